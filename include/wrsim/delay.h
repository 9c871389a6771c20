/* Delay errors: a slackened run (relaxation.scheme = "slack") estimates the error that stale inputs cause.
 *
 * The run watches every slack.watch-th period of a subsystem. The run evaluates a watched period after the producers of the subsystem have
 * published the same time span. Therefore results are some periods late, and the last periods of a run have no result. The number of these
 * periods is the delay in periods plus one. Two measures exist:
 *
 *   - The current error of a step, E_c = h [f(x, u) - f(x, u~)], with true inputs u and stale inputs u~, and its sum
 *     E over the steps (A. Ben Khaled, M. Ben Gaid, D. Simon, "Parallelization approaches for the time-efficient
 *     simulation of hybrid dynamical systems: application to combustion modeling", EOOLT 2013, eqs. 8, 9 and 14 to
 *     19). E contains neither the errors of other subsystems nor the growth or decay of earlier errors.
 *   - The estimate: the error of the present values that all delays so far have caused. If every period is watched,
 *     a subsystem that can store its state integrates each period again with the true inputs. The run then compares
 *     the two solutions. In all other cases linearisation propagates the errors from step to step. If a state jumps
 *     late, the time between the jumps of the two solutions does not count. The estimate is no bound;
 *     docs/NUMERICS.md gives its measured quality.
 *
 * The sign of an error is as in the paper: true value minus computed value. A relative error of a state x is divided by |x| +
 * atol/rtol. Both measures exclude the errors of the solvers.
 *
 * Thread: owner, between calls of wrsim_run / wrsim_advance. Phase: any after wrsim_prepare. All functions return WRSIM_OK, or WRSIM_E_ARG
 * if an index is invalid or a pointer is NULL. All functions return WRSIM_E_STATE before wrsim_prepare, in a run with another scheme, and
 * with slack.watch = 0. */
#ifndef WRSIM_DELAY_H
#define WRSIM_DELAY_H

#include <stdint.h>

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a name in the structs below, with its final 0. */
enum { WRSIM_DELAY_NAME_BYTES = 384 };

/* Delay errors of one subsystem. Names of states are "" before the first computed error. */
typedef struct wrsim_delay_subsystem {
    const char *name; /* name of the subsystem; owned by the simulation */
    int n_connection; /* connections from other subsystems, including played connections */
    int64_t n_period; /* watched periods with a result */
    int64_t n_lost;   /* watched periods without a result: the true inputs come too late */
    int64_t n_failed; /* failed steps and shadow periods with the true inputs */
    /* 1: `current` and `estimate` may be too small, because a model has WRSIM_CAP_NO_PROBE or an own state (wrsim/model.h) */
    int is_partial;
    int64_t n_rhs;    /* right-hand sides evaluated for watching; no other count includes them */
    double current;   /* largest relative E_c of a step */
    double current_s; /* time of the step with this error, s */
    char current_state[WRSIM_DELAY_NAME_BYTES];  /* state with this error */
    double estimate;                             /* largest relative estimate of any variable */
    double estimate_s;                           /* time of this estimate, s */
    char estimate_state[WRSIM_DELAY_NAME_BYTES]; /* state with this estimate; "": no state */
    int64_t n_above_loc;                         /* watched periods with E_c above slack.eps_loc */
    int64_t n_above_glo;      /* watched periods with an estimate above slack.eps_glo */
    double first_above_loc_s; /* time of the first period above slack.eps_loc, s; NaN: none */
    double first_above_glo_s; /* time of the first period above slack.eps_glo, s; NaN: none */
    int n_sweep;              /* present number of sweeps of a period of the subsystem */
    /* slack.eps_loc if slack.on_loc is "warn" or "stop", else INFINITY; 0: not watched */
    double said_loc;
    /* slack.eps_glo if slack.on_glo is "warn" or "stop", else INFINITY; 0: not watched */
    double said_glo;
} wrsim_delay_subsystem;

/* Delay errors of one connection: all inputs of one subsystem that come from one producer. */
typedef struct wrsim_delay_connection {
    const char *reader, *producer; /* names of the subsystems; owned by the simulation */
    int is_played; /* 1: the producer is a recording or port, which is never stale */
    /* 1: the reader waits for this producer, because an error has exceeded slack.eps_loc or slack.eps_glo */
    int is_awaited;
    /* present time between exchanges, s: slack.period, or less after an error above slack.eps_loc or slack.eps_glo */
    double period_s;
    double current;   /* largest relative E_c of a step with only this connection stale */
    double current_s; /* time of the step with this error, s */
    /* Sum over all steps of the largest relative E_c. Connections share the error of a period in the ratio of their E_c at the period's
     * worst step. The connection with the largest sum is the worst connection. */
    double sum;
} wrsim_delay_connection;

/* Delay errors of one state, in the unit of the state. */
typedef struct wrsim_delay_state {
    double current;     /* E_c of the last watched step */
    double accumulated; /* E, the sum of E_c over all watched steps */
    double estimate;    /* present estimate of the propagated error */
    double most;        /* largest absolute estimate of the run */
} wrsim_delay_state;

/* Copies the delay errors of subsystem i_subsystem, from 0. Returns WRSIM_OK, WRSIM_E_ARG or WRSIM_E_STATE. */
WRSIM_API wrsim_status wrsim_delay_subsystem_get(const wrsim *sim, int i_subsystem,
                                                 wrsim_delay_subsystem *ret);
/* Copies the delay errors of connection i_connection of a subsystem, from 0 to n_connection less 1. */
WRSIM_API wrsim_status wrsim_delay_connection_get(const wrsim *sim, int i_subsystem,
                                                  int i_connection, wrsim_delay_connection *ret);
/* Copies the delay errors of a state. variable is the index of a state, or of an output that equals a state, from wrsim_find. */
WRSIM_API wrsim_status wrsim_delay_state_get(const wrsim *sim, int variable,
                                             wrsim_delay_state *ret);

#ifdef __cplusplus
}
#endif
#endif
