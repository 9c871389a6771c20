/* The engine's state: one record per subsystem, and the objects that the serial section works on.
 *
 * A task writes only the record of its own subsystem. The serial section between two batches (run by the last worker to
 * arrive at the barrier) reads all records and writes everything else. One worker alone does part of the serial section
 * between two tasks (wr_engine_check_early).
 *
 * Thread: see above. Real-time: plain data.
 */
#ifndef WR_ENGINE_WORK_H
#define WR_ENGINE_WORK_H

#include <stdatomic.h>

#include "base/diag.h"
#include "runtime/relax/accelerate.h"
#include "runtime/relax/account.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/converge.h"
#include "runtime/relax/engine_options.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/link.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"
#include "runtime/relax/prefetch.h"
#include "runtime/relax/publication.h"
#include "runtime/relax/sensitivity.h"
#include "runtime/relax/start.h"
#include "runtime/relax/task_time.h"
#include "runtime/relax/window_rules.h"
#include "scheduler/crew.h"
#include "scheduler/team.h"
#include "subsystems/subsystem.h"

/* An input from another subsystem: who publishes it, as which signal. */
typedef struct wr_engine_read {
    int i_producer, i_signal;
} wr_engine_read;

/* An early check: none, made and not used yet, used. */
typedef enum wr_checked { WR_CHECKED_NOT, WR_CHECKED_UNUSED, WR_CHECKED_USED } wr_checked;

/* What the engine keeps for one subsystem; on cache lines of its own, the first two of which hold what
 * the serial section goes through. */
typedef struct wr_run {
    _Alignas(WR_CACHE_LINE) wr_publication publication;
    const wr_wave *fresh;     /* of the last integration */
    const wr_wave *predicted; /* that of the next window */
    int64_t i_batch;          /* of its last integration: e->batch.number then */
    double input_change;      /* change of inputs since it last integrated, tolerance units */
    double prediction_error;  /* effect of its inputs' change in the first sweep, of convergence */
    double change;            /* of outputs against the wave published before; its ... */
    double work;              /* ... work units, ... */
    double n_rhs; /* ... right-hand sides of its steps, which windows are chosen by, ... */
    double
        step_rhs; /* ... those of a step with its part of a Jacobian; 0: there was none so far ... */
    double n_restart_rhs;                /* ... those of its restarts, ... */
    double tolerance_factor;             /* ... */
    double factor_before;                /* the same of the one before: looser ones say nothing */
    float expected_ns, next_expected_ns; /* in this window (order of tasks), and in the next one */
    short i_worker;                      /* that integrated it last: only speed depends on it */
    short n_integrated;                  /* in this window; at most MOST_SWEEPS (engine_judge.c) */
    unsigned char is_active;             /* has a task in this sweep, or has had */
    unsigned char is_unchanged;          /* checked in this sweep, and not integrated again */
    unsigned char is_settled; /* checked since its inputs last changed: they do not matter */
    unsigned char
        checked; /* estimated before its task (wr_checked): is_settled says what came of it */
    unsigned char is_saved; /* in this window; a retry must not save again */
    unsigned char
        has_missed; /* jumps of inputs in this order, or what happens at the window's end */
    unsigned char is_upstream; /* of a run that has failed */
    unsigned char is_in_ring;  /* what it changes may come back to it; all where there is no ring */
    unsigned char
        is_once; /* cannot restore: advanced once in a window, after the others agree with its prediction */
    unsigned char is_read_late; /* somebody reads its last iterate, not this sweep's */
    unsigned char
        is_mixed; /* that one is in a ring, or behind one: acceleration moves its guesses */
    unsigned char is_plain;   /* but not this sweep's: its jumps have moved (engine_sweep.c) */
    unsigned char is_refuted; /* a check of its events has found other events */
    unsigned char has_rows;   /* of an accepted window, not yet committed */
    unsigned char has_wave;   /* of an accepted window, not yet in the history */

    wr_sensitivity sensitivity; /* what it makes of such changes */
    wr_converge *converge;
    wr_history *history;        /* NULL if there is no period */
    const wr_engine_read *read; /* [n_read] its own copy */
    double *input_shift;        /* [n_read] change of each input since it last integrated */
    int n_read;                 /* its subsystem's n_external */

    /* What its task alone needs. */
    wr_wave *iterate[2];    /* the one that is not published is written */
    wr_wave *prediction[2]; /* of the next window, while consumers may still read the present one */
    int is_predicted;       /* somebody reads it before it has integrated a window */
    const wr_link *link;
    wr_subsystem *subsystem;
    wr_predict *predict;
    int64_t place[WR_PREDICT_SOURCES]; /* of the phase one period back, and at the history source */
    const int *producer;               /* [n_source] its own copy */
    uint64_t
        *order; /* [n_source] of its events and what each source did, in the last integration */
    double *x_end, *d_end; /* [n_x], [n_d] of the last integration */
    double effect;         /* of the change of its inputs, as estimated; 0 = not estimated */
    double checked_effect; /* the same by an early check, ... */
    int64_t n_checked_rhs, n_checked_indicator; /* ... what that took, ... */
    double error_before; /* ... the prediction error before it was asked for ... */
    int had_effect;      /* ... and its subsystem's has_effect before */
    int64_t advance_ns;  /* wall-clock time of the last integration where it was measured */
    wr_task_time time;   /* of its integrations */
    wr_wave
        *accelerated[2]; /* in turn, the last one is still looked at; NULL without acceleration */
    wrsim_status status;
    wrsim_status commit_status;
    wr_fault fault; /* the last one that ended a run or cut a window, and ... */
    double fault_s; /* ... where, closed in on */
} wr_run;

/* Who reads whom, and how sweeps are ordered by it: never changes. */
typedef struct wr_net {
    int n_level;
    int *level_start, *by_level;    /* [n_level + 1], [n] runs of each level */
    int *consumer_start, *consumer; /* [n + 1], [] who reads each run's wave */
    int *due_start, *due;           /* [n + 1], [n] whose last producer each is; Jacobi */
    int has_cycle;                  /* subsystems drive one another */
    int has_algebraic_cycle; /* of outputs that follow inputs at once: it contracts the same in any window */
    int *trail;     /* [n] scratch for the causes of an instant; NULL: no ring has state events */
    int n_once;     /* subsystems that cannot restore */
    int is_on_grid; /* windows end at communication points only */
} wr_net;

/* The run to an end, and how it ends. */
typedef struct wr_control {
    double end_s;
    double sound_s; /* the last window that failed was sound up to here */
    int n_fault;    /* windows cut there */
    int is_stopped; /* the last run was, and the next one goes on with it */
    int is_leaving;
    int is_cut; /* in the midst of a window */
    wrsim_status status;
    int i_failed; /* run that made the run fail, -1 = none */
    wrsim_error failure;
    atomic_int stop; /* set by wr_engine_stop (relaxed: only the flag itself matters) */
} wr_control;

/* The window in progress. */
typedef struct wr_window_now {
    double t_s, length_s, t_end_s;
    int i_prediction; /* the predictions in use; the others are written */
    wr_phase_point phase;
    int is_tight; /* a try was rejected: no looser tolerances in the next one */
    int is_held; /* what is read first stays as it is at the start, for what was predicted led to a pole */
    int has_once_run;     /* those that cannot restore have been advanced */
    int has_event_check;  /* its events have been checked since the last sweep */
    int n_refuted;        /* checks that failed */
    double once_length_s; /* of windows in which they miss no more than is accepted */
    double work;          /* counted, of all its sweeps */
    int n_integrated;     /* all subsystems */
} wr_window_now;

/* One subsystem alone: nothing is relaxed, so there is no window, but for the advance to the run's end; it pauses
 * (wr_pause), so that rows, progress and a stop do not wait for that. */
typedef struct wr_lone {
    int is_on;
    wr_pause pause;
    int64_t since_ns; /* of the last pause */
} wr_lone;

/* The sweep in progress, or the last one. */
typedef struct wr_sweep {
    int i, i_level;    /* i: from 1 in each window */
    int is_all_active; /* all have tasks */
    int is_check_only; /* nobody integrates, but who would have to? */
    int n_wanted;      /* so many */
    int is_forced;     /* all integrate, whether inputs have changed or not */
    int is_once_turn;  /* it is of those alone that cannot restore */
    int is_event_check; /* the sweep checks events that shared an instant with jumps of inputs (engine_causes.c) */
    int n_integrated;
    double delta; /* the largest change */
    /* That of waves that acceleration moves; of others that are read late, which drive a ring. */
    double mixed_change, late_change;
} wr_sweep;

/* Acceleration: better guesses from the last iterates. */
typedef struct wr_mix {
    wr_accelerate *method;   /* NULL: none */
    wr_accelerate *fallback; /* takes over where nothing else contracts; NULL: it has, or may not */
    wr_accelerate *asked, *last;   /* what they were when placed */
    const wr_wave **before, **now; /* [n] what a sweep read, and what came out */
    wr_wave **next;                /* [n] guesses */
    const double **scale;
    int has_guesses; /* the last sweep's waves have been accelerated */
    double error;    /* of what is published, from the last step; in tolerances */
} wr_mix;

/* Algebraic loops across subsystems (engine_loops.c). */
typedef struct wr_loops {
    wr_start *start;           /* knows them; NULL after the start where there are none */
    wr_arena *arena;           /* its memory */
    int is_solved;             /* by Newton's step */
    int n_step, is_off;        /* such steps in this window; no more in it */
    int is_stuck;              /* for they contracted too slowly */
    unsigned char *has;        /* [n] is in a loop; these four: NULL where there are none */
    int *node;                 /* [n] scratch */
    double *t_s, *residual_at; /* [cap_node], [2 * cap_node] times of nodes, and residuals there */
    double residual[2];        /* of the last steps */
} wr_loops;

/* The search for couplings with an infinite slope (engine_slope.c). */
typedef struct wr_slope {
    double *shift;       /* [largest n_read] scratch, 0 between two tests; NULL: there is no ring */
    double *effect;      /* [largest n_x] scratch */
    double n_evaluation; /* right-hand sides and nodes of integrations since the last test */
    int n_full;          /* integrations since then that ended with a full wave */
    int n_input;         /* of rings */
    int i_run, i_read;   /* the input tested last */
    int n_found;         /* tests in a row that found its slope infinite */
} wr_slope;

/* The tasks that run until the next barrier. */
typedef struct wr_batch {
    int64_t number;       /* of batches so far */
    int n;                /* tasks, ... */
    const int *run;       /* ... and whose: some, or all of a level */
    int *some;            /* [n] room for them where not all are active */
    int checks_early;     /* at each reader as soon as its producers have integrated */
    double *expected;     /* [n] ns; these three by position */
    int *order;           /* who goes first */
    int *preferred;       /* workers for them */
    double *busy;         /* [n_worker] scratch */
    int timing;           /* how often measured times count; 0 = nothing is measured */
    int64_t *task_ns;     /* [n] what they took */
    atomic_int is_failed; /* a status is negative (relaxed: the barrier passes it on) */
} wr_batch;

/* What window control is told, [n] each. */
typedef struct wr_measured {
    double *prediction_error, *n_rhs, *step_rhs, *work;
    unsigned char *restarts;
} wr_measured;

struct wr_engine {
    wr_engine_options options;
    wr_observer *observer; /* the first */
    wr_team *team;
    int n;
    wr_run *run; /* [n] */
    wr_net net;
    wr_control control;
    wr_window rule; /* how long windows are to be */
    wr_window_now window;
    wr_lone lone;
    wr_sweep sweep;
    wr_batch batch;
    wr_contraction contraction;
    wr_mix mix;
    wr_loops loops;
    wr_slope slope;
    wr_phase *phase;            /* NULL if there is no period */
    wr_account *account;        /* NULL where nothing is split */
    int64_t *notified_in_batch; /* [n] when a consumer was last told of changes */
    wr_measured measured;
    wr_prefetch *prefetch; /* [n] */
    int is_large;          /* more than caches hold: workers prefetch */
    int n_active_worker;
    wr_crew crew;
    int64_t noted_ns;    /* up to then the crew knows of windows; ... */
    double unnoted_work; /* ... counted work since */
    double expected_sweeps, work_per_window;
    wr_engine_stats stats;
};

/* What a run shows as it stands: in serial code. */
static inline const wr_wave *wr_engine_shown(const wr_run *p)
{
    return wr_publication_last(&p->publication);
}

/* The number of what tasks of the present batch publish; after it serial code publishes under the next one. */
static inline int64_t wr_engine_number(const wr_engine *e) { return 2 * e->batch.number; }
static inline void wr_engine_show(const wr_engine *e, wr_run *p, const wr_wave *wave)
{
    wr_publish(&p->publication, wave, wr_engine_number(e) + 1);
}

/* What tasks of the present batch read of a run. */
static inline const wr_wave *wr_engine_read_of(const wr_engine *e, int i)
{
    return wr_publication_before(&e->run[i].publication, wr_engine_number(e));
}

static inline int wr_engine_level_of(const wr_engine *e, const wr_run *p)
{
    return e->options.is_gauss_seidel ? p->link->level : 0;
}

/* Are changes of inputs weighed one by one? With acceleration the whole iterate is judged instead. */
static inline int wr_engine_has_estimates(const wr_engine *e) { return !e->mix.method; }

#endif
