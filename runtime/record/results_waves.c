/* Builds one recording from signals of a result file. See results_waves.h. Signals come in parts with nodes of their
 * own, from a wave or from communication points. The loader unites the parts on all nodes. The union is exact, because a
 * cubic with an additional node is the same cubic.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/record/results_waves.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "runtime/record/hdf5.h"
#include "runtime/record/results.h"

/* Share of the mean distance of communication points (assumed). The loader omits a communication point at this distance from an event, or
 * closer. The event's rows have the values, and difference quotients over a very short time are inexact. */
static const double BESIDE_EVENT = 0.1;
enum { MOST_POINTS = 5 }; /* points of a polynomial for slopes: order 4, as the cubics */

typedef struct loader {
    const char *file;
    int n_signal;
    const char *const *name;
    wr_results_part *part; /* [n_part] nodes of signals, from waves or communication points */
    int n_part;
    int *i_part; /* [n_signal] part with the signal; -1: no part yet */
    char **unit; /* [n_signal] units; NULL: not known */
    double *
        error; /* [n_signal] estimated error of interpolation, relative to the signal's range; NaN: unknown */
    wrsim_error *err;
} loader;

static wrsim_status memory_fail(const loader *l)
{
    return wr_results_fail(l->err, WRSIM_E_MEMORY, l->file, 0, "out of memory for the results '%s'",
                           l->file);
}

/* ---- slopes from points ---- */

/* Returns the derivative at t[at] of the polynomial through n points of one signal. The values of the signal are n_signal apart. */
static double derivative(int n, const double *t, const double *y, int n_signal, int at)
{
    double weight[MOST_POINTS], sum = 0.0;
    for (int i = 0; i < n; i++) {
        weight[i] = 1.0;
        for (int k = 0; k < n; k++)
            if (k != i)
                weight[i] /= t[i] - t[k];
    }
    for (int i = 0; i < n; i++)
        if (i != at)
            sum += weight[i] / weight[at] * (y[i * n_signal] - y[at * n_signal]) / (t[at] - t[i]);
    return sum;
}

/* Computes slopes at n nodes between two events. */
static void set_slopes(int n, const double *t_s, const double *value, int n_signal, double *slope)
{
    const int n_point = n < MOST_POINTS ? n : MOST_POINTS;
    for (int i = 0; i < n; i++) {
        int first = i - n_point / 2;
        first = first < 0 ? 0 : first > n - n_point ? n - n_point : first;
        const int is_point = n_point < 2 || wr_time_close(t_s[first], t_s[first + n_point - 1]);
        for (int j = 0; j < n_signal; j++)
            slope[i * n_signal + j] =
                is_point ? 0.0
                         : derivative(n_point, t_s + first, value + first * n_signal + j, n_signal,
                                      i - first);
    }
}

/* Evaluates the cubic between two nodes with values y0, y1 and slopes s0, s1 of signal j. */
static double cubic(double t0_s, double t1_s, const double *y0, const double *y1, const double *s0,
                    const double *s1, int j, double t_s)
{
    const double h = t1_s - t0_s, r = h > 0.0 ? (t_s - t0_s) / h : 1.0, q = 1.0 - r;
    return y0[j] + r * r * (3.0 - 2.0 * r) * (y1[j] - y0[j]) + h * r * q * (q * s0[j] - r * s1[j]);
}

static double cubic_slope(double t0_s, double t1_s, const double *y0, const double *y1,
                          const double *s0, const double *s1, int j, double t_s)
{
    const double h = t1_s - t0_s, r = h > 0.0 ? (t_s - t0_s) / h : 1.0, q = 1.0 - r;
    return h > 0.0 ? 6.0 * r * q / h * (y1[j] - y0[j]) + q * (1.0 - 3.0 * r) * s0[j] +
                         r * (3.0 * r - 2.0) * s1[j]
                   : s1[j];
}

/* ---- interpolation error of recorded points ---- */

/* Interpolates the interval between two events from every step-th node and the last node. Raises ret_worst[n_signal] to the largest error
 * at omitted nodes. Returns 0 when out of memory. */
static int try_coarse(int n, const double *t_s, const double *value, int n_signal, int step,
                      double *ret_worst)
{
    const size_t width = (size_t)n_signal;
    const int n_kept = (n - 1) / step + 1 + ((n - 1) % step != 0);
    double *const t = malloc(((size_t)n_kept + 1) * sizeof *t);
    double *const y = malloc(((size_t)n_kept * width + 1) * sizeof *y);
    double *const s = malloc(((size_t)n_kept * width + 1) * sizeof *s);
    const int is_done = t && y && s;
    for (int i = 0; is_done && i < n_kept; i++) {
        const int from = i * step < n - 1 ? i * step : n - 1;
        t[i] = t_s[from];
        memcpy(y + (size_t)i * width, value + (size_t)from * width, width * sizeof *y);
    }
    if (is_done)
        set_slopes(n_kept, t, y, n_signal, s);
    for (int i = 0; is_done && i < n - 1; i++) {
        const size_t k = (size_t)(i / step);
        const double *const y0 = y + k * width, *const s0 = s + k * width;
        for (int j = 0; i % step != 0 && j < n_signal; j++) {
            const double off = cubic(t[k], t[k + 1], y0, y0 + width, s0, s0 + width, j, t_s[i]) -
                               value[(size_t)i * width + (size_t)j];
            ret_worst[j] = fabs(off) > ret_worst[j] ? fabs(off) : ret_worst[j];
        }
    }
    free(t);
    free(y);
    free(s);
    return is_done;
}

/* Returns the first node after the interval between two events that begins at node i. */
static int end_of_stretch(const unsigned char *is_end, int n_node, int i)
{
    while (i < n_node - 1 && !is_end[i])
        i++;
    return i + 1;
}

/* Computes slopes and errors of a part from points. is_end[n_node]: 1 for the last node before an event. */
static wrsim_status finish_points(loader *l, wr_results_part *part, const unsigned char *is_end)
{
    const int n = part->n_signal;
    double *const worst = calloc(2 * (size_t)n + 1, sizeof *worst);
    int is_known = 0, is_done = worst != NULL;
    for (int i = 0, end; is_done && i < part->n_node; i = end) {
        end = end_of_stretch(is_end, part->n_node, i);
        const size_t at = (size_t)i * (size_t)n;
        const int n_node = end - i;
        set_slopes(n_node, part->t_s + i, part->value + at, n, part->slope + at);
        is_known |= n_node > 4;
        is_done =
            (n_node < 3 || try_coarse(n_node, part->t_s + i, part->value + at, n, 2, worst)) &&
            (n_node < 5 || try_coarse(n_node, part->t_s + i, part->value + at, n, 4, worst + n));
    }
    for (int j = 0; is_done && j < n; j++) {
        double least = (double)INFINITY, most = -(double)INFINITY;
        for (int i = 0; i < part->n_node; i++) {
            const double y = part->value[(size_t)i * (size_t)part->n_signal + (size_t)j];
            least = fmin(least, y);
            most = fmax(most, y);
        }
        const double e2 = worst[j], e4 = worst[n + j], range = most - least;
        const double fall = e2 > 0.0 ? fmin(fmax(e4 / e2, 1.0), 16.0) : 1.0;
        l->error[part->signal[j]] = !is_known                 ? (double)NAN
                                    : e2 > 0.0 && range > 0.0 ? e2 / fall / range
                                                              : 0.0;
    }
    free(worst);
    return is_done ? WRSIM_OK : memory_fail(l);
}

/* ---- points ---- */

/* Signals that have the same events. */
typedef struct group {
    const wr_results *results;
    const wr_results_events *events;
    int n, *signal, *column; /* [n] indices among the wanted signals, and in the results */
    int n_event, *event;     /* [n_event] rows of events */
} group;

static double event_time(const group *g, int k) { return g->events->time_s[g->event[k]]; }

/* Returns 1 if an event of the group is within reach_s of a communication point. *from is the first event to test, and ascends with
 * t_s. */
static int is_beside_event(const group *g, double t_s, double reach_s, int *from)
{
    while (*from < g->n_event && event_time(g, *from) < t_s - reach_s)
        (*from)++;
    return *from < g->n_event && event_time(g, *from) <= t_s + reach_s;
}

static void put_node(wr_results_part *part, double t_s, const double *value, const int *index,
                     size_t stride)
{
    const size_t at = (size_t)part->n_node * (size_t)part->n_signal;
    part->t_s[part->n_node++] = t_s;
    for (int j = 0; j < part->n_signal; j++)
        part->value[at + (size_t)j] = value[(size_t)index[j] * stride];
}

static wrsim_status add_points(loader *l, const group *g)
{
    const size_t n_most = (size_t)g->results->n_row + (size_t)g->n_event + 1;
    unsigned char *const is_end = calloc(n_most, 1);
    wr_results_part *const part =
        is_end ? wr_results_part_add(&l->part, &l->n_part, (size_t)g->n, n_most) : NULL;
    wrsim_status status = part ? WRSIM_OK : memory_fail(l);
    if (part) {
        part->n_signal = g->n;
        memcpy(part->signal, g->signal, (size_t)g->n * sizeof *part->signal);
        for (int j = 0; j < g->n; j++)
            l->i_part[g->signal[j]] = l->n_part - 1;
        /* The loop puts the nodes of communication points and events in order. The first and the last point stay even beside an event,
         * because these points limit the recording. */
        const wr_results *const r = g->results;
        const double step_s =
            r->n_row > 1 ? (r->time_s[r->n_row - 1] - r->time_s[0]) / (r->n_row - 1) : 0.0;
        int k = 0, near = 0;
        for (int i = 0; i <= r->n_row; i++) {
            const double t_s = i < r->n_row ? r->time_s[i] : (double)INFINITY;
            for (; k < g->n_event && event_time(g, k) <= t_s; k++) {
                is_end[part->n_node] = !g->events->is_right[g->event[k]];
                put_node(part, event_time(g, k),
                         g->events->value + (size_t)g->event[k] * (size_t)l->n_signal, g->signal,
                         1);
            }
            const int is_end_point = i == 0 || i == r->n_row - 1;
            if (i < r->n_row &&
                (is_end_point || !is_beside_event(g, t_s, BESIDE_EVENT * step_s, &near)))
                put_node(part, t_s, r->value + i, g->column, (size_t)r->n_row);
        }
        status = finish_points(l, part, is_end);
    }
    free(is_end);
    return status;
}

static int has_event(const loader *l, const wr_results_events *events, int i_row, int i_signal)
{
    return !isnan(events->value[(size_t)i_row * (size_t)l->n_signal + (size_t)i_signal]);
}

/* Returns 1 if two signals are in the same rows of events. */
static int shares_events(const loader *l, const wr_results_events *events, int a, int b)
{
    for (int i = 0; i < events->n_row; i++)
        if (has_event(l, events, i, a) != has_event(l, events, i, b))
            return 0;
    return 1;
}

/* Adds a part for all signals that share the events of the signal `first`. */
static wrsim_status add_group(loader *l, const wr_results *results, const wr_results_events *events,
                              const int *column, int first)
{
    group g = {.results = results, .events = events};
    wrsim_status status = WRSIM_E_MEMORY;
    g.signal = malloc((size_t)l->n_signal * sizeof *g.signal);
    g.column = malloc((size_t)l->n_signal * sizeof *g.column);
    g.event = malloc(((size_t)events->n_row + 1) * sizeof *g.event);
    if (g.signal && g.column && g.event) {
        for (int j = first; j < l->n_signal; j++)
            if (l->i_part[j] < 0 && (j == first || shares_events(l, events, first, j))) {
                g.signal[g.n] = j;
                g.column[g.n++] = column[j];
            }
        for (int i = 0; i < events->n_row; i++)
            if (has_event(l, events, i, first))
                g.event[g.n_event++] = i;
        status = add_points(l, &g);
    } else {
        memory_fail(l);
    }
    free(g.signal);
    free(g.column);
    free(g.event);
    return status;
}

/* Loads signals without a part from communication points. */
static wrsim_status load_points(loader *l, const wr_results *results,
                                const wr_results_events *events)
{
    int *const column = malloc(((size_t)l->n_signal + 1) * sizeof *column);
    wrsim_status status = column ? WRSIM_OK : memory_fail(l);
    for (int j = 0; status >= 0 && j < l->n_signal; j++) {
        column[j] = wr_results_find(results, l->name[j]);
        if (column[j] >= 0 && !l->unit[j] && !(l->unit[j] = strdup(results->unit[column[j]])))
            status = memory_fail(l);
        if (column[j] >= 0 || l->i_part[j] >= 0)
            continue;
        const char *const nearest =
            wr_names_nearest(l->name[j], (const char *const *)results->name, results->n_signal);
        status =
            wr_results_fail(l->err, WRSIM_E_CONFIG, l->file, 0,
                            "'%s' lacks '%s', which other subsystems read%s%s%s; record the signal "
                            "(output.signals, or output.waves)",
                            l->file, l->name[j], nearest ? ", but has '" : "",
                            nearest ? nearest : "", nearest ? "'" : "");
    }
    for (int j = 0; status >= 0 && j < l->n_signal; j++)
        if (l->i_part[j] < 0)
            status = add_group(l, results, events, column, j);
    free(column);
    return status;
}

/* ---- union of the parts ---- */

/* Position in one part during a loop over all nodes in the order of time. */
typedef struct walk {
    const wr_results_part *part;
    int k, n_here; /* next node, and number of nodes at the present time from node k on */
} walk;

static double next_of(const walk *w)
{
    return w->k < w->part->n_node ? w->part->t_s[w->k] : (double)INFINITY;
}

/* Writes a part's signals at t_s: the node of round number `round`, or the cubic between two nodes. */
static void put_part(const walk *w, double t_s, int round, double *value, double *slope)
{
    const wr_results_part *const p = w->part;
    const size_t n = (size_t)p->n_signal;
    const int is_node = w->n_here > 0 || w->k == 0 || w->k == p->n_node;
    const int last = w->n_here > 0 ? w->n_here - 1 : 0;
    const int node = (w->k < p->n_node ? w->k : p->n_node - 1) + (round < last ? round : last);
    const size_t left = is_node ? (size_t)node : (size_t)(w->k - 1);
    const double *const y0 = p->value + left * n, *const s0 = p->slope + left * n;
    for (int j = 0; j < p->n_signal; j++) {
        const int to = p->signal[j];
        value[to] =
            is_node ? y0[j] : cubic(p->t_s[left], p->t_s[left + 1], y0, y0 + n, s0, s0 + n, j, t_s);
        slope[to] =
            is_node ? s0[j]
                    : cubic_slope(p->t_s[left], p->t_s[left + 1], y0, y0 + n, s0, s0 + n, j, t_s);
    }
}

/* Writes all nodes of all parts from low_s to high_s. */
static void put_all(walk *w, int n_part, double low_s, double high_s, wr_results_waves *r)
{
    const size_t n = (size_t)r->n_signal;
    for (int i = 0; i < n_part; i++)
        while (next_of(&w[i]) < low_s && !wr_time_close(next_of(&w[i]), low_s))
            w[i].k++;
    for (double t_s = low_s; t_s <= high_s || wr_time_close(t_s, high_s);) {
        int n_round = 1;
        for (int i = 0; i < n_part; i++) {
            const wr_results_part *const p = w[i].part;
            for (w[i].n_here = 0; w[i].k + w[i].n_here < p->n_node &&
                                  wr_time_close(p->t_s[w[i].k + w[i].n_here], t_s);)
                w[i].n_here++;
            n_round = w[i].n_here > n_round ? w[i].n_here : n_round;
        }
        for (int round = 0; round < n_round; round++, r->n_node++) {
            r->t_s[r->n_node] = t_s;
            for (int i = 0; i < n_part; i++)
                put_part(&w[i], t_s, round, r->value + (size_t)r->n_node * n,
                         r->slope + (size_t)r->n_node * n);
        }
        double next_s = (double)INFINITY;
        for (int i = 0; i < n_part; i++) {
            w[i].k += w[i].n_here;
            next_s = fmin(next_s, next_of(&w[i]));
        }
        t_s = next_s;
    }
}

static int is_sound(const wr_results_waves *r)
{
    const size_t n = (size_t)r->n_node * (size_t)r->n_signal;
    for (int i = 0; i < r->n_node; i++)
        if (!isfinite(r->t_s[i]) || (i > 0 && r->t_s[i] < r->t_s[i - 1]))
            return 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(r->value[i]) || !isfinite(r->slope[i]))
            return 0;
    return 1;
}

static wrsim_status unite(const loader *l, wr_results_waves *r)
{
    size_t n_most = 2;
    double low_s = -(double)INFINITY, high_s = (double)INFINITY;
    for (int i = 0; i < l->n_part; i++) {
        const wr_results_part *const p = &l->part[i];
        if (p->n_node > 0) {
            n_most += (size_t)p->n_node;
            low_s = fmax(low_s, p->t_s[0]);
            high_s = fmin(high_s, p->t_s[p->n_node - 1]);
        }
        if (p->n_node < 2 || !(low_s < high_s) || n_most > INT_MAX)
            return wr_results_fail(l->err, WRSIM_E_CONFIG, l->file, 0,
                                   "'%s' has fewer than two points of '%s' within the time of the "
                                   "other signals; repeat the recording",
                                   l->file, l->name[p->signal[0]]);
    }
    walk *const w = calloc((size_t)l->n_part + 1, sizeof *w);
    r->t_s = malloc(n_most * sizeof *r->t_s);
    r->value = malloc(n_most * (size_t)l->n_signal * sizeof *r->value);
    r->slope = malloc(n_most * (size_t)l->n_signal * sizeof *r->slope);
    if (!w || !r->t_s || !r->value || !r->slope) {
        free(w);
        return memory_fail(l);
    }
    for (int i = 0; i < l->n_part; i++)
        w[i].part = &l->part[i];
    put_all(w, l->n_part, low_s, high_s, r);
    free(w);
    return is_sound(r) ? WRSIM_OK
                       : wr_results_fail(l->err, WRSIM_E_CONFIG, l->file, 0,
                                         "'%s' cannot be played: a value is not finite, or times "
                                         "decrease; repeat the recording",
                                         l->file);
}

/* ---- loading ---- */

static wrsim_status load_waves(loader *l)
{
    if (!wr_results_is_hdf5(l->file))
        return WRSIM_OK;
    WR_TRY(wr_results_hdf5_waves(l->file, l->n_signal, l->name, &l->part, &l->n_part, l->unit,
                                 l->err));
    for (int i = 0; i < l->n_part; i++)
        for (int j = 0; j < l->part[i].n_signal; j++)
            l->i_part[l->part[i].signal[j]] = i;
    return WRSIM_OK;
}

static wrsim_status load_rest(loader *l, wr_results_waves *r)
{
    for (int j = 0; j < l->n_signal; j++)
        r->n_point_signal += l->i_part[j] < 0;
    if (r->n_point_signal == 0)
        return WRSIM_OK;
    wr_results_events events = {0};
    wr_results *results = wr_results_load(l->file, l->err);
    wrsim_status status =
        results ? wr_results_events_read(l->file, l->n_signal, l->name, &events, l->err)
                : WRSIM_E_IO;
    if (status >= 0)
        status = load_points(l, results, &events);
    wr_results_events_done(&events);
    wr_results_destroy(&results);
    return status;
}

wr_results_waves *wr_results_waves_load(const char *file, int n_signal, const char *const *name,
                                        wrsim_error *err)
{
    wr_results_waves *r = calloc(1, sizeof *r);
    loader l = {.file = file, .n_signal = n_signal, .name = name, .err = err};
    l.i_part = malloc(((size_t)n_signal + 1) * sizeof *l.i_part);
    l.error = calloc((size_t)n_signal + 1, sizeof *l.error);
    l.unit = calloc((size_t)n_signal + 1, sizeof *l.unit);
    int is_done = 0;
    if (r) {
        r->error = l.error;
        r->unit = l.unit;
    }
    if (!r || !l.i_part || !l.error || !l.unit) {
        memory_fail(&l);
    } else {
        r->n_signal = n_signal;
        for (int j = 0; j < n_signal; j++)
            l.i_part[j] = -1;
        is_done = load_waves(&l) >= 0 && load_rest(&l, r) >= 0 && unite(&l, r) >= 0;
    }
    for (int i = 0; i < l.n_part; i++)
        wr_results_part_done(&l.part[i]);
    free(l.part);
    free(l.i_part);
    if (!r) {
        free(l.error);
        free(l.unit);
    }
    if (!is_done)
        wr_results_waves_destroy(&r);
    return r;
}

void wr_results_waves_destroy(wr_results_waves **waves)
{
    if (!waves || !*waves)
        return;
    free((*waves)->t_s);
    free((*waves)->value);
    free((*waves)->slope);
    free((*waves)->error);
    for (int j = 0; (*waves)->unit && j < (*waves)->n_signal; j++)
        free((*waves)->unit[j]);
    free((*waves)->unit);
    free(*waves);
    *waves = NULL;
}
