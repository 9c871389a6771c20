/* Prediction: the first guess of a subsystem's outputs over the next window.
 *
 * At the end of a window the producer extrapolates each of its signals (docs/METHODS.md, Prediction). Candidates are polynomials of degree
 * 0 to 3, from values and slopes at both ends of the window's last interval without jumps. Further candidates are the producer's own
 * waveform one period earlier, and the waveform of a history source one lag earlier. Both waveforms are shifted to the signal's present
 * value, and in two of three variants a decaying correction adapts the slope. Unless the degree is fixed, the prediction uses for each
 * signal the candidate with the smallest error in past windows. After a window in which a signal jumps, the signal's polynomial has
 * degree 0.
 *
 * A prediction covers the longest possible window, so consumers do not wait for the decision on the length. Each sweep of a
 * window offers a new wave (wr_predict_offer). wr_predict_accept() accepts the last offer.
 *
 * Thread: the subsystem's worker. Real-time: yes after placing.
 */
#ifndef WR_PREDICT_H
#define WR_PREDICT_H

#include "runtime/relax/history.h"

enum {
    WR_PREDICT_DEGREES = 4,
    WR_PREDICT_SOURCES = 2, /* the producer's own history, a history source */
    WR_PREDICT_VARIANTS = 3 /* corrections of slopes: none, decaying fast, decaying slowly */
};
enum {
    WR_PREDICT_CANDIDATES = WR_PREDICT_DEGREES + WR_PREDICT_SOURCES * WR_PREDICT_VARIANTS,
    WR_PREDICT_NODES = 128 /* largest number of nodes of a prediction from history (assumed) */
};

/* A position in a history that corresponds to the present. */
typedef struct wr_predict_source {
    const wr_history *history; /* NULL: no source */
    double t_s;                /* time in the history that corresponds to the window's end */
    double rate;               /* ratio of the present phase rate to the rate at t_s */
} wr_predict_source;

typedef struct wr_predict_past {
    wr_predict_source source[WR_PREDICT_SOURCES];
    /* scales the decay of the slope correction; not positive: no candidates from history */
    double period_s;
} wr_predict_past;

typedef struct wr_predict wr_predict;

/* Places a prediction. n_source: number of sources, 0 to WR_PREDICT_SOURCES. fixed_degree: 0 to 3, or -1 to choose per signal. Returns NULL
 * when the arena is exhausted. */
wr_predict *wr_predict_place(wr_arena *arena, int n_signal, int n_source, int fixed_degree);

/* Writes the prediction for the first window of a run: constant start values. */
wrsim_status wr_predict_start(wr_predict *predict, double t_s, const double *value,
                              wr_wave *ret_wave);

/* Offers the window's wave, and writes the prediction from the window's end over horizon_s to *ret_wave. weight[n_signal]: tolerance units.
 * past may be NULL. */
wrsim_status wr_predict_offer(wr_predict *predict, const wr_wave *wave, const double *weight,
                              const wr_predict_past *past, double horizon_s, wr_wave *ret_wave);

/* Accepts the last offer. */
void wr_predict_accept(wr_predict *predict);

/* Visits the state (base/state_io.h). history[i]: the history of source i; NULL: no source i. */
void wr_predict_state(wr_predict *predict, wr_state_io *io,
                      const wr_history *const history[WR_PREDICT_SOURCES]);

/* Numbers of accepted predictions, each of one signal over one window, by their origin. */
typedef struct wr_predict_count {
    int64_t n_polynomial, n_history[WR_PREDICT_SOURCES];
} wr_predict_count;

wr_predict_count wr_predict_counted(const wr_predict *predict);

/* Returns the candidate chosen for a signal by the last offer: a degree, or history from WR_PREDICT_DEGREES on. */
int wr_predict_choice(const wr_predict *predict, int i_signal);

#endif
