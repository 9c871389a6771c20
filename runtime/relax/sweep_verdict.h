/* The verdict on a sweep as a pure function of numbers: accept the window, sweep again, check only, or reject.
 *
 * Thread: any, pure functions. Real-time: yes.
 */
#ifndef WR_SWEEP_VERDICT_H
#define WR_SWEEP_VERDICT_H

#include "runtime/config/settings_simulation.h"

typedef enum wr_verdict {
    WR_VERDICT_ACCEPT,
    WR_VERDICT_SWEEP, /* another sweep of the active subsystems */
    WR_VERDICT_CHECK, /* a sweep in which subsystems only estimate whether their input change matters */
    WR_VERDICT_REJECT
} wr_verdict;

/* The kind of the last sweep. */
typedef enum wr_sweep_verdict_kind {
    WR_VERDICT_OF_SWEEP,
    WR_VERDICT_OF_ACCELERATED, /* acceleration judges the iterate as a whole */
    WR_VERDICT_OF_CHECK,       /* no subsystem integrated */
    WR_VERDICT_OF_ONCE         /* only subsystems without rollback integrated */
} wr_sweep_verdict_kind;

/* The numbers of a verdict. */
typedef struct wr_sweep_verdict_input {
    wr_sweep_verdict_kind kind;
    int is_open; /* an input change matters, an event was missed, or the accelerated iterate has too large an error */
    int i_sweep; /* number of sweeps in this window, checks not counted */
    const wr_set_relaxation *relaxation; /* convergence: tolerances */
    /* largest residual of waves with is_in_ring (engine_net.h), also after jumps at the window's end, tolerances */
    double residual;
    double ratio;            /* ratio of residuals, per sweep; 0: not known */
    int has_cycle;           /* subsystems form a ring; else all waves settle without iteration */
    int has_algebraic_cycle; /* the ring has an algebraic loop */
    int is_accelerated;      /* an acceleration method is in use */
    int has_guesses; /* the last accelerated step succeeded; residuals need not fall in each sweep */
    int is_stuck;    /* Newton's steps for algebraic loops contract too slowly */
    int is_short_enough; /* a shorter window is forbidden, or would not contract faster */
    int may_retry;       /* no subsystem without rollback has advanced in this window */
    int may_not_matter; /* each active subsystem may still estimate that its input change does not matter */
} wr_sweep_verdict_input;

wr_verdict wr_sweep_verdict_of(const wr_sweep_verdict_input *input);

/* From this sweep on, in a window that is short enough, a residual of up to one tolerance counts as noise of solvers and waves. A loop that
 * hardly contracts amplifies this noise (docs/lab/2026-11-23-acceptance.md). */
enum { WR_VERDICT_MANY_SWEEPS = 30 };

/* Returns the accepted error after sweep i_sweep, in tolerances: relaxation.convergence. From sweep WR_VERDICT_MANY_SWEEPS on, in a window
 * that is short enough, the accepted error is at least the noise of the solvers. */
double wr_sweep_verdict_accepted_error(double convergence, int i_sweep, int is_short_enough);

#endif
