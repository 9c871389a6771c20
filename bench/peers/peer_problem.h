/* A config as one hybrid ODE for other solvers, evaluated by wrsim's model code.
 *
 * The monolithic group of the simulation gives f, all indicators and the handling of events. A peer has its own
 * integrator and root finder. The peer calls peer_event() at each root and declared time event, so that events have the
 * same meaning as in wrsim.
 *
 * Thread: main. Real-time: no.
 */
#ifndef PEER_PROBLEM_H
#define PEER_PROBLEM_H

#include <stdint.h>
#include <stdio.h>

#include "runtime/sim/build_components.h"

typedef struct peer_counts {
    int64_t n_rhs, n_indicator, n_step, n_event, n_jacobian;
} peer_counts;

typedef struct peer_problem {
    wr_settings *settings;
    wr_assembly *assembly;
    wr_subsystem *s; /* the monolithic subsystem; s->x, s->d and the modes are valid at a stop */
    wr_arena *arena; /* memory for a peer's objects */
    int n_x, n_z;
    double start_s, stop_s, rtol, atol_factor;
    /* [n_x] tolerance of x_i: factor_i rtol (|x_i| + atol_factor nominal_i) */
    const double *nominal, *factor;
    peer_counts counts;
    FILE *result; /* NULL: no recording */
    double grid_s;
    int64_t i_row; /* index of the next grid point */
    char why[512]; /* reason of a failure */
} peer_problem;

/* Reads the config with overrides and finds start values. Returns 0, or -1 with p->why. */
int peer_problem_open(peer_problem *p, const char *config, const char *const *overrides,
                      int n_override);
void peer_problem_close(peer_problem *p);

/* Evaluate f and the indicators with fixed modes. Return 0; > 0: the peer must try a smaller step; < 0: fatal. */
int peer_rhs(peer_problem *p, double t_s, const double *x, double *ret_dx);
int peer_indicators(peer_problem *p, double t_s, const double *x, double *ret_z);

/* Handles the events that are due at (t, x): time events, indicators whose sign differs from their mode, and indicators in found. found:
 * NULL, or [n_z] with +1 or -1 for a change of sign that the root finder has found. Changes x. Returns 1 if an event happened and the
 * integrator must restart, 0 if not, -1 on failure. */
int peer_event(peer_problem *p, double t_s, double *x, const int *found);

/* Returns the earliest declared time event; INFINITY: none. */
double peer_next_time(const peer_problem *p);

/* Open the file of recorded points, return the time of the next row, write a row, and close the file. The time is INFINITY
 * without a file or after the last row. */
int peer_record_open(peer_problem *p, const char *file, double grid_s);
double peer_next_row(const peer_problem *p);
int peer_record(peer_problem *p, double t_s, const double *x);
int peer_record_close(peer_problem *p);

#endif
