/* The shadow of a subsystem: the course of the subsystem with the right inputs.
 *
 * A subsystem reads stale inputs u~ in a period. Once its producers have published the period, the shadow integrates the same
 * period from its own state against
 *
 *     u(t) - e(t - lag)
 *
 * where u is the published wave of a producer and e its difference from the producer's own shadow. So the shadow passes every
 * node of its inputs, and its events, modes, samples and counts follow the right inputs. e is known later than u. The lag
 * is constant while exchanges are regular. The published wave less the shadow's wave is this subsystem's own e.
 *
 * delay_compare.h compares both courses at the ends of periods (states, discrete states, published outputs), at communication
 * points (recorded variables) and at nodes inside a period (published outputs). If an event is late, the courses differ by its
 * jump between the two times of the event, which is an error of time. So a point beside a jump of the shadow counts only if the
 * subsystem has no jump near that time.
 *
 * One solver serves both courses. The shadow writes the state of the solver as bytes (base/state_io.h) and reads the bytes back.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_SHADOW_H
#define WR_DELAY_SHADOW_H

#include "runtime/slack/delay_compare.h"
#include "subsystems/subsystem.h"

typedef struct wr_delay_shadow wr_delay_shadow;

/* Data of a period that the subsystem has integrated. */
typedef struct wr_delay_period {
    double start_s, end_s;
    wr_wave **read; /* [n_source] copies of the waves read; empty if the nodes do not fit */
    double *x, *d;  /* [n_x], [n_d] values at the period's end */
    wr_wave *wave;  /* published wave */
    int n_row;      /* number of communication points, at most cap_row */
    double *row_s, *row_value; /* [n_row] times; [n_row * n_recorded] values */
} wr_delay_period;

typedef struct wr_delay_shadow_options {
    int cap_row;  /* largest number of communication points in a period */
    int cap_node; /* largest number of nodes of a published wave */
} wr_delay_shadow_options;

/* Functions that return the producers' waves and errors. */
typedef struct wr_delay_producers {
    void *context;
    /* Returns the first published wave of a source that ends after t_s, or the last known wave. */
    const wr_wave *(*published)(void *context, int i_source, double t_s);
    /* Returns the next difference that a source has published after *version, and sets *version to its number. Returns NULL if there is
     * none. errors() writes the known error of a producer without a shadow to ret_error[n_signal]. */
    const wr_wave *(*difference)(void *context, int i_source, int64_t *version);
    void (*errors)(void *context, int i_source, double *ret_error);
} wr_delay_producers;

/* Returns 1 if the subsystem can have a shadow, which needs the solver's state, recorded points, rollback, and waves that are not known
 * ahead. */
int wr_delay_shadow_is_possible(const wr_subsystem *subsystem);

/* Places the shadow of a subsystem, which outlives the shadow. n_signal[n_source]: numbers of signals of the sources. Returns NULL when
 * the arena is exhausted. */
wr_delay_shadow *wr_delay_shadow_place(wr_arena *arena, wr_subsystem *subsystem,
                                       const int *n_signal, const wr_delay_shadow_options *options);

/* Places a period. Returns 0, or -1 when the arena is exhausted. */
int wr_delay_period_place(wr_delay_period *period, wr_arena *arena, const wr_subsystem *subsystem,
                          const int *n_signal, const wr_delay_shadow_options *options);

/* Begins an invalid shadow anew from the subsystem's state, at the start of a period of the subsystem. */
void wr_delay_shadow_open(wr_delay_shadow *shadow);
/* Copies the waves of source[] before the subsystem integrates the period. The caller has set the times of the period. */
void wr_delay_period_open(wr_delay_period *period, const wr_subsystem *subsystem);
/* Copies the results after the subsystem has integrated the period. */
void wr_delay_period_close(wr_delay_period *period, const wr_subsystem *subsystem, int cap_row);
void wr_delay_period_state(wr_delay_period *period, const wr_subsystem *subsystem, int cap_row,
                           wr_state_io *io);

/* Integrates the period. Before and after the call the subsystem is between two periods. Returns 0, or 1 if the shadow has not integrated
 * the period. If the integration fails, or an earlier period is missing, the shadow begins anew in the next opened period. */
int wr_delay_shadow_settle(wr_delay_shadow *shadow, const wr_delay_period *period,
                           const wr_delay_producers *producers);

/* Largest input error inside a period, if this error exceeds one tolerance and twice the errors at the period's ends. */
typedef struct wr_delay_inside {
    double t_s;                 /* time of the largest input error, s */
    const double *read, *right; /* [n_external] inputs at t_s */
    /* [n_external] means over the period of the right inputs less the read inputs */
    const double *mean;
} wr_delay_inside;

/* Finds the largest input error inside the last settled period, which the shadow has integrated. Returns 1 if the error exceeds the
 * limits of wr_delay_inside, else 0. */
int wr_delay_shadow_look_inside(wr_delay_shadow *shadow, const wr_delay_period *period,
                                wr_delay_inside *ret_inside);

/* Adds errors of recorded variables inside a period: [n_recorded] values with the inputs read, and [n_recorded] values with the right
 * inputs. */
void wr_delay_shadow_rows_inside(wr_delay_shadow *shadow, const double *read, const double *right);

/* Writes the published wave less the shadow's wave, over all periods settled since the last call. If the nodes do not fit, all periods up
 * to the overflow are missing. ret_difference has memory for 2 cap_node nodes. */
void wr_delay_shadow_take_difference(wr_delay_shadow *shadow, wr_wave *ret_difference);

/* Return the errors of the states, [n_x], and of the published outputs, [n_published], at the end of the settled period. */
const double *wr_delay_shadow_states(const wr_delay_shadow *shadow);
const double *wr_delay_shadow_outputs(const wr_delay_shadow *shadow);

/* Returns the largest error of a state so far. */
double wr_delay_shadow_most(const wr_delay_shadow *shadow, int i_state);

typedef struct wr_delay_finding {
    double error; /* largest error so far of all compared variables, relative to the range */
    double size;  /* largest error judged in the last settled period, relative to |y| + atol/rtol */
    int i_state;  /* state with this error; -1: the variable is no state */
    int64_t n_rhs; /* evaluated right-hand sides */
} wr_delay_finding;
wr_delay_finding wr_delay_shadow_found(const wr_delay_shadow *shadow);

void wr_delay_shadow_state(wr_delay_shadow *shadow, wr_state_io *io);

#endif
