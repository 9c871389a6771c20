/* Errors from stale inputs. See delay_error.h. Thread: as in delay_error.h. Real-time: yes after placing. */
#include "runtime/slack/delay_error.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "runtime/slack/delay_path.h"

enum { RECORDED_EVENTS = 16 }; /* largest number of events stored per period (assumed) */

typedef struct record {
    double start_s, end_s;
    int is_watched; /* 0: settling uses input errors and events only */
    double *read;   /* [n_external] u~ at the period's end */
    wr_step_watch watch;
    wr_delay_period period; /* period that the shadow integrates */
} record;

struct wr_delay_error {
    wr_subsystem *subsystem;
    wr_propagation *carry;
    wr_delay_path path;
    wr_delay_shadow *shadow; /* NULL: `path` propagates the errors */
    wr_delay_shadow_options shadow_options;
    int n_x, n_u, n_source;
    int has_watch; /* 1: watches record points, because the subsystem has states or a shadow */
    int n_record, first, n_waiting;
    record *record; /* [n_record] cyclic buffer */
    int is_open;
    int n_since;       /* watched periods since the last measurement of J (delay_path.h) */
    double compared_s; /* the producers' errors are known up to this time, s */
    double carried_s;  /* the propagated errors are known up to this time, s */
    double largest;    /* largest error at carried_s, relative to the ranges at carried_s */
    double *accumulated, *current; /* [n_x] E; E_c at the point settled last, in the state's unit */
    double *worst;                 /* [n_x + n_published] the largest propagated errors */
    double *missed; /* [n_u] integral of the input errors in unwatched periods since carried_s */
    double *before, *incoming; /* [n_u] producers' errors at compared_s, and at the period's end */
    wr_delay_share *share;     /* [n_source] */
    wr_delay_sum sum;
    const double *inside_mean;
    wr_step_point inside; /* point inside the period settled last; the record owns the arrays */
    /* Work space. */
    double *truth, *mixed, *end; /* [n_u] */
    double *output;              /* [n_published] */
    double *stale, *other;       /* [n_x] right-hand sides */
    double *row, *right_row;     /* [n_recorded] */
};

/* ---- placing ---- */

static int place_records(wr_delay_error *e, wr_arena *arena, int n_record, const int *n_signal)
{
    e->n_record = n_record;
    e->record = WR_NEW_ARRAY(arena, record, n_record);
    for (int i = 0; e->record && i < n_record; i++) {
        record *const r = &e->record[i];
        r->read = WR_NEW_ARRAY(arena, double, e->n_u);
        const int rc = wr_subsystem_place_watch(e->subsystem, arena, 1, RECORDED_EVENTS, &r->watch);
        e->has_watch = rc == 0 && (e->n_x > 0 || e->shadow) &&
                       !(e->subsystem->flags & WR_SUBSYSTEM_OWN_STATE); /* rhs_at() fails */
        if (!r->read || rc < 0)
            return -1;
        if (e->shadow && wr_delay_period_place(&r->period, arena, e->subsystem, n_signal,
                                               &e->shadow_options) != 0)
            return -1;
    }
    return e->record ? 0 : -1;
}

wr_delay_error *wr_delay_error_place(wr_arena *arena, wr_subsystem *s, int n_record,
                                     const int *n_signal, const wr_delay_shadow_options *shadow)
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
    e->carry = wr_propagation_place(arena, s, NULL);
    e->share = WR_NEW_ARRAY(arena, wr_delay_share, e->n_source);
    if (WR_NEW_DOUBLES(arena, e->n_u, &e->before, &e->incoming, &e->truth, &e->mixed, &e->end,
                       &e->missed) != 0 ||
        WR_NEW_DOUBLES(arena, e->n_x, &e->accumulated, &e->current, &e->stale, &e->other) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_recorded, &e->row, &e->right_row) != 0 ||
        WR_NEW_DOUBLES(arena, e->n_x + s->n_published, &e->worst) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_published, &e->output) != 0)
        return NULL;
    if (shadow && wr_delay_shadow_is_possible(s)) {
        e->shadow_options = *shadow;
        if (!(e->shadow = wr_delay_shadow_place(arena, s, n_signal, shadow)))
            return NULL;
    }
    if (!e->carry || wr_propagation_place_colours(e->carry, arena) != 0 || !e->share ||
        wr_delay_path_place(&e->path, arena, s, e->carry) != 0 ||
        place_records(e, arena, n_record, n_signal) != 0)
        return NULL;
    return e;
}

/* ---- records ---- */

static record *record_at(const wr_delay_error *e, int i)
{
    return &e->record[(e->first + i) % e->n_record];
}

void wr_delay_error_open(wr_delay_error *e, double t_end_s, int is_watched)
{
    wr_subsystem *const s = e->subsystem;
    if (!e->is_open && e->n_waiting == e->n_record)
        wr_delay_error_lose(e);
    if (e->shadow && !e->is_open)
        wr_delay_shadow_open(e->shadow);
    e->is_open = 1;
    record *const r = record_at(e, e->n_waiting);
    r->start_s = r->period.start_s = s->t_s;
    r->end_s = r->period.end_s = t_end_s;
    if (e->shadow)
        wr_delay_period_open(&r->period, s);
    r->is_watched = is_watched;
    for (int j = 0; j < e->n_u; j++) {
        const wr_wave *const wave = s->source[s->external_source[j]];
        wr_cursor cursor = wr_cursor_start();
        r->read[j] = wr_wave_eval(wave, &cursor, t_end_s, s->external_signal[j]);
    }
    s->watch = e->has_watch ? &r->watch : NULL;
}

void wr_delay_error_close(wr_delay_error *e)
{
    if (!e->is_open)
        return;
    e->is_open = 0;
    if (e->shadow)
        wr_delay_period_close(&record_at(e, e->n_waiting)->period, e->subsystem,
                              e->shadow_options.cap_row);
    e->n_waiting++;
    e->subsystem->watch = NULL;
}

static void remove_oldest(wr_delay_error *e)
{
    e->first = (e->first + 1) % e->n_record;
    e->n_waiting--;
}

void wr_delay_error_lose(wr_delay_error *e)
{
    remove_oldest(e);
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

int wr_delay_error_is_full(const wr_delay_error *e) { return e->n_waiting + 1 >= e->n_record; }

/* Returns the span since carried_s as a multiple of this period, whose points represent the span. */
static double scale_of(const wr_delay_error *e, const record *r)
{
    static const double ALIKE =
        1e-9; /* relative difference of equal spans, above rounding (assumed) */
    const double scale = (r->end_s - e->carried_s) / (r->end_s - r->start_s);
    return fabs(scale - 1.0) < ALIKE ? 1.0 : scale;
}

/* ---- as published ---- */

static double relative(const wr_delay_error *e, int k, double error, double x)
{
    const wr_subsystem *const s = e->subsystem;
    return s->rtol * fabs(error) / (s->rtol * fabs(x) + s->atol_x[k]);
}

/* Writes f(x, u) - f(x, u~) to `other`, with the true inputs of source i_source only (-1: of all sources). Returns 0, or 1 if the model
 * fails. */
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
    return wr_has_bad(e->other, e->n_x);
}

/* Sets e->truth[n_u] to the true inputs at t_s. Inputs that are known ahead keep read[n_u]. */
static void copy_truth(wr_delay_error *e, const wr_delay_truth *truth, const double *read,
                       double t_s, int is_after)
{
    memcpy(e->truth, read, (size_t)e->n_u * sizeof *read);
    truth->inputs(truth->context, t_s, is_after, e->truth);
}

/* Sets truth[n_u] to the inputs at the inside point plus the mean error of the period. */
static void add_mean(wr_delay_error *e)
{
    for (int j = 0; j < e->n_u; j++)
        e->truth[j] = e->inside.external[j] + e->inside_mean[j];
}

/* Returns the largest relative E_c of a state. *ret_i: index of the state; -1: all E_c are 0. */
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

/* Delay errors of one period. */
typedef struct period {
    double scale;               /* number of periods that this period represents */
    double sum;                 /* sum over the steps of the largest E_c */
    const wr_step_point *worst; /* the point with the largest E_c; NULL: no E_c exceeds 0 */
    wr_delay_verdict *verdict;
} period;

/* Adds E_c of one point to the sums (Ben Khaled et al. (2013), eqs. 9 and 17), and writes f with the read inputs to `stale`. Returns 0,
 * or 1 if the model fails with the read or the true inputs. */
static int settle_point(wr_delay_error *e, const wr_step_point *point, period *of)
{
    int i_state;
    e->sum.n_rhs++;
    if (wr_subsystem_rhs_at(e->subsystem, point, point->external, e->stale) != 0 ||
        differ(e, point, -1) != 0) {
        e->sum.n_failed++;
        return 1;
    }
    for (int k = 0; k < e->n_x; k++) {
        e->current[k] = point->step_s * e->other[k];
        e->accumulated[k] += of->scale * (point->span_s * e->other[k]);
    }
    const double current = largest_current(e, point, &i_state);
    of->sum += of->scale * current * (point->span_s / point->step_s);
    if (!(current > of->verdict->current))
        return 0;
    of->worst = point;
    of->verdict->current = current;
    of->verdict->i_state = i_state;
    if (current > e->sum.current) {
        e->sum.current = current;
        e->sum.current_s = point->t_s + point->step_s;
        e->sum.i_state = i_state;
    }
    return 0;
}

/* Adds the share `current` of a source at the period's worst point. */
static void count_source(wr_delay_error *e, const period *of, int i_source, double current)
{
    wr_delay_share *const share = &e->share[i_source];
    if (current > share->current) {
        share->current = current;
        share->current_s = of->worst->t_s + of->worst->step_s;
    }
    share->sum += of->sum * (current / of->verdict->current);
}

/* Finds the source with the largest share of E_c at the period's worst point. All steps of the period get the shares of this point. */
static void find_sources(wr_delay_error *e, const wr_delay_truth *truth, period *of)
{
    const wr_step_point *const point = of->worst;
    double largest = 0.0;
    int i_state;
    if (!point)
        return;
    if (e->n_source == 1) {
        of->verdict->i_source = 0;
        count_source(e, of, 0, of->verdict->current);
        return;
    }
    if (point == &e->inside)
        add_mean(e);
    else
        copy_truth(e, truth, point->external, point->t_s, 1);
    e->sum.n_rhs++;
    if (wr_subsystem_rhs_at(e->subsystem, point, point->external, e->stale) != 0)
        return;
    for (int j = 0; j < e->n_source; j++) {
        if (differ(e, point, j) != 0)
            continue;
        const double current = largest_current(e, point, &i_state);
        count_source(e, of, j, current);
        if (current > largest) {
            largest = current;
            of->verdict->i_source = j;
        }
    }
}

/* ---- propagated ---- */

/* Writes the errors of the inputs `read` at t_s to `mixed`, and the published values to `truth`. An error is the difference from the
 * published value plus the producer's error, interpolated linearly from `before` to `incoming`. */
static void find_input_error(wr_delay_error *e, const record *r, const wr_delay_truth *truth,
                             const double *read, double t_s, int is_after)
{
    const double span_s = r->end_s - e->compared_s;
    const double share = span_s > 0.0 ? wr_clamp((t_s - e->compared_s) / span_s, 0.0, 1.0) : 1.0;
    copy_truth(e, truth, read, t_s, is_after);
    for (int j = 0; j < e->n_u; j++)
        e->mixed[j] =
            read[j] - e->truth[j] + e->before[j] + share * (e->incoming[j] - e->before[j]);
}

static void note_worst(wr_delay_error *e)
{
    const double *const error = wr_propagation_error(e->carry);
    for (int k = 0; k < e->n_x; k++)
        e->worst[k] = wr_max(e->worst[k], fabs(error[k]));
}

static void judge(wr_delay_error *e, const record *r, wr_delay_verdict *verdict)
{
    const double *const error = wr_propagation_error(e->carry);
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

/* Propagates the errors across the events from number i_event on, up to t_s. Returns the number of the next event. Errors are constant
 * between the events of unwatched periods. */
static int pass_events(wr_delay_error *e, const record *r, const wr_delay_truth *truth, int i_event,
                       double t_s)
{
    const double most_s = r->end_s - r->start_s;
    for (; i_event < r->watch.n_event && r->watch.event[i_event].t_s <= t_s; i_event++) {
        const wr_event_point *const event = &r->watch.event[i_event];
        find_input_error(e, r, truth, event->external, event->t_s, 0);
        if (r->is_watched)
            wr_delay_path_cross(&e->path, event, e->mixed, most_s);
        else
            (void)wr_event_error_cross(&e->path.events, event, wr_propagation_error(e->carry),
                                       e->mixed, most_s);
        note_worst(e);
    }
    return i_event;
}

/* Settles the points of a watched period, and the events of any period, in the order of time. */
static void settle_points(wr_delay_error *e, const record *r, const wr_delay_truth *truth,
                          period *of)
{
    int i_event = 0;
    wr_delay_path_begin(&e->path, r->start_s);
    for (int i = 0; i < r->watch.n && r->is_watched; i++) {
        const wr_step_point *const point = &r->watch.point[i];
        i_event = pass_events(e, r, truth, i_event, point->t_s);
        find_input_error(e, r, truth, point->external, point->t_s, 1);
        memcpy(e->end, e->mixed, (size_t)e->n_u * sizeof *e->mixed);
        const int rc = point->step_s > 0.0 ? settle_point(e, point, of) : 1;
        wr_delay_path_go(&e->path, point, rc == 0 ? e->stale : NULL, e->end);
        note_worst(e);
        find_input_error(e, r, truth, point->inside, point->t_s + 0.5 * point->step_s, 0);
        wr_delay_path_look_inside(&e->path, e->mixed);
    }
    (void)pass_events(e, r, truth, i_event, (double)INFINITY);
}

/* Propagates the errors from the last point to the period's end. */
static void finish(wr_delay_error *e, const record *r, const wr_delay_truth *truth)
{
    find_input_error(e, r, truth, r->read, r->end_s, 0);
    if (e->has_watch)
        wr_delay_path_go(&e->path, &r->watch.end, NULL, e->mixed);
    const int rc = e->has_watch ? wr_delay_path_outputs(&e->path, e->output) : 1;
    (void)wr_propagation_show(e->carry, e->mixed, rc == 0 ? e->output : NULL);
    note_worst(e);
    const double *const output = wr_propagation_output(e->carry);
    for (int k = 0; k < e->subsystem->n_published; k++)
        e->worst[e->n_x + k] = wr_max(e->worst[e->n_x + k], fabs(output[k]));
    e->sum.n_rhs += e->path.n_rhs + e->path.events.n_rhs;
    e->path.n_rhs = e->path.events.n_rhs = 0;
    e->carried_s = r->end_s;
    e->largest = wr_propagation_largest(e->carry);
    e->sum.n_record++;
}

/* Measures J. Only each SELDOM-th watched period measures J if J is far from stiff, the period has no event, and no unwatched period
 * precedes. */
static void measure(wr_delay_error *e, const record *r)
{
    enum { SELDOM = 8 }; /* watched periods (assumed) */
    double longest_s = 0.0, last_s = r->start_s;
    for (int i = 0; i < r->watch.n && e->has_watch; i++) {
        longest_s = wr_max(longest_s, r->watch.point[i].t_s - last_s);
        last_s = r->watch.point[i].t_s;
    }
    longest_s = wr_max(longest_s, r->end_s - last_s);
    e->n_since++;
    if (e->has_watch && r->watch.n_event == 0 && e->n_since < SELDOM && !(scale_of(e, r) > 1.0) &&
        !wr_propagation_needs_rates(e->carry, longest_s))
        return;
    e->n_since = 0;
    e->sum.n_rhs += wr_propagation_measure_all(e->carry);
}

/* Propagates the errors across the unwatched periods since the last watched period, with the present J and the mean input errors. */
static void cross_gap(wr_delay_error *e, const record *r)
{
    const double h = r->start_s - e->carried_s;
    /* The range of a growing variable grows with the period, so `before` also covers the error relative to the ranges at carried_s. */
    const double before = wr_max(e->largest, wr_propagation_largest(e->carry));
    for (int j = 0; j < e->n_u; j++)
        e->mixed[j] = e->missed[j] / h;
    memset(e->missed, 0, (size_t)e->n_u * sizeof *e->missed);
    memset(e->end, 0, (size_t)e->n_u * sizeof *e->end);
    wr_propagation_begin(e->carry, h, e->mixed, e->end);
    (void)wr_propagation_on(e->carry, h, e->mixed, e->end, NULL);
    wr_propagation_limit(e->carry, h, e->mixed, before);
    e->sum.n_rhs += 2; /* right-hand sides of one tangent */
}

/* Adds errors between the points. E_c of the whole period uses the mean error of the inputs, and the errors of recorded variables use the
 * largest input error. */
static void settle_inside(wr_delay_error *e, const record *r, const wr_delay_inside *inside,
                          period *of)
{
    int i = 0;
    while (i + 1 < r->watch.n && r->watch.point[i + 1].t_s <= inside->t_s)
        i++;
    e->inside = r->watch.n > 0 ? r->watch.point[i] : r->watch.end;
    wr_step_point *const point = &e->inside;
    point->t_s = inside->t_s;
    if (wr_subsystem_row_at(e->subsystem, point, inside->read, e->row) == 0 &&
        wr_subsystem_row_at(e->subsystem, point, inside->right, e->right_row) == 0 &&
        !wr_has_bad(e->row, e->subsystem->n_recorded) &&
        !wr_has_bad(e->right_row, e->subsystem->n_recorded))
        wr_delay_shadow_rows_inside(e->shadow, e->row, e->right_row);
    if (e->n_x == 0)
        return;
    point->step_s = r->end_s - r->start_s;
    point->span_s = 0.0;
    e->inside_mean = inside->mean;
    add_mean(e);
    (void)settle_point(e, point, of);
}

/* Settles E_c at the points; the shadow gives all other errors. */
static void settle_shadow(wr_delay_error *e, const record *r, const wr_delay_truth *truth,
                          period *of)
{
    for (int i = 0; i < r->watch.n; i++) {
        const wr_step_point *const point = &r->watch.point[i];
        if (!(point->step_s > 0.0) || e->n_x == 0)
            continue;
        copy_truth(e, truth, point->external, point->t_s, 1);
        (void)settle_point(e, point, of);
    }
    const int is_settled = wr_delay_shadow_settle(e->shadow, &r->period, &truth->producers) == 0;
    e->sum.n_failed += !is_settled;
    wr_delay_inside inside;
    if (is_settled && wr_delay_shadow_look_inside(e->shadow, &r->period, &inside))
        settle_inside(e, r, &inside, of);
    find_sources(e, truth, of);
    const wr_delay_finding found = wr_delay_shadow_found(e->shadow);
    of->verdict->estimate = is_settled ? found.size : 0.0;
    of->verdict->i_estimated = is_settled ? found.i_state : -1;
    if (of->verdict->estimate > e->sum.estimate) {
        e->sum.estimate = of->verdict->estimate;
        e->sum.estimate_s = r->end_s;
        e->sum.i_estimated = found.i_state;
    }
    e->carried_s = r->end_s;
    e->sum.n_record++;
}

int wr_delay_error_settle(wr_delay_error *e, const wr_delay_truth *truth,
                          wr_delay_verdict *ret_verdict)
{
    record *const r = record_at(e, 0);
    period of = {.scale = scale_of(e, r), .verdict = ret_verdict};
    *ret_verdict =
        (wr_delay_verdict){.t_s = r->end_s, .i_state = -1, .i_source = -1, .i_estimated = -1};
    if (e->shadow) {
        of.scale = 1.0;
        settle_shadow(e, r, truth, &of);
        remove_oldest(e);
        return 1;
    }
    truth->errors(truth->context, e->incoming);
    wr_propagation_note_ranges(e->carry, e->subsystem->wave);
    if (r->is_watched)
        measure(e, r);
    if (r->is_watched && e->has_watch && of.scale > 1.0)
        cross_gap(e, r);
    if (e->has_watch)
        settle_points(e, r, truth, &of);
    if (r->is_watched) {
        finish(e, r, truth);
        find_sources(e, truth, &of);
        judge(e, r, ret_verdict);
    }
    for (int i = 0; i < r->watch.n && e->has_watch && !r->is_watched; i++) {
        const wr_step_point *const point = &r->watch.point[i];
        find_input_error(e, r, truth, point->inside, point->t_s + 0.5 * point->step_s, 0);
        for (int j = 0; j < e->n_u; j++)
            e->missed[j] += point->span_s * e->mixed[j];
    }
    memcpy(e->before, e->incoming, (size_t)e->n_u * sizeof *e->before);
    e->compared_s = r->end_s;
    remove_oldest(e);
    return r->is_watched;
}

/* ---- results ---- */

wr_delay_shadow *wr_delay_error_shadow(const wr_delay_error *e) { return e->shadow; }

const double *wr_delay_error_output(const wr_delay_error *e)
{
    return e->shadow ? wr_delay_shadow_outputs(e->shadow) : wr_propagation_output(e->carry);
}

wr_delay_sum wr_delay_error_sum(const wr_delay_error *e)
{
    wr_delay_sum sum = e->sum;
    if (e->shadow) {
        const wr_delay_finding found = wr_delay_shadow_found(e->shadow);
        sum.error = found.error;
        sum.n_rhs += found.n_rhs;
        return sum;
    }
    for (int i = 0; i < e->n_x + e->subsystem->n_published; i++)
        sum.error = wr_max(sum.error,
                           wr_propagation_relative(e->worst[i], wr_propagation_range(e->carry, i)));
    return sum;
}

wr_delay_share wr_delay_error_share(const wr_delay_error *e, int i_source)
{
    return e->share[i_source];
}

wrsim_delay_state wr_delay_error_of_state(const wr_delay_error *e, int i)
{
    const double *const error =
        e->shadow ? wr_delay_shadow_states(e->shadow) : wr_propagation_error(e->carry);
    return (wrsim_delay_state){.current = e->current[i],
                               .accumulated = e->accumulated[i],
                               .estimate = -error[i],
                               .most =
                                   e->shadow ? wr_delay_shadow_most(e->shadow, i) : e->worst[i]};
}

/* ---- state ---- */

static void pass_event_points(wr_step_watch *w, wr_state_io *io)
{
    const int n = (int)wr_state_count(io, w->n_event, RECORDED_EVENTS);
    if (wr_state_reads(io))
        w->n_event = n;
    for (int i = 0; i < n; i++) {
        wr_event_point *const p = &w->event[i];
        WR_STATE(io, p->t_s);
        WR_STATE(io, p->round);
        WR_STATE(io, p->i_z);
        WR_STATE(io, p->is_time);
        WR_STATE_ARRAY(io, p->x, w->n_x);
        WR_STATE_ARRAY(io, p->d, w->n_d);
        WR_STATE_ARRAY(io, p->external, w->n_external);
        WR_STATE_ARRAY(io, p->external_slope, w->n_external);
        WR_STATE_ARRAY(io, p->mode, w->n_mode);
        WR_STATE_ARRAY(io, p->fired, w->n_mode);
        WR_STATE_ARRAY(io, p->due, w->n_component);
        WR_STATE_ARRAY(io, p->x_after, w->n_x);
        WR_STATE_ARRAY(io, p->d_after, w->n_d);
        WR_STATE_ARRAY(io, p->left, w->n_x);
        WR_STATE_ARRAY(io, p->right, w->n_x);
    }
}

static void pass_point(const wr_step_watch *w, wr_step_point *p, wr_state_io *io)
{
    WR_STATE(io, p->t_s);
    WR_STATE(io, p->step_s);
    WR_STATE(io, p->span_s);
    WR_STATE_ARRAY(io, p->x, w->n_x);
    WR_STATE_ARRAY(io, p->d, w->n_d);
    WR_STATE_ARRAY(io, p->external, w->n_external);
    WR_STATE_ARRAY(io, p->inside, w->n_external);
    WR_STATE_ARRAY(io, p->mode, w->n_mode);
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
        WR_STATE_ARRAY(io, r->read, e->n_u);
        if (e->has_watch) {
            const int n = (int)wr_state_count(io, r->watch.n, WR_STEP_WATCH_POINTS);
            if (wr_state_reads(io))
                r->watch.n = n;
            for (int k = 0; k < n; k++)
                pass_point(&r->watch, &r->watch.point[k], io);
            pass_point(&r->watch, &r->watch.end, io);
            pass_event_points(&r->watch, io);
        }
        if (e->shadow)
            wr_delay_period_state(&r->period, e->subsystem, e->shadow_options.cap_row, io);
    }
    WR_STATE(io, e->n_since);
    WR_STATE_ARRAY(io, e->missed, e->n_u);
    WR_STATE(io, e->compared_s);
    WR_STATE(io, e->carried_s);
    WR_STATE(io, e->largest);
    WR_STATE_ARRAY(io, e->accumulated, e->n_x);
    WR_STATE_ARRAY(io, e->current, e->n_x);
    WR_STATE_ARRAY(io, e->worst, e->n_x + e->subsystem->n_published);
    WR_STATE_ARRAY(io, e->before, e->n_u);
    WR_STATE_ARRAY(io, e->share, e->n_source);
    WR_STATE(io, e->sum);
    if (e->shadow)
        wr_delay_shadow_state(e->shadow, io);
    wr_delay_path_state(&e->path, io);
    wr_propagation_state(e->carry, io);
}
