/* Linearisations. See linear.h. Thread: one owner. Real-time: no. */
#include "offline/structure/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/fp_mode.h"
#include "offline/structure/walk.h"

/* cbrt(DBL_EPSILON) balances truncation and rounding errors. */
static const double increment_scale = 6.0554544523933429e-06;
/* Factor of the second increment, if a model refuses both sides of the first increment (assumed). */
static const double retry_scale = 1e-3;

int wr_values_init(wr_values *values, const wr_view *view)
{
    const size_t n_x = (size_t)view->n[WRSIM_STATE], n_y = (size_t)view->n[WRSIM_OUTPUT],
                 n_z = (size_t)view->n[WRSIM_INDICATOR];
    double *const block = calloc(n_x + n_y + n_z + 1, sizeof *block);
    *values = (wr_values){.n_x = (int)n_x, .n_y = (int)n_y, .n_z = (int)n_z};
    if (!block)
        return -1;
    values->dx = block;
    values->y = block + n_x;
    values->z = block + n_x + n_y;
    return 0;
}

void wr_values_done(wr_values *values)
{
    free(values->dx); /* dx is the beginning of the block */
    *values = (wr_values){0};
}

static int evaluate(wr_view *view, wr_values *values)
{
    return wr_view_evaluate(view, values->dx, values->y, values->z);
}

wrsim_status wr_differences_begin(wr_differences *d, wr_view *view, wrsim_error *err)
{
    *d = (wr_differences){.view = view};
    wrsim_error fault;
    if (wr_values_init(&d->at, view) < 0 || wr_values_init(&d->low, view) < 0 ||
        wr_values_init(&d->high, view) < 0)
        wr_error_memory(&fault);
    else if (evaluate(view, &d->at) == 0)
        return WRSIM_OK;
    else
        wr_view_fault(view, &fault);
    wr_differences_done(d);
    if (err)
        *err = fault;
    return fault.status;
}

void wr_differences_done(wr_differences *d)
{
    wr_values_done(&d->at);
    wr_values_done(&d->low);
    wr_values_done(&d->high);
}

/* Tries one increment. Returns 1 if a model refuses both sides. */
static int try_increment(wr_differences *d, double *variable, double increment, wr_values *ret)
{
    const double before = *variable;
    /* volatile rounds to the precision of memory */
    volatile double up = before + increment, down = before - increment;
    *variable = up;
    const int has_high = evaluate(d->view, &d->high) == 0;
    *variable = down;
    const int has_low = evaluate(d->view, &d->low) == 0;
    *variable = before;
    if (!has_high && !has_low)
        return 1;
    const wr_values *const high = has_high ? &d->high : &d->at;
    const wr_values *const low = has_low ? &d->low : &d->at;
    const double by = (has_high ? up : before) - (has_low ? down : before);
    for (int i = 0; i < ret->n_x + ret->n_y + ret->n_z; i++) /* dx, y and z are one block */
        ret->dx[i] = (high->dx[i] - low->dx[i]) / by;
    return 0;
}

int wr_differences_by(wr_differences *d, double *variable, double nominal, wr_values *ret)
{
    const double increment = increment_scale * fmax(fabs(*variable), nominal);
    return try_increment(d, variable, increment, ret) == 0
               ? 0
               : try_increment(d, variable, retry_scale * increment, ret);
}

enum { A, B, C, D, N_MATRIX };

/* Workspace of a linearisation. */
typedef struct work {
    wr_view *view;
    wr_differences differences;
    const wr_plan *outputs; /* plan for directional derivatives; NULL: differences */
    double *x_change, *u_change;
    wr_values column;
    wr_entries entries[N_MATRIX]; /* entries of A, B, C and D */
} work;

/* Returns a plan of all outputs if all outputs and f have directional derivatives; else NULL. */
static const wr_plan *find_tangents(wr_view *view)
{
    const int n = view->n[WRSIM_OUTPUT];
    WR_AUTO_FREE int *const all = calloc((size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++)
        all[i] = i;
    const wr_plan *const plan =
        all ? wr_group_plan_place(view->arena, view->group, all, n, NULL, 0) : NULL;
    return plan && wr_group_has_tangent(view->group, NULL) &&
                   wr_group_has_tangent(view->group, plan)
               ? plan
               : NULL;
}

/* Computes column w->column by the models' directional derivatives. Returns 0, or non-zero if a model refuses. */
static int by_tangent(work *w, double *change)
{
    wr_view *const view = w->view;
    const wr_group_point point = wr_view_point(view);
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

/* Returns the index of the first value that is not finite; -1: all values are finite. */
static int find_bad(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(value[i]))
            return i;
    return -1;
}

/* Computes the derivatives by all variables of one kind. Returns WRSIM_OK, or a negative status with err. */
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
        const int i_x = find_bad(w->column.dx, w->column.n_x),
                  i_y = find_bad(w->column.y, w->column.n_y);
        if (i_x >= 0 || i_y >= 0)
            return wr_error_set(err, WRSIM_E_NAN,
                                "the derivative of %s%s by %s is not finite at t = %.9g s; check "
                                "the model, or choose other times",
                                i_x >= 0 ? w->view->variable[WRSIM_STATE][i_x].name
                                         : w->view->variable[WRSIM_OUTPUT][i_y].name,
                                i_x >= 0 ? "'" : "", by->name, w->view->t_s);
        keep_column(to_x, w->column.dx, w->column.n_x, j);
        keep_column(to_y, w->column.y, w->column.n_y, j);
    }
    return WRSIM_OK;
}

/* Replaces A by the models' Jacobians. Returns 0; non-zero if A is unchanged, because a model fails, a value is not finite, or memory is
 * short. */
static int by_jacobian(work *w)
{
    const wr_matrix *const p = w->view->group->pattern_xx;
    const wr_group_point point = wr_view_point(w->view);
    WR_AUTO_FREE double *const value = calloc((size_t)p->n_nonzero + 1, sizeof *value);
    wr_group_forget(w->view->group);
    if (!value || wr_group_jacobian(w->view->group, &point, value) != 0 ||
        find_bad(value, p->n_nonzero) >= 0)
        return 1;
    wr_entries_done(&w->entries[A]);
    for (int j = 0; j < p->n_column; j++)
        for (int i = p->start[j]; i < p->start[j + 1]; i++)
            if (value[i] != 0.0)
                wr_entries_add(&w->entries[A], p->row[i], j, value[i], 0);
    return 0;
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
    WR_TRY(columns(w, WRSIM_STATE, view->x, w->x_change, &w->entries[A], &w->entries[C], err));
    WR_TRY(columns(w, WRSIM_INPUT, view->u, w->u_change, &w->entries[B], &w->entries[D], err));
    if (source == WR_LINEAR_BEST && n_x > 0 && wr_group_has_jacobian(view->group) &&
        by_jacobian(w) == 0)
        ret->by = "Jacobian";
    ret->a = wr_matrix_from_entries(n_x, n_x, &w->entries[A], 1);
    ret->b = wr_matrix_from_entries(n_x, n_u, &w->entries[B], 1);
    ret->c = wr_matrix_from_entries(n_y, n_x, &w->entries[C], 1);
    ret->d = wr_matrix_from_entries(n_y, n_u, &w->entries[D], 1);
    const wr_mass *const mass = view->group->mass;
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    for (int j = 0; mass && j < n_x; j++)
        for (int k = mass->pattern->start[j]; k < mass->pattern->start[j + 1]; k++)
            wr_entries_add(&entries, mass->pattern->row[k], j, mass->value[k], 0);
    ret->l = mass ? wr_matrix_from_entries(n_x, n_x, &entries, 1) : NULL;
    const int has_all = ret->a && ret->b && ret->c && ret->d && (ret->l || !mass);
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
    for (int i = 0; i < N_MATRIX; i++)
        wr_entries_done(&w.entries[i]);
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

static wrsim_status walk(wrsim *sim, const wr_linear_request *request, wr_view **view,
                         wr_linear_fn look, void *user, wrsim_error *err)
{
    for (int i = 0; i < request->n_group; i++)
        WR_TRY(wr_view_create(sim, &request->group[i], &view[i], err));
    for (int k = 0; k < request->n_time; k++) {
        if (request->progress)
            request->progress(request->teller, k, request->time_s[k]);
        WR_TRY(wr_walk_to(sim, request->time_s[k], err));
        for (int i = 0; i < request->n_group; i++) {
            wr_linear linear;
            WR_TRY(wr_view_take(view[i], err));
            WR_TRY(wr_linear_make(view[i], request->source, &linear, err));
            linear.i_group = i;
            const wrsim_status status = look(user, &linear, err);
            wr_linear_done(&linear);
            WR_TRY(status);
        }
    }
    return WRSIM_OK;
}

wrsim_status wr_linear_run(const wrsim_config *config, const wr_linear_request *request,
                           wr_linear_fn look, void *user, wrsim_report_fn report, void *reporter,
                           wrsim_error *err)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    WR_TRY(wr_walk_check_times(config, request->time_s, request->n_time, err));
    WR_AUTO_FREE wr_view **const view = calloc((size_t)request->n_group + 1, sizeof(wr_view *));
    if (!view)
        return wr_error_memory(err);
    wrsim_status status = wr_walk_begin(config, report, reporter, &sim, err);
    if (status >= 0)
        status = walk(sim, request, view, look, user, err);
    for (int i = 0; i < request->n_group; i++)
        wr_view_destroy(&view[i]);
    return status;
}
