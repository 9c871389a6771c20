/* Inside of the relaxation engine, shared by the files engine*.c, one job each:
 *
 *   engine_place.c   placing, start values
 *   engine_task.c    a subsystem's task in a sweep
 *   engine_judge.c   who has to be integrated again, and what is learned from it
 *   engine_sweep.c   batches of tasks, what they come to
 *   engine_window.c  beginning, accepting and rejecting windows
 *   engine.c         what follows on a batch; running
 *
 * Who writes what: a task writes only its own participant; the serial section between two batches
 * (the last worker to arrive at the barrier) reads all and writes the rest.
 *
 * Thread: as said per function. Real-time: yes after wr_engine_start.
 */
#ifndef WR_ENGINE_WORK_H
#define WR_ENGINE_WORK_H

#include "runtime/relax/converge.h"
#include "runtime/relax/engine.h"
#include "runtime/relax/gain.h"
#include "runtime/relax/pace.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"

/* What the engine keeps for one subsystem; on cache lines of its own. */
typedef struct wr_participant {
    _Alignas(WR_CACHE_LINE) const wr_engine_part *part;
    wr_wave *iterate[2];    /* written by turns */
    wr_wave *prediction[2]; /* of the next window, while consumers may still read the present one */
    wr_wave *accelerated;   /* NULL without acceleration */
    const wr_wave *published;
    int i_iterate;    /* the one written next */
    int i_prediction; /* the one in use; the other is written */
    int n_integrated; /* in this window */
    int is_active;
    int is_unmoved;    /* looked at in this sweep, and not integrated again */
    int is_settled;    /* looked at since its inputs last changed: that change does not matter */
    int is_saved;      /* in this window; a retry must not save again */
    int is_predicted;  /* somebody reads it before it has integrated a window */
    int has_rows;      /* of an accepted window, not yet committed */
    int has_wave;      /* of an accepted window, not yet in the history */
    int is_measurable; /* the last integration repeats an earlier one with other inputs */
    double
        pending;   /* change of inputs since it last integrated or was looked at, tolerance units */
    double *moved; /* [n_external] that change of each input since it last integrated */
    double pending_used; /* for which it integrated last */
    double effect;       /* of that change, as estimated; 0 = not estimated */
    wr_gain gain;        /* what it makes of such changes */
    double miss; /* effect of the inputs' change in the first sweep, in units of convergence */
    double next_factor;      /* tolerance factor of the integration to come */
    double tolerance_factor; /* of its last integration */
    double factor_before;    /* of the one before: looser ones say nothing about the gain */
    double change;           /* of outputs and end state against the integration before */
    wr_converge *converge;
    wr_predict *predict;
    wr_history *history;  /* NULL if there is no period */
    wr_predict_past past; /* where the window's end is repeated in history */
    double *x_end;
    double *input; /* [n_external] start values of the inputs */
    wrsim_status status;
    wrsim_status commit_status;
    int64_t n_rhs;    /* of the last integration */
    double advance_s; /* its wall-clock time */
    double work;      /* of the last integration */
    double task_s;    /* wall-clock time of its last task, with what is done around */
    double cost;      /* decayed work per integration: order of tasks */
} wr_participant;

struct wr_engine {
    wr_engine_options options;
    wr_engine_hooks hooks;
    wr_team *team;
    int n, n_level;
    wr_participant **participant;
    int *level_start, *by_level;       /* [n_level + 1], [n] participants of each level */
    int *consumer_start, *consumer;    /* [n + 1], [] who reads each participant's wave */
    int64_t *told_in_batch, n_batches; /* [n] when a consumer was last told of changes */
    wr_window window;
    wr_accelerate *accelerate;
    const wr_wave **before, **now; /* [n] for acceleration */
    wr_wave **next;
    const double **scale;
    /* the window under way */
    double t_s, length_s, t_end_s, run_end_s;

    wr_phase *phase; /* NULL if there is no period */
    int i_sweep, i_level;
    int is_last_look; /* no sweep is left: nobody integrates, but who would have to? */
    int n_wanted;     /* so many */
    double delta, delta_before, contraction;
    double work_wasted;
    int n_integrated; /* in this window, all subsystems */
    int n_swept;      /* in this sweep */
    /* the batch under way */
    int n_batch;
    int *batch; /* participants */
    int *order; /* of the batch's tasks */
    double *miss, *task_s;
    /* control */
    int is_leaving, n_active_worker;
    wr_pace pace;
    int64_t review_ns;  /* since when ... */
    double review_work; /* ... this was done */
    double expected_sweeps, work_per_window;
    int64_t next_review;
    wrsim_status status;
    int i_failed; /* participant that made the run fail, -1 = none */
    wrsim_error failure;
    atomic_int stop; /* set by wr_engine_stop (relaxed: only the flag itself matters) */
    wr_engine_stats stats;
};

static inline int wr_engine_level_of(const wr_engine *e, const wr_participant *p)
{
    return e->options.is_gauss_seidel ? p->part->level : 0;
}

/* Are changes of inputs weighed, or counted as they are? */
static inline int wr_engine_has_estimates(const wr_engine *e)
{
    return e->options.has_active_set && !e->accelerate;
}

/* ---- engine_judge.c ---- */

/* What the change of its inputs may do, whatever an estimate says. */
static inline double wr_engine_seen_effect(const wr_participant *p)
{
    return wr_gain_hidden(&p->gain, p->pending);
}

/* Must it be integrated, whatever an estimate would say? */
int wr_engine_is_due(const wr_engine *e, const wr_participant *p);

/* Does the change of its inputs matter? Asks for an estimate, a right-hand side or two. In its
 * task. */
int wr_engine_is_moved(const wr_engine *e, wr_participant *p);

/* What its inputs missed, after a first sweep, for window control. */
void wr_engine_note_miss(const wr_engine *e, wr_participant *p);

/* Solver tolerance of the next integration: as loose as the waveform error that it would still
 * leave allows, where several sweeps are expected anyway (METHODS 2). */
double wr_engine_tolerance_factor(const wr_engine *e, const wr_participant *p);

int wr_engine_needs_integration(const wr_engine *e, const wr_participant *p);

/* Whether anything is left to do; sets is_active for the sweep to come. */
int wr_engine_find_active(wr_engine *e);

/* Tells who reads this producer that it has integrated; consumers of several producers are told of
 * all of a batch at once. */
void wr_engine_tell_consumers(wr_engine *e, int i_producer);

/* Largest change of outputs and of the end state against the integration before. In its task. */
void wr_engine_measure_change(wr_participant *p);

/* Learns from that change. */
void wr_engine_measure_gain(wr_participant *p);

/* ---- engine_task.c ---- */

/* Looks at a participant and integrates it if need be. */
void wr_engine_run_task(wr_engine *e, int i);

/* Hands the rows of an accepted window to whom they are for. In its task, or serial. */
void wr_engine_commit_rows(wr_engine *e, int i);

/* ---- engine_sweep.c: serial ---- */

void wr_engine_begin_sweep(wr_engine *e);

/* Next level with work, from the given one on; 0 if there is none in this sweep. */
int wr_engine_prepare_from(wr_engine *e, int level);

/* After a batch: publishes what came out and tells the consumers how far it moved. */
void wr_engine_publish_level(wr_engine *e);

/* The phase at the window's end, as far as it is known. */
wr_phase_point wr_engine_phase_at_end(const wr_engine *e);

/* Replaces the published waves by better guesses. */
void wr_engine_accelerate_sweep(wr_engine *e);

/* ---- engine_window.c: serial ---- */

void wr_engine_begin_window(wr_engine *e, int is_retry);
void wr_engine_accept_window(wr_engine *e);

/* i_failed: participant whose solver failed, -1 if the window just did not contract. */
void wr_engine_reject_window(wr_engine *e, int i_failed);

#endif
