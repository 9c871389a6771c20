/* Inside of the relaxation engine, shared by the files engine*.c, one job each:
 *
 *   engine_place.c   placing
 *   engine_start.c   start values
 *   engine_task.c    a subsystem's task in a sweep
 *   engine_changes.c who has to be integrated again, and what is learned from it
 *   engine_judge.c   what a sweep came to
 *   engine_sweep.c   batches of tasks, what they come to
 *   engine_loops.c   algebraic loops
 *   engine_causes.c  causes of jumps; the check of events that share an instant
 *   engine_window.c  beginning and accepting windows; what follows on a batch
 *   engine_reject.c  windows that are not good
 *   engine_state.c   all that changes, as bytes
 *   engine.c         running
 *
 * Who writes what: a task writes only its own run; the serial section between two batches
 * (the last worker to arrive at the barrier) reads all and writes the rest. A worker that is alone
 * does some of the serial section's work between two tasks (wr_engine_check_early).
 *
 * Thread: as said per function. Real-time: yes after wr_engine_start.
 */
#ifndef WR_ENGINE_WORK_H
#define WR_ENGINE_WORK_H

#include "base/diag.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/converge.h"
#include "runtime/relax/engine.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"
#include "runtime/relax/prefetch.h"
#include "runtime/relax/publication.h"
#include "runtime/relax/sensitivity.h"
#include "runtime/relax/start.h"
#include "runtime/relax/task_time.h"
#include "runtime/relax/sweep_verdict.h"

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

/* ---- engine_judge.c: serial ---- */

/* Judges the sweep that has ended. */
wr_verdict wr_engine_judge(wr_engine *e);

/* ---- engine_changes.c ---- */

/* What the change of its inputs may do, whatever an estimate says. */
static inline double wr_engine_seen_effect(const wr_run *p)
{
    return wr_sensitivity_unmodelled(&p->sensitivity, p->input_change);
}

/* Estimated effect of the change of a subsystem's inputs since its last integration, in tolerance units
 * (subsystems/hybrid_effect.c). */
double wr_engine_effect(const wr_engine *e, const wr_run *p);
/* Must it be integrated, whatever an estimate would say? */
int wr_engine_is_due(const wr_engine *e, const wr_run *p);

/* Does the change of its inputs matter in sweep i_sweep? Asks for an estimate, a right-hand side or
 * two. In its task. */
int wr_engine_matters(const wr_engine *e, wr_run *p, int i_sweep);

/* With one worker, after a task of a batch of all: notifies those that read it last, and checks
 * whether that matters, while what it takes is still in the cache. The same results as from the serial
 * section and the tasks of the next sweep. */
void wr_engine_check_early(wr_engine *e, int i_task);

/* An early check that is not used leaves no trace: more workers would not have made it. */
void wr_engine_forget_check(wr_run *p);
/* The same of all, used or not, where no sweep follows. */
void wr_engine_take_back_checks(wr_engine *e);

/* Factor >= 1 on the solver tolerance of the next integration: relaxation.tolerance_first in the first sweep of a
 * window that is expected to take several, else 1. */
double wr_engine_tolerance_factor(const wr_engine *e, const wr_run *p);

int wr_engine_needs_integration(const wr_engine *e, wr_run *p);

/* Whether anything is left to do after a sweep; sets is_active for the one to come. */
int wr_engine_find_active(wr_engine *e);
/* Must a sweep follow, however well the waves agree: was the last one at a loosened tolerance, has something at
 * the window's end been missed? */
int wr_engine_is_anything_open(wr_engine *e);
/* All that can restore integrate in the sweep to come. */
void wr_engine_force_all(wr_engine *e);
/* Only those that cannot do, once. */
void wr_engine_activate_once(wr_engine *e);

/* Tells who reads those that have integrated in the last batch how far they have moved. */
void wr_engine_notify_consumers(wr_engine *e);

/* Learns from how far outputs and end state have come to lie from those of the integration before.
 * In its task. */
void wr_engine_measure_sensitivity(wr_run *p);

/* ---- engine_task.c ---- */

/* Looks at a run and integrates it if need be, and has what the worker's next task reads fetched
 * meanwhile (NULL: not known). */
void wr_engine_run_task(wr_engine *e, int i, int i_worker, const wr_prefetch *next);

/* Hands the rows of an accepted window to whom they are for. In its task, or serial. */
void wr_engine_commit_rows(wr_engine *e, int i);

/* ---- engine_slope.c: serial ---- */

/* 0, or -1: out of memory. */
int wr_engine_place_slope(wr_engine *e, wr_arena *arena);

/* After a batch that has failed: counts the waves that were full. */
void wr_engine_count_full(wr_engine *e);
/* After each other batch: tests an input from time to time. Has a coupling proved to have an infinite slope?
 * Then the failure that ends the run is set. */
int wr_engine_ends_at_slope(wr_engine *e);

/* ---- engine_causes.c: serial ---- */

/* Places the causes of subsystems in rings with state events, after the runs are placed. Setup
 * only. 0, or -1 when the arena is exhausted. */
int wr_engine_place_causes(wr_engine *e, wr_arena *arena);
/* Before a window is accepted: sets up a sweep that checks events at shared instants. Returns 0 if there is nothing to check. */
int wr_engine_begin_event_check(wr_engine *e);
/* Comes before that check: each state event that a jump has caused must have its origin in an own event of a subsystem at that instant. */
wr_verdict wr_engine_trace_causes(wr_engine *e);
wr_verdict wr_engine_judge_event_check(wr_engine *e);
/* Does the window end within an instant, before the end of the run? */
int wr_engine_parts_instant(wr_engine *e);

/* ---- engine_sweep.c: serial ---- */

/* is_check_only: nobody integrates; who would have to is counted. */
void wr_engine_begin_sweep(wr_engine *e, int is_check_only);

/* Next level with work, from the given one on; 0 if there is none in this sweep. */
int wr_engine_prepare_from(wr_engine *e, int level);

/* After a batch: publishes what came out and tells the consumers how far it moved. */
void wr_engine_publish_level(wr_engine *e);

/* The phase at the window's end, as far as it is known. */
wr_phase_point wr_engine_phase_at_end(const wr_engine *e);

/* Makes better guesses of the waves and with them estimates the error of those that are published. */
void wr_engine_accelerate_sweep(wr_engine *e);
/* Publishes these guesses. */
void wr_engine_publish_guesses(wr_engine *e);

/* ---- engine_loops.c: serial ---- */

/* Memory for loops, after they are known. Returns 0 or -1. */
int wr_engine_place_loops(wr_engine *e);

/* What algebraic loops make of errors where the window ends. Returns whether that is much more than this window has
 * reckoned with. */
int wr_engine_ask_loops(wr_engine *e);

/* Newton's step for their waves: guesses of these, and the error of what is published. Returns 0 where it is not to be
 * had in this window. */
int wr_engine_step_loops(wr_engine *e);

/* ---- engine_window.c: serial ---- */

/* Resets all runs for a window, or for another try of it. */
void wr_engine_reset(wr_engine *e, int is_retry);

/* Begins a window; the runs have been reset. */
void wr_engine_begin_window(wr_engine *e);
/* What follows on a batch: the next level, or the verdict on the sweep. Serial code of the barrier. */
void wr_engine_after_batch(void *engine);
/* The run ends after this batch. */
void wr_engine_leave(wr_engine *e, wrsim_status status);
wr_window_outcome wr_engine_outcome(wr_engine *e, int is_accepted);
/* The communication point nearest to t, s. */
double wr_engine_grid_at(const wr_engine *e, double t_s);
/* The name of the first subsystem with that flag; "" = there is none. */
const char *wr_engine_find_flag(const wr_engine *e, unsigned flag);
/* The last communication point up to end_s, or the first after the present time. */
double wr_engine_down_to_grid(const wr_engine *e, double end_s);

/* ---- engine_reject.c: serial ---- */

/* i_failed: run whose solver failed, -1 if the window just did not contract. */
void wr_engine_reject_window(wr_engine *e, int i_failed);
/* A stop was asked for in the midst of the window, which is left as if it had not begun. */
void wr_engine_cut_window(wr_engine *e);
/* The window ends within an instant: a shorter window is tried, or the run ends with an error. */
void wr_engine_end_earlier(wr_engine *e);

#endif
