/* Scenarios of a simulation. See scenarios.h. Thread: one owner. Real-time: no. */
#include "runtime/sim/scenarios.h"

#include <math.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "runtime/config/settings.h"
#include "runtime/record/results.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/simulation.h"
#include "subsystems/playback/port_player.h"

/* Threshold between the host's values 0 (off) and 1 (on): their mean. */
static const double HALF = 0.5;
/* Limit of the passed points of a repeated recording (assumed). The number of a point is an int. */
static const double MOST_PASSED = 1e9;

int wr_scenarios_count_api(const wr_settings *set)
{
    int n = 0;
    for (int i = 0; i < set->n_scenarios; i++)
        n += set->scenarios[i].is_api && !set->scenarios[i].is_refused;
    return n;
}

int wr_scenarios_has_value(const wr_set_scenario *set)
{
    return set->action != WR_SCENARIO_FREEZE && set->action != WR_SCENARIO_REPLAY &&
           set->action != WR_SCENARIO_STOP;
}

int wr_scenarios_is_spliced(const wr_set_scenario *set)
{
    return set->action != WR_SCENARIO_RESET && set->action != WR_SCENARIO_PARAMETER;
}

wr_trigger wr_scenarios_trigger(const wr_set_scenario *set)
{
    const int follows_time = set->action == WR_SCENARIO_RAMP || set->action == WR_SCENARIO_REPLAY;
    return (wr_trigger){.is_api = set->is_api,
                        .has_condition = set->condition.name != NULL,
                        .is_below = set->is_below,
                        .threshold = set->is_api ? HALF : set->threshold,
                        .at_s = set->at_s,
                        .until_s = set->until_s,
                        .duration_s = set->duration_s,
                        .keeps_begin = follows_time || isfinite(set->duration_s)};
}

int wr_scenarios_create(wr_assembly *a)
{
    const wr_settings *const set = a->settings;
    wr_scenarios *const s = WR_TAKE(a->pool, wr_scenarios, 1);
    if (!s || !(s->scenario = WR_TAKE(a->pool, wr_scenario, set->n_scenarios)))
        return -1;
    int n_api = 0;
    s->n = set->n_scenarios;
    for (int i = 0; i < s->n; i++) {
        const int is_api = set->scenarios[i].is_api && !set->scenarios[i].is_refused;
        s->scenario[i] = (wr_scenario){.i_api = is_api ? n_api++ : -1, .i_on = -1, .i_level = -1};
    }
    a->scenarios = s;
    return 0;
}

/* ---- signals ---- */

/* Returns the component of "component.variable"; -1: none. *ret_variable is the name behind the dot. */
static int find_component(const wr_assembly *a, const char *name, const char **ret_variable)
{
    const size_t n = strcspn(name, ".");
    *ret_variable = name[n] ? name + n + 1 : "";
    return wr_names_find(a->named, a->n_named, name, n);
}

int wr_scenarios_find(const wr_assembly *a, const char *name, int *ret_component,
                      wrsim_kind *ret_kind, int *ret_index)
{
    static const wrsim_kind kinds[] = {WRSIM_OUTPUT, WRSIM_INPUT};
    const char *variable;
    const int i = find_component(a, name, &variable);
    for (size_t k = 0; i >= 0 && k < WR_COUNT_OF(kinds); k++) {
        const int index = wr_component_find(a->component[i], kinds[k], variable);
        if (index < 0)
            continue;
        *ret_component = i;
        *ret_kind = kinds[k];
        *ret_index = index;
        return 0;
    }
    return -1;
}

/* Returns an output that equals the state; -1: none. */
static int find_output_of(const wr_component *c, int i_state)
{
    for (int i = 0; i < c->n[WRSIM_OUTPUT]; i++) {
        const wr_variable *const y = &c->variable[WRSIM_OUTPUT][i];
        if ((y->flags & WRSIM_IS_STATE) && y->index == i_state)
            return i;
    }
    return -1;
}

int wr_scenarios_watched(const wr_assembly *a, const char *name, int *ret_component,
                         int *ret_output)
{
    wrsim_kind kind;
    if (wr_lookup_name(a, name, ret_component, &kind, ret_output) != 0)
        return -1;
    if (kind == WRSIM_INPUT) {
        const wr_graph_edge *const driver =
            a->graph ? wr_graph_driver(a->graph, *ret_component, *ret_output) : NULL;
        if (!driver)
            return -1;
        *ret_component = driver->from;
        *ret_output = driver->i_output;
    } else if (kind != WRSIM_OUTPUT)
        *ret_output =
            kind == WRSIM_STATE ? find_output_of(a->component[*ret_component], *ret_output) : -1;
    return *ret_output >= 0 ? 0 : -1;
}

/* ---- checks ---- */

static void refuse_unknown(const wr_assembly *a, const char *key, const wr_set_name *signal,
                           const char *wanted, wr_diag *diag)
{
    char hint[WR_NAMES_HINT_BYTES];
    if (wr_lookup_may_lack(a, signal->name))
        return;
    wr_diag_add(diag, WRSIM_E_CONFIG, &signal->where, "scenario %s '%.160s': unknown %s; %s", key,
                signal->name, wanted, wr_lookup_hint(a, signal->name, hint));
}

/* Returns the number of inputs that read an output; -1: no graph. */
static int count_readers(const wr_assembly *a, int i_component, int i_output)
{
    int n = 0;
    for (int i = 0; a->graph && i < a->graph->n_edge; i++)
        n += a->graph->edge[i].from == i_component && a->graph->edge[i].i_output == i_output;
    return a->graph ? n : -1;
}

static void check_reader(const wr_assembly *a, const wr_set_scenario *s, const wr_set_name *to,
                         wr_diag *diag)
{
    int i_from, i_output;
    wrsim_kind from_kind;
    const char *variable;
    const int i_component = find_component(a, to->name, &variable);
    const int index =
        i_component >= 0 ? wr_component_find(a->component[i_component], WRSIM_INPUT, variable) : -1;
    if (index < 0) {
        refuse_unknown(a, "to", to, "input", diag);
        return;
    }
    if (!a->graph || wr_scenarios_find(a, s->signal.name, &i_from, &from_kind, &i_output) != 0 ||
        from_kind != WRSIM_OUTPUT)
        return;
    const wr_graph_edge *const driver = wr_graph_driver(a->graph, i_component, index);
    if (!driver || driver->from != i_from || driver->i_output != i_output)
        wr_diag_add(diag, WRSIM_E_CONFIG, &to->where,
                    "scenario to '%.160s': this input does not read '%.160s'; remove the input, or "
                    "connect it",
                    to->name, s->signal.name);
}

static void check_signal(const wr_assembly *a, const wr_set_scenario *s, wr_diag *diag)
{
    int i_component, index;
    wrsim_kind kind;
    if (wr_scenarios_find(a, s->signal.name, &i_component, &kind, &index) != 0) {
        const int is_kept = wr_lookup_name(a, s->signal.name, &i_component, &kind, &index) == 0;
        if (is_kept)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &s->signal.where,
                "scenario signal '%.160s' is a state, but this action needs an output or input; "
                "set action = \"reset\" to set a state once",
                s->signal.name);
        else
            refuse_unknown(a, "signal", &s->signal, "output or input", diag);
    } else if (kind == WRSIM_OUTPUT && count_readers(a, i_component, index) == 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, &s->signal.where,
                    "scenario signal '%.160s': no component reads this output, so the scenario has "
                    "no effect; connect the output, or remove the scenario",
                    s->signal.name);
    else if (kind == WRSIM_INPUT && s->n_to > 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, &s->to[0].where,
                    "scenario signal '%.160s' is an input, which has no other readers; remove 'to'",
                    s->signal.name);
    for (int i = 0; i < s->n_to; i++)
        check_reader(a, s, &s->to[i], diag);
}

/* ---- recordings ---- */

/* Returns the fault of a recording, or NULL. */
static const char *find_fault(const wr_results *r, const double *value)
{
    for (int i = 0; i < r->n_row; i++)
        if (!isfinite(r->time_s[i]) || !isfinite(value[i]))
            return "has a value that is not finite; repeat the recording";
        else if (i > 0 && r->time_s[i] < r->time_s[i - 1])
            return "has decreasing times; sort the rows";
    return r->n_row > 0 ? NULL : "has no rows; repeat the recording";
}

/* Returns the unit of a scenario's value, as scenario_splice.c; "" if the signal does not exist. */
static const char *unit_of(const wr_assembly *a, const wr_set_scenario *s)
{
    int i_component, index;
    wrsim_kind kind;
    if (wr_scenarios_find(a, s->signal.name, &i_component, &kind, &index) != 0)
        return "";
    const char *const unit = a->component[i_component]->variable[kind][index].unit;
    const wr_graph_edge *const driver = !*unit && kind == WRSIM_INPUT && a->graph
                                            ? wr_graph_driver(a->graph, i_component, index)
                                            : NULL;
    return driver ? a->component[driver->from]->variable[WRSIM_OUTPUT][driver->i_output].unit
                  : unit;
}

/* Returns the value of a recording with `all` points just before time_s, or with is_right at time_s. */
static double value_at(const wr_recorded_points *all, const wr_set_scenario *s, double time_s,
                       int is_right)
{
    int i = 0; /* number of points up to time_s */
    while (i < all->n_point &&
           (all->point_s[i] < time_s || (is_right && all->point_s[i] <= time_s)))
        i++;
    if (i == 0 || i == all->n_point || s->is_held)
        return all->point[i == 0 ? 0 : i - 1];
    const double length_s = all->point_s[i] - all->point_s[i - 1];
    return all->point[i - 1] +
           (all->point[i] - all->point[i - 1]) * ((time_s - all->point_s[i - 1]) / length_s);
}

/* Cuts one cycle out of a recording: from s->offset_s, s->period_s long. time_s and value have room for n_point + 2 numbers. */
static wr_recorded_points cut_cycle(const wr_recorded_points *all, const wr_set_scenario *s,
                                    double *time_s, double *value)
{
    const double end_s = s->offset_s + s->period_s;
    int n = 0;
    time_s[n] = 0.0;
    value[n++] = value_at(all, s, s->offset_s, 1);
    for (int i = 0; i < all->n_point; i++)
        if (all->point_s[i] > s->offset_s && all->point_s[i] < end_s) {
            time_s[n] = all->point_s[i] - s->offset_s;
            value[n++] = all->point[i];
        }
    time_s[n] = s->period_s;
    value[n++] = value_at(all, s, end_s, 0);
    return (wr_recorded_points){n, time_s, value, 0.0};
}

/* Returns whether a run would pass more than MOST_PASSED points of a repeated recording. */
static int is_too_short(const wr_assembly *a, const wr_set_scenario *s,
                        const wr_recorded_points *cycle)
{
    const double start_s = a->settings->simulation.start_s;
    const double begin_s = s->at_s < start_s ? s->at_s : start_s;
    const double n_cycle = (a->settings->simulation.stop_s - begin_s) / s->period_s;
    return n_cycle * cycle->n_point > MOST_PASSED;
}

static void load_points(const wr_assembly *a, const wr_set_scenario *s, wr_recorded_points *ret,
                        wr_diag *diag)
{
    wrsim_error err = {0};
    wr_results *r = wr_results_load(s->file, &err);
    if (!r) {
        wr_diag_add(diag, err.status, &s->where_file, "scenario file: %s", err.text);
        return;
    }
    const int column = wr_results_find(r, s->column);
    const size_t n = (size_t)r->n_row;
    const double *const recorded = r->value + (size_t)wr_max(column, 0) * n;
    const char *const fault = column >= 0 ? find_fault(r, recorded) : NULL;
    double *const time_s = WR_TAKE(a->pool, double, n), *const value = WR_TAKE(a->pool, double, n);
    double *const cycle_s = WR_TAKE(a->pool, double, n + 2);
    double *const cycle = WR_TAKE(a->pool, double, n + 2);
    char hint[WR_NAMES_HINT_BYTES];
    const char *const unit = unit_of(a, s);
    wr_unit_scale scale = {0.0, 0.0};
    if (column < 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_column,
                    "scenario column '%.160s': '%.200s' has no such column; %s", s->column, s->file,
                    wr_names_hint(s->column, (const char *const *)r->name, r->n_signal, hint));
    else if (fault)
        wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_file, "scenario file '%.200s' %s", s->file,
                    fault);
    else if (wr_unit_convert(r->unit[column], unit, &scale) != WR_UNIT_FITS)
        wr_diag_add(diag, WRSIM_E_CONFIG, &s->where_column,
                    "scenario column '%.160s' (unit %.32s) and its signal '%.160s' (unit %.32s) "
                    "have different units; record another signal, or correct the unit in the file",
                    s->column, r->unit[column], s->signal.name, unit);
    else if (!time_s || !value || !cycle_s || !cycle)
        wr_assembly_out_of_memory(diag);
    else {
        memcpy(time_s, r->time_s, n * sizeof *time_s);
        for (size_t i = 0; i < n; i++)
            value[i] = wr_unit_apply(scale, recorded[i]);
        *ret = (wr_recorded_points){r->n_row, time_s, value, s->offset_s};
        if (isfinite(s->period_s))
            *ret = cut_cycle(ret, s, cycle_s, cycle);
        if (is_too_short(a, s, ret))
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where,
                        "scenario '%s': with a period of %.9g s the run would pass more than 1e9 "
                        "points of the file; set a longer period",
                        s->name, s->period_s);
    }
    wr_results_destroy(&r);
}

void wr_scenarios_check(wr_assembly *a, wr_diag *diag)
{
    for (int i = 0; i < a->scenarios->n; i++) {
        const wr_set_scenario *const s = &a->settings->scenarios[i];
        if (s->is_refused)
            continue;
        if (wr_names_find(a->named, a->n_named, s->name, strlen(s->name)) >= 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &s->where,
                        "scenario '%s' has the name of a component; choose another name", s->name);
        if (wr_scenarios_is_spliced(s) && s->signal.name)
            check_signal(a, s, diag);
        if (s->condition.name) {
            int i_component, index;
            wrsim_kind kind;
            if (wr_lookup_name(a, s->condition.name, &i_component, &kind, &index) != 0)
                refuse_unknown(a, "when", &s->condition, "output, input or state", diag);
            else if (a->graph &&
                     wr_scenarios_watched(a, s->condition.name, &i_component, &index) != 0)
                wr_diag_add(diag, WRSIM_E_CONFIG, &s->condition.where,
                            "scenario when '%.160s' is an unconnected input or a state that no "
                            "output equals; name an output, a connected input or another state",
                            s->condition.name);
        }
        if (s->action == WR_SCENARIO_REPLAY)
            load_points(a, s, &a->scenarios->scenario[i].points, diag);
    }
}

/* ---- values from the host ---- */

static const wr_set_scenario *find(const wrsim *sim, int scenario)
{
    const int is_there = sim && scenario >= 0 && scenario < sim->settings->n_scenarios;
    return is_there ? &sim->settings->scenarios[scenario] : NULL;
}

int wrsim_scenario_count(const wrsim *sim) { return sim ? sim->settings->n_scenarios : 0; }

int wrsim_scenario_find(const wrsim *sim, const char *name)
{
    for (int i = 0; name && i < wrsim_scenario_count(sim); i++)
        if (strcmp(sim->settings->scenarios[i].name, name) == 0)
            return i;
    return -1;
}

wrsim_status wrsim_scenario_info(const wrsim *sim, int scenario, wrsim_scenario *ret)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !ret)
        return WRSIM_E_ARG;
    *ret = (wrsim_scenario){.name = set->name,
                            .action = wr_settings_actions[set->action],
                            .target = set->signal.name      ? set->signal.name
                                      : set->parameter.name ? set->parameter.name
                                                            : "",
                            .is_triggered = set->is_api};
    return WRSIM_OK;
}

wrsim_status wrsim_scenario_trigger(wrsim *sim, int scenario, int is_on)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !set->is_api)
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    const wr_scenarios *const list = sim->assembly->scenarios;
    wr_port_player_set(list->player, list->scenario[scenario].i_on, is_on ? 1.0 : 0.0);
    return WRSIM_OK;
}

wrsim_status wrsim_scenario_set_value(wrsim *sim, int scenario, double value)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !set->is_api || !wr_scenarios_has_value(set) || !isfinite(value))
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    const wr_scenarios *const list = sim->assembly->scenarios;
    wr_port_player_set(list->player, list->scenario[scenario].i_level, value);
    return WRSIM_OK;
}
