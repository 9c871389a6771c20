/* Notes ends of steps, and passes them to models without rollback after the window. See deferred_steps.h. Thread: one at a time. Real-time:
 * no. */
#include "subsystems/group/deferred_steps.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/group/group.h"
#include "subsystems/group/group_fault.h"

enum { FIRST_STEPS = 64 };

/* Places of the values of a component in a noted step. */
typedef struct part {
    int i_component, n_x, n_u, n_y;
    double *x, *u, *y, *dx;
} part;

/* Returns the values of a component in a step. at: first value of the component; the function advances *at to the next component. */
static part part_at(const wr_group *group, int i_component, double **at)
{
    part p = {.i_component = i_component,
              .n_x = group->x_start[i_component + 1] - group->x_start[i_component],
              .n_u = group->u_start[i_component + 1] - group->u_start[i_component],
              .n_y = group->y_start[i_component + 1] - group->y_start[i_component]};
    p.x = *at;
    p.u = p.x + p.n_x;
    p.y = p.u + p.n_u;
    p.dx = p.y + p.n_y;
    *at = p.dx + p.n_x;
    return p;
}

static double *step_at(const wr_deferred_steps *d, int i_step)
{
    return d->step + (size_t)i_step * d->n_value;
}

int wr_deferred_steps_place(wr_arena *arena, wr_group *group)
{
    int n = 0, most_x = 0, most_y = 0;
    size_t n_value = 1;
    int *const component = WR_NEW_ARRAY(arena, int, group->n_component);
    wr_deferred_steps *const d = WR_NEW(arena, wr_deferred_steps);
    if (!component || !d)
        return -1;
    for (int c = 0; c < group->n_component; c++) {
        const wrsim_model *const model = group->component[c]->model;
        if (!model->step_completed || !(model->caps & WRSIM_CAP_CANNOT_RESTORE))
            continue;
        double *end = NULL;
        const part p = part_at(group, c, &end);
        n_value += 2 * (size_t)p.n_x + (size_t)p.n_u + (size_t)p.n_y;
        most_x = p.n_x > most_x ? p.n_x : most_x;
        most_y = p.n_y > most_y ? p.n_y : most_y;
        component[n++] = c;
    }
    if (n == 0)
        return 0;
    *d = (wr_deferred_steps){.drift = WR_NEW_ARRAY(arena, double, group->n_x),
                             .y = WR_NEW_ARRAY(arena, double, most_y),
                             .dx = WR_NEW_ARRAY(arena, double, most_x),
                             .last_s = (double)NAN,
                             .n_component = n,
                             .component = component,
                             .n_value = n_value};
    group->deferred = d;
    return d->drift && d->y && d->dx ? 0 : -1;
}

void wr_deferred_steps_clear(wr_group *group)
{
    wr_deferred_steps *const d = group->deferred;
    if (!d)
        return;
    free(d->step);
    d->step = NULL;
    d->n_step = d->cap_step = 0;
    d->last_s = (double)NAN;
    if (group->n_x > 0)
        memset(d->drift, 0, (size_t)group->n_x * sizeof *d->drift);
}

/* Makes room for a further step. Returns 0, or -1 when out of memory. */
static int grow(wr_deferred_steps *d)
{
    if (d->n_step < d->cap_step)
        return 0;
    if (d->cap_step > INT_MAX / 2)
        return -1;
    const int cap = d->cap_step > 0 ? 2 * d->cap_step : FIRST_STEPS;
    if ((size_t)cap > SIZE_MAX / sizeof *d->step / d->n_value)
        return -1;
    double *const step = realloc(d->step, (size_t)cap * d->n_value * sizeof *step);
    if (!step)
        return -1;
    d->step = step;
    d->cap_step = cap;
    return 0;
}

int wr_deferred_steps_note(wr_group *group)
{
    wr_deferred_steps *const d = group->deferred;
    const double t_s = wr_group_time(group);
    if (grow(d) < 0)
        return wr_group_set_fault(group, WRSIM_E_MEMORY, t_s, d->component[0], WRSIM_KIND_COUNT, -1,
                                  "no memory for the ends of its steps; lower "
                                  "relaxation.window.max",
                                  -1);
    double *at = step_at(d, d->n_step++);
    *at++ = t_s;
    for (int k = 0; k < d->n_component; k++) {
        const part p = part_at(group, d->component[k], &at);
        const wrsim_point *const point = &wr_group_caller(group, p.i_component)->point;
        if (p.n_x > 0)
            memcpy(p.x, point->x, (size_t)p.n_x * sizeof *p.x);
        if (p.n_u > 0)
            memcpy(p.u, point->u, (size_t)p.n_u * sizeof *p.u);
    }
    return 0;
}

void wr_deferred_steps_drop(wr_group *group)
{
    if (group->deferred)
        group->deferred->n_step = 0;
}

/* Returns the point of a component at a step. */
static wrsim_point point_of(const wr_group *group, const part *p, double t_s)
{
    wrsim_point point = wr_group_caller(group, p->i_component)->point;
    point.t_s = t_s;
    point.x = p->x;
    point.u = p->u;
    return point;
}

/* Evaluates outputs and derivatives of a component; NaN: no value. Returns 0, or -1 with the fault set. */
static int evaluate(wr_group *group, const part *p, double t_s, double *ret_y, double *ret_dx)
{
    wr_caller *const caller = wr_group_caller(group, p->i_component);
    const wrsim_point point = point_of(group, p, t_s);
    for (int i = 0; i < p->n_y; i++)
        ret_y[i] = (double)NAN;
    for (int i = 0; i < p->n_x; i++)
        ret_dx[i] = (double)NAN;
    wr_calling_begin(caller->name, "output", t_s);
    int rc = caller->model->output ? caller->model->output(&caller->instance, &point, ret_y) : 0;
    wr_calling_end();
    if (rc == 0 && p->n_x > 0) {
        wr_calling_begin(caller->name, "rhs", t_s);
        rc = caller->model->rhs(&caller->instance, &point, ret_dx);
        wr_calling_end();
    }
    if (rc < 0)
        return wr_group_callback_fault(group, p->i_component, t_s, WRSIM_KIND_COUNT, rc);
    caller->instance.message = NULL;
    return 0;
}

/* Returns whether the values after step_completed() differ from the values before by more than the tolerance. Adds differences of
 * derivatives to drift[]. */
static int has_changed(const wr_group *group, const part *p, double length_s, double rtol)
{
    wr_deferred_steps *const d = group->deferred;
    const double *const nominal_y = group->nominal_y + group->y_start[p->i_component];
    const double *const nominal_x = group->nominal_x + group->x_start[p->i_component];
    double *const drift = d->drift + group->x_start[p->i_component];
    int any = 0;
    for (int i = 0; i < p->n_y; i++)
        any |= fabs(d->y[i] - p->y[i]) > rtol * (fabs(p->y[i]) + nominal_y[i]);
    for (int i = 0; i < p->n_x; i++) {
        const double change = fabs(d->dx[i] - p->dx[i]) * length_s;
        if (change > 0.0) /* false for NaN */
            drift[i] += change;
        any |= drift[i] > rtol * (fabs(p->x[i]) + nominal_x[i]);
    }
    return any;
}

/* Calls step_completed() of a component for a step. Returns 0, or -1 with the fault set. */
static int complete(wr_group *group, const part *p, double t_s, double length_s, double rtol)
{
    wr_deferred_steps *const d = group->deferred;
    wr_caller *const caller = wr_group_caller(group, p->i_component);
    const wrsim_point point = point_of(group, p, t_s);
    wr_calling_begin(caller->name, "step_completed", t_s);
    const int rc = caller->model->step_completed(&caller->instance, &point);
    wr_calling_end();
    if (rc != 0 && rc != WRSIM_ENTER_EVENT)
        (void)wr_group_callback_fault(group, p->i_component, t_s, WRSIM_KIND_COUNT, rc);
    if (rc != 0 && rc != WRSIM_ENTER_EVENT)
        return -1;
    if (rc == 0) {
        if (evaluate(group, p, t_s, d->y, d->dx) < 0)
            return -1;
        if (!has_changed(group, p, length_s, rtol))
            return 0;
    }
    return wr_group_set_fault(
        group, WRSIM_E_CALLBACK, t_s, p->i_component, WRSIM_KIND_COUNT, -1,
        rc == WRSIM_ENTER_EVENT
            ? "its model has an event but no rollback, so a window with the event cannot be "
              "repeated; set relaxation.scheme = \"slack\" and slack.sweeps = 1, or, if no "
              "component "
              "advances itself, run the config with --monolithic"
            : "its model uses values of earlier steps of the same window but has no rollback, so "
              "the window cannot be repeated; make relaxation.window.max and .initial shorter than "
              "the delay of the model, or, if no component advances itself, run the config with "
              "--monolithic",
        -1);
}

/* Evaluates all noted steps, and then calls step_completed() for all noted steps. Returns 0, or -1 with the fault set. */
static int complete_all(wr_group *group, double rtol)
{
    wr_deferred_steps *const d = group->deferred;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < d->n_step; i++) {
            double *at = step_at(d, i);
            const double t_s = *at++;
            const double length_s = d->last_s < t_s ? t_s - d->last_s : 0.0; /* NaN: 0 */
            for (int k = 0; k < d->n_component; k++) {
                const part p = part_at(group, d->component[k], &at);
                if ((turn == 0 ? evaluate(group, &p, t_s, p.y, p.dx)
                               : complete(group, &p, t_s, length_s, rtol)) < 0)
                    return -1;
            }
            d->last_s = turn == 0 ? d->last_s : t_s;
        }
    return 0;
}

int wr_deferred_steps_complete(wr_group *group, double rtol, double *ret_sound_s)
{
    wr_deferred_steps *const d = group->deferred;
    const int rc = complete_all(group, rtol);
    *ret_sound_s = d->last_s;
    d->n_step = 0;
    wr_group_forget(group); /* the model is at another point */
    wr_group_forget_indicators(group);
    return rc;
}
