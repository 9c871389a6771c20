/* The solver of a subsystem: its equations, the kept entries of the Jacobian, generated code.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_SOLVER_H
#define WR_ODE_SOLVER_H

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_method {
    wr_equations ode;
    const wr_matrix *kept; /* entries of the Jacobian that the solver uses; NULL: all */
    void *code_handle;     /* generated code (lu_object.h); NULL: none */
} wr_ode_method;

/* Places the integrator and its matrices. Adds errors in the config to diag. */
wrsim_status wr_ode_solver_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config,
                                 wr_diag *diag);
/* Returns the entries of the Jacobian that the solver uses. */
const wr_matrix *wr_ode_kept_pattern(const wr_subsystem *s);
void wr_ode_solver_destroy(wr_ode *work);

/* Returns whether a published output is computed from states. Solvers with error control then also control the errors of these outputs. */
WR_ODE_GET(int, controls_outputs, method->ode.computed_error != NULL)

#endif
