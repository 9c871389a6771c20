/* Linearisations. See linear.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "offline/structure/linear.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/fp_mode.h"
#include "offline/structure/differences.h"
#include "offline/structure/walk.h"

/* Workspace: columns by states, then by inputs. */
typedef struct work {
    wr_view *view;
    wr_differences differences;
    const wr_plan *outputs; /* plan for directional derivatives; NULL: differences */
    double *x_change, *u_change;
    wr_values column;
    wr_entries xx, xu, yx, yu;
} work;

static wr_group_point point_of(const wr_view *view)
{
    return (wr_group_point){view->t_s, view->x, view->d, view->u, view->mode};
}

/* Returns a plan of all outputs if they and f have directional derivatives; else NULL. */
static const wr_plan *find_tangents(wr_view *view)
{
    const int n = view->n[WRSIM_OUTPUT];
    int *const all = calloc((size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++)
        all[i] = i;
    const wr_plan *const plan =
        all ? wr_group_plan_place(view->arena, view->group, all, n, NULL, 0) : NULL;
    free(all);
    return plan && wr_group_has_tangent(view->group, NULL) &&
                   wr_group_has_tangent(view->group, plan)
               ? plan
               : NULL;
}

/* Computes one column by the models' directional derivatives. Returns 1 if a model refuses. */
static int by_tangent(work *w, double *change)
{
    wr_view *const view = w->view;
    const wr_group_point point = point_of(view);
    *change = 1.0;
    wr_group_forget(view->group);
    int rc = view->n[WRSIM_STATE] > 0
                 ? wr_group_tangent(view->group, &point, w->x_change, w->u_change, w->column.dx)
                 : 0;
    wr_group_forget(view->group);
    if (rc == 0 && view->n[WRSIM_OUTPUT] > 0)
        rc = wr_group_tangent_outputs(view->group, w->outputs, &point, w->x_change, w->u_change,
                                      w->column.y);
    *change = 0.0;
    return rc;
}

static void keep_column(wr_entries *entries, const double *value, int n, int column)
{
    for (int i = 0; i < n; i++)
        if (value[i] != 0.0)
            wr_entries_add(entries, i, column, value[i], 0);
}

/* Returns the first value that is not finite; -1 without one. */
static int find_bad(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(value[i]))
            return i;
    return -1;
}

static wrsim_status check_column(const work *w, const wr_view_variable *by, wrsim_error *err)
{
    const int i_x = find_bad(w->column.dx, w->column.n_x),
              i_y = find_bad(w->column.y, w->column.n_y);
    if (i_x < 0 && i_y < 0)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_NAN,
                        "the derivative of %s%s by %s is not finite at t = %.9g s",
                        i_x >= 0 ? w->view->variable[WRSIM_STATE][i_x].name
                                 : w->view->variable[WRSIM_OUTPUT][i_y].name,
                        i_x >= 0 ? "'" : "", by->name, w->view->t_s);
}

/* Computes the columns by one kind of variables. */
static wrsim_status columns(work *w, wrsim_kind kind, double *value, double *change,
                            wr_entries *to_x, wr_entries *to_y, wrsim_error *err)
{
    for (int j = 0; j < w->view->n[kind]; j++) {
        const wr_view_variable *const by = &w->view->variable[kind][j];
        if ((!w->outputs || by_tangent(w, &change[j]) != 0) &&
            wr_differences_by(&w->differences, &value[j], by->nominal, &w->column) != 0) {
            wr_view_fault(w->view, err);
            return err ? err->status : WRSIM_E_CALLBACK;
        }
        WR_TRY(check_column(w, by, err));
        keep_column(to_x, w->column.dx, w->column.n_x, j);
        keep_column(to_y, w->column.y, w->column.n_y, j);
    }
    return WRSIM_OK;
}

/* Replaces A by the models' Jacobians. */
static int by_jacobian(work *w)
{
    const wr_matrix *const p = w->view->group->pattern_xx;
    const wr_group_point point = point_of(w->view);
    double *const value = calloc((size_t)p->n_nonzero + 1, sizeof *value);
    wr_group_forget(w->view->group);
    const int rc = value ? wr_group_jacobian(w->view->group, &point, value) : 1;
    if (rc == 0 && find_bad(value, p->n_nonzero) < 0) {
        wr_entries_done(&w->xx);
        for (int j = 0; j < p->n_column; j++)
            for (int i = p->start[j]; i < p->start[j + 1]; i++)
                if (value[i] != 0.0)
                    wr_entries_add(&w->xx, p->row[i], j, value[i], 0);
    }
    free(value);
    return rc;
}

/* Copies the mass matrix of the group; NULL when out of memory. */
static wr_matrix *copy_mass(const wr_mass *mass)
{
    const wr_matrix *const p = mass->pattern;
    wr_entries entries = {0};
    for (int j = 0; j < p->n_column; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            wr_entries_add(&entries, p->row[k], j, mass->value[k], 0);
    wr_matrix *const matrix = wr_matrix_from_entries(p->n_row, p->n_column, &entries, 1);
    wr_entries_done(&entries);
    return matrix;
}

static wrsim_status fill(work *w, wr_linear_source source, wr_linear *ret, wrsim_error *err)
{
    wr_view *const view = w->view;
    const int n_x = view->n[WRSIM_STATE], n_u = view->n[WRSIM_INPUT], n_y = view->n[WRSIM_OUTPUT];
    w->x_change = calloc((size_t)n_x + 1, sizeof *w->x_change);
    w->u_change = calloc((size_t)n_u + 1, sizeof *w->u_change);
    ret->dx = calloc((size_t)n_x + 1, sizeof *ret->dx);
    ret->y = calloc((size_t)n_y + 1, sizeof *ret->y);
    if (!w->x_change || !w->u_change || !ret->dx || !ret->y || wr_values_init(&w->column, view) < 0)
        return wr_error_memory(err);
    memcpy(ret->dx, w->differences.at.dx, (size_t)n_x * sizeof *ret->dx);
    memcpy(ret->y, w->differences.at.y, (size_t)n_y * sizeof *ret->y);
    w->outputs = source == WR_LINEAR_BEST ? find_tangents(view) : NULL;
    ret->by = w->outputs ? "tangent" : "differences";
    WR_TRY(columns(w, WRSIM_STATE, view->x, w->x_change, &w->xx, &w->yx, err));
    WR_TRY(columns(w, WRSIM_INPUT, view->u, w->u_change, &w->xu, &w->yu, err));
    if (source == WR_LINEAR_BEST && n_x > 0 && wr_group_has_jacobian(view->group) &&
        by_jacobian(w) == 0)
        ret->by = "Jacobian";
    ret->a = wr_matrix_from_entries(n_x, n_x, &w->xx, 1);
    ret->b = wr_matrix_from_entries(n_x, n_u, &w->xu, 1);
    ret->c = wr_matrix_from_entries(n_y, n_x, &w->yx, 1);
    ret->d = wr_matrix_from_entries(n_y, n_u, &w->yu, 1);
    ret->l = view->group->mass ? copy_mass(view->group->mass) : NULL;
    const int has_all = ret->a && ret->b && ret->c && ret->d && (ret->l || !view->group->mass);
    return has_all ? WRSIM_OK : wr_error_memory(err);
}

wrsim_status wr_linear_make(wr_view *view, wr_linear_source source, wr_linear *ret,
                            wrsim_error *err)
{
    wrsim_error own;
    work w = {.view = view};
    wr_linear linear = {.view = view};
    WR_TRY(wr_differences_begin(&w.differences, view, err));
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
    const wrsim_status status = fill(&w, source, &linear, err ? err : &own);
    wr_fp_mode_restore(before);
    wr_differences_done(&w.differences);
    wr_values_done(&w.column);
    free(w.x_change);
    free(w.u_change);
    wr_entries_done(&w.xx);
    wr_entries_done(&w.xu);
    wr_entries_done(&w.yx);
    wr_entries_done(&w.yu);
    if (status < 0)
        wr_linear_done(&linear);
    else
        *ret = linear;
    return status;
}

void wr_linear_done(wr_linear *linear)
{
    free(linear->dx);
    free(linear->y);
    wr_matrix_destroy(&linear->a);
    wr_matrix_destroy(&linear->b);
    wr_matrix_destroy(&linear->c);
    wr_matrix_destroy(&linear->d);
    wr_matrix_destroy(&linear->l);
}

/* ---- along a run ---- */

static wrsim_status look_at_all(const wr_linear_request *request, wr_view *const *view,
                                wr_linear_fn look, void *user, wrsim_error *err)
{
    for (int i = 0; i < request->n_group; i++) {
        wr_linear linear;
        WR_TRY(wr_view_take(view[i], err));
        WR_TRY(wr_linear_make(view[i], request->source, &linear, err));
        linear.i_group = i;
        const wrsim_status status = look(user, &linear, err);
        wr_linear_done(&linear);
        WR_TRY(status);
    }
    return WRSIM_OK;
}

static wrsim_status walk(wrsim *sim, const wr_linear_request *request, wr_view **view,
                         wr_linear_fn look, void *user, wrsim_error *err)
{
    for (int i = 0; i < request->n_group; i++)
        WR_TRY(wr_view_create(sim, &request->group[i], &view[i], err));
    for (int k = 0; k < request->n_time; k++) {
        if (request->progress)
            request->progress(request->teller, k, request->time_s[k]);
        WR_TRY(wr_walk_to(sim, request->time_s[k], err));
        WR_TRY(look_at_all(request, view, look, user, err));
    }
    return WRSIM_OK;
}

wrsim_status wr_linear_run(const wrsim_config *config, const wr_linear_request *request,
                           wr_linear_fn look, void *user, wrsim_report_fn report, void *reporter,
                           wrsim_error *err)
{
    wrsim *sim = NULL;
    WR_TRY(wr_walk_check_times(config, request->time_s, request->n_time, err));
    wr_view **const view = calloc((size_t)request->n_group + 1, sizeof(wr_view *));
    if (!view)
        return wr_error_memory(err);
    wrsim_status status = wr_walk_begin(config, report, reporter, &sim, err);
    WR_THEN(status, walk(sim, request, view, look, user, err));
    for (int i = 0; i < request->n_group; i++)
        wr_view_destroy(&view[i]);
    free(view);
    wrsim_destroy(&sim);
    return status;
}
