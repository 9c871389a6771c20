/* Anderson acceleration of the waveform iteration for tightly coupled splits.
 *
 * One sweep maps the interface waveforms w to y = G(w). Without acceleration the next sweep reads y. With Anderson's quasi-Newton step
 * (IQN-ILS) the next sweep reads y + W c. c minimises ||V c + r|| with r = y - w. V and W are the differences of the residuals r and of y
 * over earlier sweeps of this window (docs/METHODS.md, Acceleration). After the first sweep of a window the next sweep reads w + r / 2. The
 * step samples the waveforms on a grid over the window. The guesses are the waveforms y plus the interpolated correction.
 *
 * The engine accepts a window with integrated waveforms only, never with combinations.
 *
 * Thread: serial section of the engine. Real-time: yes after placing. */
#ifndef WR_ACCELERATE_H
#define WR_ACCELERATE_H

#include "subsystems/waves/wave.h"

enum {
    /* number of points of a wave's grid, jump nodes included (docs/lab/2026-11-23-acceptance.md) */
    WR_ACCELERATE_GRID = 257,
    WR_ACCELERATE_DEPTH = 5 /* largest number of columns of V and W (assumed) */
};

typedef struct wr_accelerate wr_accelerate;

/* Places the acceleration of n_wave waves with n_signal[i] signals each. The acceleration does not change a wave with 0 signals. Returns
 * NULL when the arena is exhausted. */
wr_accelerate *wr_accelerate_place(wr_arena *arena, int n_wave, const int *n_signal);

/* Discards the differences of earlier sweeps. The next step is then like the first step of a window. */
void wr_accelerate_reset(wr_accelerate *accelerate);
/* Visits the state between two windows (base/state_io.h). */
void wr_accelerate_state(wr_accelerate *accelerate, wr_state_io *io);

/* Computes guesses next[i], with the nodes of now[i]. before[i] are the waves that the sweep read, now[i] the waves of the sweep. next[i]
 * may be identical to before[i]. before[i] covers the span of now[i]. The tolerance of signal k is scale[i][k]. residual: largest distance
 * of the waves now[i] from before[i], in tolerances. amplification: ratio of error to residual in algebraic loops; 0: not known.
 * *ret_error: estimated distance of before from the limit of the iteration, tolerances, at least the residual times the amplification.
 * Returns WRSIM_E_LIMIT, without a guess and an error, if the number of jump nodes has changed between sweeps or is too large. */
wrsim_status wr_accelerate_step(wr_accelerate *accelerate, const wr_wave *const *before,
                                const wr_wave *const *now, const double *const *scale,
                                wr_wave *const *next, double residual, double amplification,
                                double *ret_error);

#endif
