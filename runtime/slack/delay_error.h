/* Delay error: the error of one subsystem A that reads stale inputs u~ instead of the true inputs u.
 *
 * A reads earlier published waves, held or extrapolated. Once the producers have published the waves of the period, the true
 * inputs are known. The true inputs give two errors:
 *
 *   - as published (Ben Khaled et al. (2013), eqs. 8, 9 and 14 to 19; docs/METHODS.md, Delay errors): the current
 *     error of a step is E_c = h [f(x, u) - f(x, u~)] with A's own x. The accumulated error is E = sum of E_c. Each step
 *     counts as a step of the explicit Euler method, for all solvers.
 *   - propagated: the plain sum neither decays nor grows, and lacks the errors of the producers. If every period is watched, a shadow of
 *     the subsystem integrates each period with the right inputs (delay_shadow.h). If not, or if the subsystem can have no shadow,
 *     delay_path.h propagates the error along the solver's points and across events. The input errors are then u~ - u plus the errors of
 *     the producers. Across unwatched periods the linearisation propagates the error, with the mean of these input errors
 *     (runtime/relax/propagation.h).
 *
 * "True" means published: published waves have the errors of their producers. The propagated error includes these errors;
 * E_c and E do not.
 *
 * A record of each period contains the solver's points with u~ at these points (subsystems/step_watch.h). With a delay of d periods the
 * true inputs of a record are known d + 1 periods later. wr_delay_error_settle() then compares the true inputs with u~. Right-hand sides
 * and derivatives are expensive, so an unwatched period evaluates the model at events only. A watched period represents all periods since
 * the last watched period.
 *
 * Errors of states are relative to |x| + atol/rtol, as tolerances are.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_ERROR_H
#define WR_DELAY_ERROR_H

#include "runtime/relax/propagation.h"
#include "runtime/slack/delay_shadow.h"
#include "wrsim/delay.h"

typedef struct wr_delay_error wr_delay_error;

/* Functions that return the true inputs of a subsystem. */
typedef struct wr_delay_truth {
    void *context;
    /* Writes the true inputs at t_s to ret[n_external], except inputs that are known ahead. is_after 1: values after a jump at t_s. */
    void (*inputs)(void *context, double t_s, int is_after, double *ret);
    /* Writes the errors that the producers have published for their outputs to ret[n_external]. */
    void (*errors)(void *context, double *ret);
    wr_delay_producers producers; /* functions for the shadow */
} wr_delay_truth;

/* Delay errors of one settled record. */
typedef struct wr_delay_verdict {
    double t_s;            /* end of the period, s */
    double current;        /* the largest E_c of a state in a step, relative */
    int i_state, i_source; /* state of `current`, and source with the largest share; -1: none */
    /* largest propagated error of the states, relative; with a shadow also of discrete states and published outputs, and of recorded
     * variables if the subsystem has no states */
    double estimate;
    int i_estimated; /* state of `estimate`; -1: no state */
} wr_delay_verdict;

/* Sums and maxima of a run up to the present. */
typedef struct wr_delay_sum {
    int64_t n_record, n_lost; /* settled watched records; records dropped for lack of memory */
    /* points without E_c because the model fails, and periods that the shadow has not integrated */
    int64_t n_failed;
    /* right-hand sides evaluated for the errors; a result of wr_delay_error_sum() includes the shadow's */
    int64_t n_rhs;
    double current, current_s, estimate, estimate_s; /* largest errors, and their times, s */
    int i_state, i_estimated;                        /* states of these errors */
    double error; /* largest propagated error of all compared variables, relative to the range */
} wr_delay_sum;

/* Delay errors through one source, relative. */
typedef struct wr_delay_share {
    double current, current_s; /* the largest E_c of a step, and its time, s */
    /* sum of E_c over the steps; all steps of a period have the shares of its largest E_c */
    double sum;
} wr_delay_share;

/* Places the delay error of a subsystem, with n_record records. The subsystem outlives the delay error. shadow: options of a shadow, if all
 * periods are watched. If `shadow` is NULL, or the subsystem can have no shadow, delay_path.h propagates the errors. n_signal[n_source]:
 * numbers of signals of the sources, for a shadow. Returns NULL when the arena is exhausted. */
wr_delay_error *wr_delay_error_place(wr_arena *arena, wr_subsystem *subsystem, int n_record,
                                     const int *n_signal, const wr_delay_shadow_options *shadow);

/* Returns the shadow, or NULL if delay_path.h propagates the errors. */
wr_delay_shadow *wr_delay_error_shadow(const wr_delay_error *delay);

/* Opens the record of the period to t_end_s. The task calls this function before each sweep of the period. */
void wr_delay_error_open(wr_delay_error *delay, double t_end_s, int is_watched);
/* Closes the record after the integration, when the subsystem is at the period's end. */
void wr_delay_error_close(wr_delay_error *delay);
/* Drops the oldest record. Requires at least one record. */
void wr_delay_error_lose(wr_delay_error *delay);
/* Drops the open record after a failed integration. */
void wr_delay_error_drop(wr_delay_error *delay);

/* Writes start and end of the oldest record, s. Returns 1, or 0 without a record. */
int wr_delay_error_oldest(const wr_delay_error *delay, double *ret_start_s, double *ret_end_s);

/* Returns 1 if memory is left for at most one more record. */
int wr_delay_error_is_full(const wr_delay_error *delay);

/* Settles and removes the oldest record, whose true inputs are known. The subsystem is between two periods. Returns 1 with a verdict for a
 * watched record, else 0. */
int wr_delay_error_settle(wr_delay_error *delay, const wr_delay_truth *truth,
                          wr_delay_verdict *ret_verdict);

/* Returns the propagated errors of the published outputs, [n_published], in the unit of each output. */
const double *wr_delay_error_output(const wr_delay_error *delay);

wr_delay_sum wr_delay_error_sum(const wr_delay_error *delay);
wr_delay_share wr_delay_error_share(const wr_delay_error *delay, int i_source);
/* Returns the errors of a state in the state's unit, with the sign of u - u~ as in Ben Khaled et al. (2013). `most` has no sign. */
wrsim_delay_state wr_delay_error_of_state(const wr_delay_error *delay, int i_state);

/* Reads or writes the state (base/state_io.h). */
void wr_delay_error_state(wr_delay_error *delay, wr_state_io *io);

#endif
