/* Delay error: what it costs one subsystem to read stale inputs u~ instead of the true ones u.
 *
 * A reads what the others published before, held or extrapolated. Once they have published the present, it is known what A
 * should have read, and two things follow, both per step and for each source by itself:
 *
 *   - as published (Ben Khaled et al. (2013), eqs. 8, 9 and 14 to 19; docs/METHODS.md, Delay errors): the current
 *     error of a step, E_c = h [f(x, u) - f(x, u~)] with A's own x, and the accumulated one, E = sum of E_c. A step is taken for
 *     one of the explicit Euler method, whatever the solver.
 *   - in all: a plain sum neither decays nor grows, and it leaves out the errors of the producers.
 *     Where every period is watched, a shadow of the subsystem integrates each of them with the
 *     right inputs (delay_shadow.h). Else, and where the state of a solver cannot be had, the error
 *     is propagated (delay_path.h): along the solver's points and across events, with u~ - u and
 *     the errors of the producers; across periods that are not watched by the linearisation, with
 *     the mean of these (relax/carry.h).
 *
 * "True" is what was published: it errs by its producer's own errors, which the second knows and the first does not.
 *
 * Of every period the points that its solver passed are kept, with u~ there (subsystems/step_watch.h). Such a record waits until all that it read is known: with a delay of d periods d + 1 periods
 * later. Then inputs are compared; right-hand sides and derivatives, which cost, are evaluated for a watched one, which stands for
 * those since the last.
 *
 * Errors of states are measured as tolerances are, relative to |x| + atol/rtol.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_ERROR_H
#define WR_DELAY_ERROR_H

#include "runtime/relax/carry.h"
#include "runtime/slack/delay_shadow.h"

typedef struct wr_delay_error wr_delay_error;

/* What is known of its inputs meanwhile. */
typedef struct wr_delay_truth {
    void *context;
    /* The true inputs, ret[n_external], at t_s; is_after: where they jump, after it. What was known ahead stays as it is
     * in ret. */
    void (*inputs)(void *context, double t_s, int is_after, double *ret);
    /* What the producers say that they err by, ret[n_external]. */
    void (*errors)(void *context, double *ret);
    wr_delay_producers producers; /* for a shadow */
} wr_delay_truth;

/* What a record came to. */
typedef struct wr_delay_verdict {
    double t_s;            /* end of its period */
    double current;        /* the largest E_c of a state and step, relative, ... */
    int i_state, i_source; /* ... of which, and through which source most of it came; -1: none */
    double estimate;       /* the largest propagated error of a state, relative, ... */
    int i_estimated;       /* ... of which; -1: none */
} wr_delay_verdict;

/* So far. */
typedef struct wr_delay_sum {
    int64_t n_record, n_lost; /* settled; given up as too many waited */
    int64_t
        n_failed; /* points at which the model could not be evaluated with the true inputs: E_c lacks them */
    int64_t n_rhs;                                   /* that watching has cost */
    double current, current_s, estimate, estimate_s; /* the largest, and when */
    int i_state, i_estimated;
    double
        error; /* the largest propagated one of all states and outputs, relative to their ranges */
} wr_delay_sum;

/* Through one source, in the same measure. */
typedef struct wr_delay_share {
    double current, current_s; /* the largest E_c of a step, and when */
    double
        sum; /* of the largest E_c of every step; shared out in a period as it is at its worst step */
} wr_delay_share;

/* Places one with room for n_record records. shadow: options of a shadow, if all periods are
 * watched; n_signal[n_source] are then the numbers of signals of the sources. shadow NULL: errors
 * are propagated along points. Returns NULL when the arena is exhausted. The subsystem
 * outlives it. */
wr_delay_error *wr_delay_error_place(wr_arena *arena, wr_subsystem *subsystem, int n_record,
                                     const int *n_signal, const wr_delay_shadow_options *shadow);

/* Its shadow; NULL: it has none. */
wr_delay_shadow *wr_delay_error_shadow(const wr_delay_error *delay);

/* The period to t_end_s is about to be integrated against source[]. Again for each sweep. */
void wr_delay_error_open(wr_delay_error *delay, double t_end_s, int is_watched);
/* It has been; the subsystem stands at its end. */
void wr_delay_error_close(wr_delay_error *delay);
/* The oldest record, which there is, is given up. */
void wr_delay_error_lose(wr_delay_error *delay);
/* It has failed. */
void wr_delay_error_drop(wr_delay_error *delay);

/* When the oldest record begins and ends, s. Returns 0 where there is none. */
int wr_delay_error_oldest(const wr_delay_error *delay, double *ret_start_s, double *ret_end_s);

/* Is there room for at most one more record? */
int wr_delay_error_is_full(const wr_delay_error *delay);

/* All that the oldest record read is known: it is settled, and goes. The subsystem stands between two periods. Returns 1 where
 * it was watched: there is a verdict; else 0. */
int wr_delay_error_settle(wr_delay_error *delay, const wr_delay_truth *truth,
                          wr_delay_verdict *ret_verdict);

/* The propagated error of what is published, [n_published], in its units, u~ - u. */
const double *wr_delay_error_output(const wr_delay_error *delay);

wr_delay_sum wr_delay_error_sum(const wr_delay_error *delay);
wr_delay_share wr_delay_error_share(const wr_delay_error *delay, int i_source);
/* Of a state, in its units, signs as published: u - u~. */
double wr_delay_error_accumulated(const wr_delay_error *delay, int i_state);
double wr_delay_error_current(const wr_delay_error *delay,
                              int i_state); /* of the last step watched */
double wr_delay_error_estimate(const wr_delay_error *delay, int i_state);
double wr_delay_error_most(const wr_delay_error *delay,
                           int i_state); /* the largest size of that so far */

/* Passes over all that changes (base/state_io.h). */
void wr_delay_error_state(wr_delay_error *delay, wr_state_io *io);

#endif
