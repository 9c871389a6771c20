/* Acceleration of the waveform iteration for tightly coupled splits.
 *
 * One sweep maps the interface waveforms w to y = G(w). Plain relaxation takes w+ = y. Here
 * w+ = w + omega r with r = y - w (constant omega, or Aitken's), or Anderson's quasi-Newton step
 * (IQN-ILS): w+ = y + W c with c minimising ||V c + r||, V and W the differences of residuals and
 * of results of earlier sweeps of this window (docs/METHODS.md, Acceleration). The values of waveforms are
 * sampled on a uniform grid of the window, and what came out is moved by w+ - y there.
 *
 * What is accepted in the end is always a producer's own waveform, never a combination.
 *
 * Thread: serial section of the engine. Real-time: yes after placing.
 */
#ifndef WR_ACCELERATE_H
#define WR_ACCELERATE_H

#include "subsystems/wave/wave.h"

typedef enum wr_accelerate_kind {
    WR_ACCELERATE_KIND_NONE,
    WR_ACCELERATE_KIND_RELAXATION,
    WR_ACCELERATE_KIND_AITKEN,
    WR_ACCELERATE_KIND_ANDERSON,
    WR_ACCELERATE_KIND_AUTO /* Anderson's for loops without integration, else none; decided by the engine */
} wr_accelerate_kind;

enum {
    WR_ACCELERATE_GRID = 257, /* nodes of the common grid */
    WR_ACCELERATE_DEPTH = 5   /* sweeps that a run's Anderson's method remembers */
};

/* Share of the new waveform in the next sweep's input: a run's "relaxation", the first one of the others. */
#define WR_ACCELERATE_FACTOR 0.5

typedef struct wr_accelerate wr_accelerate;

/* For waves with n_signal[i] signals, i < n_wave; waves with 0 are left alone. depth: columns Anderson keeps.
 * NULL when the arena is exhausted. */
wr_accelerate *wr_accelerate_place(wr_arena *arena, wr_accelerate_kind kind, double factor,
                                   int depth, int n_wave, const int *n_signal);

/* Forgets earlier sweeps (a new window). */
void wr_accelerate_reset(wr_accelerate *accelerate);
/* Between two windows: passes over what earlier ones have taught (base/state_io.h). */
void wr_accelerate_state(wr_accelerate *accelerate, wr_state_io *io);

/* From the waves used (before[i]) and the waves that came out (now[i]), both over now's span, makes
 * next[i], with the nodes of now[i]; next[i] may be the same object as before[i]. scale[i] are
 * the weights (tolerance units) of wave i's signals. residual: how far now is from before in these units, at all
 * nodes of both; the grid does not show what lies between its own. *ret_error: how far before, from which everybody has
 * just integrated, is from where the iteration leads to, in these units: the step of Aitken's or Anderson's
 * method, else the residual over 1 - r with the contraction r of the iteration; and not less than the residual
 * times its amplification: that of algebraic loops, where it is known (> 0), and what earlier steps have been seen
 * to make of it. */
wrsim_status wr_accelerate_step(wr_accelerate *accelerate, const wr_wave *const *before,
                                const wr_wave *const *now, const double *const *scale,
                                wr_wave *const *next, double residual, double amplification,
                                double *ret_error);

#endif
