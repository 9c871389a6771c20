/* Contraction of sweeps: the ratio of a sweep's residual to the residual of the sweep before it.
 *
 * A residual is the largest difference of two iterates of one wave, in tolerances. If subsystems form rings, the waves upstream of all
 * rings do not count, because such waves settle without iteration.
 *
 * Thread: the serial section writes; a task may read the rate and the accepted effect. Real-time: yes. */
#ifndef WR_CONTRACTION_H
#define WR_CONTRACTION_H

#include "base/check.h"
#include "base/state_io.h"

typedef struct wr_contraction {
    int has_cycle; /* 1: subsystems form a ring; 0: the rate is 0 */
    int has_algebraic_cycle; /* the ring has an algebraic loop, whose rate does not depend on the window's length */
    double window_s;       /* length of the present window */
    double accepted_error; /* largest accepted error of an iterate, tolerances */
    double amplification;  /* largest error of waves per residual in algebraic loops; 0: no loop */
    /* Largest effect of an input change that needs no further sweep, in tolerances. The error of the published waves is then at most the
     * larger of effect / (1 - rate) and effect * amplification. */
    double accepted_effect;
    /* Residuals of the present sweep and of the two sweeps before; the second array includes events at the window's end. */
    double residual[3], end_residual[3];
    double now; /* rate in this window; 0: not known */
    double
        sure; /* last rate in this window from residuals above the noise of solvers; 0: not known */
    double expected, length_s; /* expected rate of windows of length_s; < 0: not known */
    double rejected,
        rejected_length_s; /* rate and length, s, of the last window rejected for its rate */
    /* start of the last window rejected for its rate; NaN: none, or forgotten */
    double rejected_s;
    int n_slow; /* number of windows rejected for their rate */
    /* 1: the rate does not depend on the window's length, so more sweeps replace shorter windows */
    int is_slow;
} wr_contraction;

void wr_contraction_init(wr_contraction *contraction, int has_cycle, int has_algebraic_cycle);

/* Begins a window of length_s: clears the residuals and the rate of the last window, and accepts the error `convergence`, in tolerances. */
void wr_contraction_begin_window(wr_contraction *contraction, double length_s, double convergence);

/* Begins a sweep, before its first residual. */
static inline void wr_contraction_begin_sweep(wr_contraction *c)
{
    for (int k = 2; k > 0; k--) {
        c->residual[k] = c->residual[k - 1];
        c->end_residual[k] = c->end_residual[k - 1];
    }
    c->residual[0] = c->end_residual[0] = 0.0;
}

/* Adds the residual of one wave with is_in_ring (engine_net.h). end_residual is the wave's residual at the window's end,
 * events included. */
static inline void wr_contraction_add(wr_contraction *c, double residual, double end_residual)
{
    c->residual[0] = wr_max(c->residual[0], residual);
    c->end_residual[0] = wr_max(c->end_residual[0], wr_max(residual, end_residual));
}

/* Returns the ratio of end residuals after sweep i_sweep, per sweep; 0: not known. From the fourth sweep on the ratio is the geometric mean
 * over two sweeps, because two subsystems in a ring have one factor each. */
double wr_contraction_ratio(const wr_contraction *contraction, int i_sweep);

/* Updates the rate of this window from the residuals of sweep i_sweep. Returns the ratio, corrected for noise; -1: not known. */
double wr_contraction_measure(wr_contraction *contraction, int i_sweep, double convergence);

/* Updates the rate that later windows expect, at the end of a window. */
void wr_contraction_learn(wr_contraction *contraction);

/* Set the accepted error of an iterate, in tolerances, and the largest error of waves per residual in algebraic loops. */
void wr_contraction_accept(wr_contraction *contraction, double accepted_error);
void wr_contraction_amplify(wr_contraction *contraction, double amplification);

/* Returns 1 if the last window that was rejected for its rate starts at t_s. */
int wr_contraction_is_retry(const wr_contraction *contraction, double t_s);

/* Stores whether shorter windows contract faster, after the rejection of the window at t_s with this ratio of residuals (0: another
 * reason). */
void wr_contraction_reject(wr_contraction *contraction, double ratio, double t_s);

/* Returns 1 if at least MOST_SLOW windows and a share SLOW_SHARE of n_window windows are rejected for their rate (contraction.c). */
int wr_contraction_is_often_slow(const wr_contraction *contraction, int64_t n_window);

/* Clears the expected rate and the last rejection, because the method of the sweeps changes. */
void wr_contraction_forget(wr_contraction *contraction);

/* Visits the rates (base/state_io.h). */
void wr_contraction_state(wr_contraction *contraction, wr_state_io *io);

#endif
