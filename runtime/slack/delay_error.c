/* What stale inputs cost. See delay_error.h.
 *
 * Thread: as there. Real-time: yes after placing.
 */
#include "runtime/slack/delay_error.h"

#include <math.h>
#include <string.h>

#include "runtime/slack/delay_events.h"

/* Means are taken by the Gauss-Legendre formula of order 6. */
enum { NODES = 3 };
static const double NODE[NODES] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double WEIGHT[NODES] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

typedef struct record {
    double start_s, end_s;
    int is_watched; /* or only compared */
    double *read;   /* [(NODES + 1) n_external] u~ at the nodes and at the end */
    wr_step_watch watch;
} record;

struct wr_delay_error {
    wr_subsystem *subsystem;
    wr_carry *carry;
    wr_delay_events events;
    int n_x, n_u, n_source;
    int has_watch; /* there is a right-hand side */
    int n_record, first, n_waiting;
    record *record; /* [n_record] ring */
    int is_open;
    double compared_s, carried_s;  /* up to there inputs have been compared, and errors are known */
    double *missed;                /* [n_u] integral of u~ - u between the two */
    double *accumulated, *current; /* [n_x] E; E_c of the last step, in units */
    double *worst;                 /* [n_x + n_published] the largest propagated errors */
    double *before;                /* [n_u] errors of inputs there */
    wr_delay_share *share;         /* [n_source] */
    wr_delay_sum sum;
    /* Work space. */
    double *truth, *mixed, *mean, *end, *incoming; /* [n_u] */
    double *stale, *other;                         /* [n_x] right-hand sides */
};

/* ---- placing ---- */

static int place_records(wr_delay_error *e, wr_arena *arena, int n_record)
{
    e->n_record = n_record;
    e->record = WR_NEW_ARRAY(arena, record, n_record);
    for (int i = 0; e->record && i < n_record; i++) {
        record *const r = &e->record[i];
        r->read = WR_NEW_ARRAY(arena, double, (NODES + 1) * e->n_u);
        const int rc = wr_subsystem_place_watch(e->subsystem, arena, &r->watch);
        e->has_watch = rc == 0;
        if (!r->read || rc < 0)
            return -1;
    }
    return e->record ? 0 : -1;
}

wr_delay_error *wr_delay_error_place(wr_arena *arena, wr_subsystem *s, int n_record)
{
    wr_delay_error *const e = WR_NEW(arena, wr_delay_error);
    if (!e)
        return NULL;
    e->subsystem = s;
    e->n_x = s->n_x;
    e->n_u = s->n_external;
    e->n_source = s->n_source;
    e->compared_s = e->carried_s = s->t_s;
    e->sum.i_state = e->sum.i_estimated = -1;
    e->carry = wr_carry_place(arena, s);
    e->share = WR_NEW_ARRAY(arena, wr_delay_share, e->n_source);
    double **const of_inputs[] = {&e->before, &e->missed, &e->truth,   &e->mixed,
                                  &e->mean,   &e->end,    &e->incoming};
    double **const of_states[] = {&e->accumulated, &e->current, &e->stale, &e->other};
    for (size_t i = 0; i < sizeof of_inputs / sizeof *of_inputs; i++)
        if (!(*of_inputs[i] = WR_NEW_ARRAY(arena, double, e->n_u)))
            return NULL;
    for (size_t i = 0; i < sizeof of_states / sizeof *of_states; i++)
        if (!(*of_states[i] = WR_NEW_ARRAY(arena, double, e->n_x)))
            return NULL;
    e->worst = WR_NEW_ARRAY(arena, double, e->n_x + s->n_published);
    if (!e->worst)
        return NULL;
    if (wr_delay_events_place(&e->events, arena, s) != 0)
        return NULL;
    if (!e->carry || wr_carry_place_colours(e->carry, arena) != 0 || !e->share ||
        place_records(e, arena, n_record) != 0)
        return NULL;
    return e;
}

/* ---- records ---- */

static record *record_at(const wr_delay_error *e, int i)
{
    return &e->record[(e->first + i) % e->n_record];
}

static double node_time(const record *r, int i)
{
    return i < NODES ? r->start_s + NODE[i] * (r->end_s - r->start_s) : r->end_s;
}

void wr_delay_error_open(wr_delay_error *e, double t_end_s, int is_watched)
{
    wr_subsystem *const s = e->subsystem;
    if (!e->is_open && e->n_waiting == e->n_record) {
        e->first = (e->first + 1) % e->n_record;
        e->n_waiting--;
        e->sum.n_lost++;
    }
    e->is_open = 1;
    record *const r = record_at(e, e->n_waiting);
    r->start_s = s->t_s;
    r->end_s = t_end_s;
    r->is_watched = is_watched;
    for (int j = 0; j < e->n_u; j++) {
        const wr_wave *const wave = s->source[s->external_source[j]];
        wr_cursor cursor = wr_cursor_start();
        for (int i = 0; i <= NODES; i++)
            r->read[i * e->n_u + j] =
                wr_wave_eval(wave, &cursor, node_time(r, i), s->external_signal[j]);
    }
    s->watch = e->has_watch ? &r->watch : NULL;
}

void wr_delay_error_close(wr_delay_error *e)
{
    if (!e->is_open)
        return;
    e->is_open = 0;
    e->n_waiting++;
    e->subsystem->watch = NULL;
}

void wr_delay_error_lose(wr_delay_error *e)
{
    e->first = (e->first + 1) % e->n_record;
    e->n_waiting--;
    e->sum.n_lost++;
}

void wr_delay_error_drop(wr_delay_error *e)
{
    e->is_open = 0;
    e->subsystem->watch = NULL;
}

int wr_delay_error_oldest(const wr_delay_error *e, double *ret_start_s, double *ret_end_s)
{
    if (e->n_waiting == 0)
        return 0;
    *ret_start_s = record_at(e, 0)->start_s;
    *ret_end_s = record_at(e, 0)->end_s;
    return 1;
}

/* Of all periods since the last one that was watched, this one's points stand for. */
static double scale_of(const wr_delay_error *e, const record *r)
{
    static const double ALIKE = 1e-9; /* spans that differ by no more are the same */
    const double scale = (r->end_s - e->carried_s) / (r->end_s - r->start_s);
    return fabs(scale - 1.0) < ALIKE ? 1.0 : scale;
}

/* ---- as published ---- */

static double relative(const wr_delay_error *e, int k, double error, double x)
{
    const wr_subsystem *const s = e->subsystem;
    return s->rtol * fabs(error) / (s->rtol * fabs(x) + s->atol_x[k]);
}

static int is_finite(const double *value, int n)
{
    int is_all = 1;
    for (int i = 0; i < n; i++)
        is_all &= isfinite(value[i]) != 0;
    return is_all;
}

/* f(x, u) - f(x, u~) with the inputs of one source true, -1: of all, into other. Returns 0, or 1 where the model fails. */
static int differ(wr_delay_error *e, const wr_step_point *point, int i_source)
{
    const wr_subsystem *const s = e->subsystem;
    for (int j = 0; j < e->n_u; j++)
        e->mixed[j] =
            i_source < 0 || s->external_source[j] == i_source ? e->truth[j] : point->external[j];
    e->sum.n_rhs++;
    if (wr_subsystem_rhs_at(e->subsystem, point, e->mixed, e->other) != 0)
        return 1;
    for (int k = 0; k < e->n_x; k++)
        e->other[k] -= e->stale[k];
    return !is_finite(e->other, e->n_x);
}

/* The largest h [f(x, u) - f(x, u~)] of a state; *ret_i: which. */
static double largest_current(const wr_delay_error *e, const wr_step_point *point, int *ret_i)
{
    double largest = 0.0;
    *ret_i = -1;
    for (int k = 0; k < e->n_x; k++) {
        const double current = relative(e, k, point->step_s * e->other[k], point->x[k]);
        if (current > largest) {
            largest = current;
            *ret_i = k;
        }
    }
    return largest;
}

/* One source by itself. Returns its largest current error. */
static double look_at_source(wr_delay_error *e, const wr_step_point *point, int i_source,
                             double scale)
{
    int i_state;
    const double current = largest_current(e, point, &i_state);
    wr_delay_share *const share = &e->share[i_source];
    if (current > share->current) {
        share->current = current;
        share->current_s = point->t_s + point->step_s;
    }
    share->sum += scale * current * (point->span_s / point->step_s);
    return current;
}

/* Which source has most of it. */
static int find_worst(wr_delay_error *e, const wr_step_point *point, double scale)
{
    double largest = 0.0;
    int i_worst = -1;
    for (int j = 0; j < e->n_source; j++) {
        if (e->n_source > 1 && differ(e, point, j) != 0)
            continue;
        const double current = look_at_source(e, point, j, scale);
        if (current > largest) {
            largest = current;
            i_worst = j;
        }
    }
    return i_worst;
}

/* Eqs. 9 and 17 at one point; scale: how many periods it stands for. Leaves the slope there in stale; 1: the model fails there. */
static int settle_point(wr_delay_error *e, const wr_step_point *point, double scale,
                        wr_delay_verdict *verdict)
{
    int i_state;
    if (!(point->step_s > 0.0))
        return 1;
    e->sum.n_rhs++;
    if (wr_subsystem_rhs_at(e->subsystem, point, point->external, e->stale) != 0 ||
        differ(e, point, -1) != 0) {
        e->sum.n_failed++;
        return 1;
    }
    for (int k = 0; k < e->n_x; k++) {
        e->current[k] = point->step_s * e->other[k];
        e->accumulated[k] += scale * (point->span_s * e->other[k]);
    }
    const double current = largest_current(e, point, &i_state);
    const int i_source = find_worst(e, point, scale);
    if (!(current > verdict->current))
        return 0;
    verdict->current = current;
    verdict->i_state = i_state;
    verdict->i_source = i_source;
    if (current > e->sum.current) {
        e->sum.current = current;
        e->sum.current_s = point->t_s + point->step_s;
        e->sum.i_state = i_state;
    }
    return 0;
}

/* ---- propagated ---- */

/* By how much what was read errs beside what its producers err by. */
static void compare(wr_delay_error *e, const record *r, const wr_delay_truth *truth)
{
    const double since_s = r->end_s - e->compared_s; /* longer than it is where records were lost */
    for (int i = 0; i <= NODES; i++) {
        const double *const read = r->read + (size_t)i * (size_t)e->n_u;
        memcpy(e->truth, read, (size_t)e->n_u * sizeof *read);
        truth->inputs(truth->context, node_time(r, i), 0, e->truth);
        for (int j = 0; j < e->n_u && i < NODES; j++)
            e->missed[j] += since_s * (WEIGHT[i] * (read[j] - e->truth[j]));
        for (int j = 0; j < e->n_u && i == NODES; j++)
            e->end[j] = read[j] - e->truth[j];
    }
    e->compared_s = r->end_s;
}

/* Those from a number on, up to t_s. Returns the number of the next one. */
static int pass_events(wr_delay_error *e, const record *r, const wr_delay_truth *truth, int i_event,
                       double t_s)
{
    for (; i_event < r->watch.n_event && r->watch.event[i_event].t_s <= t_s; i_event++) {
        const wr_event_point *const event = &r->watch.event[i_event];
        memcpy(e->truth, event->external, (size_t)e->n_u * sizeof *event->external);
        truth->inputs(truth->context, event->t_s, 0, e->truth);
        for (int j = 0; j < e->n_u; j++)
            e->mixed[j] = e->before[j] + event->external[j] - e->truth[j];
        wr_delay_events_pass(&e->events, event, wr_carry_error(e->carry), e->mixed,
                             r->end_s - r->start_s);
    }
    return i_event;
}

static void propagate(wr_delay_error *e, const record *r, const wr_delay_truth *truth)
{
    const double h = r->end_s - e->carried_s;
    for (int j = 0; j < e->n_u; j++)
        e->mean[j] = e->missed[j] / h;
    memset(e->missed, 0, (size_t)e->n_u * sizeof *e->missed);
    truth->errors(truth->context, e->incoming);
    wr_carry_note_ranges(e->carry, e->subsystem->wave);
    e->sum.n_rhs += 2 + wr_carry_measure_all(e->carry);
    wr_carry_begin(e->carry, h, e->before, e->mean, 1);
    const double before = wr_carry_largest(e->carry);
    (void)wr_carry_on(e->carry, h, e->incoming, e->end, e->events.source);
    memset(e->events.source, 0, (size_t)e->n_x * sizeof *e->events.source);
    if (scale_of(e, r) > 1.0)
        wr_carry_limit(e->carry, h, e->incoming, before);
    memcpy(e->before, e->incoming, (size_t)e->n_u * sizeof *e->before);
}

static void note_worst(wr_delay_error *e)
{
    const double *const error = wr_carry_error(e->carry), *const output = wr_carry_output(e->carry);
    for (int k = 0; k < e->n_x; k++)
        e->worst[k] = wr_max(e->worst[k], fabs(error[k]));
    for (int k = 0; k < e->subsystem->n_published; k++)
        e->worst[e->n_x + k] = wr_max(e->worst[e->n_x + k], fabs(output[k]));
}

static void judge(wr_delay_error *e, const record *r, wr_delay_verdict *verdict)
{
    const double *const error = wr_carry_error(e->carry);
    for (int k = 0; k < e->n_x; k++) {
        const double estimate = relative(e, k, error[k], e->subsystem->x[k]);
        if (estimate > verdict->estimate) {
            verdict->estimate = estimate;
            verdict->i_estimated = k;
        }
    }
    if (verdict->estimate > e->sum.estimate) {
        e->sum.estimate = verdict->estimate;
        e->sum.estimate_s = r->end_s;
        e->sum.i_estimated = verdict->i_estimated;
    }
}

/* Points of one that is watched, and the events of all, in the order of time. */
static void settle_points(wr_delay_error *e, const record *r, const wr_delay_truth *truth,
                          double scale, wr_delay_verdict *verdict)
{
    int i_event = 0;
    for (int i = 0; i < r->watch.n && r->is_watched; i++) {
        const wr_step_point *const point = &r->watch.point[i];
        i_event = pass_events(e, r, truth, i_event, point->t_s);
        memcpy(e->truth, point->external, (size_t)e->n_u * sizeof *point->external);
        truth->inputs(truth->context, point->t_s, 1, e->truth);
        if (settle_point(e, point, scale, verdict) == 0)
            e->sum.n_rhs +=
                wr_delay_events_count(&e->events, point, e->stale, scale * point->span_s);
    }
    (void)pass_events(e, r, truth, i_event, (double)INFINITY);
}

int wr_delay_error_settle(wr_delay_error *e, const wr_delay_truth *truth,
                          wr_delay_verdict *ret_verdict)
{
    record *const r = record_at(e, 0);
    const double scale = scale_of(e, r);
    *ret_verdict =
        (wr_delay_verdict){.t_s = r->end_s, .i_state = -1, .i_source = -1, .i_estimated = -1};
    compare(e, r, truth);
    if (e->has_watch)
        settle_points(e, r, truth, scale, ret_verdict);
    if (r->is_watched)
        propagate(e, r, truth);
    e->first = (e->first + 1) % e->n_record;
    e->n_waiting--;
    if (!r->is_watched)
        return 0;
    judge(e, r, ret_verdict);
    note_worst(e);
    e->carried_s = r->end_s;

    e->sum.n_record++;
    return 1;
}

/* ---- what is asked of it ---- */

const double *wr_delay_error_output(const wr_delay_error *e) { return wr_carry_output(e->carry); }

wr_delay_sum wr_delay_error_sum(const wr_delay_error *e)
{
    wr_delay_sum sum = e->sum;
    for (int i = 0; i < e->n_x + e->subsystem->n_published; i++)
        sum.error = wr_max(sum.error, wr_carry_relative(e->worst[i], wr_carry_range(e->carry, i)));
    return sum;
}

wr_delay_share wr_delay_error_share(const wr_delay_error *e, int i_source)
{
    return e->share[i_source];
}

double wr_delay_error_accumulated(const wr_delay_error *e, int i_state)
{
    return e->accumulated[i_state];
}

double wr_delay_error_current(const wr_delay_error *e, int i_state) { return e->current[i_state]; }

double wr_delay_error_estimate(const wr_delay_error *e, int i_state)
{
    return -wr_carry_error(e->carry)[i_state];
}

double wr_delay_error_most(const wr_delay_error *e, int i_state) { return e->worst[i_state]; }

/* ---- state ---- */

static void pass_event_points(wr_step_watch *w, wr_state_io *io)
{
    const int n = (int)wr_state_count(io, w->n_event, WR_STEP_WATCH_EVENTS);
    if (wr_state_reads(io))
        w->n_event = n;
    for (int i = 0; i < n; i++) {
        wr_event_point *const p = &w->event[i];
        WR_STATE(io, p->t_s);
        WR_STATE(io, p->i_z);
        WR_STATE_ARRAY(io, p->x, w->n_x);
        WR_STATE_ARRAY(io, p->d, w->n_d);
        WR_STATE_ARRAY(io, p->external, w->n_external);
        WR_STATE_ARRAY(io, p->external_slope, w->n_external);
        WR_STATE_ARRAY(io, p->mode, w->n_mode);
        WR_STATE_ARRAY(io, p->x_after, w->n_x);
        WR_STATE_ARRAY(io, p->d_after, w->n_d);
        WR_STATE_ARRAY(io, p->left, w->n_x);
        WR_STATE_ARRAY(io, p->right, w->n_x);
    }
}

static void pass_watch(wr_step_watch *w, wr_state_io *io)
{
    const int n = (int)wr_state_count(io, w->n, WR_STEP_WATCH_POINTS);
    if (wr_state_reads(io))
        w->n = n;
    for (int i = 0; i < n; i++) {
        wr_step_point *const p = &w->point[i];
        WR_STATE(io, p->t_s);
        WR_STATE(io, p->step_s);
        WR_STATE(io, p->span_s);
        WR_STATE_ARRAY(io, p->x, w->n_x);
        WR_STATE_ARRAY(io, p->d, w->n_d);
        WR_STATE_ARRAY(io, p->external, w->n_external);
        WR_STATE_ARRAY(io, p->mode, w->n_mode);
    }
    pass_event_points(w, io);
}

void wr_delay_error_state(wr_delay_error *e, wr_state_io *io)
{
    const int n_waiting = (int)wr_state_count(io, e->n_waiting, e->n_record);
    if (wr_state_reads(io)) {
        e->first = 0;
        e->n_waiting = n_waiting;
    }
    for (int i = 0; i < n_waiting; i++) {
        record *const r = record_at(e, i);
        WR_STATE(io, r->start_s);
        WR_STATE(io, r->end_s);
        WR_STATE(io, r->is_watched);
        WR_STATE_ARRAY(io, r->read, (NODES + 1) * e->n_u);
        if (e->has_watch)
            pass_watch(&r->watch, io);
    }
    WR_STATE(io, e->compared_s);
    WR_STATE(io, e->carried_s);
    WR_STATE_ARRAY(io, e->missed, e->n_u);
    WR_STATE_ARRAY(io, e->accumulated, e->n_x);
    WR_STATE_ARRAY(io, e->current, e->n_x);
    WR_STATE_ARRAY(io, e->worst, e->n_x + e->subsystem->n_published);
    WR_STATE_ARRAY(io, e->before, e->n_u);
    WR_STATE_ARRAY(io, e->share, e->n_source);
    WR_STATE(io, e->sum);
    wr_delay_events_state(&e->events, io);
    wr_carry_state(e->carry, io);
}
