/* The solver of a subsystem: its equations, the kept part of the Jacobian, generated code.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_SOLVER_H
#define WR_HYBRID_SOLVER_H

#include "subsystems/hybrid_config.h"
#include "subsystems/hybrid_parts.h"

typedef struct wr_hybrid_method {
    wr_ode ode;
    const wr_sparsity *kept; /* of the Jacobian; NULL: all of it */
    void *code_handle;       /* of generated code, NULL: none */
} wr_hybrid_method;

/* Places the integrator and what it needs. Errors of the user's go to diag. */
wrsim_status wr_hybrid_solver_place(wr_subsystem *s, wr_arena *arena,
                                    const wr_hybrid_config *config, wr_diag *diag);
void wr_hybrid_solver_destroy(wr_hybrid *work);

#endif
