/* The published record of one subsystem: the numbers that decisions read.
 *
 * A record and its values are copied as bytes (tests/unit/relax/test_record.c). The subsystem's task and the
 * requests (engine_requests.h) write the numbers that come from the subsystem. The serial section writes the others.
 *
 * Thread: the subsystem's task, and the serial section. Real-time: plain data.
 */
#ifndef WR_ENGINE_RECORD_H
#define WR_ENGINE_RECORD_H

#include "base/check.h"
#include "runtime/relax/engine_early_check.h"
#include "runtime/relax/sensitivity.h"
#include "subsystems/model_host/fault.h"

/* Each record lies on cache lines of its own; every decision reads the first two. */
typedef struct wr_record {
    _Alignas(WR_CACHE_LINE) int64_t i_batch; /* number of the batch of the last integration */
    double input_change;     /* of all inputs since the last integration, tolerances */
    double prediction_error; /* effect of the input change in the first sweep, per convergence */
    double change;           /* residual of the outputs in the last integration */
    double end_change;       /* residual after the jumps at the window's end */
    double work;             /* of the last integration, work units */
    double n_rhs;            /* right-hand sides of its steps, and of its restarts */
    double n_restart_rhs;
    double step_rhs;         /* right-hand sides per step, Jacobians included; 0: no step so far */
    double tolerance_factor; /* on the solver tolerance of the last integration */
    double factor_before;    /* on the solver tolerance of the integration before */
    float expected_ns, next_expected_ns; /* time of its task in this and the next window */
    short i_worker;                      /* of the last integration; only speed depends on it */
    short n_integrated;                  /* in this window; at most MOST_SWEEPS (sweep_verdict.c) */
    unsigned char is_active;             /* has a task in this sweep */
    unsigned char is_unchanged;          /* its task in this sweep did not integrate */
    unsigned char is_settled;            /* its input change was estimated and does not matter */
    unsigned char checked;               /* wr_checked: is_settled comes from an early check */
    unsigned char is_saved;              /* its state at the start of this window is saved */
    unsigned char has_missed;   /* jumps of inputs in another order, or at the window's end */
    unsigned char is_upstream;  /* drives a failed subsystem, directly or through others */
    unsigned char is_in_ring;   /* its output may come back to it; 1 for all without a ring */
    unsigned char is_once;      /* no rollback: advances once, after the others have converged */
    unsigned char is_read_late; /* a consumer reads its wave of the last sweep */
    unsigned char is_mixed;     /* is_read_late, both in rings: acceleration changes its wave */
    unsigned char is_plain;     /* its jumps have moved, so this sweep does not accelerate it */
    unsigned char is_refuted;   /* a check of its events found other events */
    unsigned char is_predicted; /* a consumer reads it before it has integrated the window */
    unsigned char
        has_tolerance;          /* looser tolerances of its solver may make a first sweep cheaper */
    unsigned char ends_windows; /* its time events may end windows */
    unsigned char has_rows;     /* of an accepted window, not yet committed */
    unsigned char has_wave;     /* of an accepted window, not yet in the history */
    /* Of the last integration: */
    unsigned char has_deferred;  /* a jump waits for its cause (wr_subsystem.has_deferred) */
    unsigned char has_jump;      /* an input jumped between events, or at the end */
    unsigned char has_shared;    /* an own event and a jump shared an instant */
    unsigned char parts_instant; /* the window's end divides an instant */
    unsigned char is_end_new;    /* the jumps at the end of its wave have changed */
    unsigned char has_effect;    /* the effect of the present input change is known on each state */
    int n_jump, n_node;          /* of its wave */
    double t_bad_s;    /* first time at which its wave differs by more than the convergence */
    double jump_shift; /* largest shift of a jump, in units of its time tolerance */
    double effect;     /* of its input change, estimated, tolerances; 0: not estimated */
    wr_sensitivity sensitivity;       /* effect of input changes */
    double t_s;                       /* where the subsystem stands */
    double next_event_s, event_gap_s; /* its next time event, and how long before it is known */
    int64_t advance_ns;               /* wall time of the last integration, if measured */
    wr_early_check early;
    /* Failures: of the last integration, of the commit of rows, and the fault that ended a run or cut a window. */
    wrsim_status status, commit_status, fault_status;
    unsigned char is_final;     /* a shorter window would fail, too */
    unsigned char is_wave_full; /* its wave has no room for another node */
    unsigned char is_rows_full; /* its rows have no room for another event */
    int i_fault_component;      /* -1: none */
    double fault_s;             /* the time up to which it is free of the fault */
    int n_signal, n_read;       /* the subsystem's n_published, n_external */
} wr_record;

/* The values of a record, one block of doubles: [n_signal] largest difference of each signal, tolerances; [n_signal] the
 * same in the signal's unit, with the sign at the end; [n_signal] tolerance units; [n_read] change of each input
 * since the last integration. */
static inline size_t wr_record_n_value(int n_signal, int n_read)
{
    return 3 * (size_t)n_signal + (size_t)n_read;
}
static inline double *wr_record_delta(const wr_record *r, double *value)
{
    (void)r;
    return value;
}
static inline double *wr_record_moved(const wr_record *r, double *value)
{
    return value + r->n_signal;
}
static inline double *wr_record_weight(const wr_record *r, double *value)
{
    return value + 2 * (size_t)r->n_signal;
}
static inline double *wr_record_input_shift(const wr_record *r, double *value)
{
    return value + 3 * (size_t)r->n_signal;
}

#endif
