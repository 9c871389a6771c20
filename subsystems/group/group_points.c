/* Counts points. See group_points.h. Thread: as in group_points.h. Real-time: as in group_points.h. */
#include "subsystems/group/group_points.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "subsystems/group/group.h"

/* Inputs that a callback reads: a bit for each of output(), rhs() and indicator(). algebra() reads all inputs. */
enum { READ_BY_OUTPUT = 1, READ_BY_RHS = 2, READ_BY_INDICATOR = 4, READ_BY_ALL = 7 };
/* Largest and least number of measured points (assumed). The cost of a component with states is the median over the points at which the
 * group called rhs(). */
enum { CAP_SAMPLE = 63, LEAST_SAMPLES = 5 };

/* The data that change during a run; a copy of the bytes is a valid tally. */
typedef struct point_tally {
    int64_t n[WRSIM_PURPOSE_COUNT], n_repeated[WRSIM_PURPOSE_COUNT], n_marked[WRSIM_PURPOSE_COUNT];
    int64_t n_ahead[WRSIM_PURPOSE_COUNT]; /* points of the integration ahead */
    int64_t n_step, n_rejected; /* counters of the solver at the first point of the present step */
    double t_s;                 /* the last point; NaN: none */
} point_tally;

/* The meter of one component. values: the last point, x[n_x], d[n_d] and u[n_u]. */
typedef struct wr_component_meter {
    struct wr_group_points *all;
    const wrsim_model *model;
    wrsim_model counting; /* the model with callbacks that count */
    const wr_component *component;
    point_tally *tally;
    double *values;
    unsigned char *mode,
        *is_known; /* [n_z] modes of the last point; [n_u] 1: u has the input of the last point */
    const unsigned char *read_by; /* [n_u] READ_BY_... */
    const int *port_of, *at;      /* [n_u] block of an input, or -1; index in the block or in u */
    int64_t spent_ns, start_ns;   /* time spent at the last point; start of the present callback */
    int is_whole; /* the group has called rhs() at the last point, or the component has no states */
    int n_sample;
    double sample_ns[CAP_SAMPLE];
} wr_component_meter;

struct wr_group_points {
    wr_component_meter *of; /* [n_component] */
    const unsigned char *purpose;
    const int64_t *n_step, *n_rejected; /* counters of the solver; NULL: none */
    unsigned char *state; /* [state_bytes] tallies and last points of all components */
    size_t state_bytes;
};

static const wr_caller *caller_of(const wrsim_instance *instance)
{
    return (const void *)((const char *)instance - offsetof(wr_caller, instance));
}

/* ---- counting ---- */

static double input_at(const wr_component_meter *m, const wrsim_point *point, int i)
{
    return m->port_of[i] < 0 ? point->u[m->at[i]] : point->port[m->port_of[i]][m->at[i]];
}

/* Copies n values. Returns whether the copied bits differ from the old bits. */
static int take(void *to, const void *from, int n, size_t size)
{
    const size_t bytes = (size_t)n * size;
    if (bytes == 0 || memcmp(to, from, bytes) == 0)
        return 0;
    memcpy(to, from, bytes);
    return 1;
}

/* Stores the point. Returns whether the point differs from the last point. */
static int is_other_point(wr_component_meter *m, const wrsim_point *point, int reader)
{
    const int *const n = m->component->n;
    double *const d = m->values + n[WRSIM_STATE], *const u = d + n[WRSIM_DISCRETE];
    int is_other = take(&m->tally->t_s, &point->t_s, 1, sizeof(double)) |
                   take(m->values, point->x, n[WRSIM_STATE], sizeof(double)) |
                   take(d, point->d, n[WRSIM_DISCRETE], sizeof(double)) |
                   take(m->mode, point->mode, n[WRSIM_INDICATOR], 1);
    for (int i = 0; i < n[WRSIM_INPUT] && !is_other; i++)
        if ((m->read_by[i] & reader) && m->is_known[i]) {
            const double value = input_at(m, point, i);
            is_other = memcmp(&u[i], &value, sizeof value) != 0;
        }
    for (int i = 0; i < n[WRSIM_INPUT]; i++) {
        m->is_known[i] &= !is_other;
        if (m->read_by[i] & reader) {
            u[i] = input_at(m, point, i);
            m->is_known[i] = 1;
        }
    }
    return is_other;
}

/* Returns the purpose of the present point. Stages of a step after the first rejection of the step count as retaken. */
static int purpose_now(const wr_component_meter *m)
{
    const struct wr_group_points *const all = m->all;
    const int purpose = all->purpose ? *all->purpose : WRSIM_PURPOSE_OTHER;
    point_tally *const tally = m->tally;
    if (purpose != WRSIM_PURPOSE_STAGE || !all->n_step)
        return purpose;
    if (tally->n_step != *all->n_step) {
        tally->n_step = *all->n_step;
        tally->n_rejected = *all->n_rejected;
    }
    return *all->n_rejected > tally->n_rejected ? WRSIM_PURPOSE_RETAKE : purpose;
}

/* Ends the measurement of the last point. */
static void end_sample(wr_component_meter *m)
{
    if (m->n_sample < CAP_SAMPLE && m->is_whole)
        m->sample_ns[m->n_sample++] = (double)m->spent_ns;
    m->spent_ns = 0;
    m->is_whole = 0;
}

static void begin_callback(wr_component_meter *m, int is_other)
{
    const wr_points_mode mode = m->component->points;
    if (mode == WR_POINTS_COUNT && !is_other)
        return;
    const int64_t now_ns = mode == WR_POINTS_COUNT ? 0 : wr_clock_monotonic_ns();
    m->start_ns = now_ns;
    if (!is_other)
        return;
    m->tally->n[purpose_now(m)]++;
    end_sample(m);
    if (mode == WR_POINTS_SPEND)
        while ((double)(wr_clock_monotonic_ns() - now_ns) < 1e9 * m->component->cost_s)
            continue;
}

static void end_callback(wr_component_meter *m, int reader)
{
    if (m->component->points != WR_POINTS_MEASURE)
        return;
    m->spent_ns += wr_clock_monotonic_ns() - m->start_ns;
    m->is_whole |= reader == READ_BY_RHS || m->component->n[WRSIM_STATE] == 0;
}

#define COUNTING(callback, reader)                                                                 \
    static int count_##callback(wrsim_instance *instance, const wrsim_point *point, double *ret)   \
    {                                                                                              \
        wr_component_meter *const m = caller_of(instance)->meter;                                  \
        begin_callback(m, is_other_point(m, point, reader));                                       \
        const int rc = m->model->callback(instance, point, ret);                                   \
        end_callback(m, reader);                                                                   \
        return rc;                                                                                 \
    }
COUNTING(output, READ_BY_OUTPUT)
COUNTING(rhs, READ_BY_RHS)
COUNTING(indicator, READ_BY_INDICATOR)
COUNTING(algebra, READ_BY_ALL)

/* A Jacobian counts as a point of its own. */
#define COUNTING_JACOBIAN(callback)                                                                \
    static int count_##callback(wrsim_instance *instance, const wrsim_point *point, double *ret)   \
    {                                                                                              \
        wr_component_meter *const m = caller_of(instance)->meter;                                  \
        begin_callback(m, 1);                                                                      \
        const int rc = m->model->callback(instance, point, ret);                                   \
        end_callback(m, 0);                                                                        \
        return rc;                                                                                 \
    }
COUNTING_JACOBIAN(jacobian)
COUNTING_JACOBIAN(jacobian_sparse)

/* tangent() and tangent_output() along one direction count as one point, at the call of tangent() if the model has states and tangent(). */
#define COUNTING_TANGENT(callback, counts)                                                         \
    static int count_##callback(wrsim_instance *instance, const wrsim_point *point,                \
                                const double *x_change, const double *u_change, double *ret)       \
    {                                                                                              \
        wr_component_meter *const m = caller_of(instance)->meter;                                  \
        begin_callback(m, counts);                                                                 \
        const int rc = m->model->callback(instance, point, x_change, u_change, ret);               \
        end_callback(m, 0);                                                                        \
        return rc;                                                                                 \
    }
COUNTING_TANGENT(tangent, 1)
COUNTING_TANGENT(tangent_output, m->component->n[WRSIM_STATE] == 0 || !m->model->tangent)

/* ---- results ---- */

void wr_group_watch_points(wr_group *group, const unsigned char *purpose, const int64_t *n_step,
                           const int64_t *n_rejected)
{
    struct wr_group_points *const meter = group->values->meter;
    if (!meter)
        return;
    meter->purpose = purpose;
    meter->n_step = n_step;
    meter->n_rejected = n_rejected;
}

void wr_group_mark_points(wr_group *group)
{
    const struct wr_group_points *const meter = group->values->meter;
    for (int c = 0; c < group->n_component; c++) {
        point_tally *const tally = meter->of[c].tally;
        memcpy(tally->n_marked, tally->n, sizeof tally->n);
    }
}

void wr_group_repeat_points(wr_group *group)
{
    const struct wr_group_points *const meter = group->values->meter;
    for (int c = 0; c < group->n_component; c++) {
        point_tally *const tally = meter->of[c].tally;
        for (int i = 0; i < WRSIM_PURPOSE_COUNT; i++)
            tally->n_repeated[i] += tally->n[i] - tally->n_marked[i];
        memset(tally->n_ahead, 0, sizeof tally->n_ahead); /* the loop above counts these points */
    }
    wr_group_mark_points(group);
}

void wr_group_turn_ahead_points(wr_group *group, wr_ahead_turn turn)
{
    const struct wr_group_points *const meter = group->values->meter;
    for (int c = 0; c < group->n_component; c++) {
        point_tally *const tally = meter->of[c].tally;
        for (int i = 0; i < WRSIM_PURPOSE_COUNT; i++) {
            int64_t *const n_ahead = &tally->n_ahead[i];
            if (turn == WR_AHEAD_BEGIN || turn == WR_AHEAD_END)
                *n_ahead = tally->n[i] - (turn == WR_AHEAD_END ? *n_ahead : 0);
            else
                tally->n_marked[i] += turn == WR_AHEAD_ADOPT ? -*n_ahead : *n_ahead;
            if (turn == WR_AHEAD_DROP)
                tally->n_repeated[i] += *n_ahead;
        }
    }
}

void wr_group_add_points(const wr_group *group, int c, wrsim_points ret[WRSIM_PURPOSE_COUNT])
{
    const struct wr_group_points *const meter = group->values->meter;
    for (int i = 0; meter && i < WRSIM_PURPOSE_COUNT; i++) {
        const point_tally *const tally = meter->of[c].tally;
        ret[i].n += tally->n[i];
        ret[i].n_repeated += tally->n_repeated[i];
        ret[i].cost_s += group->component[c]->cost_s * (double)tally->n[i];
        ret[i].repeated_s += group->component[c]->cost_s * (double)tally->n_repeated[i];
    }
}

double wr_group_point_cost(const wr_group *group)
{
    wrsim_points points[WRSIM_PURPOSE_COUNT] = {{.n = 0}};
    double cost_s = 0.0;
    for (int c = 0; c < group->n_component && group->values->meter; c++)
        wr_group_add_points(group, c, points);
    for (int i = 0; i < WRSIM_PURPOSE_COUNT; i++)
        cost_s += points[i].cost_s;
    return cost_s;
}

static int compare_numbers(const void *a_at, const void *b_at)
{
    const double a = *(const double *)a_at, b = *(const double *)b_at;
    return (a > b) - (a < b);
}

double wr_group_measured_cost(const wr_group *group, int c)
{
    const struct wr_group_points *const meter = group->values->meter;
    if (!meter || meter->of[c].n_sample < LEAST_SAMPLES)
        return (double)NAN;
    double sorted_ns[CAP_SAMPLE];
    const int n = meter->of[c].n_sample;
    memcpy(sorted_ns, meter->of[c].sample_ns, (size_t)n * sizeof *sorted_ns);
    qsort(sorted_ns, (size_t)n, sizeof *sorted_ns, compare_numbers);
    return 1e-9 * sorted_ns[n / 2];
}

void wr_group_points_state(wr_group *group, wr_state_io *io)
{
    const struct wr_group_points *const meter = group->values->meter;
    if (meter)
        wr_state_bytes(io, meter->state, meter->state_bytes);
}

/* ---- placing ---- */

/* Flags the inputs that each callback reads, and finds the place of each input. */
static void find_inputs(const wr_component *component, unsigned char *read_by, int *port_of,
                        int *at)
{
    static const struct {
        wrsim_pattern pattern;
        wrsim_kind row;
        unsigned char reader;
    } patterns[] = {{WRSIM_U_Y, WRSIM_OUTPUT, READ_BY_OUTPUT},
                    {WRSIM_U_X, WRSIM_STATE, READ_BY_RHS},
                    {WRSIM_U_Z, WRSIM_INDICATOR, READ_BY_INDICATOR}};
    for (int i = 0; i < component->n[WRSIM_INPUT]; i++) {
        port_of[i] = -1;
        at[i] = i;
        read_by[i] = component->n_w > 0 ? READ_BY_RHS | READ_BY_INDICATOR : 0;
    }
    for (size_t k = 0; k < WR_COUNT_OF(patterns); k++) {
        const wr_incidence *const incidence = &component->pattern[patterns[k].pattern];
        for (int i = 0; i < component->n[WRSIM_INPUT] && !incidence->is_declared; i++)
            read_by[i] |= patterns[k].reader;
        for (int i = 0; i < incidence->n; i++)
            read_by[incidence->column[i]] |= patterns[k].reader;
    }
    for (int k = 0; k < component->n_port; k++)
        for (int i = 0; i < component->port[k].n; i++) {
            port_of[component->port[k].first + i] = k;
            at[component->port[k].first + i] = i;
        }
}

/* Replaces the callbacks that evaluate at a point by callbacks that also count. */
static void make_counting(wr_component_meter *m)
{
    const wrsim_model *const model = m->model;
    wrsim_model *const to = &m->counting;
    const size_t bytes = model->struct_size < sizeof *to ? model->struct_size : sizeof *to;
    memcpy(to, model, bytes);
    to->struct_size = sizeof *to;
#define REPLACE(callback) to->callback = model->callback ? count_##callback : NULL
    REPLACE(output);
    REPLACE(rhs);
    REPLACE(indicator);
    REPLACE(algebra);
    REPLACE(jacobian);
    REPLACE(jacobian_sparse);
    REPLACE(tangent);
    REPLACE(tangent_output);
}

static size_t values_of(const wr_component *c)
{
    return (size_t)c->n[WRSIM_STATE] + (size_t)c->n[WRSIM_DISCRETE] + (size_t)c->n[WRSIM_INPUT];
}

static size_t state_bytes_of(const wr_component *c)
{
    const size_t flags = (size_t)c->n[WRSIM_INDICATOR] + (size_t)c->n[WRSIM_INPUT];
    const size_t bytes = sizeof(point_tally) + values_of(c) * sizeof(double) + flags;
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

int wr_group_points_place(wr_arena *arena, wr_group *group)
{
    int n_counted = 0;
    size_t bytes = 0;
    for (int c = 0; c < group->n_component; c++) {
        n_counted += group->component[c]->points != WR_POINTS_OFF;
        bytes += state_bytes_of(group->component[c]);
    }
    if (n_counted == 0)
        return 0;
    struct wr_group_points *const meter = WR_NEW(arena, struct wr_group_points);
    if (!meter)
        return -1;
    meter->of = WR_NEW_ARRAY(arena, wr_component_meter, group->n_component);
    meter->state = wr_arena_push(arena, bytes, 1);
    meter->state_bytes = bytes;
    if (!meter->of || !meter->state)
        return -1;
    unsigned char *state = meter->state;
    for (int c = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        const int n_u = component->n[WRSIM_INPUT];
        unsigned char *const read_by = WR_NEW_ARRAY(arena, unsigned char, n_u);
        int *const places = WR_NEW_ARRAY(arena, int, 2 * n_u);
        if (!read_by || !places)
            return -1;
        find_inputs(component, read_by, places, places + n_u);
        wr_component_meter *const m = &meter->of[c];
        *m = (wr_component_meter){.all = meter,
                                  .model = component->model,
                                  .component = component,
                                  .read_by = read_by,
                                  .port_of = places,
                                  .at = places + n_u};
        m->tally = (void *)state;
        m->tally->t_s = (double)NAN;
        m->values = (void *)(state + sizeof(point_tally));
        m->mode = state + sizeof(point_tally) + values_of(component) * sizeof(double);
        m->is_known = m->mode + component->n[WRSIM_INDICATOR];
        state += state_bytes_of(component);
        make_counting(m);
        group->values->caller[c].meter = m;
        group->values->caller[c].model = &m->counting;
    }
    group->values->meter = meter;
    return 0;
}
