/* Windows begun ahead. See engine_ahead.h. Thread: as in engine_ahead.h. Real-time: yes after placing. */
#include "runtime/relax/engine_ahead.h"

#include <string.h>

#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/engine_task.h"
#include "subsystems/event_log.h"

/* A window begins ahead only if the first level has integrated at least LEAST_SHARE of the last windows once. SHARE_MEMORY: weight of
 * earlier windows in this share (docs/lab/2026-11-27-ahead.md). After a load step most windows would be taken back. */
static const double LEAST_SHARE = 0.5, SHARE_MEMORY = 0.7;

/* The other end of a subsystem of the first level. During the task: the end of window n. After the task: the end of window n + 1. */
typedef struct other_end {
    int i; /* the subsystem */
    wrsim_status status;
    wr_record *kept;
    wr_wave_distance converge;
    double *values, *x, *d; /* [wr_record_n_value()], [n_x], [n_d] */
    double *x_start;        /* [n_x] states at the start of window n + 1 */
    uint64_t *order;        /* [n_source] */
    int i_part; /* last part of the window with an event (wr_sensitivity); -1: no event */
    /* The kept subsystem at both ends. */
    unsigned char *now, *next;
    size_t cap_bytes, n_now, n_next;
    unsigned char *
        whole; /* [cap_whole] the state with its counters, while a new run repeats the integration */
    size_t cap_whole;
    wr_wave *wave; /* wave of window n + 1 */
    double *row_time_s, *row_value;
    unsigned char *row_kind;
    wr_event_log *log; /* NULL: the run has no log */
    wr_step_watch watch;
    int has_watch; /* the integration has stored its events in `watch` */
} other_end;

/* A subsystem that drives the first level: its prediction from the start of the begun window on. Two waves in turn, because the last one
 * may still be the published wave. */
typedef struct tail {
    int i;
    wr_wave *wave[2];
} tail;

struct wr_ahead {
    int n_end, n_tail;
    other_end *end;         /* [n_end] subsystems of the first level, in the order of the level */
    tail *tail;             /* [n_tail] */
    const wr_wave **source; /* [number of subsystems] the present tail of each producer */
    int i_tail;             /* index of the tails in use */
    double share;     /* decayed share of the windows that the first level has integrated once */
    int has_repeated; /* the first level has integrated the present window again */
    int is_begun;
    int is_promised; /* 1: a run has stopped with a begun window, which the next run repeats from start_s on */
    int is_repeating; /* 1: the present batch repeats the begun window */
    double start_s;   /* start of the begun window */
};

/* ---- placing ---- */

const char *wr_engine_ahead_lack(const wr_engine *e, const char **ret_name)
{
    const wr_net *const net = e->net;
    *ret_name = NULL;
    if (!wr_engine_options_are_levelled(&e->options) || net->levels.n < 2)
        return "all subsystems have the same level; set the levels of [[subsystem]]";
    if (net->has_algebraic_cycle)
        return "an algebraic loop crosses subsystems; join these subsystems";
    if (net->n_once > 0 || net->n_deferring > 0 || net->is_on_grid)
        return "a subsystem has no rollback, or ends windows at communication points only; replace "
               "it";
    if (e->mix->method)
        return "sweeps are accelerated; set relaxation.acceleration = \"none\"";
    for (int k = 0; k < net->levels.start[1]; k++) {
        const int i = net->levels.item[k];
        *ret_name = net->node[i].name;
        if (net->node[i].is_predicted)
            return "must have its readers on later levels; change the levels of [[subsystem]]";
        if (!wr_subsystem_can_keep(e->run[i]->subsystem))
            return e->run[i]->subsystem->flags & WR_SUBSYSTEM_NO_KEEP
                       ? "has a solver that keeps Jacobians; choose an explicit solver"
                       : "cannot repeat an integration; choose another first level";
    }
    return NULL;
}

static int place_end(const wr_engine *e, other_end *end, int i)
{
    const wr_run *const p = e->run[i];
    wr_subsystem *const s = p->subsystem;
    wr_arena *const arena = p->link->arena;
    wr_state_io io = wr_state_measure();
    wr_subsystem_keep(s, &io, WR_OWN_END);
    wr_arena_line(arena);
    end->kept = WR_NEW(arena, wr_record);
    end->i = i;
    end->cap_bytes = io.n_bytes;
    end->now = wr_arena_push(arena, io.n_bytes, 1);
    end->next = wr_arena_push(arena, io.n_bytes, 1);
    io = wr_state_measure();
    io.has_no_own = 1; /* integrate_again() restores own states by bring_back() */
    wr_subsystem_state(s, &io);
    end->cap_whole = io.n_bytes;
    end->whole = wr_arena_push(arena, io.n_bytes, 1);
    end->order = WR_NEW_ARRAY(arena, uint64_t, s->n_source);
    end->row_time_s = WR_NEW_ARRAY(arena, double, s->cap_row);
    end->row_kind = WR_NEW_ARRAY(arena, unsigned char, s->cap_row);
    end->row_value =
        wr_arena_push(arena, (size_t)s->cap_row * (size_t)s->n_recorded, sizeof(double));
    if (!end->kept || !end->now || !end->next || !end->whole || !end->order || !end->row_time_s ||
        !end->row_kind || !end->row_value ||
        WR_NEW_DOUBLES(arena, s->n_x, &end->x, &end->x_start) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_d, &end->d) != 0 ||
        WR_NEW_DOUBLES(arena, wr_record_n_value(s->n_published, s->n_external), &end->values) != 0)
        return -1;
    if (s->log && !(end->log = wr_event_log_copy_place(arena, s->log)))
        return -1;
    return s->watch ? wr_subsystem_place_watch(s, arena, 0, s->watch->cap_event, &end->watch) : 0;
}

static int place_tail(const wr_engine *e, tail *t, wr_arena *arena, int i)
{
    t->i = i;
    for (int k = 0; k < 2; k++)
        if (!(t->wave[k] =
                  wr_wave_place(arena, e->record[i].n_signal, e->waves[i].prediction[0]->cap_node)))
            return -1;
    return 0;
}

int wr_ahead_place(const wr_engine *e, wr_arena *arena, struct wr_ahead **ret_ahead)
{
    const wr_net *const net = e->net;
    const char *name;
    if (!e->options.relaxation.ahead || wr_engine_ahead_lack(e, &name))
        return 0;
    const int n = net->levels.start[1];
    struct wr_ahead *const a = WR_NEW(arena, struct wr_ahead);
    if (!a || !(a->end = WR_NEW_ARRAY(arena, other_end, n)) ||
        !(a->tail = WR_NEW_ARRAY(arena, tail, e->n)) ||
        !(a->source = WR_NEW_ARRAY(arena, const wr_wave *, e->n)))
        return -1;
    a->n_end = n;
    for (int k = 0; k < n; k++)
        if (place_end(e, &a->end[k], net->levels.item[k]) != 0)
            return -1;
    for (int i = 0; i < e->n; i++) {
        int is_read = 0;
        for (int k = net->consumer_start[i]; k < net->consumer_start[i + 1]; k++)
            is_read |= net->node[net->consumer[k]].level == net->node[net->levels.item[0]].level;
        if (is_read && place_tail(e, &a->tail[a->n_tail++], arena, i) != 0)
            return -1;
    }
    *ret_ahead = a;
    return 0;
}

/* ---- the two ends ---- */

static void exchange(void *a, void *b, size_t n_bytes)
{
    unsigned char *const to = a, *const from = b;
    for (size_t i = 0; i < n_bytes; i++) {
        const unsigned char byte = to[i];
        to[i] = from[i];
        from[i] = byte;
    }
}

static void copy_doubles(double *to, const double *from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n * sizeof *to);
}

/* Copies the numbers of the present end to the other end. */
static void keep_numbers(other_end *end, const wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    *end->kept = *p->record;
    end->converge = *p->converge;
    copy_doubles(end->values, p->converge->delta, wr_record_n_value(s->n_published, s->n_external));
    copy_doubles(end->x, p->x_end, (size_t)s->n_x);
    copy_doubles(end->d, p->d_end, (size_t)s->n_d);
    memcpy(end->order, p->order, (size_t)s->n_source * sizeof *end->order);
}

static void exchange_numbers(other_end *end, const wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    exchange(end->kept, p->record, sizeof *end->kept);
    exchange(&end->converge, p->converge, sizeof end->converge);
    exchange(end->values, p->converge->delta,
             wr_record_n_value(s->n_published, s->n_external) * sizeof *end->values);
    exchange(end->x, p->x_end, (size_t)s->n_x * sizeof *end->x);
    exchange(end->d, p->d_end, (size_t)s->n_d * sizeof *end->d);
    exchange(end->order, p->order, (size_t)s->n_source * sizeof *end->order);
}

static void exchange_rows(other_end *end, wr_subsystem *s)
{
    exchange(&end->row_time_s, &s->row_time_s, sizeof end->row_time_s);
    exchange(&end->row_kind, &s->row_kind, sizeof end->row_kind);
    exchange(&end->row_value, &s->row_value, sizeof end->row_value);
    exchange(&end->log, &s->log, sizeof end->log);
}

static size_t keep(wr_subsystem *s, unsigned char *bytes, size_t cap_bytes, wr_own_slot slot)
{
    wr_state_io io = wr_state_writer(bytes, cap_bytes, 0);
    wr_subsystem_keep(s, &io, slot);
    WR_ASSERT(io.fault == WR_STATE_SOUND);
    return io.n_bytes;
}

static void bring_back(wr_subsystem *s, const unsigned char *bytes, size_t n_bytes,
                       wr_own_slot slot)
{
    wr_state_io io = wr_state_reader(bytes, n_bytes, 0, 0);
    wr_subsystem_keep(s, &io, slot);
    WR_ASSERT(io.fault == WR_STATE_SOUND);
}

/* ---- the task ---- */

static void integrate(wr_engine *e, int k, double *ret_t_s)
{
    struct wr_ahead *const a = e->ahead;
    other_end *const end = &a->end[k];
    wr_run *const p = e->run[end->i];
    wr_subsystem *const s = p->subsystem;
    wr_record *const r = p->record;
    wr_wave *const wave = s->wave;
    wr_step_watch *const watch = s->watch;
    keep_numbers(end, p);
    copy_doubles(end->x_start, s->x, (size_t)s->n_x);
    end->n_now = keep(s, end->now, end->cap_bytes, WR_OWN_END);
    wr_subsystem_turn_ahead(s, WR_AHEAD_BEGIN);
    exchange_rows(end, s);
    end->has_watch = watch != NULL;
    if (watch) {
        wr_step_watch_follow(&end->watch, watch);
        s->watch = &end->watch;
    }
    end->wave = s->wave = p->iterate[wave == p->iterate[0]];
    for (int j = 0; j < s->n_source; j++)
        s->source[j] = a->source[p->link->producer[j]];
    wr_record_begin(r, 0);
    wr_sensitivity_forget_events(&r->sensitivity);
    end->status = wr_engine_integrate_ahead(e, end->i, e->window->next_end_s);
    end->i_part = r->sensitivity.i_part;
    *ret_t_s = s->t_s;
    end->n_next = keep(s, end->next, end->cap_bytes, WR_OWN_AHEAD);
    wr_subsystem_turn_ahead(s, WR_AHEAD_END);
    exchange_rows(end, s);
    s->watch = watch;
    s->wave = wave;
    bring_back(s, end->now, end->n_now, WR_OWN_END);
    exchange_numbers(end, p);
    if (e->options.counts_points)
        wr_record_note_points(r, wr_subsystem_point_cost(s));
}

/* Integrates ahead again. The counters contain the first integration. */
static void integrate_again(wr_engine *e, int k, double *ret_t_s)
{
    other_end *const end = &e->ahead->end[k];
    wr_subsystem *const s = e->run[end->i]->subsystem;
    wr_record *const r = &e->record[end->i];
    const wr_record before = *r;
    wr_state_io io = wr_state_writer(end->whole, end->cap_whole, 0);
    io.has_no_own = 1;
    wr_subsystem_state(s, &io);
    const size_t n_whole = io.n_bytes;
    integrate(e, k, ret_t_s);
    *r = before;
    io = wr_state_reader(end->whole, n_whole, 0, 0);
    io.has_no_own = 1;
    wr_subsystem_state(s, &io);
    bring_back(s, end->now, end->n_now, WR_OWN_END);
}

wrsim_status wr_ahead_run_task(wr_engine *e, int k, double *ret_t_s)
{
    if (e->ahead->is_repeating)
        integrate_again(e, k, ret_t_s);
    else
        integrate(e, k, ret_t_s);
    return e->ahead->end[k].status;
}

/* ---- beginning ---- */

/* Copies the nodes of a prediction from the last node before start_s to the first node after end_s. A jump at start_s belongs to the window
 * that ends there. Jumps after end_s would count as missed jumps. */
static void cut_tail(wr_wave *to, const wr_wave *from, double start_s, double end_s)
{
    const size_t n = (size_t)from->n_signal;
    int first = 0;
    while (first + 2 < from->n_node &&
           (from->t_s[first + 1] <= start_s || wr_time_close(from->t_s[first + 1], start_s)))
        first++;
    wr_wave_clear(to);
    for (int k = first; k < from->n_node && (to->n_node < 2 || !(wr_wave_end(to) > end_s)); k++)
        (void)wr_wave_append(to, from->t_s[k], from->value + (size_t)k * n,
                             from->slope + (size_t)k * n); /* both waves have the same capacity */
}

/* Returns 1 if the predictions cover the next window, and all subsystems of the first level are ready at its start. */
static int is_ready(const wr_engine *e)
{
    const struct wr_ahead *const a = e->ahead;
    const wr_window_now *const w = e->window;
    int all = 1;
    for (int k = 0; k < a->n_tail && all; k++) {
        const double end_s = wr_wave_end(e->waves[a->tail[k].i].prediction[w->i_prediction]);
        all = end_s >= w->next_end_s || wr_time_close(end_s, w->next_end_s);
    }
    for (int k = 0; k < a->n_end && all; k++) {
        const wr_record *const r = &e->record[a->end[k].i];
        all = r->n_integrated > 0 && r->status == WRSIM_OK && r->tolerance_factor <= 1.0 &&
              wr_time_close(r->t_s, w->t_end_s) && !r->has_deferred && !r->has_shared &&
              !r->parts_instant;
    }
    return all;
}

static void add_tasks(wr_engine *e)
{
    const struct wr_ahead *const a = e->ahead;
    wr_batch *const b = e->batch;
    for (int k = 0; k < b->n && b->run != b->some; k++)
        b->some[k] = b->run[k];
    b->run = b->some;
    for (int k = 0; k < a->n_end; k++)
        b->some[b->n + k] = a->end[k].i;
    b->n_ahead = a->n_end;
}

void wr_ahead_join(wr_engine *e)
{
    struct wr_ahead *const a = e->ahead;
    const wr_window_now *const w = e->window;
    wr_batch *const b = e->batch;
    b->n_ahead = 0;
    if (a && e->sweep->i == 1 && e->sweep->i_level == 1) {
        a->share = SHARE_MEMORY * a->share + (1.0 - SHARE_MEMORY) * !a->has_repeated;
        a->has_repeated = 0;
    }
    /* In a first sweep later levels still read the tails in use. */
    const int is_too_late = e->sweep->i == 1 && e->sweep->i_level > 1;
    if (!a || a->share < LEAST_SHARE || a->is_begun || e->sweep->i_level == 0 || is_too_late ||
        e->sweep->is_check_only || e->event_check->is_on || e->mix->method || w->is_tight ||
        w->is_held || !(w->next_end_s > w->t_end_s) || !is_ready(e))
        return;
    a->i_tail = 1 - a->i_tail;
    for (int k = 0; k < a->n_tail; k++) {
        tail *const t = &a->tail[k];
        cut_tail(t->wave[a->i_tail], e->waves[t->i].prediction[w->i_prediction], w->t_end_s,
                 w->next_end_s);
        a->source[t->i] = t->wave[a->i_tail];
    }
    add_tasks(e);
    a->is_begun = 1;
    a->start_s = w->t_end_s;
    e->stats->n_ahead++;
}

/* ---- the end ---- */

int wr_ahead_is_begun(const wr_engine *e) { return e->ahead && e->ahead->is_begun; }

void wr_ahead_end_batch(wr_engine *e)
{
    int is_failed = 0;
    for (int k = 0; k < e->batch->n_ahead; k++)
        is_failed |= e->ahead->end[k].status != WRSIM_OK;
    if (is_failed)
        wr_ahead_take_back(e);
}

/* Advances a subsystem to the end of the begun window. The subsystem is at the end of the accepted window before. */
static void adopt_end(wr_engine *e, other_end *end)
{
    wr_run *const p = e->run[end->i];
    wr_subsystem *const s = p->subsystem;
    wr_record *const r = p->record;
    WR_ASSERT(s->n_x == 0 ||
              memcmp(s->x, end->x_start, (size_t)s->n_x * sizeof *s->x) == 0); /* else taken back */
    wr_engine_commit_rows(e, end->i, e->i_serial_worker);
    if (r->commit_status < 0)
        wr_batch_set_failed(e->batch, 1);
    if (r->has_wave)
        wr_sensitivity_accepted(&r->sensitivity);
    if (end->i_part >= 0)
        wr_sensitivity_note_event(&r->sensitivity, end->i_part);
    wr_record_follow(end->kept, r, e->batch->number);
    wr_subsystem_save(s);
    wr_subsystem_turn_ahead(s, WR_AHEAD_ADOPT);
    bring_back(s, end->next, end->n_next, WR_OWN_AHEAD);
    exchange_numbers(end, p);
    exchange_rows(end, s);
    if (s->watch && end->has_watch) {
        exchange(&end->watch, s->watch, sizeof end->watch);
    }
    s->wave = end->wave;
    wr_waves_publish(p->waves, end->wave, wr_batch_number(e), e->window->i_prediction);
}

void wr_ahead_adopt(wr_engine *e)
{
    struct wr_ahead *const a = e->ahead;
    for (int k = 0; k < a->n_tail; k++)
        wr_publish(&e->waves[a->tail[k].i].publication, a->source[a->tail[k].i],
                   wr_batch_number(e));
    for (int k = 0; k < a->n_end; k++)
        adopt_end(e, &a->end[k]);
    wr_engine_count_evaluations(e);
    a->is_begun = 0;
}

void wr_ahead_repeat(wr_engine *e)
{
    if (e->ahead)
        e->ahead->has_repeated |= e->sweep->i > 1;
    wr_ahead_take_back(e);
}

void wr_ahead_take_back(wr_engine *e)
{
    struct wr_ahead *const a = e->ahead;
    if (!a || !a->is_begun)
        return;
    a->is_begun = 0;
    e->stats->n_ahead_undone++;
    e->stats->n_wasted += a->n_end;
    for (int k = 0; k < a->n_end; k++) {
        e->load->unnoted_work += a->end[k].kept->work;
        wr_subsystem_turn_ahead(e->run[a->end[k].i]->subsystem, WR_AHEAD_DROP);
    }
}

/* ---- stops and checkpoints ---- */

void wr_ahead_pause(wr_engine *e)
{
    if (!wr_ahead_is_begun(e))
        return;
    e->ahead->is_begun = 0;
    e->ahead->is_promised = 1;
}

int wr_ahead_resume(wr_engine *e)
{
    struct wr_ahead *const a = e->ahead;
    const wr_window_now *const w = e->window;
    if (!a || !a->is_promised)
        return 0;
    a->is_promised = 0;
    a->is_begun = 1;
    const int is_same_start = !(a->start_s < w->t_s) && !(a->start_s > w->t_s);
    if (!is_same_start ||
        (w->next_end_s > e->control->end_s && !wr_time_close(w->next_end_s, e->control->end_s))) {
        wr_ahead_take_back(e);
        return 0;
    }
    a->is_repeating = 1;
    e->batch->n = 0;
    add_tasks(e);
    wr_batch_start(e);
    return 1;
}

int wr_ahead_has_resumed(wr_engine *e)
{
    if (!e->ahead || !e->ahead->is_repeating)
        return 0;
    e->ahead->is_repeating = 0;
    wr_ahead_end_batch(e);
    return 1;
}

void wr_ahead_state(wr_engine *e, wr_state_io *io)
{
    struct wr_ahead *const a = e->ahead;
    if (!a)
        return;
    const int is_promised = (int)wr_state_count(io, a->is_promised, 1);
    WR_STATE(io, a->share);
    WR_STATE(io, a->has_repeated);
    WR_STATE(io, a->start_s);
    WR_STATE(io, e->window->next_end_s);
    WR_STATE(io, e->window->next_length_s);
    for (int k = 0; k < a->n_tail; k++)
        wr_wave_state(a->tail[k].wave[a->i_tail], io);
    if (!wr_state_reads(io))
        return;
    a->is_promised = is_promised;
    a->is_begun = 0;
    for (int k = 0; k < a->n_tail; k++)
        a->source[a->tail[k].i] = a->tail[k].wave[a->i_tail];
}
