/* Stability of a config's fixed steps. See stability.h. Thread: one owner. Real-time: no. */
#include "offline/stability/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/algebra/lapack.h"
#include "offline/structure/walk.h"
#include "offline/texts.h"
#include "runtime/sim/simulation.h"
#include "subsystems/group/jacobian_pattern_file.h"

#define TAKE(memory, type, n) ((type *)wr_heap_pool_take(memory, (size_t)(n) + 1, sizeof(type)))

/* ---- data of the config ---- */

/* Finds the formula or stability function of a fixed step's method. Returns WRSIM_OK, or a negative status with err. */
static wrsim_status find_stepper(wr_stability_group *group, wrsim_error *err)
{
    if (group->options.formula) {
        group->formula = *group->options.formula;
        group->options.formula = &group->formula;
        group->stepper = wr_stepper_of_formula(&group->formula);
        return WRSIM_OK;
    }
    return wr_stepper_of_integrator(group->integrator, &group->stepper)
               ? WRSIM_OK
               : wr_error_set(err, WRSIM_E_INTERNAL,
                              "the stability of solver '%s' is unknown; report this error of wrsim",
                              group->method);
}

static wrsim_status describe(wr_stability *to, const wr_setup *m, wrsim_error *err)
{
    wr_stability_group *const group = &to->group[to->n_group++];
    group->name = wr_heap_pool_text(to->memory, m->name, strlen(m->name));
    if (!group->name)
        return wr_error_memory(err);
    group->largest_step_s = (double)INFINITY;
    if (!m->ode.integrator || wr_setup_group(m)->n_x == 0)
        return WRSIM_OK;
    if (m->ode.pattern_file) {
        group->pattern_file =
            wr_heap_pool_text(to->memory, m->ode.pattern_file, strlen(m->ode.pattern_file));
        if (!group->pattern_file)
            return wr_error_memory(err);
    }
    group->has_mass = wr_setup_group(m)->mass != NULL;
    to->has_mass |= group->has_mass;
    group->integrator = m->ode.integrator;
    group->method = m->ode.integrator->name;
    group->options = m->ode.options;
    group->step_s = m->ode.options.step_s;
    group->is_fixed = (m->ode.integrator->flags & WR_INTEG_FIXED_STEP) != 0;
    to->n_fixed += group->is_fixed;
    return group->is_fixed ? find_stepper(group, err) : WRSIM_OK;
}

/* Describes all subsystems with equations in the order of the config, by a simulation without a run. Returns WRSIM_OK, or an error of
 * creating the simulation. */
static wrsim_status describe_all(wr_stability *to, const wrsim_config *config,
                                 wrsim_report_fn report, void *reporter, wrsim_error *err)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    WR_TRY(wrsim_create(config, report, reporter, &sim, report ? NULL : err));
    const wr_assembly *const a = sim->assembly;
    to->group = TAKE(to->memory, wr_stability_group, a->n_subsystem);
    if (!to->group)
        return wr_error_memory(err);
    for (int i = 0; i < a->n_subsystem; i++)
        if (a->setup[i].kind->has_group)
            WR_TRY(describe(to, &a->setup[i], err));
    wr_stability_exchange_describe(to, sim->settings);
    return WRSIM_OK;
}

/* Lists overrides for variable steps, whole Jacobians and no slack. If a subsystem has a mass matrix, solvers for mass matrices keep their
 * fixed steps, which are stable with whole Jacobians. */
static void change_solvers(wr_heap_pool *memory, const wr_settings *set, int has_mass, wr_texts *to)
{
    static const char *const changed[] = {"pattern=\"\"", "code=\"\"", "kind=auto", "step=0",
                                          "spare_steps=-1"};
    enum { OF_MATRIX = 2, ALL = sizeof changed / sizeof changed[0] };
    for (int i = -1; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = i < 0 ? NULL : &set->subsystems[i];
        const wr_integrator_ops *const ops =
            wr_integrator_find(s ? s->solver.kind : set->solver.kind);
        if (!ops || !(ops->flags & WR_INTEG_FIXED_STEP) || (s && !s->name))
            continue;
        const int takes_pattern = (ops->flags & WR_INTEG_PATTERN) != 0;
        const int stays = has_mass && (ops->flags & WR_INTEG_MASS);
        for (int k = takes_pattern ? 0 : OF_MATRIX; k < (stays ? OF_MATRIX : ALL); k++)
            wr_texts_add(memory, to,
                         s ? wr_text(memory, "subsystem.%s.solver.%s", s->name, changed[k])
                           : wr_text(memory, "solver.%s", changed[k]));
    }
    if (!wr_settings_relaxes(set))
        wr_texts_add(memory, to, "relaxation.scheme=jacobi");
    else if (set->relaxation.max_sweeps == 1) { /* windows may be too long for several sweeps */
        wr_texts_add(memory, to, "relaxation.window.control=work");
        wr_texts_add(memory, to,
                     wr_text(memory, "relaxation.window.min=%.17g",
                             wr_min(WR_WINDOW_MIN_UNITS * wr_settings_time_unit(set),
                                    set->relaxation.window_min_s)));
    }
    wr_texts_add(memory, to,
                 wr_text(memory, "relaxation.max_sweeps=%d",
                         set->relaxation.max_sweeps > 12 ? set->relaxation.max_sweeps : 12));
    wr_texts_add(memory, to, "relaxation.prediction=auto");
    wr_texts_add(memory, to, "slack.replay=\"\"");
    wr_texts_add(memory, to, "slack.watch=0");
    for (const char *const *at = wr_walk_overrides; *at; at++)
        wr_texts_add(memory, to, *at);
}

static wrsim_status load(const wr_stability_request *request, const wr_texts *more,
                         wr_heap_pool *memory, wrsim_report_fn report, void *reporter,
                         wrsim_config **ret_config, wrsim_error *err)
{
    wr_texts all = {0};
    for (int i = 0; i < request->n_override; i++)
        wr_texts_add(memory, &all, request->override[i]);
    wr_texts_add(memory, &all, "output.file=\"\"");
    if (more)
        wr_texts_add_all(memory, &all, more);
    if (wr_heap_pool_is_short(memory))
        return wr_error_memory(err);
    WR_TRY(
        wrsim_config_from_file(request->file, all.item, all.n, report, reporter, ret_config, err));
    if (!wrsim_config_is_undecided(*ret_config))
        return WRSIM_OK;
    /* The study treats "auto" as split, because the study examines subsystems. */
    wrsim_config_destroy(ret_config);
    wr_texts_add(memory, &all, "simulation.monolithic=false");
    return wrsim_config_from_file(request->file, all.item, all.n, report, reporter, ret_config,
                                  err);
}

/* ---- along the run ---- */

static const char **copy_names(wr_heap_pool *memory, const wr_view_variable *variable, int n)
{
    const char **const names = TAKE(memory, const char *, n);
    for (int i = 0; names && i < n; i++)
        names[i] = wr_heap_pool_text(memory, variable[i].name, strlen(variable[i].name));
    return names;
}

/* Reads the used entries of the Jacobian in the order of the view's states. Creating the simulation has checked the file. Returns WRSIM_OK,
 * or an error of reading. */
static wrsim_status read_kept(wr_stability *to, wr_stability_group *group, const wr_view *view,
                              wrsim_error *err)
{
    const size_t n = (size_t)group->n_state;
    WR_AUTO(wr_diag_done) wr_diag diag = {0};
    WR_AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_matrix *const kept =
        arena ? wr_jacobian_pattern_file_read(arena, view->group, group->pattern_file,
                                              group->step_s, NULL, &diag)
              : NULL;
    group->kept = TAKE(to->memory, unsigned char, n *n);
    for (int j = 0; kept && group->kept && j < kept->n_column; j++)
        for (int k = kept->start[j]; k < kept->start[j + 1]; k++)
            group->kept[(size_t)j * n + (size_t)kept->row[k]] = 1;
    return kept && group->kept      ? WRSIM_OK
           : !wr_diag_status(&diag) ? wr_error_memory(err)
                                    : wr_diag_report(&diag, NULL, NULL, err);
}

/* Returns 1 if a mode is worse than the worst mode so far. An unstable mode is worse than a stable mode. Among unstable modes, faster
 * growth is worse. Among stable modes, a smaller largest step is worse. */
static int is_worse(const wr_mode *mode, double step_s, const wr_stability_group *group)
{
    const wr_mode *const worst = &group->worst;
    if (!group->has_worst || (mode->kind == WR_MODE_UNSTABLE) != (worst->kind == WR_MODE_UNSTABLE))
        return !group->has_worst || mode->kind == WR_MODE_UNSTABLE;
    if (mode->kind == WR_MODE_UNSTABLE)
        return mode->excess > worst->excess;
    return step_s < group->largest_step_s;
}

/* Stores the lost growth of a mode. lambda is the exact eigenvalue, or for a map the growth of the subsystem, 1/s. */
static void take_lost(wr_stability_group *group, const wr_mode *mode, double complex lambda)
{
    if (!mode->is_lost)
        return;
    const double follow_s = 0.5 / cabs(lambda);
    group->follow_s = group->n_lost > 0 ? wr_min(group->follow_s, follow_s) : follow_s;
    group->lost_per_s = wr_max(group->lost_per_s, creal(lambda));
    group->n_lost++;
}

static void take_mode(wr_stability_group *group, const wr_mode *mode)
{
    take_lost(group, mode, mode->lambda);
    group->n_unstable += mode->kind == WR_MODE_UNSTABLE;
    group->n_growing += mode->kind == WR_MODE_GROWING;
    if (mode->kind != WR_MODE_STABLE && mode->kind != WR_MODE_UNSTABLE)
        return;
    const double step_s = wr_mode_largest_step(&group->stepper, mode, group->largest_step_s);
    const int has_worse = is_worse(mode, step_s, group);
    /* If every step is stable, the fastest mode is the worst mode. */
    const int is_faster = isinf(group->largest_step_s) && !(step_s < group->largest_step_s) &&
                          mode->kind == group->worst.kind &&
                          cabs(mode->lambda) > cabs(group->worst.lambda) &&
                          mode->kind == WR_MODE_STABLE;
    if (has_worse || is_faster)
        group->worst = *mode;
    group->has_worst = 1;
    if (step_s < group->largest_step_s)
        group->largest_step_s = step_s;
}

/* Judges the map of a step. Returns WRSIM_OK, or an error of the map. */
static wrsim_status judge_step(wr_stability_group *group, double t_s, const double *a,
                               const double *l, const double *nominal, wr_mode *mode)
{
    const wr_linear_step step = {.n = group->n_state, .a = a, .l = l, .kept = group->kept};
    double growth = 0.0, largest_s = 0.0;
    WR_TRY(wr_linear_step_growth(&step, group->step_s, &growth));
    WR_TRY(wr_linear_step_modes(&step, group->step_s, growth, t_s, nominal, mode));
    WR_TRY(wr_linear_step_largest(&step, group->step_s, growth, group->largest_step_s, &largest_s));
    group->largest_step_s = wr_min(group->largest_step_s, largest_s);
    for (int i = 0; i < group->n_state; i++) {
        group->n_unstable += mode[i].kind == WR_MODE_UNSTABLE;
        take_lost(group, &mode[i], growth);
        if (!group->has_worst || mode[i].excess > group->worst.excess)
            group->worst = mode[i];
        group->has_worst = 1;
    }
    return WRSIM_OK;
}

static wrsim_status judge(wr_stability_group *group, const wr_linear *at, wrsim_error *err)
{
    const size_t n = (size_t)group->n_state;
    const double t_s = at->view->t_s;
    const int64_t n_unstable = group->n_unstable;
    WR_AUTO_FREE double *const a = malloc((2 * n * n + n + 1) * sizeof *a);
    wr_mode *const mode = group->mode + group->n_mode;
    if (!a)
        return wr_error_memory(err);
    double *const l = a + n * n, *const nominal = l + n * n;
    wr_matrix_to_dense(at->a, a);
    if (at->l)
        wr_matrix_to_dense(at->l, l);
    for (size_t i = 0; i < n; i++)
        nominal[i] = at->view->variable[WRSIM_STATE][i].nominal;
    const int is_mapped = wr_stability_is_mapped(group);
    const wrsim_status status =
        is_mapped
            ? judge_step(group, t_s, a, at->l ? l : NULL, nominal, mode)
            : wr_modes_find(&group->stepper, group->step_s, t_s, group->n_state, a, nominal, mode);
    for (int i = 0; i < group->n_state && status == WRSIM_OK && !is_mapped; i++)
        take_mode(group, &mode[i]);
    if (status < 0)
        return wr_error_set(err, status,
                            "subsystem '%s': the eigenvalues of the %s at t = %.9g s cannot be "
                            "computed: %s; examine other times by --times",
                            group->name, is_mapped ? "step" : "Jacobian", t_s,
                            wrsim_status_text(status));
    group->n_mode += group->n_state;
    group->n_time_unstable += group->n_unstable > n_unstable;
    return WRSIM_OK;
}

/* Computes the growth of the whole system: the largest real part of an eigenvalue, at least 0. */
static wrsim_status take_whole(wr_stability *to, const wr_linear *at, wrsim_error *err)
{
    const size_t n = (size_t)at->view->n[WRSIM_STATE];
    WR_AUTO_FREE double *const a = malloc((n * n + 1) * sizeof *a);
    WR_AUTO_FREE double complex *const value = malloc((n + 1) * sizeof *value);
    wrsim_status status = a && value ? WRSIM_OK : WRSIM_E_MEMORY;
    if (status == WRSIM_OK) {
        wr_matrix_to_dense(at->a, a);
        status = wr_lapack_eigen((int)n, a, value, NULL, NULL);
    }
    to->own_growth = 0.0;
    for (size_t i = 0; i < n && status == WRSIM_OK; i++)
        to->own_growth = wr_max(to->own_growth, creal(value[i]));
    return status == WRSIM_OK
               ? WRSIM_OK
               : wr_error_set(err, status,
                              "the eigenvalues of the whole system at t = %.9g s cannot be "
                              "computed: %s; examine other times by --times",
                              at->view->t_s, wrsim_status_text(status));
}

static wrsim_status look_at(void *user, const wr_linear *at, wrsim_error *err)
{
    wr_stability *const to = user;
    if (at->i_group == to->n_group) {
        WR_TRY(take_whole(to, at, err));
        return wr_stability_exchange_judge(to, at->view->t_s, err);
    }
    wr_stability_group *const group = &to->group[at->i_group];
    if (!group->has_names) {
        const wr_view *const view = at->view;
        group->n_state = view->n[WRSIM_STATE];
        group->n_input = view->n[WRSIM_INPUT];
        group->n_output = view->n[WRSIM_OUTPUT];
        group->state = copy_names(to->memory, view->variable[WRSIM_STATE], group->n_state);
        group->output = copy_names(to->memory, view->variable[WRSIM_OUTPUT], group->n_output);
        group->driver = TAKE(to->memory, const char *, group->n_input);
        group->mode = TAKE(to->memory, wr_mode, (size_t)group->n_state * (size_t)to->n_time);
        for (int k = 0; group->driver && k < group->n_input; k++) {
            const char *const name = view->driver[k].name;
            group->driver[k] = name ? wr_heap_pool_text(to->memory, name, strlen(name)) : NULL;
        }
        if (wr_heap_pool_is_short(to->memory))
            return wr_error_memory(err);
        group->has_names = 1;
        WR_TRY(group->pattern_file ? read_kept(to, group, view, err) : WRSIM_OK);
    }
    if (to->exchange.verdict == WR_EXCHANGE_STABLE)
        WR_TRY(wr_stability_exchange_take(to, group, at, err));
    return group->is_fixed ? judge(group, at, err) : WRSIM_OK;
}

static wrsim_status walk(wr_stability *to, const wr_stability_request *request,
                         const wrsim_config *config, wrsim_report_fn report, void *reporter,
                         wrsim_error *err)
{
    wr_selection *const selection = TAKE(to->memory, wr_selection, to->n_group + 1);
    WR_AUTO_FREE double *const even_s =
        request->time_s ? NULL : wr_walk_times(config, request->n_time);
    if (!selection || (!request->time_s && !even_s))
        return wr_error_memory(err);
    to->n_time = request->n_time;
    for (int i = 0; i < to->n_group; i++)
        selection[i].subsystem = to->group[i].name;
    /* The last selection, the whole system, is for the exchange. */
    const int n_group = to->n_group + (to->exchange.verdict == WR_EXCHANGE_STABLE);
    const wr_linear_request linear = {.group = selection,
                                      .n_group = n_group,
                                      .time_s = request->time_s ? request->time_s : even_s,
                                      .n_time = request->n_time,
                                      .progress = request->progress,
                                      .teller = request->user};
    return wr_linear_run(config, &linear, look_at, to, report, reporter, err);
}

static wrsim_status study(wr_stability *to, const wr_stability_request *request,
                          wrsim_report_fn report, void *reporter, wrsim_error *err)
{
    WR_AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    WR_AUTO(wrsim_config_destroy) wrsim_config *run = NULL;
    wr_texts changed = {0};
    WR_TRY(load(request, NULL, to->memory, report, reporter, &config, err));
    WR_TRY(describe_all(to, config, report, reporter, err));
    if (to->n_fixed == 0 && to->exchange.verdict == WR_EXCHANGE_NONE)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "no subsystem of '%s' has a fixed step or exchanges values without waiting; add a "
            "fixed step, such as -D solver.kind=rk4 -D solver.step=1e-3",
            request->file);
    change_solvers(to->memory, config->settings, to->has_mass, &changed);
    WR_TRY(load(request, &changed, to->memory, report, reporter, &run, err));
    return walk(to, request, run, report, reporter, err);
}

wrsim_status wr_stability_run(const wr_stability_request *request, wr_stability *ret,
                              wrsim_report_fn report, void *reporter, wrsim_error *err)
{
    wr_stability to = {.memory = wr_heap_pool_create(NULL)};
    if (!to.memory)
        return wr_error_memory(err);
    const wrsim_status status = study(&to, request, report, reporter, err);
    if (status < 0) {
        wr_stability_done(&to);
        return status;
    }
    wr_stability_exchange_finish(&to);
    const wr_exchange_verdict exchange = to.exchange.verdict;
    int is_unstable = exchange == WR_EXCHANGE_UNSTABLE;
    for (int i = 0; i < to.n_group; i++)
        is_unstable |= to.group[i].n_unstable > 0 || to.group[i].n_lost > 0;
    to.verdict = is_unstable                                                      ? WRSIM_UNSTABLE
                 : exchange == WR_EXCHANGE_NONE || exchange == WR_EXCHANGE_STABLE ? WRSIM_OK
                                                                                  : WRSIM_UNDECIDED;
    *ret = to;
    return WRSIM_OK;
}

void wr_stability_done(wr_stability *stability)
{
    wr_heap_pool_destroy(&stability->memory);
    *stability = (wr_stability){.memory = NULL};
}
