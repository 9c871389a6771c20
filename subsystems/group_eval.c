/* Evaluating a group: inputs are gathered along a plan, loops solved, callbacks called, results
 * checked. See group.h.
 *
 * An algebraic loop y = g(y) is solved by Newton's method on r(y) = g(y) - y with a dense
 * difference Jacobian (increment sqrt(eps) times the largest of |y|, |g| and its nominal value), damped
 * by halving while the residual grows (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
 * section 3.1, in its simplest form). The last update is at most 1e-10 relative, so that the error
 * left by a method that converges almost quadratically is at rounding level.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "subsystems/group_work.h"

enum { MAX_NEWTON = 50, MAX_HALVINGS = 10 };
static const double newton_tolerance = 1e-10;
static const double difference_scale = 1.4901161193847656e-08; /* sqrt(DBL_EPSILON) */

/* Kept out of what is called all the time, which needs fewer registers then. */
#define COLD __attribute__((noinline, cold))

/* Records a fault and returns what the evaluation returns. */
static int set_fault(wr_group *group, wrsim_status status, double t_s, int i_component,
                     wrsim_kind kind, int i_variable, const char *message, int rc)
{
    group->fault = (wr_fault){.status = status,
                              .t_s = t_s,
                              .i_component = i_component,
                              .kind = kind,
                              .i_variable = i_variable,
                              .message = message};
    return rc;
}

/* A callback returned non-zero. */
static int callback_fault(wr_group *group, int i_component, double t_s, wrsim_kind kind, int rc)
{
    wrsim_instance *const instance = &group->work->caller[i_component].instance;
    const char *const message = instance->message;
    instance->message = NULL;
    set_fault(group, WRSIM_E_CALLBACK, t_s, i_component, kind, -1, message, 0);
    group->fault.returned = rc;
    return rc < 0 ? -1 : 1;
}

/* A sum in which each of n values is taken at least once: in blocks of sums that need not wait for
 * one another, the last of which overlaps the one before. */
static inline double sum_of(const double *value, int n)
{
    enum { SUMS = 8 };
    double total = 0;
    if (n < SUMS) {
        for (int i = 0; i < n; i++)
            total += value[i];
        return total;
    }
    double sum[SUMS] = {0};
    for (int i = 0; i < n - SUMS; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += value[i + k];
    for (int k = 0; k < SUMS; k++)
        sum[k] += value[n - SUMS + k];
    for (int k = 0; k < SUMS / 2; k++)
        sum[k] += sum[k + SUMS / 2];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The same of whole blocks that lie where an array of an arena may begin: two at a time, written as vectors of gcc and
 * clang, because plain sums are not made of them with as few instructions. */
typedef double pair __attribute__((vector_size(16), may_alias));

static inline double sum_of_blocks(const double *value, const double *value_end)
{
    pair a = {0, 0}, b = a, c = a, d = a;
    for (; value < value_end; value += WR_BLOCK) {
        const pair *const at = __builtin_assume_aligned(value, sizeof(pair));
        a += at[0], b += at[1], c += at[2], d += at[3];
        a += at[4], b += at[5], c += at[6], d += at[7];
    }
    a = (a + b) + (c + d);
    return a[0] + a[1];
}

/* 0 when all are finite. A sum with a value that is not finite is not finite; where finite values
 * overflow, one by one decides. */
static inline int find_bad(const double *value, int n)
{
    if (fabs(sum_of(value, n)) <= DBL_MAX)
        return 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i]) <= DBL_MAX))
            return 1;
    return 0;
}

/* Names the first value that is not finite; start[] are the components' offsets. */
static int nan_fault(wr_group *group, double t_s, wrsim_kind kind, const int *start,
                     const double *value, const char *message)
{
    for (int c = 0; c < group->n_component; c++)
        for (int i = start[c]; i < start[c + 1]; i++)
            if (!(fabs(value[i]) <= DBL_MAX))
                return set_fault(group, WRSIM_E_NAN, t_s, c, kind, i - start[c], message, 1);
    return 0;
}

/* Where a component's part of a group's array starts. A group without such values may have no
 * array, and C defines no sum with a null pointer, not even of 0. */
static const double *part_of(const double *array, int start)
{
    return array ? array + start : NULL;
}

static double *part_to_write(double *array, int start) { return array ? array + start : NULL; }

static inline void turn_links(int n, const wr_link *link, const double *array)
{
    for (const wr_link *const end = link + n; link < end; link += WR_LINKS)
        for (int i = 0; i < WR_LINKS; i++)
            *link[i].to = array + link[i].start;
}

/* Turns all components' points, and ports, to other arrays than before. */
static void turn_points(wr_group *group, const wr_group_point *point)
{
    wr_group_work *const work = group->work;
    wr_group_point *const at = &work->at;
    wr_caller *const caller = work->caller;
    const wr_group_ports *const ports = &work->ports;
    const int n = group->n_component;
    wr_calling_enter(group);
    if (at->x != point->x) {
        at->x = point->x;
        turn_links(ports->n_x, ports->x, at->x);
    }
    if (at->d != point->d) {
        at->d = point->d;
        for (int c = 0; c < n; c++)
            caller[c].point.d = part_of(at->d, group->d_start[c]);
    }
    if (at->mode != point->mode) {
        at->mode = point->mode;
        for (int c = 0; c < n; c++)
            caller[c].point.mode = at->mode ? at->mode + group->z_start[c] : NULL;
    }
    if (at->external != point->external) {
        at->external = point->external;
        turn_links(ports->n_external, ports->external, at->external);
    }
}

/* Turns all components' points to a point of the group, but for the time, which point_now() sets.
 * Callers mostly come with the same arrays again, so that there is nothing else to set. */
static inline void set_points(wr_group *group, const wr_group_point *point)
{
    wr_group_work *const work = group->work;
    wr_group_point *const at = &work->at;
    if (at->x != point->x || at->d != point->d || at->mode != point->mode ||
        at->external != point->external)
        turn_points(group, point);
    at->t_s = point->t_s;
    work->prepared = NULL;
}

/* Results of algebra() of the last evaluation hold no more. */
static void forget_algebra(wr_group_work *work)
{
    for (int i = 0; i < work->n_with_w; i++)
        work->caller[work->with_w[i]].point.w = NULL;
    work->n_with_w = 0;
    work->with_w_of = NULL;
}

/* A component's point, for a call. */
static inline const wrsim_point *point_now(const wr_group_work *work, wr_caller *caller)
{
    caller->point.t_s = work->at.t_s;
    return &caller->point;
}

/* Do the callers' points stand for these arrays, with results from the last evaluation? */
static int is_prepared_at(const wr_group_work *work, const wr_group_point *point)
{
    const wr_group_point *const at = &work->at;
    return work->prepared && at->x == point->x && at->d == point->d && at->mode == point->mode &&
           memcmp(&at->t_s, &point->t_s, sizeof at->t_s) == 0;
}

void wr_group_turn(wr_group *group, const wr_group_point *point)
{
    set_points(group, point);
    forget_algebra(group->work);
}

static int call_output(wr_group *group, int c, double *ret_y)
{
    wr_caller *const caller = &group->work->caller[c];
    wr_calling_begin(caller->name, "output", group->work->at.t_s);
    const int rc = caller->model->output(&caller->instance, point_now(group->work, caller), ret_y);
    wr_calling_end();
    return rc ? callback_fault(group, c, group->work->at.t_s, WRSIM_OUTPUT, rc) : 0;
}

/* g(y) of a loop. */
static int loop_map(wr_group *group, const wr_group_point *point, int i_loop, const double *y,
                    double *ret_g)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    const wr_loop_parts *const parts = &group->work->loop[i_loop];
    wr_group_work *const work = group->work;
    for (int i = 0; i < loop->n; i++)
        work->y[loop->output[i]] = y[i];
    for (int i = 0; i < parts->n_copy; i++)
        work->u[parts->copy[i].to] = work->y[parts->copy[i].from];
    int k = 0;
    for (int i = 0; i < parts->n_component; i++) {
        const int c = parts->component[i];
        const int rc = call_output(group, c, work->scratch_y);
        if (rc)
            return rc;
        for (; k < loop->n && loop->output[k] < group->y_start[c + 1]; k++) {
            ret_g[k] = work->scratch_y[loop->output[k] - group->y_start[c]];
            if (!(fabs(ret_g[k]) <= DBL_MAX))
                return set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_OUTPUT,
                                 loop->output[k] - group->y_start[c], NULL, 1);
        }
    }
    return 0;
}

/* Largest |g - y| relative to the nominal values. */
static double loop_residual(const wr_loop_parts *parts, int n, const double *y, const double *g)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = wr_max(worst, fabs(g[i] - y[i]) / parts->nominal[i]);
    return worst;
}

/* d(g - y)/dy by differences, column-major. */
static int loop_jacobian(wr_group *group, const wr_group_point *point, int i_loop)
{
    const int n = group->loop[i_loop].n;
    wr_loop_parts *const parts = &group->work->loop[i_loop];
    for (int j = 0; j < n; j++) {
        const double kept = parts->y[j];
        const double size = wr_max(fabs(kept), fabs(parts->g[j]));
        const double moved = kept + difference_scale * wr_max(size, parts->nominal[j]);
        parts->y[j] = moved;
        const int rc = loop_map(group, point, i_loop, parts->y, parts->r);
        parts->y[j] = kept;
        if (rc)
            return rc;
        double *const column = parts->jac + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++)
            column[i] = (parts->r[i] - parts->g[i]) / (moved - kept) - (i == j);
    }
    return 0;
}

static int loop_fault(wr_group *group, double t_s, int i_loop)
{
    const int y = group->loop[i_loop].output[0];
    const int c = group->work->owner_y[y];
    return set_fault(group, WRSIM_E_LOOP, t_s, c, WRSIM_OUTPUT, y - group->y_start[c], NULL, 1);
}

/* Size of the update r relative to the unknowns. */
static double loop_change(const wr_loop_parts *parts, int n)
{
    double change = 0;
    for (int i = 0; i < n; i++)
        change = wr_max(change, fabs(parts->r[i]) / wr_max(fabs(parts->y[i]), parts->nominal[i]));
    return change;
}

/* Moves y along the update r, halved while the residual grows, and brings g up to date. Returns 0
 * or what loop_map returns. */
static int loop_update(wr_group *group, const wr_group_point *point, int i_loop)
{
    const int n = group->loop[i_loop].n;
    wr_loop_parts *const parts = &group->work->loop[i_loop];
    double *const tried = parts->jac; /* free after the solve; n * n >= n */
    const double before = loop_residual(parts, n, parts->y, parts->g);
    double damping = 1.0;
    for (int i = 0; i < n; i++)
        parts->g[i] = parts->y[i]; /* from here on g keeps the point left */
    for (int halving = 0;; halving++) {
        for (int i = 0; i < n; i++)
            parts->y[i] = parts->g[i] + damping * parts->r[i];
        const int rc = loop_map(group, point, i_loop, parts->y, tried);
        const int is_last = halving == MAX_HALVINGS;
        if (rc < 0 || (rc > 0 && is_last))
            return rc;
        if (rc == 0 && (is_last || loop_residual(parts, n, parts->y, tried) <= before))
            break;
        damping *= 0.5;
    }
    for (int i = 0; i < n; i++)
        parts->g[i] = tried[i];
    return 0;
}

static int solve_loop(wr_group *group, const wr_group_point *point, int i_loop)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    const int n = loop->n;
    wr_group_work *const work = group->work;
    wr_loop_parts *const parts = &work->loop[i_loop];
    memcpy(parts->y, work->guess + parts->guess_start, (size_t)n * sizeof *parts->y);
    int rc = loop_map(group, point, i_loop, parts->y, parts->g);
    if (rc)
        return rc;
    for (int iteration = 0; iteration < MAX_NEWTON; iteration++) {
        rc = loop_jacobian(group, point, i_loop);
        if (rc)
            return rc;
        for (int i = 0; i < n; i++)
            parts->r[i] = parts->y[i] - parts->g[i];
        if (wr_dense_factor(n, parts->jac, parts->pivot) != 0)
            return loop_fault(group, point->t_s, i_loop);
        wr_dense_solve(n, parts->jac, parts->pivot, parts->r);
        if (find_bad(parts->r, n))
            return loop_fault(group, point->t_s, i_loop);
        if (loop_change(parts, n) <= newton_tolerance) {
            for (int i = 0; i < n; i++) {
                const double y = parts->y[i] + parts->r[i];
                work->y[loop->output[i]] = y;
                work->solution[parts->guess_start + i] = y;
            }
            return 0;
        }
        rc = loop_update(group, point, i_loop);
        if (rc)
            return rc;
    }
    return loop_fault(group, point->t_s, i_loop);
}

/* Names the first output of the plan's first steps that is not finite, if any. */
COLD static int output_fault(wr_group *group, const wr_plan *plan, int n_step, double t_s)
{
    const wr_group_work *const work = group->work;
    const int n_done = n_step > 0 ? plan->step[n_step - 1].done_end : 0;
    for (int i = 0; i < n_done; i++) {
        const int y = plan->done[i], c = work->owner_y[y];
        if (!(fabs(work->y[y]) <= DBL_MAX))
            return set_fault(group, WRSIM_E_NAN, t_s, c, WRSIM_OUTPUT, y - group->y_start[c], NULL,
                             1);
    }
    return 0;
}

/* A step was refused: by whoever gave an output before that is not finite, else by itself. */
COLD static int step_fault(wr_group *group, const wr_plan *plan, int i_step, int rc)
{
    const wr_plan_step *const step = &plan->step[i_step];
    const double t_s = group->work->at.t_s;
    const int earlier = output_fault(group, plan, i_step, t_s);
    if (earlier || step->kind == WR_STEP_LOOP)
        return earlier ? earlier : rc;
    return callback_fault(group, step->index, t_s, WRSIM_OUTPUT, rc);
}

static inline int call_now(wr_group_work *work, const wr_call *call, double t_s, double *ret_value)
{
    call->point->t_s = t_s;
    work->calling = call;
    return call->callback(call->instance, call->point, ret_value);
}

/* Calls one after the other at the point prepared; kind is that of their results. */
static inline int call_each(wr_group *group, int n, const wr_call *call, wrsim_kind kind,
                            double *ret_value)
{
    wr_group_work *const work = group->work;
    const double t_s = work->at.t_s;
    for (const wr_call *const end = call + n; call < end; call++) {
        const int rc = call_now(work, call, t_s, ret_value + call->start);
        if (rc)
            return callback_fault(group, call->i_component, t_s, kind, rc);
    }
    return 0;
}

/* A step with more to do than to call a component. */
__attribute__((noinline)) static int run_step(wr_group *group, const wr_plan *plan,
                                              const wr_group_point *point, const wr_plan_step *step)
{
    wr_group_work *const work = group->work;
    wr_copy_all(&step->in, work->y, work->u);
    const int rc = step->kind == WR_STEP_LOOP ? solve_loop(group, point, step->index)
                                              : call_now(work, &step->call, point->t_s, step->y);
    if (rc)
        return rc;
    if (step->kind == WR_STEP_PARTIAL)
        for (int k = step->done_start; k < step->done_end; k++)
            work->y[plan->done[k]] = step->y[plan->done[k] - step->call.start];
    return 0;
}

/* What an evaluation that calls somebody or copies does. Outputs are checked once, all of them. */
static int run_steps(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    wr_group_work *const work = group->work;
    if (plan->has_first) {
        wr_copy_all(&plan->external, point->external, work->u);
        wr_copy_all(&plan->from_state, point->x, work->u);
    }
    const double t_s = point->t_s;
    const wr_plan_step *step = plan->step;
    for (const wr_plan_step *const end = step + plan->n_plain; step < end; step++) {
        const int rc = call_now(work, &step->call, t_s, step->y);
        if (rc)
            return step_fault(group, plan, (int)(step - plan->step), rc);
    }
    for (const wr_plan_step *const end = plan->step + plan->n_step; step < end; step++) {
        const int rc = run_step(group, plan, point, step);
        if (rc)
            return step_fault(group, plan, (int)(step - plan->step), rc);
    }
    if (!(fabs(sum_of_blocks(plan->y, plan->y_end)) <= DBL_MAX)) {
        const int rc = output_fault(group, plan, plan->n_step, t_s);
        if (rc)
            return rc;
    }
    if (plan->has_last) {
        wr_copy_all(&plan->last, work->y, work->u);
        wr_copy_all(&plan->state_output, point->x, work->y);
    }
    return 0;
}

static inline int run_plan(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    wr_group_work *const work = group->work;
    set_points(group, point);
    if (plan->is_idle && plan == work->with_w_of)
        return 0; /* nobody is called in between: results of algebra() are just written anew */
    forget_algebra(work);
    return plan->is_idle ? 0 : run_steps(group, plan, point);
}

static int run_algebra(wr_group *group, const wr_plan *plan)
{
    wr_group_work *const work = group->work;
    work->with_w = plan->algebra;
    work->n_with_w = plan->n_algebra;
    work->with_w_of = plan;
    for (int i = 0; i < plan->n_algebra; i++) {
        const int c = plan->algebra[i];
        wr_caller *const caller = &work->caller[c];
        double *const w = work->w + group->w_start[c];
        work->calling = &caller->algebra;
        const int rc = caller->model->algebra(&caller->instance, point_now(work, caller), w);
        if (rc)
            return callback_fault(group, c, work->at.t_s, WRSIM_KIND_COUNT, rc);
        caller->point.w = w;
    }
    return 0;
}

static inline int prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    int rc = run_plan(group, plan, point);
    if (rc == 0 && plan->n_algebra > 0)
        rc = run_algebra(group, plan);
    if (rc == 0)
        group->work->prepared = plan;
    return rc;
}

int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    return prepare(group, plan, point);
}

/* f at the point prepared. */
static inline int call_rhs(wr_group *group, double *ret_dx)
{
    const wr_group_work *const work = group->work;
    const int rc = call_each(group, work->n_rhs, work->rhs, WRSIM_STATE, ret_dx);
    if (rc)
        return rc;
    if (find_bad(ret_dx, group->n_x))
        return nan_fault(group, work->at.t_s, WRSIM_STATE, group->x_start, ret_dx,
                         "its derivative is NaN or infinite");
    return 0;
}

static int check_indicators(wr_group *group, const double *z)
{
    return find_bad(z, group->n_z)
               ? nan_fault(group, group->work->at.t_s, WRSIM_INDICATOR, group->z_start, z, NULL)
               : 0;
}

/* Indicators at the point prepared. */
static int call_indicators(wr_group *group, double *ret_z)
{
    wr_group_work *const work = group->work;
    work->n_indicator_value += group->n_z;
    const int rc = call_each(group, work->n_indicator, work->indicator, WRSIM_INDICATOR, ret_z);
    return rc ? rc : check_indicators(group, ret_z);
}

int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx)
{
    const int rc = prepare(group, group->work->plan_rhs, point);
    return rc ? rc : call_rhs(group, ret_dx);
}

/* The same by several threads where there are any. What has failed is called again, to say what it was. */
static int call_shared_indicators(wr_group *group, double *ret_z)
{
    wr_group_blocks_overwrite(group, ret_z);
    return wr_group_n_thread(group) > 1 && wr_group_blocks_prepared(group, ret_z) == 0
               ? check_indicators(group, ret_z)
               : call_indicators(group, ret_z);
}

/* All indicators, by a plan that gives what they need. */
static int all_indicators(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                          double *ret_z)
{
    const int rc = prepare(group, plan, point);
    return rc ? rc : call_shared_indicators(group, ret_z);
}

int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z)
{
    const int rc =
        group->work->blocks ? wr_group_blocks_again(group, point, ret_z) : WR_BLOCKS_UNKNOWN;
    return rc != WR_BLOCKS_UNKNOWN
               ? rc
               : all_indicators(group, group->work->plan_indicator, point, ret_z);
}

int wr_group_can_follow(const wr_group *group, double t_s)
{
    const wr_group_work *const work = group->work;
    /* The very number, not a near one. */
    return work->is_rhs_enough && work->prepared == work->plan_rhs &&
           memcmp(&work->at.t_s, &t_s, sizeof t_s) == 0;
}

int wr_group_indicators_after_rhs(wr_group *group, double *ret_z)
{
    return call_shared_indicators(group, ret_z);
}

int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z)
{
    int rc = group->work->blocks ? wr_group_blocks_again(group, point, ret_z) : WR_BLOCKS_UNKNOWN;
    if (rc != WR_BLOCKS_UNKNOWN)
        return rc;
    /* Where f cannot be had there, indicators alone may, and what they tell may change that. */
    if (group->work->is_rhs_enough && prepare(group, group->work->plan_rhs, point) == 0)
        rc = call_shared_indicators(group, ret_z);
    else
        rc = all_indicators(group, group->work->plan_indicator, point, ret_z);
    if (rc == 0)
        wr_group_keep_indicators(group, point, ret_z);
    return rc;
}

int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx)
{
    return group->work->prepared == group->work->plan_rhs ? call_rhs(group, ret_dx)
                                                          : wr_group_rhs(group, point, ret_dx);
}

void wr_group_forget(wr_group *group) { group->work->prepared = NULL; }

int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z)
{
    const int rc = prepare(group, plan, point);
    for (int i = 0; i < n && rc == 0; i++) {
        const int c = component[i], n_z = group->z_start[c + 1] - group->z_start[c];
        wr_caller *const caller = &group->work->caller[c];
        double *const z = ret_z + group->z_start[c];
        wr_calling_begin(caller->name, "indicator", point->t_s);
        const int rc_c =
            caller->model->indicator(&caller->instance, point_now(group->work, caller), z);
        wr_calling_end();
        if (rc_c)
            return callback_fault(group, c, point->t_s, WRSIM_INDICATOR, rc_c);
        for (int k = 0; k < n_z; k++)
            if (!(fabs(z[k]) <= DBL_MAX))
                return set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_INDICATOR, k, NULL, 1);
    }
    return rc;
}

/* Of more components it is cheaper to evaluate all together, or their blocks, than one after the other. */
enum { MOST_SINGLE = 4 };

int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all)
{
    const wr_plan *const *const plan_of = group->work->plan_indicator_of;
    int component[MOST_SINGLE], n_single = 0, are_few = 1;
    for (int k = 0; k < n && are_few; k++) {
        const int c = group->owner_z[indicator[k]]; /* they ascend */
        if (n_single > 0 && component[n_single - 1] == c)
            continue;
        are_few = n_single < MOST_SINGLE;
        if (are_few)
            component[n_single++] = c;
    }
    wr_group_blocks_overwrite(group, ret_z);
    *ret_is_all = !are_few && !group->work->blocks;
    if (group->work->blocks && !(are_few && plan_of))
        return wr_group_blocks_listed(group, point, indicator, n, ret_z);
    if (!are_few || !plan_of)
        return wr_group_indicators(group, point, ret_z);
    int rc = 0;
    for (int k = 0; k < n_single && rc == 0; k++) {
        const int c = component[k];
        group->work->n_indicator_value += group->z_start[c + 1] - group->z_start[c];
        rc = wr_group_indicators_of_some(group, plan_of[c], point, 1, &c, ret_z);
    }
    return rc;
}

int64_t wr_group_indicator_values(const wr_group *group) { return group->work->n_indicator_value; }

int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y)
{
    const int rc = run_plan(group, plan, point);
    if (rc)
        return rc;
    if (y && group->n_y > 0)
        memcpy(y, group->work->y, (size_t)group->n_y * sizeof *y);
    return 0;
}

const double *wr_group_evaluated(const wr_group *group) { return group->work->y; }

int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y)
{
    return wr_group_evaluate(group, group->work->plan_output, point, ret_y);
}

int wr_group_check_state(wr_group *group, double t_s, const double *x)
{
    return find_bad(x, group->n_x) ? nan_fault(group, t_s, WRSIM_STATE, group->x_start, x, NULL)
                                   : 0;
}

int wr_group_has_jacobian(const wr_group *group) { return group->work->has_jacobian; }

int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values)
{
    const int rc = prepare(group, group->work->plan_rhs, point);
    if (rc)
        return rc;
    const wr_sparsity *const pattern = group->pattern_xx;
    double *const jac = group->work->scratch_jac;
    for (int c = 0; c < group->n_component; c++) {
        wr_component *const component = group->component[c];
        const int n = component->n[WRSIM_STATE], start = group->x_start[c];
        if (n == 0)
            continue;
        wr_caller *const caller = &group->work->caller[c];
        const wrsim_model *const model = component->model;
        const int is_sparse = model->jacobian_sparse != NULL;
        wr_calling_begin(caller->name, is_sparse ? "jacobian_sparse" : "jacobian", point->t_s);
        const int rc_c = (is_sparse ? model->jacobian_sparse : model->jacobian)(
            &caller->instance, point_now(group->work, caller), jac);
        wr_calling_end();
        if (rc_c)
            return callback_fault(group, c, point->t_s, WRSIM_STATE, rc_c);
        /* Without algebraic paths the group's columns are the model's. */
        const double *value = jac;
        for (int j = 0; j < n; j++)
            for (int k = pattern->column_start[start + j]; k < pattern->column_start[start + j + 1];
                 k++) {
                const int i = pattern->row[k] - start;
                ret_values[k] = is_sparse ? *value++ : jac[(size_t)j * (size_t)n + (size_t)i];
                if (!(fabs(ret_values[k]) <= DBL_MAX))
                    return set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_STATE, i,
                                     "its row of the model's Jacobian is not finite", 1);
            }
    }
    return 0;
}

int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d)
{
    /* Mostly one component has an event. At the start they all have. */
    const wr_plan *const *const plan_of = is_initial ? NULL : group->work->plan_event_of;
    const wr_plan *prepared = NULL;
    for (int c = 0; c < group->n_component; c++) {
        wr_caller *const caller = &group->work->caller[c];
        if (!caller->model->event || !(is_initial || due[c]))
            continue;
        const wr_plan *const plan = plan_of ? plan_of[c]
                                    : group->work->blocks && !is_initial
                                        ? wr_group_block_event(group, c)
                                        : group->work->plan_event;
        if (plan != prepared) {
            const int rc = prepare(group, plan, point);
            if (rc)
                return rc;
            prepared = plan;
        }
        const wrsim_event event = {.fired = fired ? fired + group->z_start[c] : NULL,
                                   .is_time_event = (due[c] & WR_DUE_TIME) != 0,
                                   .is_initial = is_initial};
        double *const x_c = part_to_write(x, group->x_start[c]);
        double *const d_c = part_to_write(d, group->d_start[c]);
        wr_calling_begin(caller->name, "event", point->t_s);
        const int rc = caller->model->event(&caller->instance, point_now(group->work, caller),
                                            &event, x_c, d_c);
        wr_calling_end();
        if (rc)
            return callback_fault(group, c, point->t_s, WRSIM_DISCRETE, rc);
        if (find_bad(x_c, group->x_start[c + 1] - group->x_start[c]))
            return nan_fault(group, point->t_s, WRSIM_STATE, group->x_start, x,
                             "an event set it so");
        if (find_bad(d_c, group->d_start[c + 1] - group->d_start[c]))
            return nan_fault(group, point->t_s, WRSIM_DISCRETE, group->d_start, d,
                             "an event set it so");
    }
    group->work->prepared = NULL; /* x or d may have changed */
    return 0;
}

double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time)
{
    double earliest = (double)INFINITY;
    if (!is_prepared_at(group->work, point)) {
        set_points(group, point);
        forget_algebra(group->work);
    }
    for (int c = 0; c < group->n_component; c++) {
        wr_caller *const caller = &group->work->caller[c];
        ret_time[c] = (double)INFINITY;
        if (!caller->model->next_time)
            continue;
        wr_calling_begin(caller->name, "next_time", point->t_s);
        ret_time[c] = caller->model->next_time(&caller->instance, point_now(group->work, caller));
        wr_calling_end();
        /* Written so that NaN is caught too. */
        if (!(ret_time[c] > point->t_s)) {
            set_fault(group, WRSIM_E_CALLBACK, point->t_s, c, WRSIM_KIND_COUNT, -1,
                      "next_time() must give a time after the present one", -1);
            return (double)NAN;
        }
        earliest = wr_min(earliest, ret_time[c]);
    }
    return earliest;
}

void wr_group_done(wr_group *group)
{
    for (int c = 0; c < group->work->n_started; c++) {
        if (!group->component[c]->model->done)
            continue;
        wr_calling_begin(group->component[c]->name, "done", (double)NAN);
        group->component[c]->model->done(&group->work->caller[c].instance);
        wr_calling_end();
    }
    group->work->n_started = 0;
    wr_calling_leave(group);
}

void *wr_group_memory(const wr_group *group, size_t *ret_bytes)
{
    *ret_bytes = group->work->memory_bytes;
    return group->work->memory;
}

void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes)
{
    *ret_bytes = group->component[c]->memory_bytes;
    return group->work->caller[c].instance.memory;
}

void wr_group_state(wr_group *group, wr_state_io *io)
{
    wr_group_work *const work = group->work;
    WR_STATE_ARRAY(io, work->memory, work->memory_bytes);
    WR_STATE_ARRAY(io, work->guess, work->n_guess);
    WR_STATE_ARRAY(io, work->solution, work->n_guess);
    WR_STATE_ARRAY(io, work->u, group->n_u);
    WR_STATE_ARRAY(io, work->y, group->n_y);
    WR_STATE(io, work->n_indicator_value);
    if (!wr_state_reads(io))
        return;
    group->fault = (wr_fault){0};
    wr_group_forget(group);
    wr_group_forget_indicators(group);
}

int wr_group_step_completed(wr_group *group, const wr_group_point *point)
{
    wr_group_work *const work = group->work;
    if (work->n_step_completed == 0)
        return 0;
    const int rc = prepare(group, work->plan_step, point);
    for (int k = 0; k < work->n_step_completed && rc == 0; k++) {
        const int c = work->step_completed[k];
        wr_caller *const caller = &work->caller[c];
        wr_calling_begin(caller->name, "step_completed", point->t_s);
        const int rc_c = caller->model->step_completed(&caller->instance, point_now(work, caller));
        wr_calling_end();
        if (rc_c)
            return callback_fault(group, c, point->t_s, WRSIM_KIND_COUNT, rc_c);
    }
    return rc;
}

wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d)
{
    wr_group_done(group); /* of an earlier start */
    group->fp_mode = wr_fp_mode_get();
    wr_group_forget_indicators(group);
    for (int c = 0; c < group->n_component; c++) {
        wr_component *const component = group->component[c];
        double *const x = part_to_write(ret_x, group->x_start[c]);
        double *const d = part_to_write(ret_d, group->d_start[c]);
        for (int i = 0; i < component->n[WRSIM_STATE]; i++)
            x[i] = component->variable[WRSIM_STATE][i].start;
        for (int i = 0; i < component->n[WRSIM_DISCRETE]; i++)
            d[i] = component->variable[WRSIM_DISCRETE][i].start;
        wrsim_instance *const instance = &group->work->caller[c].instance;
        if (component->data_bytes > 0)
            memset(instance->data, 0, component->data_bytes);
        if (component->memory_bytes > 0)
            memset(instance->memory, 0, component->memory_bytes);
        wr_calling_begin(component->name, "init", t_s);
        const int rc = component->model->init ? component->model->init(instance, t_s, x, d) : 0;
        wr_calling_end();
        if (rc) {
            callback_fault(group, c, t_s, WRSIM_KIND_COUNT, rc);
            return WRSIM_E_CALLBACK;
        }
        group->work->n_started = c + 1;
        if (find_bad(x, component->n[WRSIM_STATE])) {
            nan_fault(group, t_s, WRSIM_STATE, group->x_start, ret_x, "its model starts it so");
            return WRSIM_E_NAN;
        }
        if (find_bad(d, component->n[WRSIM_DISCRETE])) {
            nan_fault(group, t_s, WRSIM_DISCRETE, group->d_start, ret_d, "its model starts it so");
            return WRSIM_E_NAN;
        }
    }
    return WRSIM_OK;
}

void wr_group_keep_loops(wr_group *group)
{
    wr_group_work *const work = group->work;
    if (work->n_guess > 0)
        memcpy(work->guess, work->solution, (size_t)work->n_guess * sizeof *work->guess);
}

double *wr_group_guess(wr_group *group, int *ret_n_guess)
{
    *ret_n_guess = group->work->n_guess;
    return group->work->guess;
}
