/* Prediction: the first guess of a subsystem's outputs over the next window.
 *
 * At the end of a window the producer extrapolates each of its signals by polynomials of degree 0
 * to 3, made from values and slopes at both ends of the window's last smooth stretch (METHODS 3).
 * The degree is chosen per signal: the one that would have predicted the past windows best. After a
 * jump of a signal degree 0 is used. The prediction is a wave of two nodes, valid for any window
 * length (a cubic), so that consumers need not wait for the length to be decided.
 *
 * A window may be swept several times; each sweep offers a new wave (wr_predict_offer), and only
 * wr_predict_accept() makes the last offer the past.
 *
 * Thread: the subsystem's worker. Real-time: yes after placing.
 */
#ifndef WR_PREDICT_H
#define WR_PREDICT_H

#include "runtime/wave/wave.h"

enum { WR_PREDICT_DEGREES = 4 };

typedef struct wr_predict wr_predict;

/* fixed_degree -1: choose per signal; 0..3: always that one. NULL when the arena is exhausted. */
wr_predict *wr_predict_place(wr_arena *arena, int n_signal, int fixed_degree);

/* The prediction for the very first window: the start values held. */
wrsim_status wr_predict_start(wr_predict *predict, double t_s, const double *value,
                              wr_wave *ret_wave);

/* Offers the wave of the window that has just been computed and writes the prediction of the next
 * one to *ret_wave (two nodes, from the window's end over one more length of it). weight[n_signal]
 * are the tolerance units. */
wrsim_status wr_predict_offer(wr_predict *predict, const wr_wave *wave, const double *weight,
                              wr_wave *ret_wave);

/* The last offer was accepted. */
void wr_predict_accept(wr_predict *predict);

/* Degree the last offer chose for a signal. */
int wr_predict_degree(const wr_predict *predict, int i_signal);

#endif
