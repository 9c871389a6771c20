/* Builds a simulation from settings, and config handles (wrsim/config.h). See build_simulation.h.
 *
 * Thread: one owner. Simulations in several threads may share a config, which counts its users. Real-time: no (setup).
 */
#include "runtime/sim/build_simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/fp_mode.h"
#include "base/text_buffer.h"
#include "runtime/sim/build_components.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/host_services.h"
#include "runtime/sim/inspect.h"
#include "runtime/sim/realtime.h"
#include "runtime/sim/run_files.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_host/fmi/ssp_config.h"

/* ---- long runs ---- */

/* Number of parts of a run above which the run gets a warning (assumed): so many parts take 50 s at least. */
static const double MANY_PARTS = 1e9;
/* Most parts per second that a core computes: a step of an explicit method with one state takes about 50 ns (assumed). */
static const double PARTS_PER_SECOND = 2e7, SECONDS_PER_DAY = 86400.0;

/* A length of time that divides a run. */
typedef struct wr_division {
    const char *name;  /* key or declaration of a model that sets the length */
    const char *parts; /* plural noun for the parts */
    double length_s;   /* 0 or infinite: no division */
    wr_where where;
} wr_division;

/* Returns the subsystem with the shortest solver.step (the fixed or the largest step) among subsystems with states; -1: none. */
static int shortest_step(const wr_assembly *a)
{
    int shortest = -1;
    for (int i = 0; i < a->n_subsystem; i++) {
        const double step_s = a->setup[i].ode.options.step_s;
        const wr_group *const group = a->setup[i].subsystem ? wr_setup_group(&a->setup[i]) : NULL;
        if (group && group->n_x > 0 && step_s > 0.0 &&
            (shortest < 0 || step_s < a->setup[shortest].ode.options.step_s))
            shortest = i;
    }
    return shortest;
}

/* Returns the component with the shortest declared time scale; NULL: none. The search skips subsystems without states, and methods of fixed
 * steps, because only methods with error control search their steps for pulses (subsystems/ode/pulse_search.c). */
static const wr_component *shortest_scale(const wr_assembly *a)
{
    const wr_component *shortest = NULL;
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_group *const group = a->setup[i].subsystem ? wr_setup_group(&a->setup[i]) : NULL;
        const int is_searched =
            group && group->n_x > 0 && !(a->setup[i].ode.integrator->flags & WR_INTEG_FIXED_STEP);
        for (int c = 0; is_searched && c < group->n_component; c++) {
            const wr_component *const component = group->component[c];
            if (component->time_scale_s > 0.0 &&
                (!shortest || component->time_scale_s < shortest->time_scale_s))
                shortest = component;
        }
    }
    return shortest;
}

static void warn_of_length(const wr_assembly *a, wr_diag *warnings)
{
    const wr_settings *const set = a->settings;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    const int i = shortest_step(a);
    const int is_own = i >= 0 && !set->simulation.monolithic && i < set->n_subsystems &&
                       set->subsystems[i].where_solver.line > 0;
    const wr_component *const scaled = shortest_scale(a);
    char scale_name[128] = "";
    if (scaled)
        snprintf(scale_name, sizeof scale_name, "half of the time_scale_s that '%.60s' declares",
                 scaled->name);
    const wr_division divisions[] = {
        {"'simulation.communication_step'", "communication points",
         set->simulation.communication_step_s,
         wr_settings_place(set, "simulation.communication_step")},
        {"'relaxation.window.max'", "windows",
         !wr_settings_relaxes(set) || a->n_subsystem == 1 ? 0.0 : set->relaxation.window_max_s,
         wr_settings_place(set, "relaxation.window.max")},
        {"'slack.period'", "periods", is_slack ? set->slack.period_s : 0.0,
         wr_settings_place(set, "slack.period")},
        {"'solver.step'", "steps", i >= 0 ? a->setup[i].ode.options.step_s : 0.0,
         is_own ? set->subsystems[i].where_solver : wr_settings_place(set, "solver.step")},
        {scale_name, "searches of steps", scaled ? 0.5 * scaled->time_scale_s : 0.0,
         scaled ? scaled->where : (wr_where){.line = 0}}};
    for (size_t k = 0; k < WR_COUNT_OF(divisions); k++) {
        const wr_set_simulation *const s = &a->settings->simulation;
        const double run_s = s->stop_s - s->start_s;
        if (!(divisions[k].length_s > 0.0) || !(run_s / divisions[k].length_s > MANY_PARTS))
            continue;
        const double n = run_s / divisions[k].length_s;
        wr_diag_add(warnings, WRSIM_OK, &divisions[k].where,
                    "%s (%.10g s) divides the run of %.10g s into %.2g %s, which take %.2g days at "
                    "least; raise this value, or lower simulation.stop",
                    divisions[k].name, divisions[k].length_s, run_s, n, divisions[k].parts,
                    n / PARTS_PER_SECOND / SECONDS_PER_DAY);
    }
}

/* ---- keys of delay errors and periods ---- */

/* Refuses a period part_s that is not slack.period times 2^-k with k = 0 ... 10. */
static void check_part(const wr_settings *set, double part_s, const char *key,
                       const wr_where *where, wr_diag *diag)
{
    static const double ROUNDING = 1e-9, MOST = 10.0; /* MOST equals WR_SLACK_MOST_HALVINGS */
    const double period_s = wr_settings_slack_period(set);
    const double k = wr_clamp(floor(log2(period_s / part_s) + 0.5), 0.0, MOST);
    if (fabs(ldexp(part_s, (int)k) / period_s - 1.0) <= ROUNDING)
        return;
    wr_diag_add(
        diag, WRSIM_E_CONFIG, where,
        "%s = %.9g s must be slack.period (%.9g s) divided by 1, 2, 4 ... 1024; choose %.9g s", key,
        part_s, period_s, ldexp(period_s, -(int)k));
}

/* Checks slack.shortest_period and the periods of connections with check_part(). "shorten" and periods of connections exclude several
 * sweeps. */
static void check_periods(const wr_settings *set, wr_diag *diag)
{
    const wr_set_slack *const k = &set->slack;
    const char *shorter = wr_settings_is_shortening(set) ? "\"shorten\"" : NULL;
    const wr_where place = wr_settings_place(set, "slack.shortest_period");
    if (k->shortest_period_s > 0.0)
        check_part(set, k->shortest_period_s, "slack.shortest_period", &place, diag);
    const wr_where *last = NULL;
    for (int i = 0; i < set->n_connections; i++) {
        const wr_set_connection *const c = &set->connections[i];
        if (!(c->period_s > 0.0))
            continue;
        /* One line of the config may make several successive connections. */
        if (!last || last->line != c->where_period.line || last->column != c->where_period.column)
            check_part(set, c->period_s, "'period' of a connection", &c->where_period, diag);
        last = &c->where_period;
        shorter = "'period' of a connection";
    }
    const int is_relaxed = (k->eps_loc > 0.0 && k->on_loc == WR_ACTION_RELAX) ||
                           (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_RELAX);
    const wr_where where = wr_settings_place(set, k->sweeps > 1                  ? "slack.sweeps"
                                                  : k->on_loc == WR_ACTION_RELAX ? "slack.on_loc"
                                                                                 : "slack.on_glo");
    if (shorter && (k->sweeps > 1 || is_relaxed))
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "%s cannot be combined with several sweeps (slack.sweeps above 1, or \"relax\" "
                    "of slack.on_loc or .on_glo), which need equal periods of all subsystems; "
                    "remove one of the two",
                    shorter);
}

static void check_delays(const wr_settings *set, wr_diag *diag)
{
    const wr_set_slack *const k = &set->slack;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    if (k->watch > 0 && !is_slack) {
        WR_SETTINGS_REFUSE(set, "slack.watch", diag,
                           "slack.watch needs relaxation.scheme = \"slack\"; remove slack.watch, "
                           "because a relaxed run estimates its error without this key");
    }
    if (is_slack)
        check_periods(set, diag);
    static const char *const keys[] = {"slack.eps_loc", "slack.eps_glo"};
    const double limits[] = {k->eps_loc, k->eps_glo};
    for (int i = 0; i < 2; i++) {
        if (limits[i] > 0.0 && k->watch == 0)
            WR_SETTINGS_REFUSE(
                set, keys[i], diag,
                "%s limits an error that is not estimated; set slack.watch = 1, or remove "
                "the limit",
                keys[i]);
    }
}

/* ---- the simulation ---- */

void wr_build_simulation_fill(wrsim *sim, wr_diag *diag)
{
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* building calls models */
    sim->assembly = wr_build_components_create(sim->settings, &sim->memory, sim->host.models, diag);
    if (sim->assembly)
        warn_of_length(sim->assembly, &sim->assembly->length_warnings);
    wr_fp_mode_restore(before);
    wr_host_services_choose_cores(sim, diag);
    wr_run_files_check(sim->settings, diag);
    wr_version_log_check(sim->settings, diag);
    wr_realtime_check(sim->settings, diag);
    check_delays(sim->settings, diag);
}

wrsim *wr_build_simulation_empty(const wr_settings *settings)
{
    static _Atomic uint64_t n_made; /* relaxed, because numbers only have to differ */
    wrsim *const sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->number = 1 + atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed);
    sim->own = *settings;
    if (sim->own.simulation.monolithic == WR_GROUPING_AUTO)
        sim->own.simulation.monolithic = WR_GROUPING_SPLIT;
    sim->settings = &sim->own;
    sim->driver = wr_driver_of(settings);
    atomic_init(&sim->state, WR_SIM_CREATED);
    sim->furthest_s = settings->simulation.start_s;
    return sim;
}

void wr_build_simulation_check(const wr_settings *settings, wr_diag *diag)
{
    wrsim *sim = wr_build_simulation_empty(settings);
    if (!sim)
        return;
    wr_build_simulation_fill(sim, diag);
    wr_build_simulation_free(&sim);
}

wrsim_status wr_build_simulation_create(const wr_settings *settings, const wrsim *like,
                                        wrsim **ret_sim, wrsim_error *err)
{
    wr_diag diag = {0};
    wrsim *sim = wr_build_simulation_empty(settings);
    if (!sim)
        return WRSIM_E_MEMORY;
    if (like) {
        sim->memory = like->memory;
        sim->host.models = like->host.models;
    }
    wr_build_simulation_fill(sim, &diag);
    const wrsim_status status = wr_diag_report(&diag, NULL, NULL, err);
    wr_diag_done(&diag);
    if (status < 0)
        wr_build_simulation_free(&sim);
    else
        *ret_sim = sim;
    return status;
}

void wr_build_simulation_free(wrsim **sim)
{
    if (!*sim)
        return;
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* destruction calls models */
    wr_build_components_destroy(&(*sim)->assembly);
    wr_fp_mode_restore(before);
    wr_host_services_free_cores(*sim);
    free(*sim);
    *sim = NULL;
}

/* ---- config handles ---- */

/* Warns of a stop time that the program has chosen, unless an override sets another. path: of the FMU or system. */
static void warn_of_stop(const wr_settings *settings, const char *path, wr_diag *warnings)
{
    const wr_where stop = wr_settings_place(settings, "simulation.stop");
    if (stop.line > 0) /* overrides have no line */
        wr_diag_add(warnings, WRSIM_OK, &(wr_where){.file = path},
                    "the default experiment has no stop time, so the run ends %.10g s after its "
                    "start; set simulation.stop",
                    settings->simulation.stop_s - settings->simulation.start_s);
}

/* Returns the settings of a config that runs one FMU or a system of SSP. */
static wr_settings *read_fmu(const char *path, const wr_override *list, int n_override,
                             wr_diag *diag)
{
    wrsim_error err = {0};
    wr_diag warnings = {0};
    int is_stop_chosen;
    char *const text = wr_ssp_config_of_file(path, &is_stop_chosen, &warnings, &err);
    const wr_where where = {.file = err.file[0] ? err.file : path, .line = err.line};
    wr_settings *settings = NULL;
    wr_text_buffer name = {0};
    /* Lines in messages are lines of the config that `wrsim import --write` writes. */
    wr_text_buffer_add(&name, "%s (config)", path);
    if (text && wr_text_buffer_get(&name))
        settings = wr_settings_parse(text, strlen(text), name.text, list, n_override, diag);
    else if (text)
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while '%s' is read", path);
    else
        wr_diag_add(diag, err.status, &where, "%s", err.text);
    wr_text_buffer_done(&name);
    free(text);
    if (settings && is_stop_chosen)
        warn_of_stop(settings, path, &warnings);
    if (settings)
        settings->warnings = warnings;
    else
        wr_diag_done(&warnings);
    return settings;
}

/* Reads a config from a text, or from the file `name` if text is NULL. */
static wrsim_status read_config(const char *text, size_t text_bytes, const char *name,
                                const char *const *overrides, int n_overrides,
                                wrsim_report_fn report, void *user, wrsim_config **ret_config,
                                wrsim_error *err)
{
    wr_diag diag = {0};
    wr_settings *settings = NULL;
    wr_override *const list = calloc((size_t)n_overrides + 1, sizeof *list);
    wrsim_config *config = calloc(1, sizeof *config);
    for (int i = 0; list && i < n_overrides; i++)
        list[i].text = overrides[i];
    if (!list || !config)
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL, "out of memory while '%s' is read", name);
    else if (text)
        settings = wr_settings_parse(text, text_bytes, name, list, n_overrides, &diag);
    else if (wr_fmi_config_is_fmu(name) || wr_ssp_config_is_system(name))
        settings = read_fmu(name, list, n_overrides, &diag);
    else
        settings = wr_settings_load(name, list, n_overrides, &diag);
    free(list);
    /* If the config has errors, this check adds the errors that only wrsim_create() would find. After an error of memory the settings are
     * incomplete and get no check. */
    int is_memory_out = diag.n_dropped > 0;
    for (int i = 0; i < diag.n_items; i++)
        is_memory_out |= diag.items[i].status == WRSIM_E_MEMORY;
    if (settings && wr_diag_status(&diag) < 0 && !is_memory_out)
        wr_build_simulation_check(settings, &diag);
    const wrsim_status status = wr_diag_report(&diag, report, user, err);
    wr_diag_done(&diag);
    if (!settings || status < 0) {
        wr_settings_destroy(&settings);
        free(config);
        return status;
    }
    config->settings = settings;
    atomic_init(&config->n_user, 1);
    *ret_config = config;
    return WRSIM_OK;
}

wrsim_status wrsim_config_from_file(const char *path, const char *const *overrides, int n_overrides,
                                    wrsim_report_fn report, void *user, wrsim_config **ret_config,
                                    wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!path || n_overrides < 0 || (n_overrides > 0 && !overrides) || !ret_config)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "wrsim_config_from_file: path or ret_config is NULL, or overrides does not have "
            "n_overrides entries; pass valid pointers and their number");
    return read_config(NULL, 0, path, overrides, n_overrides, report, user, ret_config, err);
}

wrsim_status wrsim_config_from_text(const char *text, size_t text_bytes, const char *name,
                                    const char *const *overrides, int n_overrides,
                                    wrsim_report_fn report, void *user, wrsim_config **ret_config,
                                    wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!text || !name || n_overrides < 0 || (n_overrides > 0 && !overrides) || !ret_config)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "wrsim_config_from_text: text, name or ret_config is NULL, or overrides does not have "
            "n_overrides entries; pass valid pointers and their number");
    return read_config(text, text_bytes, name, overrides, n_overrides, report, user, ret_config,
                       err);
}

char *wrsim_config_dump(const wrsim_config *config)
{
    WR_IN_C_LOCALE;
    return config ? wr_settings_dump(config->settings, WR_DUMP_ALL) : NULL;
}

int wrsim_config_is_undecided(const wrsim_config *config)
{
    return config && config->settings->simulation.monolithic == WR_GROUPING_AUTO;
}

void wr_build_simulation_use_config(wrsim_config *config)
{
    atomic_fetch_add_explicit(&config->n_user, 1, memory_order_relaxed);
}

void wrsim_config_destroy(wrsim_config **config)
{
    if (!config || !*config)
        return;
    /* acq_rel: the last user acquires all writes of the other users before the last user frees the config. */
    if (atomic_fetch_sub_explicit(&(*config)->n_user, 1, memory_order_acq_rel) == 1) {
        wr_settings_destroy(&(*config)->settings);
        free(*config);
    }
    *config = NULL;
}
