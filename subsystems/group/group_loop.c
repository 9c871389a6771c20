/* See group_loop.h.
 *
 * A strong component of outputs is an algebraic loop if it has several outputs, or an arc to itself. Newton's method solves
 * r(y) = g(y) - y = 0 with a dense difference Jacobian. Its increment is sqrt(eps) times the largest of |y|, |g| and the
 * nominal value. While the residual grows, the update is halved (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
 * section 3.1, in its simplest form). The last update is at most 1e-10 relative, so that the error left by a method that
 * converges almost quadratically is at rounding level.
 *
 * Thread: one at a time. Real-time: solving yes, with models that are.
 */
#include "subsystems/group/group_loop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/finite.h"
#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_values.h"

enum { MAX_NEWTON = 50, MAX_HALVINGS = 10 };
static const double newton_tolerance = 1e-10;
static const double difference_scale = 1.4901161193847656e-08; /* sqrt(DBL_EPSILON) */

/* Follows arcs in the loop from its first output until an output repeats; writes (output, input) pairs of the closed path. at[n_y]:
 * scratch, all -1. */
static int find_cycle(const wr_group *group, const wr_group_arcs *a, const int *loop_of, int i_loop,
                      int first, int *at, int *ret_cycle)
{
    int n = 0, y = first;
    while (at[y] < 0) {
        at[y] = n;
        int next = -1, via = -1;
        for (int k = a->drive_start[y]; k < a->drive_start[y + 1] && next < 0; k++) {
            const int u = a->drives[k];
            for (int j = a->start[y]; j < a->start[y + 1] && next < 0; j++) {
                const int b = a->to[j];
                if (loop_of[b] != i_loop)
                    continue;
                for (int i = wr_group_first_input(group, b); i < wr_group_first_input(group, b + 1);
                     i++)
                    if (wr_group_input_at(group, i) == u) {
                        next = b;
                        via = u;
                        break;
                    }
            }
        }
        ret_cycle[2 * n] = y;
        ret_cycle[2 * n + 1] = via;
        n++;
        y = next; /* every output of a strong component has an arc inside it */
    }
    const int start = at[y];
    memmove(ret_cycle, ret_cycle + 2 * start, (size_t)(2 * (n - start)) * sizeof *ret_cycle);
    return n - start;
}

/* Components of the loop, ascending, and copies inside it. */
static wrsim_status loop_parts_place(wr_arena *arena, const wr_group *group, const wr_group_arcs *a,
                                     int i_loop, int guess_start)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    wr_loop_parts *const parts = &group->loops->parts[i_loop];
    const wr_group_loops *const loops = group->loops;
    const int n = loop->n;
    int n_drive = 0;
    for (int i = 0; i < n; i++)
        n_drive += a->drive_start[loop->output[i] + 1] - a->drive_start[loop->output[i]];
    int *const component = WR_NEW_ARRAY(arena, int, n);
    wr_copy *const copy = WR_NEW_ARRAY(arena, wr_copy, n_drive);
    double *const nominal = WR_NEW_ARRAY(arena, double, n);
    *parts = (wr_loop_parts){.component = component,
                             .copy = copy,
                             .guess_start = guess_start,
                             .nominal = nominal,
                             .y = WR_NEW_ARRAY(arena, double, n),
                             .g = WR_NEW_ARRAY(arena, double, n),
                             .r = WR_NEW_ARRAY(arena, double, n),
                             .pivot = WR_NEW_ARRAY(arena, int, n),
                             .jac = wr_arena_push(arena, (size_t)n * (size_t)n, sizeof(double))};
    if (!component || !copy || !nominal || !parts->y || !parts->g || !parts->r || !parts->pivot ||
        !parts->jac)
        return WRSIM_E_MEMORY;
    /* Outputs ascend, hence so do their components. */
    for (int i = 0; i < n; i++) {
        const int c = wr_group_owner_of_output(group, loop->output[i]);
        if (parts->n_component == 0 || component[parts->n_component - 1] != c)
            component[parts->n_component++] = c;
        nominal[i] = group->nominal_y[loop->output[i]];
    }
    for (int i = 0; i < n; i++) {
        const int y = loop->output[i];
        int is_first = 1;
        for (int k = a->drive_start[y]; k < a->drive_start[y + 1]; k++) {
            const int u = a->drives[k], c = wr_group_owner_of_input(group, u);
            for (int j = 0; j < parts->n_component; j++)
                if (component[j] == c) {
                    copy[parts->n_copy++] = (wr_copy){.to = u, .from = y};
                    /* The first guess is the default of an input that the output drives. */
                    if (is_first)
                        loops->guess[guess_start + i] = wr_group_u(group)[u];
                    is_first = 0;
                }
        }
        loops->solution[guess_start + i] = loops->guess[guess_start + i];
    }
    return WRSIM_OK;
}

static int is_self_arc(const wr_group_arcs *a, int y)
{
    for (int k = a->start[y]; k < a->start[y + 1]; k++)
        if (a->to[k] == y)
            return 1;
    return 0;
}

/* Numbers the loops in evaluation order, and lists their outputs. */
static wrsim_status loops_place(wr_arena *arena, wr_group *group, const wr_group_arcs *a,
                                const int *scc, int n_scc, int *loop_of)
{
    const int n_y = group->n_y;
    int *const size = calloc((size_t)n_scc + 1, sizeof *size);
    int *const loop_of_scc = calloc((size_t)n_scc + 1, sizeof *loop_of_scc);
    int *const at = malloc(((size_t)n_y + 1) * sizeof *at);
    wrsim_status status = WRSIM_E_MEMORY;
    if (!size || !loop_of_scc || !at)
        goto out;
    for (int y = 0; y < n_y; y++)
        size[scc[y]] += size[scc[y]] > 0 || !is_self_arc(a, y) ? 1 : 2; /* self arc counts as two */
    int n_loop = 0;
    for (int i = 0; i < n_scc; i++)
        loop_of_scc[i] = size[i] > 1 ? n_loop++ : -1;
    wr_algebraic_loop *const loop = WR_NEW_ARRAY(arena, wr_algebraic_loop, n_loop);
    group->loops->parts = WR_NEW_ARRAY(arena, wr_loop_parts, n_loop);
    group->loops->guess = WR_NEW_ARRAY(arena, double, n_y);
    group->loops->solution = WR_NEW_ARRAY(arena, double, n_y);
    if (!loop || !group->loops->parts || !group->loops->guess || !group->loops->solution)
        goto out;
    for (int y = 0; y < n_y; y++) {
        loop_of[y] = loop_of_scc[scc[y]];
        at[y] = -1;
        if (loop_of[y] >= 0)
            loop[loop_of[y]].n++;
    }
    group->loop = loop;
    group->n_loop = n_loop;
    for (int i = 0; i < n_loop; i++) {
        int *const output = WR_NEW_ARRAY(arena, int, loop[i].n);
        int *const cycle = WR_NEW_ARRAY(arena, int, 2 * loop[i].n);
        if (!output || !cycle)
            goto out;
        int n = 0;
        for (int y = 0; y < n_y; y++)
            if (loop_of[y] == i)
                output[n++] = y;
        loop[i].output = output;
        loop[i].cycle = cycle;
        loop[i].n_cycle = find_cycle(group, a, loop_of, i, output[0], at, cycle);
        status = loop_parts_place(arena, group, a, i, group->loops->n_guess);
        if (status < 0)
            goto out;
        group->loops->n_guess += n;
    }
    status = WRSIM_OK;
out:
    free(size);
    free(loop_of_scc);
    free(at);
    return status;
}

wrsim_status wr_group_loops_place(wr_arena *arena, wr_group *group, int n_scc)
{
    int *const loop_of = WR_NEW_ARRAY(arena, int, group->n_y);
    group->loops = WR_NEW(arena, wr_group_loops);
    if (!loop_of || !group->loops)
        return WRSIM_E_MEMORY;
    group->loops->loop_of = loop_of;
    return loops_place(arena, group, wr_group_arcs_of(group), wr_group_sccs(group), n_scc, loop_of);
}

static int call_output(wr_group *group, int c, double *ret_y)
{
    wr_caller *const caller = wr_group_caller(group, c);
    wr_calling_begin(caller->name, "output", wr_group_time(group));
    const int rc =
        caller->model->output(&caller->instance, wr_group_point_now(group, caller), ret_y);
    wr_calling_end();
    return rc ? wr_group_callback_fault(group, c, wr_group_time(group), WRSIM_OUTPUT, rc) : 0;
}

/* g(y) of a loop. */
static int loop_map(wr_group *group, const wr_group_point *point, int i_loop, const double *y,
                    double *ret_g)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    const wr_loop_parts *const parts = &group->loops->parts[i_loop];
    for (int i = 0; i < loop->n; i++)
        wr_group_y(group)[loop->output[i]] = y[i];
    for (int i = 0; i < parts->n_copy; i++)
        wr_group_u(group)[parts->copy[i].to] = wr_group_y(group)[parts->copy[i].from];
    int k = 0;
    for (int i = 0; i < parts->n_component; i++) {
        const int c = parts->component[i];
        const int rc = call_output(group, c, wr_group_scratch(group));
        if (rc)
            return rc;
        for (; k < loop->n && loop->output[k] < group->y_start[c + 1]; k++) {
            ret_g[k] = wr_group_scratch(group)[loop->output[k] - group->y_start[c]];
            if (!(fabs(ret_g[k]) <= DBL_MAX))
                return wr_group_set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_OUTPUT,
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
    wr_loop_parts *const parts = &group->loops->parts[i_loop];
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
    const int c = wr_group_owner_of_output(group, y);
    return wr_group_set_fault(group, WRSIM_E_LOOP, t_s, c, WRSIM_OUTPUT, y - group->y_start[c],
                              NULL, 1);
}

/* Size of the update r relative to the unknowns. */
static double loop_change(const wr_loop_parts *parts, int n)
{
    double change = 0;
    for (int i = 0; i < n; i++)
        change = wr_max(change, fabs(parts->r[i]) / wr_max(fabs(parts->y[i]), parts->nominal[i]));
    return change;
}

/* Moves y along the update r, halved while the residual grows, and updates g. Returns the result of loop_map(). */
static int loop_update(wr_group *group, const wr_group_point *point, int i_loop)
{
    const int n = group->loop[i_loop].n;
    wr_loop_parts *const parts = &group->loops->parts[i_loop];
    double *const tried = parts->jac; /* free after the solve; n * n >= n */
    const double before = loop_residual(parts, n, parts->y, parts->g);
    double damping = 1.0;
    for (int i = 0; i < n; i++)
        parts->g[i] = parts->y[i]; /* from here on g holds the previous y */
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

int wr_group_solve_loop(wr_group *group, const wr_group_point *point, int i_loop)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    const int n = loop->n;
    wr_group_loops *const loops = group->loops;
    wr_loop_parts *const parts = &loops->parts[i_loop];
    memcpy(parts->y, loops->guess + parts->guess_start, (size_t)n * sizeof *parts->y);
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
        if (wr_has_bad(parts->r, n))
            return loop_fault(group, point->t_s, i_loop);
        if (loop_change(parts, n) <= newton_tolerance) {
            for (int i = 0; i < n; i++) {
                const double y = parts->y[i] + parts->r[i];
                wr_group_y(group)[loop->output[i]] = y;
                loops->solution[parts->guess_start + i] = y;
            }
            return 0;
        }
        rc = loop_update(group, point, i_loop);
        if (rc)
            return rc;
    }
    return loop_fault(group, point->t_s, i_loop);
}

void wr_group_keep_loops(wr_group *group)
{
    wr_group_loops *const loops = group->loops;
    if (loops->n_guess > 0)
        memcpy(loops->guess, loops->solution, (size_t)loops->n_guess * sizeof *loops->guess);
}

double *wr_group_guess(const wr_group *group, int *ret_n_guess)
{
    *ret_n_guess = group->loops->n_guess;
    return group->loops->guess;
}
