/* Computes G, C, B, L from a view of a running simulation. See linearised.h. Thread: one owner. Real-time: no. */
#include "offline/reduction/linearised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "offline/structure/linear.h"
#include "offline/structure/walk.h"
#include "runtime/sim/simulation.h"

/* Share of the largest entry of A, with nominal states, below which rates are rounding (assumed). */
static const double AT_REST = 1e-9;
/* distance of the points that test linearity, in nominal values (assumed) */
static const double FAR = 0.1;

static int count(const wr_view *view, wrsim_kind kind) { return view->n[kind]; }

static double state_scale(const wr_view *view, int i)
{
    return view->variable[WRSIM_STATE][i].nominal;
}

/* ---- Matrices ---- */

/* Returns sign S^{-1} M S, where S contains the nominal values, or the identity if m is NULL. */
static wr_matrix *scaled(const wr_view *view, double sign, const wr_matrix *m)
{
    const int n = count(view, WRSIM_STATE);
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    for (int j = 0; j < n; j++) {
        if (!m)
            wr_entries_add(&entries, j, j, 1.0, 0);
        for (int k = m ? m->start[j] : 0; m && k < m->start[j + 1]; k++)
            wr_entries_add(&entries, m->row[k], j,
                           sign * m->value[k] * state_scale(view, j) / state_scale(view, m->row[k]),
                           0);
    }
    return wr_matrix_from_entries(n, n, &entries, 1);
}

static double largest(const double *a, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* Returns 1 if a state changes with constant inputs. G is -A with nominal states. */
static int has_rate(const wr_view *view, const wr_linear *linear, const wr_matrix *G)
{
    const double limit = AT_REST * largest(G->value, G->n_nonzero);
    for (int i = 0; i < count(view, WRSIM_STATE); i++)
        if (fabs(linear->dx[i]) / state_scale(view, i) > limit)
            return 1;
    return 0;
}

static void fill_vectors(const wr_view *view, const wr_linear *linear, const int *kept,
                         wr_linear_system *s)
{
    const size_t n = (size_t)s->n;
    for (int j = 0; j < s->n_input; j++) {
        for (int k = linear->b->start[kept[j]]; k < linear->b->start[kept[j] + 1]; k++) {
            const int i = linear->b->row[k];
            s->B[(size_t)j * n + (size_t)i] = linear->b->value[k] / state_scale(view, i);
        }
        for (int k = linear->d->start[kept[j]]; k < linear->d->start[kept[j] + 1]; k++)
            s->D[j * s->n_output + linear->d->row[k]] = linear->d->value[k];
    }
    for (int i = 0; i < s->n && s->has_rate; i++)
        s->B[(size_t)s->n_input * n + (size_t)i] = linear->dx[i] / state_scale(view, i);
    for (int i = 0; i < s->n; i++)
        for (int k = linear->c->start[i]; k < linear->c->start[i + 1]; k++)
            s->L[(size_t)linear->c->row[k] * n + (size_t)i] =
                linear->c->value[k] * state_scale(view, i);
}

/* ---- Names ---- */

/* Sets a signal's name to COMPONENT_VARIABLE, or to VARIABLE in a view of one component. *ret_name receives "component.variable". Returns
 * 0, or -1 when out of memory. */
static int name_signal(const wr_view *view, const wr_view_variable *v, double value,
                       wr_linear_signal *ret, char **ret_name)
{
    const char *const dot = view->n_component == 1 ? strchr(v->name, '.') : NULL;
    *ret_name = strdup(v->name);
    if (!*ret_name ||
        wr_linear_signal_set(ret, dot ? dot + 1 : v->name, v->unit, v->nominal, value) < 0)
        return -1;
    char *const joint = dot ? NULL : strchr(ret->name, '.'); /* between component and variable */
    if (joint)
        *joint = '_';
    return 0;
}

static int fill_names(const wr_view *view, const double *y, const int *kept, wr_linearised *ret)
{
    wr_linear_system *const s = ret->system;
    ret->input = calloc((size_t)s->n_input + 1, sizeof *ret->input);
    ret->driver = calloc((size_t)s->n_input + 1, sizeof *ret->driver);
    ret->output = calloc((size_t)s->n_output + 1, sizeof *ret->output);
    if (!ret->input || !ret->driver || !ret->output)
        return -1;
    for (int j = 0; j < s->n_input; j++) {
        const char *const driver = view->driver[kept[j]].name;
        if (name_signal(view, &view->variable[WRSIM_INPUT][kept[j]], view->u[kept[j]], &s->input[j],
                        &ret->input[j]) < 0)
            return -1;
        ret->driver[j] = driver ? strdup(driver) : NULL;
        if (driver && !ret->driver[j])
            return -1;
    }
    for (int i = 0; i < s->n_output; i++)
        if (name_signal(view, &view->variable[WRSIM_OUTPUT][i], y[i], &s->output[i],
                        &ret->output[i]) < 0)
            return -1;
    ret->component = calloc((size_t)view->n_component + 1, sizeof *ret->component);
    for (int c = 0; ret->component && c < view->n_component; c++) {
        ret->component[c] = strdup(view->group->component[c]->name);
        if (!ret->component[c])
            return -1;
        ret->n_component++;
    }
    return ret->component ? 0 : -1;
}

/* ---- nonlinearity ---- */

/* Moves each of the view's states and inputs up or down by `far` times its nominal value. */
static void move(wr_view *view, double far)
{
    for (int i = 0; i < count(view, WRSIM_STATE); i++)
        view->x[i] += (i % 3 ? far : -far) * state_scale(view, i);
    for (int i = 0; i < count(view, WRSIM_INPUT); i++)
        view->u[i] += (i % 2 ? -far : far) * view->variable[WRSIM_INPUT][i].nominal;
}

/* Returns the largest difference of f(x + dx, u + du) - f(x, u) from A dx + B du in both directions. The difference is relative to the
 * largest A dx + B du. Returns NaN if a model refuses an evaluation. */
static double nonlinearity(wr_view *view, const wr_linear *linear, double *moved, double *expected)
{
    const int n = count(view, WRSIM_STATE);
    double worst = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        const double far = side * FAR;
        memset(expected, 0, (size_t)n * sizeof *expected);
        for (int j = 0; j < n; j++)
            for (int k = linear->a->start[j]; k < linear->a->start[j + 1]; k++)
                expected[linear->a->row[k]] +=
                    linear->a->value[k] * (j % 3 ? far : -far) * state_scale(view, j);
        for (int j = 0; j < count(view, WRSIM_INPUT); j++)
            for (int k = linear->b->start[j]; k < linear->b->start[j + 1]; k++)
                expected[linear->b->row[k]] += linear->b->value[k] * (j % 2 ? -far : far) *
                                               view->variable[WRSIM_INPUT][j].nominal;
        move(view, far);
        const int rc = wr_view_evaluate(view, moved, NULL, NULL);
        move(view, -far);
        if (rc)
            return (double)NAN;
        double most = 0.0, off = 0.0;
        for (int i = 0; i < n; i++) {
            const double scale = state_scale(view, i);
            most = fmax(most, fabs(expected[i]) / scale);
            off = fmax(off, fabs(moved[i] - linear->dx[i] - expected[i]) / scale);
        }
        worst = fmax(worst, most > 0.0 ? off / most : off);
    }
    return worst;
}

/* ---- linearisation ---- */

static wrsim_status fill(wr_view *view, const wr_linear *linear, wr_linearised *ret,
                         wrsim_error *err)
{
    const int n = count(view, WRSIM_STATE), n_all = count(view, WRSIM_INPUT);
    WR_AUTO_FREE int *const kept = calloc((size_t)n_all + 1, sizeof *kept);
    WR_AUTO_FREE double *const work = calloc(2 * (size_t)n + 1, sizeof *work);
    wr_matrix *G = scaled(view, -1.0, linear->a), *C = scaled(view, 1.0, linear->l);
    int is_done = 0;
    if (kept && work && G && C) {
        int n_input = 0;
        for (int i = 0; i < n_all; i++)
            if (view->driver[i].name)
                kept[n_input++] = i;
        for (int i = 0; n_input == 0 && i < n_all; i++)
            kept[i] = i;
        ret->system = wr_linear_system_create(n, n_input ? n_input : n_all,
                                              count(view, WRSIM_OUTPUT), has_rate(view, linear, G));
    }
    if (ret->system) {
        ret->system->G = G;
        ret->system->C = C;
        G = C = NULL;
        fill_vectors(view, linear, kept, ret->system);
        is_done = fill_names(view, linear->y, kept, ret) == 0;
        ret->nonlinearity = nonlinearity(view, linear, work, work + n);
    }
    wr_matrix_destroy(&G);
    wr_matrix_destroy(&C);
    return is_done ? WRSIM_OK : wr_error_memory(err);
}

static wrsim_status linearise(wr_view *view, wr_linearised *ret, wrsim_error *err)
{
    ret->t_s = view->t_s;
    ret->n_state = count(view, WRSIM_STATE);
    ret->n_indicator = count(view, WRSIM_INDICATOR);
    ret->n_discrete = count(view, WRSIM_DISCRETE);
    ret->n_unfired = wr_view_n_unfired(view);
    const char *const lacks = ret->n_state == 0                ? "states"
                              : count(view, WRSIM_INPUT) == 0  ? "inputs from outside"
                              : count(view, WRSIM_OUTPUT) == 0 ? "outputs"
                                                               : NULL;
    if (lacks)
        return wr_error_set(err, WRSIM_E_ARG,
                            "'%s' has no %s, so it cannot be reduced; choose "
                            "another component or subsystem",
                            view->name, lacks);
    WR_AUTO(wr_linear_done) wr_linear linear = {0};
    wrsim_status status = wr_linear_make(view, WR_LINEAR_BEST, &linear, err);
    if (status >= 0)
        status = fill(view, &linear, ret, err);
    return status;
}

wrsim_status wr_linearised_make(const wrsim_config *config, const wr_selection *selection,
                                double time_s, wrsim_report_fn report, void *reporter,
                                wr_linearised *ret, wrsim_error *err)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    WR_AUTO(wr_view_destroy) wr_view *view = NULL;
    const wr_set_simulation *const set = &config->settings->simulation;
    *ret = (wr_linearised){.start_s = set->start_s,
                           .span_s = set->stop_s - set->start_s,
                           .step_s = set->communication_step_s};
    wrsim_status status = isnan(time_s) ? WRSIM_OK : wr_walk_check_times(config, &time_s, 1, err);
    if (status >= 0)
        status = wr_walk_begin(config, report, reporter, &sim, err);
    if (status >= 0)
        status = wr_view_create(sim, selection, &view, err);
    if (status >= 0 && !isnan(time_s))
        status = wr_walk_to(sim, time_s, err);
    if (status >= 0)
        status = wr_view_take(view, err);
    if (status >= 0)
        status = linearise(view, ret, err);
    return status;
}

static void free_names(char **name, int n)
{
    for (int i = 0; name && i < n; i++)
        free(name[i]);
    free(name);
}

void wr_linearised_done(wr_linearised *l)
{
    free_names(l->input, l->system ? l->system->n_input : 0);
    free_names(l->driver, l->system ? l->system->n_input : 0);
    free_names(l->component, l->n_component);
    free_names(l->output, l->system ? l->system->n_output : 0);
    wr_linear_system_destroy(&l->system);
    *l = (wr_linearised){0};
}
