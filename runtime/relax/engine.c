/* The relaxation engine. See engine.h.
 *
 * Who writes what: a task writes only its own participant; the serial section between two batches
 * (the last worker to arrive at the barrier) reads all and writes the rest.
 *
 * Thread: as said per function. Real-time: yes after wr_engine_start.
 */
#include "runtime/relax/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/relax/converge.h"
#include "runtime/relax/pace.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/predict.h"

static const double GAIN_START = 1.0, GAIN_MIN = 1e-3, GAIN_MAX = 1e3;
/* Inputs that act through events act in some windows only: a gain measured in others says little. */
static const double GAIN_MIN_EVENTS = 0.1;
static const double MOST_MISS = 1e6;   /* in units of convergence */
static const double GAIN_DRIFT = 1.05; /* per window without a measurement, towards 1 */
static const double GAIN_NOISE =
    0.1;                         /* difference that solver noise alone makes, tolerance units */
static const double KAPPA = 0.1; /* solver error allowed per unit of waveform error (METHODS 2) */
static const double LOOSE_FROM_SWEEPS = 2.5; /* expected sweeps from which loose ones pay (14.10) */
static const double CONTRACTION_LIMIT = 0.8; /* judged from the third sweep on (METHODS 1) */
static const double SWEEP_MEMORY = 0.9;      /* of the expected number of sweeps, per window */
static const double WORK_MEMORY = 0.9;       /* of the work per window */

enum { WORKER_REVIEW = 32, START_ITERATIONS = 50 };
enum { COST_CLASSES = 128 }; /* of tasks, four to an octave */

/* What the engine keeps for one subsystem; on cache lines of its own. */
typedef struct participant {
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
    double pending_used;     /* for which it integrated last */
    double effect;           /* of that change, as estimated; 0 = not estimated */
    double gain, least_gain; /* change of its outputs and state over that of its inputs */
    double trust;            /* the same over the estimated effect */
    int windows_unmeasured;
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
} participant;

struct wr_engine {
    wr_engine_options options;
    wr_engine_hooks hooks;
    wr_team *team;
    int n, n_level;
    participant **participant;
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

static int level_of(const wr_engine *e, const participant *p)
{
    return e->options.is_gauss_seidel ? p->part->level : 0;
}

/* ---- placing ---- */

/* 0 or -1. */
static int place_participant(participant *p, const wr_engine_options *o, const wr_engine_part *part)
{
    wr_arena *const arena = part->arena;
    const int n_signal = part->subsystem->wave->n_signal;
    p->part = part;
    p->gain = p->trust = GAIN_START;
    p->least_gain = part->subsystem->group->n_z > 0 || part->subsystem->group->n_d > 0
                        ? GAIN_MIN_EVENTS
                        : GAIN_MIN;
    for (int i = 0; i < 2; i++) {
        p->iterate[i] =
            i == 0 ? part->subsystem->wave : wr_wave_place(arena, n_signal, o->cap_node);
        p->prediction[i] = wr_wave_place(arena, n_signal, o->period > 0.0 ? WR_PREDICT_NODES : 2);
        if (!p->iterate[i] || !p->prediction[i])
            return -1;
    }
    if (o->acceleration != WR_ACCELERATE_KIND_NONE &&
        !(p->accelerated = wr_wave_place(arena, n_signal, WR_ACCELERATE_GRID)))
        return -1;
    p->converge = wr_converge_place(arena, n_signal);
    p->predict = wr_predict_place(arena, n_signal, o->fixed_degree);
    /* Siblings read one half while a window's nodes are written to the other. */
    const int cap = o->cap_history > 2 * o->cap_node ? o->cap_history : 2 * o->cap_node;
    if (o->period > 0.0 && !(p->history = wr_history_place(arena, n_signal, cap)))
        return -1;
    p->x_end = WR_NEW_ARRAY(arena, double, part->subsystem->group->n_x);
    p->input = WR_NEW_ARRAY(arena, double, part->subsystem->n_external);
    p->moved = WR_NEW_ARRAY(arena, double, part->subsystem->n_external);
    if (!p->converge || !p->predict || !p->x_end || !p->input || !p->moved)
        return -1;
    p->converge->rtol = part->rtol;
    p->converge->threshold = o->convergence;
    for (int i = 0; i < n_signal; i++)
        p->converge->atol[i] = part->atol[i];
    return 0;
}

static int place_acceleration(wr_engine *e, wr_arena *arena)
{
    if (e->options.acceleration == WR_ACCELERATE_KIND_NONE)
        return 0;
    int *const n_signal = WR_NEW_ARRAY(arena, int, e->n);
    e->before = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    e->now = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    e->next = WR_NEW_ARRAY(arena, wr_wave *, e->n);
    e->scale = WR_NEW_ARRAY(arena, const double *, e->n);
    if (!n_signal || !e->before || !e->now || !e->next || !e->scale)
        return -1;
    for (int i = 0; i < e->n; i++)
        n_signal[i] = e->participant[i]->published ? e->participant[i]->published->n_signal
                                                   : e->participant[i]->iterate[0]->n_signal;
    e->accelerate =
        wr_accelerate_place(arena, e->options.acceleration, e->options.relaxation_factor,
                            e->options.anderson_depth, e->n, n_signal);
    return e->accelerate ? 0 : -1;
}

/* Lists items by the number in [0, n_list) that each belongs to: list i is at start[i] to
 * start[i + 1]. start has n_list + 2 places, the last of which is scratch. */
typedef struct lister {
    int *start, *item;
} lister;

static void count_item(lister *to, int i_list) { to->start[i_list + 2]++; }

static void begin_lists(lister *to, int n_list)
{
    for (int i = 0; i < n_list; i++)
        to->start[i + 2] += to->start[i + 1];
}

static void put_item(lister *to, int i_list, int item) { to->item[to->start[i_list + 1]++] = item; }

/* Who is on each level, and who reads whom. */
static int place_lists(wr_engine *e, wr_arena *arena)
{
    int n_arc = 0;
    for (int i = 0; i < e->n; i++) {
        const int level = level_of(e, e->participant[i]);
        e->n_level = level + 1 > e->n_level ? level + 1 : e->n_level;
        n_arc += e->participant[i]->part->subsystem->n_source;
    }
    lister levels = {WR_NEW_ARRAY(arena, int, e->n_level + 2), WR_NEW_ARRAY(arena, int, e->n)};
    lister consumers = {WR_NEW_ARRAY(arena, int, e->n + 2), WR_NEW_ARRAY(arena, int, n_arc)};
    e->told_in_batch = WR_NEW_ARRAY(arena, int64_t, e->n);
    if (!levels.start || !levels.item || !consumers.start || !consumers.item || !e->told_in_batch)
        return -1;
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        count_item(&levels, level_of(e, p));
        for (int s = 0; s < p->part->subsystem->n_source; s++)
            count_item(&consumers, p->part->producer[s]);
    }
    begin_lists(&levels, e->n_level);
    begin_lists(&consumers, e->n);
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        put_item(&levels, level_of(e, p), i);
        for (int s = 0; s < p->part->subsystem->n_source; s++)
            put_item(&consumers, p->part->producer[s], i);
    }
    e->level_start = levels.start;
    e->by_level = levels.item;
    e->consumer_start = consumers.start;
    e->consumer = consumers.item;
    return 0;
}

/* With Gauss-Seidel, who is read by later levels only needs no prediction; nor who is read by none. */
static void find_predicted(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        const participant *const consumer = e->participant[i];
        for (int j = 0; j < consumer->part->subsystem->n_source; j++) {
            participant *const producer = e->participant[consumer->part->producer[j]];
            producer->is_predicted |=
                e->accelerate || level_of(e, consumer) <= level_of(e, producer);
        }
    }
    if (e->options.phase_part >= 0 && e->phase)
        e->participant[e->options.phase_part]->is_predicted = 1;
}

wr_engine *wr_engine_place(wr_arena *arena, const wr_engine_options *options,
                           const wr_engine_part *parts, int n_part, wr_team *team,
                           const wr_engine_hooks *hooks)
{
    wr_engine *const e = WR_NEW(arena, wr_engine);
    if (!e)
        return NULL;
    e->options = *options;
    e->hooks = *hooks;
    e->team = team;
    e->n = n_part;
    /* Side by side, as the serial section goes through all of them. */
    participant *const participants = WR_NEW_ARRAY(arena, participant, n_part);
    e->participant = WR_NEW_ARRAY(arena, participant *, n_part);
    e->batch = WR_NEW_ARRAY(arena, int, n_part);
    e->order = WR_NEW_ARRAY(arena, int, n_part);
    e->miss = WR_NEW_ARRAY(arena, double, n_part);
    e->task_s = WR_NEW_ARRAY(arena, double, n_part);
    if (!participants || !e->participant || !e->batch || !e->order || !e->miss || !e->task_s)
        return NULL;
    for (int i = 0; i < n_part; i++) {
        e->participant[i] = &participants[i];
        if (place_participant(&participants[i], options, &parts[i]) != 0)
            return NULL;
    }
    if (place_lists(e, arena) != 0 || place_acceleration(e, arena) != 0)
        return NULL;
    if (options->period > 0.0 &&
        !(e->phase = wr_phase_place(arena, options->period, options->phase_part < 0)))
        return NULL;
    wr_window_init(&e->window, options->window_rule, options->window_initial_s,
                   options->window_min_s, options->window_max_s);
    find_predicted(e);
    e->t_s = options->start_s;
    e->expected_sweeps = 1.0;
    e->i_failed = -1;
    const int n_worker = wr_team_size(team);
    e->n_active_worker = n_worker < n_part ? n_worker : n_part;
    atomic_init(&e->stop, 0);
    return e;
}

/* ---- start ---- */

/* Reads every input's start value off its producer; returns the largest relative change and the
 * name of the signal it belongs to. */
static double gather_start(wr_engine *e, const char **ret_name)
{
    double change = 0.0;
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        const wr_subsystem *const s = p->part->subsystem;
        for (int j = 0; j < s->n_external; j++) {
            const participant *const producer =
                e->participant[p->part->producer[s->external_source[j]]];
            const int signal = s->external_signal[j];
            const double value = producer->prediction[0]->value[signal];
            const double old = p->input[j];
            p->input[j] = value;
            const double moved = value != old ? fabs(value - old) / (fabs(value) + fabs(old)) : 0.0;
            if (moved > change) {
                change = moved;
                *ret_name = producer->part->signal_name[signal];
            }
        }
    }
    return change;
}

static wrsim_status start_one(wr_engine *e, int i, wrsim_error *err)
{
    participant *const p = e->participant[i];
    wr_subsystem *const s = p->part->subsystem;
    double *const value = p->converge->y_now, *const slope = p->converge->y_before;
    wrsim_status status = wr_subsystem_init(s, p->input);
    if (status >= 0)
        status = wr_subsystem_published(s, value, slope);
    if (status >= 0)
        status = wr_predict_start(p->predict, e->t_s, value, p->prediction[0]);
    if (status < 0)
        wr_subsystem_fault_text(s, err);
    return status;
}

wrsim_status wr_engine_start(wr_engine *e, wrsim_error *err)
{
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        for (int j = 0; j < p->part->subsystem->n_external; j++)
            p->input[j] = p->part->input_start[j];
    }
    /* Outputs may depend directly on inputs across subsystems: repeat until they agree. */
    for (int iteration = 0;; iteration++) {
        for (int i = 0; i < e->n; i++)
            WR_TRY(start_one(e, i, err));
        const char *name = "";
        const double change = gather_start(e, &name);
        if (change <= 1e-14)
            break;
        if (iteration == START_ITERATIONS) {
            wr_error_set(err, WRSIM_E_LOOP,
                         "start values of the subsystems do not come to agree in %d passes ('%s' "
                         "still changes by %.2g of its size): put the components of that algebraic "
                         "loop into one subsystem",
                         START_ITERATIONS, name, change);
            return WRSIM_E_LOOP;
        }
    }
    for (int i = 0; i < e->n; i++)
        e->participant[i]->published = e->participant[i]->prediction[0];
    return WRSIM_OK;
}

/* ---- one task ---- */

static int64_t rhs_count(const wr_subsystem *s)
{
    return s->integrator ? wr_integrator_stats(s->integrator)->n_rhs + s->stats.n_effect_rhs
                         : s->stats.n_advance;
}

/* Largest change of outputs and of the end state against the integration before. */
static void measure_change(participant *p)
{
    const wr_subsystem *const s = p->part->subsystem;
    const double state =
        wr_converge_state(s->group->n_x, s->x, p->x_end, p->part->rtol, p->part->atol_state);
    p->change = wr_max(p->converge->delta_max, state);
}

static void commit_rows(wr_engine *e, int i)
{
    participant *const p = e->participant[i];
    if (p->has_rows && e->hooks.commit)
        p->commit_status = e->hooks.commit(e->hooks.context, i);
    p->has_rows = 0;
}

/* Are changes of inputs weighed, or counted as they are? */
static int has_estimates(const wr_engine *e) { return e->options.has_active_set && !e->accelerate; }

/* What the gain alone makes of the change of its inputs. */
static double seen_effect(const participant *p) { return p->gain * p->pending; }

/* Must it be integrated, whatever an estimate would say? */
static int is_due(const wr_engine *e, const participant *p)
{
    return p->n_integrated == 0 || p->factor_before > 1.0 ||
           !(seen_effect(p) <= e->options.convergence);
}

/* Does the change of its inputs matter? Where the gain says no, an estimate has the last word: it
 * costs a right-hand side or two, and knows of a valve that has opened since the gain was measured. */
static int is_moved(const wr_engine *e, participant *p)
{
    p->effect = 0.0;
    if (is_due(e, p) || !has_estimates(e))
        return 1;
    p->effect = wr_subsystem_effect(p->part->subsystem, p->moved, e->length_s, p->part->rtol,
                                    p->part->atol_state, p->converge->weight);
    const double effect = p->trust * p->effect;
    if (e->i_sweep == 2)
        p->miss = wr_clamp(effect / e->options.convergence, p->miss, MOST_MISS);
    return !(effect <= e->options.convergence);
}

static void integrate(wr_engine *e, int i)
{
    participant *const p = e->participant[i];
    wr_subsystem *const s = p->part->subsystem;
    p->is_settled = !is_moved(e, p);
    p->is_unmoved = p->is_settled || e->is_last_look;
    if (p->is_unmoved)
        return;
    p->tolerance_factor = p->next_factor;
    if (!p->is_saved) {
        commit_rows(e, i);
        wr_predict_accept(p->predict);
        if (p->has_wave && p->history && p->is_predicted)
            wr_history_append(p->history, p->iterate[1 - p->i_iterate]);
        p->has_wave = 0;
        wr_subsystem_save(s);
        p->is_saved = 1;
    } else {
        wr_subsystem_restore(s);
    }
    for (int j = 0; j < s->n_source; j++)
        s->source[j] = e->participant[p->part->producer[j]]->published;
    s->wave = p->iterate[p->i_iterate];
    const int64_t n_rhs_before = rhs_count(s), start_ns = wr_clock_monotonic_ns();
    p->status = wr_subsystem_advance(s, e->t_end_s, p->tolerance_factor);
    p->advance_s = 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns);
    p->n_rhs = rhs_count(s) - n_rhs_before;
    p->work = (double)p->n_rhs * p->part->work_per_rhs;
    if (p->status < 0)
        return;
    wr_converge *const c = p->converge;
    c->jump_time_s = wr_max(p->part->rtol * e->length_s, e->options.event_tolerance_s);
    if (p->is_predicted || p->n_integrated > 0)
        wr_converge_compare(c, s->wave, p->published);
    else
        wr_converge_begin(c, s->wave);
    p->is_measurable = p->n_integrated > 0 && p->factor_before <= p->tolerance_factor &&
                       e->options.acceleration == WR_ACCELERATE_KIND_NONE;
    p->factor_before = p->tolerance_factor;
    if (p->is_measurable)
        measure_change(p);
    memcpy(p->x_end, s->x, (size_t)s->group->n_x * sizeof *p->x_end);
    if (p->is_predicted)
        p->status = wr_predict_offer(p->predict, s->wave, c->weight, p->history ? &p->past : NULL,
                                     wr_window_longest_next(&e->window),
                                     p->prediction[1 - p->i_prediction]);
}

static void run_task(wr_engine *e, int i)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    integrate(e, i);
    e->participant[i]->task_s = 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns);
}

/* ---- serial section ---- */

/* 0 for the longest tasks, COST_CLASSES - 1 for those that cost less than 2. */
static int cost_class(double cost)
{
    int exponent = 0;
    const double mantissa = frexp(cost, &exponent); /* in [0.5, 1) */
    const double quarters = 4.0 * (exponent - 1) + 8.0 * (mantissa - 0.5);
    return COST_CLASSES - 1 - (int)wr_clamp(quarters, 0.0, COST_CLASSES - 1);
}

/* Longest tasks first, in an order that a batch of any size gets in one pass (Graham 1969: what is
 * lost against the best schedule is at most the last task). One worker goes from subsystem to
 * subsystem, as they lie in memory. */
static const int *order_batch(wr_engine *e)
{
    if (e->n_active_worker == 1 || e->n_batch <= e->n_active_worker)
        return NULL;
    int first[COST_CLASSES + 1] = {0};
    for (int k = 0; k < e->n_batch; k++)
        first[cost_class(e->participant[e->batch[k]]->cost) + 1]++;
    for (int c = 0; c < COST_CLASSES; c++)
        first[c + 1] += first[c];
    for (int k = 0; k < e->n_batch; k++)
        e->order[first[cost_class(e->participant[e->batch[k]]->cost)]++] = k;
    return e->order;
}

/* Solver tolerance of the next integration: as loose as the waveform error that it would still
 * leave allows, where several sweeps are expected anyway (METHODS 2). */
static double tolerance_factor(const wr_engine *e, const participant *p)
{
    if (e->options.tolerance_first <= 1.0 || e->expected_sweeps < LOOSE_FROM_SWEEPS)
        return 1.0;
    const double left = e->i_sweep == 1 ? e->options.tolerance_first / KAPPA : p->pending;
    return wr_clamp(KAPPA * left, 1.0, e->options.tolerance_first);
}

static int needs_integration(const wr_engine *e, const participant *p)
{
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    if (!has_estimates(e))
        return !(seen_effect(p) <= e->options.convergence);
    /* The task decides; here only what can never matter is kept from being looked at. */
    return !p->is_settled && p->pending * GAIN_MAX > e->options.convergence;
}

/* Whether anything is left to do; sets is_active for the sweep to come. */
static int find_active(wr_engine *e)
{
    int n_active = 0;
    for (int i = 0; i < e->n; i++) {
        e->participant[i]->is_active = needs_integration(e, e->participant[i]);
        n_active += e->participant[i]->is_active;
    }
    if (n_active > 0 && (!e->options.has_active_set || e->accelerate))
        for (int i = 0; i < e->n; i++)
            e->participant[i]->is_active = 1;
    return n_active;
}

/* Fills the batch of the present level; 0 if it has no active subsystem. */
static int prepare_level(wr_engine *e)
{
    e->n_batch = 0;
    for (int k = e->level_start[e->i_level]; k < e->level_start[e->i_level + 1]; k++) {
        participant *const p = e->participant[e->by_level[k]];
        if (e->options.is_gauss_seidel && e->options.has_active_set)
            p->is_active = needs_integration(e, p);
        if (!p->is_active)
            continue;
        p->next_factor = tolerance_factor(e, p);
        e->batch[e->n_batch++] = e->by_level[k];
    }
    if (e->n_batch == 0)
        return 0;
    wr_team_batch(e->team, e->n_batch, order_batch(e));
    return 1;
}

/* Next level with work, from the present one on; 0 if there is none in this sweep. */
static int prepare_from(wr_engine *e, int level)
{
    for (e->i_level = level; e->i_level < e->n_level; e->i_level++)
        if (prepare_level(e))
            return 1;
    return 0;
}

/* The phase at the window's end, as far as it is known. */
static wr_phase_point phase_at_end(const wr_engine *e)
{
    wr_phase_point point = {.t_s = e->t_end_s, .phase = e->t_end_s, .rate = 1.0};
    if (e->options.phase_part < 0)
        return point;
    wr_cursor cursor = wr_cursor_start();
    wr_wave_eval_many(e->participant[e->options.phase_part]->published, &cursor, e->t_end_s, 1,
                      &e->options.phase_signal, &point.phase, &point.rate);
    return point;
}

/* Where in the histories the window's end is repeated: one period back, and at the siblings. */
static void find_past(wr_engine *e)
{
    const wr_phase_point now = phase_at_end(e);
    double own_s = 0.0, own_rate = 1.0, t_s = 0.0, rate = 1.0, lag = 0.0;
    const int has_own = wr_phase_back(e->phase, now, e->options.period, &own_s, &own_rate);
    int has_lag = 0;
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        p->past = (wr_predict_past){.period_s = e->options.period / now.rate};
        if (has_own)
            p->past.source[0] = (wr_predict_source){p->history, own_s, own_rate};
        if (p->part->sibling < 0)
            continue;
        if (p->part->lag != lag) { /* mostly all the same */
            lag = p->part->lag;
            has_lag = wr_phase_back(e->phase, now, lag, &t_s, &rate);
        }
        if (has_lag)
            p->past.source[1] =
                (wr_predict_source){e->participant[p->part->sibling]->history, t_s, rate};
    }
}

static void begin_sweep(wr_engine *e)
{
    if (e->phase)
        find_past(e);
    e->i_sweep++;
    e->n_swept = 0;
    e->n_wanted = 0;
    e->delta_before = e->delta;
    e->delta = 0.0;
}

static void begin_window(wr_engine *e, int is_retry)
{
    const double left_s = e->run_end_s - e->t_s;
    const double n = ceil(left_s / e->window.length_s - 1e-9);
    e->length_s = n <= 2.0 ? left_s / wr_max(n, 1.0) : e->window.length_s;
    e->t_end_s = n <= 1.0 ? e->run_end_s : e->t_s + e->length_s;
    e->i_sweep = 0;
    e->is_last_look = 0;
    e->n_integrated = 0;
    e->contraction = 0.0;
    e->delta = 0.0;
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        p->miss = 0.0;
        p->is_settled = 0;
        p->n_integrated = 0;
        p->is_saved &= is_retry;
        p->pending = 0.0;
        p->tolerance_factor = 1.0;
        p->is_active = 1;
    }
    if (e->accelerate)
        wr_accelerate_reset(e->accelerate);
    begin_sweep(e);
    prepare_from(e, 0);
}

/* Adds the changes of the producers that have just integrated to this consumer's inputs. The size is
 * the largest over the window, the sign that at its end, where predictions are worst. */
static void add_changes(const wr_engine *e, participant *consumer)
{
    const wr_subsystem *const s = consumer->part->subsystem;
    double change = 0.0;
    for (int j = 0; j < s->n_external; j++) {
        const participant *const producer =
            e->participant[consumer->part->producer[s->external_source[j]]];
        if (!producer->is_active || level_of(e, producer) != e->i_level)
            continue;
        const wr_converge *const c = producer->converge;
        const int signal = s->external_signal[j];
        change = wr_max(change, c->delta[signal]);
        consumer->moved[j] +=
            copysign(c->delta[signal] * c->weight[signal], c->y_now[signal] - c->y_before[signal]);
    }
    consumer->pending += change;
    if (change > 0.0)
        consumer->is_settled = 0;
}

/* Ratio of a change to what it came from, raised at once, lowered by halves. */
static double learned(double ratio, double change, double from, double least)
{
    if (!(from > 0.0) || !isfinite(from))
        return ratio;
    const double measured = wr_max(change - GAIN_NOISE, 0.0) / from;
    return wr_clamp(measured > ratio ? measured : 0.5 * (ratio + measured), least, GAIN_MAX);
}

static void measure_gain(participant *p)
{
    if (!p->is_measurable)
        return;
    p->gain = learned(p->gain, p->change, p->pending_used, p->least_gain);
    p->trust = learned(p->trust, p->change, p->effect, GAIN_MIN);
    p->windows_unmeasured = 0;
}

/* Consumers of several producers are told of all at once. */
static void tell_consumers(wr_engine *e, int i_producer)
{
    for (int k = e->consumer_start[i_producer]; k < e->consumer_start[i_producer + 1]; k++) {
        const int i = e->consumer[k];
        if (e->told_in_batch[i] == e->n_batches)
            continue;
        e->told_in_batch[i] = e->n_batches;
        add_changes(e, e->participant[i]);
    }
}

/* After a batch: publish what came out and tell the consumers how far it moved. */
static void publish_level(wr_engine *e)
{
    for (int k = 0; k < e->n_batch; k++) {
        participant *const p = e->participant[e->batch[k]];
        if (p->is_unmoved) {
            p->is_active = 0;
            e->n_wanted += !p->is_settled;
            continue;
        }
        p->pending_used = p->pending;
        p->pending = 0.0;
        memset(p->moved, 0, (size_t)p->part->subsystem->n_external * sizeof *p->moved);
        e->n_swept++;
        measure_gain(p);
        if (e->accelerate)
            e->before[e->batch[k]] = p->published;
        p->published = p->iterate[p->i_iterate];
        p->i_iterate = 1 - p->i_iterate;
        p->n_integrated++;
        e->n_integrated++;
        e->review_work += p->work;
        p->cost = p->cost > 0.0 ? WORK_MEMORY * p->cost + (1.0 - WORK_MEMORY) * p->work : p->work;
        e->delta = wr_max(e->delta, p->converge->delta_max);
    }
    e->n_batches++;
    for (int k = 0; k < e->n_batch; k++)
        if (e->participant[e->batch[k]]->is_active)
            tell_consumers(e, e->batch[k]);
}

/* First failed task of the batch, -1 if there is none. */
static int failed_task(const wr_engine *e)
{
    int failed = -1;
    for (int k = 0; k < e->n_batch; k++)
        if (e->participant[e->batch[k]]->status < 0 && (failed < 0 || e->batch[k] < failed))
            failed = e->batch[k];
    return failed;
}

static void leave(wr_engine *e, wrsim_status status)
{
    e->status = status;
    e->is_leaving = 1;
}

static wr_window_outcome outcome_of(wr_engine *e, int is_accepted)
{
    double work = 0.0;
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        e->miss[i] = p->miss;
        work += p->work / p->part->work_per_rhs;
    }
    return (wr_window_outcome){.length_s = e->length_s,
                               .is_accepted = is_accepted,
                               .n_sweep = e->i_sweep,
                               .n_subsystem = e->n,
                               .miss = e->miss,
                               .contraction = e->contraction,
                               .work = work,
                               .work_wasted = e->work_wasted};
}

/* Few enough workers that each has something to do, judged by counted work; and one where a busy
 * machine makes all of them slower than one, judged by time. */
static void review_workers(wr_engine *e)
{
    if (e->stats.n_window < e->next_review)
        return;
    e->next_review = e->stats.n_window + WORKER_REVIEW;
    int most = wr_team_size(e->team);
    most = most < e->n ? most : e->n;
    int best = most;
    if (e->options.min_work > 0.0)
        best = (int)wr_clamp(ceil(e->work_per_window / e->options.min_work), 1.0, most);
    const int64_t now_ns = wr_clock_monotonic_ns();
    if (e->options.min_work > 0.0 && best > 1 &&
        wr_pace_review(&e->pace, 1e-9 * (double)(now_ns - e->review_ns), e->review_work))
        best = 1;
    e->review_ns = now_ns;
    e->review_work = 0.0;
    if (best == e->n_active_worker)
        return;
    e->n_active_worker = best;
    e->stats.n_worker_change++;
    e->is_leaving = 1;
}

static void count_window(wr_engine *e)
{
    wr_engine_stats *const s = &e->stats;
    s->n_window++;
    s->n_sweep += e->i_sweep;
    s->n_integration += e->n_integrated;
    s->n_skipped += (int64_t)e->i_sweep * e->n - e->n_integrated;
    s->n_one_sweep += e->i_sweep == 1;
    s->sweep_count[e->i_sweep <= WR_ENGINE_SWEEPS ? e->i_sweep : WR_ENGINE_SWEEPS]++;
    if (s->n_window == 1 || e->length_s < s->window_shortest_s)
        s->window_shortest_s = e->length_s;
    s->window_longest_s = wr_max(s->window_longest_s, e->length_s);
    double work = 0.0;
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        work += p->work * p->n_integrated;
        s->accepted_s += p->advance_s;
        s->n_rhs_accepted += p->n_rhs;
    }
    e->work_per_window = e->work_per_window > 0.0
                             ? WORK_MEMORY * e->work_per_window + (1.0 - WORK_MEMORY) * work
                             : work;
    e->expected_sweeps =
        SWEEP_MEMORY * e->expected_sweeps + (1.0 - SWEEP_MEMORY) * (double)e->i_sweep;
}

static void accept_window(wr_engine *e)
{
    const wr_window_outcome outcome = outcome_of(e, 1);
    count_window(e);
    wr_window_accepted(&e->window, &outcome);
    if (e->phase)
        wr_phase_append(e->phase, phase_at_end(e));
    wrsim_status commit_status = WRSIM_OK;
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        p->has_rows = 1;
        p->has_wave = 1;
        if (p->history)
            wr_history_show(p->history);
        p->i_prediction = 1 - p->i_prediction;
        p->published = p->prediction[p->i_prediction];
        if (p->windows_unmeasured++ > 0) {
            p->gain = wr_min(p->gain * GAIN_DRIFT, wr_max(p->gain, GAIN_START));
            p->trust = wr_min(p->trust * GAIN_DRIFT, wr_max(p->trust, GAIN_START));
        }
        if (commit_status >= 0)
            commit_status = p->commit_status;
    }
    e->t_s = e->t_end_s;

    e->work_wasted = 0.0;
    if (e->hooks.window)
        e->hooks.window(e->hooks.context, e->t_s);
    const int is_stop_asked = atomic_exchange_explicit(&e->stop, 0, memory_order_relaxed);
    if (commit_status < 0)
        leave(e, commit_status);
    else if (e->t_s >= e->run_end_s || wr_time_close(e->t_s, e->run_end_s))
        leave(e, WRSIM_OK);
    else if (is_stop_asked)
        leave(e, WRSIM_STOPPED);
    else {
        review_workers(e);
        begin_window(e, 0);
    }
}

/* The connection whose waveform moved most. */
static void name_worst_coupling(wr_engine *e)
{
    const participant *worst = NULL;
    int i_signal = -1;
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        for (int j = 0; j < p->converge->n_signal; j++)
            if (!worst || p->converge->delta[j] > worst->converge->delta[i_signal]) {
                worst = p;
                i_signal = j;
            }
    }
    wr_error_set(&e->failure, WRSIM_E_CONTRACT,
                 "relaxation does not contract: after %d sweeps of a window of %.3g s '%s' still "
                 "changes by %.3g tolerances (contraction %.2f per sweep); put it and what it "
                 "drives into one subsystem, lower relaxation.window.min, or %s",
                 e->i_sweep, e->length_s, worst ? worst->part->signal_name[i_signal] : "?",
                 worst ? worst->converge->delta[i_signal] : 0.0, e->contraction,
                 e->accelerate ? "raise relaxation.max_sweeps"
                               : "set relaxation.acceleration = \"anderson\"");
    e->failure.time_s = e->t_s;
    if (worst)
        snprintf(e->failure.subsystem, sizeof e->failure.subsystem, "%s",
                 worst->part->subsystem->name);
}

/* Starts the waves of the window again from their predictions. */
static void publish_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        p->published = p->prediction[p->i_prediction];
    }
}

static double converged_prefix(const wr_engine *e)
{
    double t_bad_s = e->t_end_s;
    for (int i = 0; i < e->n; i++)
        t_bad_s = wr_min(t_bad_s, e->participant[i]->converge->t_bad_s);
    return t_bad_s - e->t_s;
}

/* Rejects the window. i_failed: participant whose solver failed, -1 if it just did not contract. */
static void reject_window(wr_engine *e, int i_failed)
{
    const double prefix_s = i_failed < 0 && !e->accelerate ? converged_prefix(e) : 0.0;
    e->stats.n_rejected++;
    e->stats.n_wasted += e->n_integrated + (i_failed >= 0 ? e->n_batch : 0);
    wr_window_outcome outcome = outcome_of(e, 0);
    outcome.work_wasted = outcome.work * e->i_sweep;
    e->work_wasted += outcome.work_wasted;
    const int is_hopeless = i_failed >= 0 &&
                            e->participant[i_failed]->part->subsystem->n_external == 0 &&
                            e->participant[i_failed]->status != WRSIM_E_LIMIT;
    if (is_hopeless || wr_window_rejected(&e->window, &outcome, prefix_s) != 0) {
        e->i_failed = i_failed;
        if (is_hopeless && e->n == 1) { /* what was computed before the fault is final */
            e->participant[0]->has_rows = 1;
            e->t_s = e->participant[0]->part->subsystem->t_s;
        }
        if (i_failed >= 0) {
            leave(e, e->participant[i_failed]->status);
        } else {
            name_worst_coupling(e);
            leave(e, WRSIM_E_CONTRACT);
        }
        return;
    }
    /* Relaxation converges from the left: a converged prefix is the best first guess there is. */
    if (!(prefix_s > 0.5 * e->window.length_s))
        publish_predictions(e);
    begin_window(e, 1);
}

/* The common grid has no jump nodes: waves that jump are passed on as they are. */
static int has_jump(const wr_wave *wave, const double *weight)
{
    for (int i = 0; i + 1 < wave->n_node; i++) {
        const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal;
        for (int k = 0; k < wave->n_signal && wave->t_s[i + 1] <= wave->t_s[i]; k++)
            if (fabs(left[wave->n_signal + k] - left[k]) > weight[k])
                return 1;
    }
    return 0;
}

static void accelerate_sweep(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        const participant *const p = e->participant[i];
        if (has_jump(p->published, p->converge->weight)) {
            wr_accelerate_reset(e->accelerate);
            return;
        }
    }
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        e->now[i] = p->published;
        e->scale[i] = p->converge->weight;
        e->next[i] = p->accelerated;
    }
    if (wr_accelerate_step(e->accelerate, e->before, e->now, e->scale, e->next) < 0)
        return;
    for (int i = 0; i < e->n; i++)
        e->participant[i]->published = e->participant[i]->accelerated;
}

static void judge(wr_engine *e)
{
    if (e->n_swept == 0) { /* looked at, but nobody was integrated again */
        e->i_sweep--;
        e->delta = e->delta_before;
        if (e->n_wanted > 0)
            reject_window(e, -1);
        else
            accept_window(e);
        return;
    }
    if (e->i_sweep > 1 && e->delta_before > 0.0) {
        e->contraction = e->delta / e->delta_before;
        e->stats.contraction_mean += e->contraction;
        e->stats.n_contraction++;
    }

    for (int i = 0; i < e->n && e->i_sweep == 1; i++)
        e->participant[i]->miss =
            wr_clamp(seen_effect(e->participant[i]) / e->options.convergence, 0.0, MOST_MISS);
    if (e->hooks.sweep)
        e->hooks.sweep(e->hooks.context, e->t_s, e->length_s, e->i_sweep, e->delta);
    if (find_active(e) == 0) {
        accept_window(e);
        return;
    }
    const int is_diverging = e->i_sweep >= 3 && !e->accelerate &&
                             e->contraction > CONTRACTION_LIMIT &&
                             e->delta > e->options.convergence;
    if (e->i_sweep >= e->options.max_sweeps || is_diverging) {
        e->is_last_look = 1;
        for (int i = 0; i < e->n; i++)
            e->is_last_look &= !e->participant[i]->is_active || !is_due(e, e->participant[i]);
        if (!e->is_last_look || !has_estimates(e)) {
            e->is_last_look = 0;
            reject_window(e, -1);
            return;
        }
    }
    if (e->accelerate)
        accelerate_sweep(e);
    begin_sweep(e);
    if (!prepare_from(e, 0)) /* Gauss-Seidel found nothing to do after all */
        accept_window(e);
}

static void count_batch(wr_engine *e)
{
    for (int k = 0; k < e->n_batch; k++)
        e->task_s[k] = e->participant[e->batch[k]]->task_s;
    wr_bound_add(e->stats.bound_wall_s, e->n_batch, e->task_s);
}

static void after_batch(void *context)
{
    wr_engine *const e = context;
    count_batch(e);
    const int failed = failed_task(e);
    if (failed >= 0) {
        reject_window(e, failed);
        return;
    }
    publish_level(e);
    if (prepare_from(e, e->i_level + 1))
        return;
    judge(e);
}

static void work(void *context, int i_worker)
{
    wr_engine *const e = context;
    do {
        for (int task; (task = wr_team_claim(e->team, i_worker)) >= 0;)
            run_task(e, e->batch[task]);
        wr_team_barrier(e->team, i_worker, after_batch, e);
    } while (!e->is_leaving);
}

/* ---- running ---- */

static wrsim_status commit_all(wr_engine *e)
{
    wrsim_status status = WRSIM_OK;
    for (int i = 0; i < e->n; i++) {
        commit_rows(e, i);
        if (status >= 0)
            status = e->participant[i]->commit_status;
    }
    return status;
}

static void fill_failure(wr_engine *e, wrsim_error *err)
{
    if (e->i_failed >= 0)
        wr_subsystem_fault_text(e->participant[e->i_failed]->part->subsystem, &e->failure);
    if (err)
        *err = e->failure;
}

/* After a failure every subsystem is where time stands: at the start of the window that failed. */
static void leave_rejected_window(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        participant *const p = e->participant[i];
        if (p->is_saved && p->part->subsystem->t_s > e->t_s)
            wr_subsystem_restore(p->part->subsystem);
    }
}

wrsim_status wr_engine_run(wr_engine *e, double t_end_s, wrsim_error *err)
{
    if (e->t_s >= t_end_s || wr_time_close(e->t_s, t_end_s))
        return WRSIM_OK;
    e->run_end_s = t_end_s;
    e->review_ns = wr_clock_monotonic_ns();
    e->review_work = 0.0;
    e->status = WRSIM_OK;
    begin_window(e, 0);
    do {
        e->is_leaving = 0;
        wr_team_run(e->team, e->n_active_worker, work, e);
    } while (e->status == WRSIM_OK && e->t_s < t_end_s && !wr_time_close(e->t_s, t_end_s));
    e->stats.n_active_worker = e->n_active_worker;
    const wrsim_status status = e->status;
    if (status < 0) {
        fill_failure(e, err);
        leave_rejected_window(e);
    }
    const wrsim_status commit_status = commit_all(e);
    return status < 0 ? status : commit_status < 0 ? commit_status : status;
}

void wr_engine_stop(wr_engine *e) { atomic_store_explicit(&e->stop, 1, memory_order_relaxed); }

double wr_engine_time(const wr_engine *e) { return e->t_s; }

const wr_engine_stats *wr_engine_stats_get(const wr_engine *e) { return &e->stats; }

int64_t wr_engine_rhs(const wr_engine *e, int i)
{
    return rhs_count(e->participant[i]->part->subsystem);
}
