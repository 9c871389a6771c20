/* The published record of one subsystem: the numbers that decisions read.
 *
 * A copy of a record and its values as bytes is complete (tests/unit/relax/test_record.c). The subsystem's task (engine_task.c) and
 * requests (engine_requests.c) write the numbers that come from the subsystem. engine_activity.c writes the activity and the effects of
 * input changes. engine_ahead.c exchanges whole records. All other files call functions of this header.
 *
 * Thread: the subsystem's task, and the serial section. Real-time: plain data. */
#ifndef WR_ENGINE_RECORD_H
#define WR_ENGINE_RECORD_H

#include "base/check.h"
#include "runtime/relax/sensitivity.h"
#include "runtime/relax/wave_distance.h"
#include "subsystems/model_host/fault.h"

/* State of an early check (wr_engine_check_early). NOT: no check; UNUSED: no decision depends on the check; USED: the activity in the
 * next sweep depends on the check. */
typedef enum wr_checked { WR_CHECKED_NOT, WR_CHECKED_UNUSED, WR_CHECKED_USED } wr_checked;

/* The result of an early check, and the numbers to undo the check. */
typedef struct wr_early_check {
    double effect;          /* estimated effect, tolerances */
    int64_t n_rhs;          /* number of evaluations of f in the check */
    int64_t n_indicator[2]; /* number of evaluations and of values of indicators in the check */
    double error_before;    /* prediction error before the check */
    int had_effect;         /* has_effect before the check */
} wr_early_check;

/* Each record has cache lines of its own. The first line has the numbers of the search for active subsystems, the second line most other
 * numbers of each window, and the third line the sensitivity. */
typedef struct wr_record {
    _Alignas(WR_CACHE_LINE) int64_t i_batch; /* number of the batch of the last integration */
    /* sum over batches of the largest change of an input since the last integration, tolerances */
    double input_change;
    /* factor on the solver tolerance of the last integration in this window; 1 before */
    double tolerance_factor;
    int n_signal, n_read; /* the subsystem's n_published, n_external */
    int n_jump, n_node;   /* number of jumps and of nodes in the subsystem's wave */
    short i_worker;       /* worker of the last integration; affects only speed */
    /* number of integrations in this window */
    short n_integrated;
    unsigned char is_active;    /* 1: the subsystem has a task in this sweep */
    unsigned char is_unchanged; /* 1: the task of this sweep has not integrated */
    unsigned char is_settled;   /* 1: by an estimate the input change does not matter */
    unsigned char checked;      /* wr_checked */
    unsigned char is_saved;     /* 1: the state at the start of this window is saved */
    /* 1: the last integration has missed a jump of an input or an event */
    unsigned char has_missed;
    /* 1: the subsystem i of the last mark_upstream() (engine_reject.c), or a subsystem that drives i, also through others */
    unsigned char is_upstream;
    /* 1: no rollback, so the subsystem advances once, after all other subsystems have converged. */
    unsigned char is_once;
    unsigned char is_refuted; /* a check has refuted the subsystem's events */
    unsigned char has_rows;   /* rows of an accepted window wait for the commit */
    unsigned char has_wave;   /* the wave of an accepted window is not yet in the history */
    /* Results of the last integration: */
    unsigned char has_deferred;  /* a jump waits for its cause (wr_subsystem.has_deferred) */
    unsigned char has_jump;      /* an input jumps inside the window or at its end */
    unsigned char has_shared;    /* an own event and a jump of an input share an instant */
    unsigned char parts_instant; /* the window's end divides an instant */
    /* the jumps at the end of the wave differ from the iterate before */
    unsigned char is_end_new;
    /* the subsystem stores the effect of the present input change on each state */
    unsigned char has_effect;
    unsigned char is_final;     /* a shorter window would fail, too */
    unsigned char is_wave_full; /* the wave has no room for another node */
    unsigned char is_rows_full; /* the rows have no room for another event */

    double change;        /* residual of the outputs in the last integration, tolerances */
    double end_change;    /* residual after the jumps at the window's end, tolerances */
    double work;          /* work of the last integration, work units */
    double n_rhs;         /* right-hand sides of the steps of the last integration */
    double n_restart_rhs; /* right-hand sides of the restarts in the last integration */
    /* effect of the input change in the first sweep, in units of relaxation.convergence */
    double prediction_error;
    double effect; /* estimated effect of the input change, tolerances; 0: not estimated */
    /* Status of the last integration, of the commit of rows, and of the fault that ended a run or cut a window. */
    wrsim_status status, commit_status;
    wr_sensitivity sensitivity;

    /* tolerance_factor of the last integration that has succeeded, in any window */
    double factor_before;
    int64_t advance_ns; /* wall time of the last integration, if measured */
    /* expected wall time of the task in this and the next window */
    float expected_ns, next_expected_ns;
    /* right-hand sides per step in the last integration with a Jacobian; 0: not known */
    double step_rhs;
    double t_bad_s;    /* first time at which the wave differs by more than the convergence */
    double jump_shift; /* largest shift of a jump, in units of its time tolerance */
    double t_s;        /* present time of the subsystem */
    double next_event_s,
        event_gap_s; /* the next time event, and time from its announcement to the event */
    wr_early_check early;
    /* cost of the subsystem's points, s: since the task before the last task, and all (wr_subsystem_point_cost()) */
    double point_s, point_total_s;
    double fault_s; /* the time up to which the subsystem is free of the fault */
    wrsim_status fault_status;
    int i_fault_component; /* component with the fault; -1: not known */
} wr_record;

/* Returns the number of values of a record, one block of doubles: [n_signal] largest difference of each signal, tolerances; [n_signal] that
 * difference in the signal's unit, with the sign at the end; [n_signal] tolerance units; [WR_COURSE_PARTS] course of the largest
 * difference; [n_read] change of each input since the last integration. */
static inline size_t wr_record_n_value(int n_signal, int n_read)
{
    return 3 * (size_t)n_signal + WR_COURSE_PARTS + (size_t)n_read;
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
static inline double *wr_record_course(const wr_record *r, double *value)
{
    return value + 3 * (size_t)r->n_signal;
}
static inline double *wr_record_input_shift(const wr_record *r, double *value)
{
    return value + 3 * (size_t)r->n_signal + WR_COURSE_PARTS;
}

/* Begins a window, or with is_retry another try of the window. */
static inline void wr_record_begin(wr_record *r, int is_retry)
{
    r->prediction_error = r->input_change = r->sensitivity.early = 0.0;
    r->is_settled = r->has_missed = 0;
    r->n_integrated = 0;
    r->is_saved &= is_retry != 0;
    if (!is_retry)
        r->expected_ns = r->next_expected_ns;
    r->tolerance_factor = 1.0;
    r->is_active = !r->is_once;
}

/* Marks the window as accepted: its rows and its wave are final. */
static inline void wr_record_accept(wr_record *r) { r->has_rows = r->has_wave = 1; }

static inline void wr_record_refute(wr_record *r, int is_refuted)
{
    r->is_refuted = (unsigned char)is_refuted;
}
static inline void wr_record_mark_upstream(wr_record *r, int is_upstream)
{
    r->is_upstream = (unsigned char)is_upstream;
}
static inline void wr_record_set_missed(wr_record *r) { r->has_missed = 1; }

/* Begins the record `next` of the window after the window of `r`: copies the numbers that belong to no single window. number: batch of the
 * integration. */
static inline void wr_record_follow(wr_record *next, const wr_record *r, int64_t number)
{
    next->sensitivity = r->sensitivity;
    next->sensitivity.early = 0.0;
    next->commit_status = r->commit_status;
    next->point_s = r->point_s;
    next->point_total_s = r->point_total_s;
    next->i_batch = number;
}

/* Stores the cost of all points so far, s. */
static inline void wr_record_note_points(wr_record *r, double all_s)
{
    r->point_s = all_s - r->point_total_s;
    r->point_total_s = all_s;
}

/* Copies the results of a comparison of waves, except the values. */
static inline void wr_record_note_comparison(wr_record *r, const wr_wave_distance *c)
{
    r->change = c->delta_max;
    r->end_change = c->end_change;
    r->t_bad_s = c->t_bad_s;
    r->jump_shift = c->jump_shift;
    r->is_end_new = (unsigned char)c->is_end_new;
}

/* Visits the state between two runs (base/state_io.h): the last integration, and the fault. */
static inline void wr_record_state(wr_record *r, wr_state_io *io)
{
    WR_STATE(io, r->i_batch);
    WR_STATE(io, r->input_change);
    WR_STATE(io, r->prediction_error);
    WR_STATE(io, r->change);
    WR_STATE(io, r->work);
    WR_STATE(io, r->n_rhs);
    WR_STATE(io, r->step_rhs);
    WR_STATE(io, r->n_restart_rhs);
    WR_STATE(io, r->tolerance_factor);
    WR_STATE(io, r->factor_before);
    WR_STATE(io, r->effect);
    WR_STATE(io, r->point_total_s);
    WR_STATE(io, r->has_wave);
}
static inline void wr_record_fault_state(wr_record *r, wr_state_io *io)
{
    WR_STATE(io, r->fault_s);
}

/* After reading the state: clears failures, waiting rows, the flag of the saved state, and the early check. */
static inline void wr_record_clear(wr_record *r)
{
    r->status = r->commit_status = WRSIM_OK;
    r->has_rows = r->is_saved = r->checked = 0;
}

#endif
