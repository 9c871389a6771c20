/* Finds and solves the algebraic loops of a group. See group_loop.h.
 *
 * A strong component of outputs is an algebraic loop if the strong component has several outputs, or an output with an arc to itself.
 * base/loop_newton.h solves loops.
 *
 * Thread: one at a time. Real-time: solving yes, with rt-safe models.
 */
#include "subsystems/group/group_loop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_values.h"

/* Follows arcs in the loop from its first output until an output repeats. Writes the (output, input) pairs of the closed path. Returns the
 * number of pairs. at[n_y]: scratch, -1 at the outputs of the loop. */
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
        y = next; /* every output of a strong component has an arc to an output of the strong component */
    }
    const int start = at[y];
    memmove(ret_cycle, ret_cycle + 2 * start, (size_t)(2 * (n - start)) * sizeof *ret_cycle);
    return n - start;
}

/* A loop at a point of its group. */
typedef struct loop_at {
    wr_group *group;
    const wr_group_point *point;
    int i_loop;
} loop_at;

/* Evaluates the map g of a loop y = g(y). */
static int loop_map(void *self, const double *y, double *ret_g)
{
    const loop_at *const at = self;
    wr_group *const group = at->group;
    const wr_algebraic_loop *const loop = &group->loop[at->i_loop];
    const wr_loop_parts *const parts = &group->loops->parts[at->i_loop];
    for (int i = 0; i < loop->n; i++)
        wr_group_y(group)[loop->output[i]] = y[i];
    for (int i = 0; i < parts->n_copy; i++) {
        const int u = parts->copy[i].to;
        wr_group_u(group)[u] =
            wr_unit_apply(wr_group_scale(group, u), wr_group_y(group)[parts->copy[i].from]);
    }
    int k = 0;
    for (int i = 0; i < parts->n_component; i++) {
        const int c = parts->component[i];
        wr_caller *const caller = wr_group_caller(group, c);
        wr_calling_begin(caller->name, "output", wr_group_time(group));
        const int rc = caller->model->output(&caller->instance, wr_group_point_now(group, caller),
                                             wr_group_scratch(group));
        wr_calling_end();
        if (rc)
            return wr_group_callback_fault(group, c, wr_group_time(group), WRSIM_OUTPUT, rc);
        for (; k < loop->n && loop->output[k] < group->y_start[c + 1]; k++) {
            ret_g[k] = wr_group_scratch(group)[loop->output[k] - group->y_start[c]];
            if (!(fabs(ret_g[k]) <= DBL_MAX))
                return wr_group_set_fault(group, WRSIM_E_NAN, at->point->t_s, c, WRSIM_OUTPUT,
                                          loop->output[k] - group->y_start[c], NULL, 1);
        }
    }
    return 0;
}

/* Lists the components of a loop, ascending, and the copies inside the loop. */
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
    *parts = (wr_loop_parts){.component = component, .copy = copy, .guess_start = guess_start};
    if (!component || !copy || wr_loop_newton_place(&parts->newton, arena, n) < 0)
        return WRSIM_E_MEMORY;
    parts->newton.map = loop_map;
    /* Outputs ascend, so their components also ascend. */
    for (int i = 0; i < n; i++) {
        const int c = wr_group_owner_of_output(group, loop->output[i]);
        if (parts->n_component == 0 || component[parts->n_component - 1] != c)
            component[parts->n_component++] = c;
        parts->newton.nominal[i] = group->nominal_y[loop->output[i]];
    }
    for (int i = 0; i < n; i++) {
        const int y = loop->output[i];
        int is_first = 1;
        for (int k = a->drive_start[y]; k < a->drive_start[y + 1]; k++) {
            const int u = a->drives[k], c = wr_group_owner_of_input(group, u);
            for (int j = 0; j < parts->n_component; j++)
                if (component[j] == c) {
                    copy[parts->n_copy++] = (wr_copy){.to = u, .from = y};
                    /* The first guess of an output is the default of an input that the output drives. */
                    if (is_first)
                        loops->guess[guess_start + i] = wr_unit_apply(
                            wr_unit_inverse(wr_group_scale(group, u)), wr_group_u(group)[u]);
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

int wr_group_solve_loop(wr_group *group, const wr_group_point *point, int i_loop)
{
    const wr_algebraic_loop *const loop = &group->loop[i_loop];
    wr_group_loops *const loops = group->loops;
    wr_loop_parts *const parts = &loops->parts[i_loop];
    wr_loop_newton *const newton = &parts->newton;
    double *const solution = loops->solution + parts->guess_start;
    loop_at at = {.group = group, .point = point, .i_loop = i_loop};
    newton->self = &at;
    memcpy(newton->y, loops->guess + parts->guess_start, (size_t)loop->n * sizeof *newton->y);
    const int rc = wr_loop_newton_solve(newton);
    newton->self = NULL;
    if (rc == WR_LOOP_UNSOLVED) {
        const int y = loop->output[0], c = wr_group_owner_of_output(group, y);
        return wr_group_set_fault(group, WRSIM_E_LOOP, point->t_s, c, WRSIM_OUTPUT,
                                  y - group->y_start[c], NULL, 1);
    }
    if (rc)
        return rc;
    for (int i = 0; i < loop->n; i++)
        wr_group_y(group)[loop->output[i]] = solution[i] = newton->y[i];
    return 0;
}

void wr_group_keep_loops(wr_group *group)
{
    wr_group_loops *const loops = group->loops;
    if (loops->n_guess > 0)
        memcpy(loops->guess, loops->solution, (size_t)loops->n_guess * sizeof *loops->guess);
}
