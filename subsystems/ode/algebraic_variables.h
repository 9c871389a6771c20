/* Algebraic variables of a subsystem with a singular mass matrix.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ALGEBRAIC_VARIABLES_H
#define WR_ALGEBRAIC_VARIABLES_H

#include "subsystems/ode/ode_parts.h"
#include "subsystems/solvers/consistent.h"

typedef struct wr_ode_algebraic {
    wr_equations here; /* with inputs as they are at the present instant */
    wr_consistent *consistent;
    double *shift;
} wr_ode_algebraic;

/* Places what algebraic variables need where there is a mass matrix. After the integrator. */
wrsim_status wr_ode_algebraic_place(wr_subsystem *s, const wr_equations *ode, wr_arena *arena);
/* Makes the algebraic variables fit the equations at the present instant; what changes counts as changed by an event. */
wrsim_status wr_ode_settle(wr_subsystem *s);
/* x' at the present instant: f, or with a mass matrix what follows from it. */
wrsim_status wr_ode_slope_here(wr_subsystem *s, double *ret_dx);
/* With a mass matrix: makes f_moved[n_x], f with other inputs than those of f[n_x], a slope that over length_s does to the
 * states what the change of inputs does, at once or by and by. 0, or -1: it cannot be told. */
int wr_ode_algebraic_effect(wr_subsystem *s, const double *f, double length_s, double *f_moved);
/* What a change of f does at the present point (wr_consistent_split()). 0, or -1. */
int wr_ode_algebraic_split(wr_subsystem *s, const double *df, double *ret_rate,
                           const double **ret_shift);

/* Has the subsystem a mass matrix? */
static inline int wr_ode_has_mass(const wr_subsystem *s)
{
    return wr_ode_of(s)->algebraic->consistent != NULL;
}

#endif
