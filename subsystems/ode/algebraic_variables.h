/* Algebraic variables of a subsystem with a mass matrix. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ALGEBRAIC_VARIABLES_H
#define WR_ALGEBRAIC_VARIABLES_H

#include "subsystems/ode/ode_parts.h"
#include "subsystems/solvers/consistent.h"

typedef struct wr_ode_algebraic {
    wr_equations here; /* the equations with the inputs of the present instant */
    wr_consistent *consistent;
    double *shift;
} wr_ode_algebraic;

/* Places the objects for algebraic variables if the group has a mass matrix. Setup only. Returns WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_ode_algebraic_place(wr_subsystem *s, const wr_equations *ode, wr_arena *arena);
/* Solves the algebraic equations at the present instant. A change of a variable counts as a change by an event. */
wrsim_status wr_ode_settle(wr_subsystem *s);
/* Writes x' at the present instant into ret_dx[n_x]: f, or the solution of L x' = f with a mass matrix L. */
wrsim_status wr_ode_slope_here(wr_subsystem *s, double *ret_dx);
/* With a mass matrix, replaces f_moved by a slope: f, plus the change of x', plus the shift of x divided by length_s
 * (wr_ode_algebraic_split()). f[n_x], f_moved[n_x]: f before and after a change of inputs. Returns 0, or -1 if the slope is unknown. */
int wr_ode_algebraic_effect(wr_subsystem *s, const double *f, double length_s, double *f_moved);
/* Splits a change df[n_x] of f at the present point into a change ret_rate[n_x] of x' and a shift of x, (*ret_shift)[n_x]
 * (wr_consistent_split()). Returns 0, or -1 if the split is unknown. */
int wr_ode_algebraic_split(wr_subsystem *s, const double *df, double *ret_rate,
                           const double **ret_shift);

WR_ODE_GET(int, has_mass, algebraic->consistent != NULL)

#endif
