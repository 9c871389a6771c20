/* Delay errors: what a slackened run (relaxation.scheme = "slack") says that reading stale inputs has cost, while it runs.
 *
 * Every slack.watch-th period of a subsystem is looked at again once its producers have published it, so the answers are a
 * few periods old. The last periods of a run, of which
 * that is not known yet (one more than the delay has), are in none of them. Two measures stand beside each other:
 *
 *   - as published (A. Ben Khaled, M. Ben Gaid, D. Simon, "Parallelization approaches for the time-efficient simulation of
 *     hybrid dynamical systems: application to combustion modeling", EOOLT 2013, eqs. 8, 9 and 14 to 19): the current
 *     error of a step, E_c = h [f(x, u) - f(x, u~)], and its sum E. What the others are off by is not in it, and it neither
 *     decays nor grows.
 *   - the estimate: the error of the present values that all delays so far have caused. Where every
 *     period is watched, each subsystem integrates its periods again with the inputs that it should
 *     have read, and both courses are compared; else errors are propagated along the points of the
 *     solvers. Where a state jumps late, the time between does not count. It is an estimate, not a
 *     bound: docs/NUMERICS.md gives its measured quality.
 *
 * Signs are as published: what would have to be added. Relative errors are those of tolerances: of |x| + atol/rtol. The
 * solvers' own errors are in neither.
 *
 * Thread: owner, between calls of wrsim_run / wrsim_advance. Phase: any after wrsim_prepare. All return WRSIM_E_ARG for what is
 * not there, and WRSIM_E_STATE where nothing is watched: another scheme, slack.watch = 0, or before wrsim_prepare.
 */
#ifndef WRSIM_DELAY_H
#define WRSIM_DELAY_H

#include <stdint.h>

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WRSIM_DELAY_NAME_BYTES = 128 };

/* Of one subsystem. Its name is owned by the simulation; a state is "" where there is none yet. */
typedef struct wrsim_delay_subsystem {
    const char *name;
    int n_connection; /* to subsystems that it reads, played ones included */
    int64_t n_period; /* watched and settled */
    int64_t n_lost;   /* watched in vain: what was read became known too late */
    int64_t n_failed; /* steps that are not in E_c, as the model fails with the true inputs */
    int64_t n_rhs;    /* evaluations that watching has cost, in none of the other counts */
    double current;   /* the largest E_c of a step, relative, ... */
    double current_s; /* ... its time, s, ... */
    char current_state[WRSIM_DELAY_NAME_BYTES]; /* ... and of which state */
    double estimate; /* the largest propagated error of a state, relative; likewise */
    double estimate_s;
    char estimate_state[WRSIM_DELAY_NAME_BYTES];
    int64_t n_above_loc, n_above_glo; /* periods watched above slack.eps_loc, slack.eps_glo, ... */
    double first_above_loc_s, first_above_glo_s; /* ... since when, s; NaN: never */
    int n_sweep;                                 /* of its periods at present */
    double said_loc,
        said_glo; /* slack.eps_loc, slack.eps_glo where what is above is to be said; else INFINITY */
} wrsim_delay_subsystem;

/* Of what one subsystem reads of another. */
typedef struct wrsim_delay_connection {
    const char *reader, *producer; /* owned by the simulation */
    int is_played;                 /* known ahead: it is never stale */
    int is_awaited;                /* because of a limit */
    double period_s; /* of exchange at present, s: shorter because of a limit, or as configured */
    double current, current_s; /* as above, with only what comes through here stale */
    double
        sum; /* of the largest relative E_c of every step, shared out in a period as it is at its worst step: what tells
                   the worst connection */
} wrsim_delay_connection;

/* Of one state, in its unit. */
typedef struct wrsim_delay_state {
    double current;     /* E_c of the last step that was watched */
    double accumulated; /* E */
    double estimate;    /* propagated, */
    double most;        /* and the largest size of it so far */
} wrsim_delay_state;

WRSIM_API wrsim_status wrsim_delay_subsystem_get(const wrsim *sim, int i_subsystem,
                                                 wrsim_delay_subsystem *ret);
WRSIM_API wrsim_status wrsim_delay_connection_get(const wrsim *sim, int i_subsystem,
                                                  int i_connection, wrsim_delay_connection *ret);
/* variable: of wrsim_find(), a state, or an output that is one. */
WRSIM_API wrsim_status wrsim_delay_state_get(const wrsim *sim, int variable,
                                             wrsim_delay_state *ret);

#ifdef __cplusplus
}
#endif
#endif
