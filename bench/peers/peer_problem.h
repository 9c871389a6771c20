/* A config as other solvers see it: one hybrid ODE on exactly wrsim's model code.
 *
 * The monolithic group of the simulation gives f, all indicators and the handling of events; a peer
 * brings its own integrator and its own root finding, and calls peer_event() where wrsim's own window
 * loop would handle a stop, so that events mean the same.
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
    wr_subsystem *s; /* the monolith; s->x, s->d, s->mode are current between two stops */
    wr_arena *arena; /* for what a peer places */
    int n_x, n_z;
    double start_s, stop_s, rtol, atol_factor;
    /* [n_x] tolerance of x_i: factor_i rtol (|x_i| + atol_factor nominal_i) */
    const double *nominal, *factor;
    peer_counts counts;
    FILE *result; /* NULL = nothing is recorded */
    double grid_s;
    int64_t i_row; /* next point of the grid */
    char why[512]; /* of a failure */
} peer_problem;

/* Reads the config with overrides and finds start values. 0, or -1 with p->why. */
int peer_problem_open(peer_problem *p, const char *config, const char *const *overrides,
                      int n_override);
void peer_problem_close(peer_problem *p);

/* f and the indicators with frozen modes; 0, > 0 = try a smaller step, < 0 = fatal. */
int peer_rhs(peer_problem *p, double t_s, const double *x, double *ret_dx);
int peer_indicators(peer_problem *p, double t_s, const double *x, double *ret_z);

/* Handles what is due at (t, x): indicators whose sign is not their mode, those in found (NULL or
 * [n_z], +1 or -1 where the root finder saw a change), announced times. Changes x. Returns 1 when
 * something happened and the integrator must start afresh, 0 if not, -1 on failure. */
int peer_event(peer_problem *p, double t_s, double *x, const int *found);

/* Earliest announced time event, INFINITY if there is none. */
double peer_next_time(const peer_problem *p);

/* The grid of recorded points: opens the file, next point (INFINITY after the last), writes a row. */
int peer_record_open(peer_problem *p, const char *file, double grid_s);
double peer_next_row(const peer_problem *p);
int peer_record(peer_problem *p, double t_s, const double *x);
int peer_record_close(peer_problem *p);

#endif
