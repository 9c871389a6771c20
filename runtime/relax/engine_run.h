/* The engine's record of one subsystem.
 *
 * Thread: the subsystem's task, and the serial section. Real-time: plain data.
 */
#ifndef WR_ENGINE_RUN_H
#define WR_ENGINE_RUN_H

#include "runtime/relax/converge.h"
#include "runtime/relax/engine_early_check.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/history.h"
#include "runtime/relax/link.h"
#include "runtime/relax/predict.h"
#include "runtime/relax/publication.h"
#include "runtime/relax/sensitivity.h"
#include "runtime/relax/task_time.h"

/* Each record lies on cache lines of its own; the serial section reads the first two. */
typedef struct wr_run {
    _Alignas(WR_CACHE_LINE) wr_publication publication;
    const wr_wave *fresh;     /* wave of the last integration */
    const wr_wave *predicted; /* wave predicted for the next window */
    int64_t i_batch;          /* number of the batch of the last integration */
    double input_change;      /* of all inputs since the last integration, tolerances */
    double prediction_error;  /* effect of the input change in the first sweep, per convergence */
    double change;            /* residual of the outputs in the last integration */
    double work;              /* of the last integration, work units */
    double n_rhs;             /* right-hand sides of its steps, and of its restarts */
    double n_restart_rhs;
    double
        step_rhs; /* right-hand sides of one step with its part of a Jacobian; 0: no step so far */
    double
        tolerance_factor; /* on the solver tolerance of the last integration, and of the one before it */
    double factor_before;
    float expected_ns, next_expected_ns; /* time of its task in this and the next window */
    short i_worker;                      /* of the last integration; only speed depends on it */
    short n_integrated;                  /* in this window; at most MOST_SWEEPS (sweep_verdict.c) */
    unsigned char is_active;             /* has a task in this sweep */
    unsigned char is_unchanged;          /* its task in this sweep did not integrate */
    unsigned char is_settled;            /* its input change was estimated and does not matter */
    unsigned char checked;               /* wr_checked: is_settled comes from an early check */
    unsigned char is_saved;              /* its state at the start of this window is saved */
    unsigned char has_missed;  /* jumps of inputs in another order, or at the window's end */
    unsigned char is_upstream; /* drives a failed subsystem, directly or through others */
    unsigned char is_in_ring;  /* its output may come back to it; 1 for all if there is no ring */
    unsigned char
        is_once; /* no rollback: advances once, after the others agree with its prediction */
    unsigned char is_read_late; /* a consumer reads its wave of the last sweep */
    unsigned char is_mixed;     /* is_read_late, both in rings: acceleration changes its wave */
    unsigned char is_plain;     /* its jumps have moved, so this sweep does not accelerate it */
    unsigned char is_refuted;   /* a check of its events found other events */
    unsigned char has_rows;     /* of an accepted window, not yet committed */
    unsigned char has_wave;     /* of an accepted window, not yet in the history */

    wr_sensitivity sensitivity; /* effect of input changes */
    wr_converge *converge;
    wr_history *history;        /* NULL if there is no period */
    const wr_engine_read *read; /* [n_read] */
    double *input_shift;        /* [n_read] change of each input since the last integration */
    int n_read;                 /* the subsystem's n_external */

    /* The rest is read by its task. */
    wr_wave *iterate[2];    /* one is published, the other is written */
    wr_wave *prediction[2]; /* of the next window, while consumers may still read the present one */
    int is_predicted;       /* a consumer reads it before it has integrated the window */
    const wr_link *link;
    wr_subsystem *subsystem;
    wr_predict *predict;
    int64_t place[WR_PREDICT_SOURCES]; /* of the phase one period back, and at the history source */
    const int *producer;               /* [n_source] */
    uint64_t *order; /* [n_source] order of events and each source's jumps, last integration */
    double *x_end, *d_end; /* [n_x], [n_d] of the last integration */
    double effect;         /* of its input change, estimated, tolerances; 0: not estimated */
    wr_early_check early;
    int64_t advance_ns; /* wall time of the last integration, if measured */
    wr_task_time time;
    wr_wave
        *accelerated[2]; /* guesses in turn, the last one is still read; NULL: no acceleration */
    wrsim_status status;
    wrsim_status commit_status;
    wr_fault fault; /* last fault that ended a run or cut a window, and its time */
    double fault_s;
} wr_run;

/* The wave that is published last. Serial. */
static inline const wr_wave *wr_run_shown(const wr_run *p)
{
    return wr_publication_last(&p->publication);
}

#endif
