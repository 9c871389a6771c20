/* Collects linearisations for sparsing. See sparsing_run.h. Thread: one owner. Real-time: no. */
#include "offline/sparsing/sparsing_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/matrix_market.h"
#include "base/names.h"
#include "offline/structure/linear.h"
#include "offline/structure/view.h"
#include "offline/structure/walk.h"
#include "runtime/sim/simulation.h"

typedef struct collector {
    wr_sparsing_study *study;
    double *df, *l; /* [n * n] Jacobian and mass matrix of the present point */
    int n_time;     /* number of points of the run */
    int is_begun;
} collector;

/* Adds the subsystem and the time to the error of a linearisation. Returns status. */
static wrsim_status placed(wrsim_status status, const char *subsystem, double t_s, wrsim_error *err)
{
    if (status < 0 && err && !err->subsystem[0] && !err->file[0]) {
        snprintf(err->subsystem, sizeof err->subsystem, "%s", subsystem);
        err->time_s = t_s;
    }
    return status;
}

/* ---- along a run ---- */

static const char *copy_text(wr_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *const copy = wr_arena_push(arena, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Starts the study at the first linearisation of a run. Copies names, nominal values and the pattern, which the study
 * needs after the run. */
static wrsim_status begin_from_view(collector *c, const wr_view *view, wrsim_error *err)
{
    wr_arena *const arena = c->study->arena;
    const int n = view->n[WRSIM_STATE];
    const size_t count = (size_t)n * (size_t)n;
    const wr_matrix *const p = view->group->pattern_xx;
    const char **const name = WR_NEW_ARRAY(arena, const char *, n);
    double *const nominal = WR_NEW_ARRAY(arena, double, n);
    unsigned char *const full = WR_NEW_ARRAY(arena, unsigned char, count);
    const char *const subsystem = copy_text(arena, view->name);
    if (n > WR_SPARSING_MOST) /* wr_sparsing_begin() fails with a message and needs no pattern */
        return wr_sparsing_begin(&c->study->sparsing, subsystem, n, name, nominal, full, err);
    c->df = WR_NEW_ARRAY(arena, double, count);
    c->l = view->group->mass ? WR_NEW_ARRAY(arena, double, count) : NULL;
    if (!name || !nominal || !full || !subsystem || !c->df || (view->group->mass && !c->l))
        return wr_error_memory(err);
    for (int i = 0; i < n; i++) {
        name[i] = copy_text(arena, view->variable[WRSIM_STATE][i].name);
        nominal[i] = view->group->nominal_x[i];
        if (!name[i])
            return wr_error_memory(err);
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            full[(size_t)i * (size_t)n + (size_t)p->row[k]] = 1;
    }
    const wr_mass *const mass = view->group->mass;
    for (int j = 0; mass && j < n; j++)
        for (int k = mass->pattern->start[j]; k < mass->pattern->start[j + 1]; k++)
            c->l[(size_t)j * (size_t)n + (size_t)mass->pattern->row[k]] = mass->value[k];
    c->study->has_mass = mass != NULL;
    c->is_begun = 1;
    return wr_sparsing_begin(&c->study->sparsing, subsystem, n, name, nominal, full, err);
}

static wrsim_status take_linear(void *user, const wr_linear *linear, wrsim_error *err)
{
    collector *const c = user;
    const wr_view *const view = linear->view;
    if (!c->is_begun)
        WR_TRY(placed(begin_from_view(c, view, err), view->name, view->t_s, err));
    wr_matrix_to_dense(linear->a, c->df);
    wr_tell(&c->study->sparsing.options.listener, WR_NEWS_PROGRESS, "linearised at %d of %d points",
            c->study->sparsing.samples.n_sample + 1, c->n_time);
    const wr_linearisation at = {.t_s = view->t_s, .l = c->l, .df = c->df, .x = view->x};
    return placed(wr_samples_add(&c->study->sparsing.samples, &at, err), view->name, view->t_s,
                  err);
}

/* Returns the index of the subsystem, or -1 with err if no subsystem or several match. */
static int find_subsystem(const wrsim *sim, const char *name, wrsim_error *err)
{
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    wrsim_subsystem_stats stats;
    int found = -1, n_with_states = 0;
    for (int i = 0; wrsim_stats_subsystem(sim, i, &stats) == WRSIM_OK; i++) {
        if (stats.n_state == 0)
            continue;
        if (name && strcmp(stats.name, name) == 0)
            return i;
        found = i;
        if (n_with_states < MOST_NAMES)
            names[n_with_states] = stats.name;
        n_with_states++;
    }
    const int n_name = n_with_states < MOST_NAMES ? n_with_states : MOST_NAMES;
    if (!name && n_with_states == 1)
        return found;
    char hint[WR_NAMES_HINT_BYTES];
    if (name)
        wr_error_set(err, WRSIM_E_ARG, "'%.60s' is not a subsystem with states; %.300s", name,
                     wr_names_hint(name, names, n_name, hint));
    else if (n_with_states > 0)
        wr_error_set(err, WRSIM_E_ARG, "%d subsystems have states; add --subsystem NAME; %.300s",
                     n_with_states, wr_names_hint("", names, n_name, hint));
    else
        wr_error_set(
            err, WRSIM_E_ARG,
            "no subsystem has states, so the study has no Jacobian; choose another config");
    return -1;
}

wrsim_status wr_sparsing_find_target(const wrsim_config *config, const char *name,
                                     wrsim_report_fn report, void *reporter,
                                     wr_sparsing_target *ret_target, wrsim_error *err)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_subsystem_stats stats;
    WR_TRY(wrsim_create(config, report, reporter, &sim, report ? NULL : err));
    const int i = find_subsystem(sim, name, err);
    if (i >= 0 && wrsim_stats_subsystem(sim, i, &stats) == WRSIM_OK) {
        const wr_set_subsystem *table = NULL;
        for (int k = 0; k < config->settings->n_subsystems && !table; k++) {
            const wr_set_subsystem *const one = &config->settings->subsystems[k];
            table = one->name && strcmp(one->name, stats.name) == 0 ? one : NULL;
        }
        const double step_s = (table ? &table->solver : &config->settings->solver)->step_s;
        *ret_target =
            (wr_sparsing_target){.step_s = step_s > 0.0 ? step_s : 0.0, .has_table = table != NULL};
        snprintf(ret_target->name, sizeof ret_target->name, "%s", stats.name);
    }
    return i < 0 ? WRSIM_E_ARG : WRSIM_OK;
}

double *wr_sparsing_times(const wrsim_config *config, int n_most, int *ret_n)
{
    const double start_s = config->settings->simulation.start_s;
    const double grid_s = config->settings->simulation.communication_step_s;
    double *const time_s = wr_walk_times(config, n_most);
    int n = 0;
    for (int i = 0; time_s && i < n_most; i++) {
        /* The communication point at or before time i; 1e-6 allows for rounding errors. */
        const double t_s = start_s + grid_s * floor((time_s[i] - start_s) / grid_s + 1e-6);
        if (n == 0 || t_s > time_s[n - 1])
            time_s[n++] = t_s;
    }
    *ret_n = n;
    return time_s;
}

static wrsim_status collect_run(collector *c, const wr_sparsing_source *source,
                                wrsim_report_fn report, void *reporter, wrsim_error *err)
{
    wr_sparsing_options *const options = &c->study->sparsing.options;
    const wr_selection group = {.subsystem = source->target->name};
    if (!(options->tau_s > 0.0))
        options->tau_s = source->target->step_s;
    if (!(options->tau_s > 0.0))
        return wr_error_set(err, WRSIM_E_ARG,
                            "subsystem '%s' has no solver.step; set the step by --tau SECONDS",
                            source->target->name);
    const wr_linear_request request = {
        .group = &group, .n_group = 1, .time_s = source->time_s, .n_time = source->n_time};
    return wr_linear_run(source->config, &request, take_linear, c, report, reporter, err);
}

/* ---- from files ---- */

static wr_matrix *read_square(const char *path, int n, wrsim_error *err)
{
    wrsim_error own = {.status = WRSIM_OK};
    wr_matrix *matrix = wr_matrix_market_read(path, NULL, NULL, &own);
    if (matrix && (matrix->n_row != matrix->n_column || (n > 0 && matrix->n_row != n))) {
        wr_error_set(
            &own, WRSIM_E_ARG,
            n > 0
                ? "the matrix is %d x %d, but the Jacobian is %d x %d; name matrices of equal size"
                : "the matrix is %d x %d, but a Jacobian is square; name another matrix",
            matrix->n_row, matrix->n_column, n, n);
        snprintf(own.file, sizeof own.file, "%s", path);
        wr_matrix_destroy(&matrix);
    }
    if (matrix && !matrix->value) {
        wr_error_set(&own, WRSIM_E_ARG,
                     "the file has a pattern without values; name a matrix with values");
        snprintf(own.file, sizeof own.file, "%s", path);
        wr_matrix_destroy(&matrix);
    }
    if (!matrix && err)
        *err = own;
    return matrix;
}

static wrsim_status begin_from_files(collector *c, wr_matrix *const *matrix, int n_matrix,
                                     const wr_matrix *mass, wrsim_error *err)
{
    wr_arena *const arena = c->study->arena;
    const int n = matrix[0]->n_row;
    const size_t size = (size_t)n, count = size * size;
    const char **const name = WR_NEW_ARRAY(arena, const char *, size);
    unsigned char *const full = WR_NEW_ARRAY(arena, unsigned char, count);
    c->df = WR_NEW_ARRAY(arena, double, count);
    c->l = mass ? WR_NEW_ARRAY(arena, double, count) : NULL;
    if (!name || !full || !c->df || (mass && !c->l))
        return wr_error_memory(err);
    for (int i = 0; i < n; i++) {
        char text[16];
        snprintf(text, sizeof text, "x%d", i + 1);
        if (!(name[i] = copy_text(arena, text)))
            return wr_error_memory(err);
    }
    for (int m = 0; m < n_matrix; m++)
        for (int j = 0; j < n; j++)
            for (int k = matrix[m]->start[j]; k < matrix[m]->start[j + 1]; k++)
                full[(size_t)j * size + (size_t)matrix[m]->row[k]] = 1;
    if (mass)
        wr_matrix_to_dense(mass, c->l);
    return wr_sparsing_begin(&c->study->sparsing, "matrices", n, name, NULL, full, err);
}

static wrsim_status add_files(collector *c, const wr_sparsing_source *source, wr_matrix **matrix,
                              wrsim_error *err)
{
    for (int m = 0; m < source->n_jacobian; m++)
        if (!(matrix[m] = read_square(source->jacobian[m], m > 0 ? matrix[0]->n_row : 0, err)))
            return err ? err->status : WRSIM_E_ARG;
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *mass = source->mass ? read_square(source->mass, matrix[0]->n_row, err) : NULL;
    if (source->mass && !mass)
        return err ? err->status : WRSIM_E_ARG;
    WR_TRY(begin_from_files(c, matrix, source->n_jacobian, mass, err));
    for (int m = 0; m < source->n_jacobian; m++) {
        wr_matrix_to_dense(matrix[m], c->df);
        const wr_linearisation at = {.t_s = (double)NAN, .l = c->l, .df = c->df};
        const wrsim_status status = wr_samples_add(&c->study->sparsing.samples, &at, err);
        if (status < 0 && err)
            snprintf(err->file, sizeof err->file, "%s", source->jacobian[m]);
        WR_TRY(status);
    }
    return WRSIM_OK;
}

static wrsim_status collect_files(collector *c, const wr_sparsing_source *source, wrsim_error *err)
{
    WR_AUTO_FREE wr_matrix **const matrix =
        calloc((size_t)source->n_jacobian + 1, sizeof(wr_matrix *));
    const wrsim_status status = matrix ? add_files(c, source, matrix, err) : wr_error_memory(err);
    for (int m = 0; matrix && m < source->n_jacobian; m++)
        wr_matrix_destroy(&matrix[m]);
    return status;
}

wrsim_status wr_sparsing_collect(wr_sparsing_study *study, const wr_sparsing_source *source,
                                 const wr_sparsing_options *options, wrsim_report_fn report,
                                 void *reporter, wrsim_error *err)
{
    collector c = {.study = study, .n_time = source->n_time};
    *study = (wr_sparsing_study){.sparsing = {.options = *options},
                                 .arena = wr_arena_create((size_t)-1)};
    if (!study->arena)
        return wr_error_memory(err);
    return source->config ? collect_run(&c, source, report, reporter, err)
                          : collect_files(&c, source, err);
}

void wr_sparsing_study_done(wr_sparsing_study *study)
{
    wr_sparsing_done(&study->sparsing);
    wr_arena_destroy(&study->arena);
}

/* Smallest reference range of a state, as a share of its nominal value; equal to LEAST_RANGE of offline/sparsing/samples.c. */
static const double LEAST_RANGE = 1e-3;

wrsim_status wr_trajectory_run(const wrsim_config *config, const char *subsystem,
                               const double *time_s, int n_time, wrsim_report_fn report,
                               void *reporter, wr_trajectory *ret_trajectory, wrsim_error *err)
{
    const wr_selection selection = {.subsystem = subsystem};
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    WR_AUTO(wr_view_destroy) wr_view *view = NULL;
    *ret_trajectory = (wr_trajectory){.n = 0};
    WR_TRY(wr_walk_begin(config, report, reporter, &sim, err));
    WR_TRY(wr_view_create(sim, &selection, &view, err));
    const int n = view->n[WRSIM_STATE];
    double *const x = calloc((size_t)n * (size_t)n_time + 1, sizeof *x);
    *ret_trajectory = (wr_trajectory){.n = n, .n_time = n_time, .x = x};
    if (!x)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d times", n_time);
    for (int k = 0; k < n_time; k++) {
        WR_TRY(wr_walk_to(sim, time_s[k], err));
        WR_TRY(wr_view_take(view, err));
        wr_view_copy(x + (size_t)k * (size_t)n, view->x, n);
    }
    return WRSIM_OK;
}

void wr_trajectory_done(wr_trajectory *trajectory)
{
    free(trajectory->x);
    *trajectory = (wr_trajectory){.n = 0};
}

double wr_trajectory_error(const wr_trajectory *of, const wr_trajectory *reference, int i,
                           const double *nominal)
{
    double low = HUGE_VAL, high = -HUGE_VAL, off = 0.0;
    const size_t n = (size_t)reference->n;
    for (size_t k = 0; k < (size_t)reference->n_time; k++) {
        const double is = of->x[k * n + (size_t)i], should = reference->x[k * n + (size_t)i];
        if (!isfinite(is) || !isfinite(should))
            return HUGE_VAL;
        low = wr_min(low, should);
        high = wr_max(high, should);
        off = wr_max(off, fabs(is - should));
    }
    return off / wr_max(high - low, LEAST_RANGE * nominal[i]);
}
