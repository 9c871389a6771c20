/* Values of variables and statistics (wrsim/sim.h, wrsim/stats.h). See inspect.h.
 *
 * Thread: the simulation's owner, between runs. Real-time: wr_inspect_many().
 */
#include "runtime/sim/inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fp_mode.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/lookup.h"

double wrsim_time(const wrsim *sim)
{
    if (!sim)
        return (double)NAN;
    return wr_driver_time(sim);
}

int wrsim_find(const wrsim *sim, const char *name)
{
    int i_component, index;
    wrsim_kind kind;
    if (!sim || !name || wr_lookup_name(sim->assembly, name, &i_component, &kind, &index) != 0)
        return -1;
    return wr_lookup_number(sim->assembly, i_component, kind, index);
}

wrsim_status wrsim_find_many(const wrsim *sim, int n, const char *const *name, int *ret_variable,
                             wrsim_error *err)
{
    if (!sim || n < 0 || (n > 0 && (!name || !ret_variable)))
        return wr_error_set(
            err, WRSIM_E_ARG,
            "wrsim_find_many: an argument is NULL or negative; pass valid arguments");
    for (int i = 0; i < n; i++) {
        char hint[WR_NAMES_HINT_BYTES];
        if (!name[i])
            return wr_error_set(err, WRSIM_E_ARG, "wrsim_find_many: name %d is NULL; pass a name",
                                i);
        if (wrsim_find(sim, name[i]) < 0)
            return wr_error_set(err, WRSIM_E_ARG, "no variable has the name '%.100s'; %s", name[i],
                                wr_lookup_hint(sim->assembly, name[i], hint));
    }
    for (int i = 0; i < n; i++)
        ret_variable[i] = wrsim_find(sim, name[i]);
    return WRSIM_OK;
}

/* Finds variable i_wanted among the states, discrete states, inputs and outputs of all components; *ret is unchanged if no such variable
 * exists. Returns the number of these variables. */
static int walk_variables(const wr_assembly *a, int i_wanted, wr_find *ret)
{
    int n = 0;
    for (int c = 0; c < a->n_component; c++)
        for (int k = WRSIM_STATE; k <= WRSIM_OUTPUT; k++) {
            const int n_own = a->component[c]->n[k];
            if (i_wanted >= n && i_wanted < n + n_own)
                *ret = (wr_find){c, i_wanted - n, (wrsim_kind)k};
            n += n_own;
        }
    return n;
}

int wrsim_variable_count(const wrsim *sim)
{
    wr_find none;
    return sim ? walk_variables(sim->assembly, -1, &none) : 0;
}

wrsim_status wrsim_variable_info(const wrsim *sim, int i, wrsim_named_variable *ret)
{
    wr_find v = {0};
    if (!sim || !ret || i < 0 || i >= walk_variables(sim->assembly, i, &v))
        return WRSIM_E_ARG;
    const wr_component *const c = sim->assembly->component[v.i_component];
    const wr_variable *const own = &c->variable[v.kind][v.index];
    *ret = (wrsim_named_variable){
        .component = c->name,
        .name = own->name,
        .unit = own->unit ? own->unit : "",
        .description = own->description ? own->description : "",
        .kind = v.kind,
        .variable = wr_lookup_number(sim->assembly, v.i_component, v.kind, v.index)};
    return WRSIM_OK;
}

/* Returns a value of a subsystem without a group, which has only its published signals; NaN for other variables. */
static double played_value(wrsim *sim, const wr_find *v)
{
    const wr_assembly *const a = sim->assembly;
    const wr_setup *const m = &a->setup[a->graph->node[v->i_component].i_subsystem];
    const int signal =
        v->kind == WRSIM_OUTPUT
            ? a->signal_of[wr_lookup_number(a, v->i_component, WRSIM_OUTPUT, v->index)]
            : -1;
    if (signal < 0 || wr_subsystem_published(m->subsystem, sim->outputs, NULL) < 0)
        return (double)NAN;
    return sim->outputs[signal];
}

/* Returns the value of a variable that no output drives. evaluated: the subsystem whose outputs are in sim->outputs; -1: none. */
static double value_of(wrsim *sim, const wr_find *v, int *evaluated)
{
    const wr_assembly *const a = sim->assembly;
    const int i_subsystem = a->graph->node[v->i_component].i_subsystem;
    const int i_own = a->place[v->i_component].i_component; /* index in the subsystem */
    const wr_subsystem *const s = a->setup[i_subsystem].subsystem;
    wr_group *const g = wr_setup_group(&a->setup[i_subsystem]);
    /* After a fault of a model without rollback, subsystems may be at the start or at the end of the last window. */
    if (sim->failure.status < 0 && wr_settings_relaxes(sim->settings) &&
        !wr_time_close(s->t_s, wrsim_time(sim)))
        return (double)NAN;
    if (!g) {
        *evaluated = -1;
        return played_value(sim, v);
    }
    if (v->kind == WRSIM_STATE)
        return s->x[g->x_start[i_own] + v->index];
    if (v->kind == WRSIM_DISCRETE)
        return s->d[g->d_start[i_own] + v->index];
    const wr_group_point point = {s->t_s, s->x, s->d, s->external, wr_ode_mode(s)};
    if (*evaluated != i_subsystem) {
        *evaluated = -1;
        if (wr_group_outputs(g, &point, sim->outputs) != 0)
            return (double)NAN;
        *evaluated = i_subsystem;
    }
    return v->kind == WRSIM_OUTPUT ? sim->outputs[g->y_start[i_own] + v->index]
                                   : wr_group_input(g, g->u_start[i_own] + v->index);
}

wrsim_status wrsim_get_many(wrsim *sim, int n, const int *variable, double *ret_value)
{
    if (!sim || n < 0 || (n > 0 && (!variable || !ret_value)))
        return WRSIM_E_ARG;
    for (int i = 0; i < n; i++)
        ret_value[i] = (double)NAN;
    return sim->has_values && wr_simulation_where(sim) != WR_SIM_RUNNING
               ? wr_inspect_many(sim, n, variable, ret_value)
               : WRSIM_E_STATE;
}

wrsim_status wr_inspect_many(wrsim *sim, int n, const int *variable, double *ret_value)
{
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* this mode gives the run's bits */
    wrsim_status status = WRSIM_OK;
    int evaluated = -1;
    for (int i = 0; i < n; i++) {
        wr_find v;
        if (wr_lookup_variable(sim->assembly, variable[i], &v) != 0) {
            status = WRSIM_E_ARG;
            continue;
        }
        /* A connected input takes the value of the connected output, because the input's last value may belong to another time. */
        const wr_graph_edge *const driver =
            v.kind == WRSIM_INPUT ? wr_graph_driver(sim->assembly->graph, v.i_component, v.index)
                                  : NULL;
        if (driver)
            v = (wr_find){driver->from, driver->i_output, WRSIM_OUTPUT};
        const double value = value_of(sim, &v, &evaluated);
        ret_value[i] = driver ? wr_unit_apply(driver->scale, value) : value;
    }
    wr_fp_mode_restore(before);
    return status;
}

double wrsim_get(wrsim *sim, int variable)
{
    double value = (double)NAN;
    wrsim_get_many(sim, 1, &variable, &value);
    return value;
}

wrsim_status wrsim_stats_get(const wrsim *sim, wrsim_stats *ret)
{
    if (!sim || !ret)
        return WRSIM_E_ARG;
    const wr_assembly *const a = sim->assembly;
    wrsim_stats s = {.start_s = sim->settings->simulation.start_s,
                     .stop_s = sim->settings->simulation.stop_s,
                     .time_s = wrsim_time(sim),
                     .wall_s = (double)sim->wall_ns * 1e-9,
                     .n_component = a->n_component,
                     .n_subsystem = a->n_subsystem,
                     .n_worker = sim->n_worker,
                     .n_connection = a->graph->n_edge,
                     .n_row = sim->recorded.n_row,
                     .n_event_row = sim->recorded.n_event_row,
                     .n_record_wait = sim->recorded.n_wait,
                     .file_bytes = sim->recorded.file_bytes};
    s.fallback_s = (double)NAN;
    for (int i = 0; i < a->n_subsystem; i++) {
        s.n_state += a->setup[i].subsystem->n_x;
        const wr_group *const g = wr_setup_group(&a->setup[i]);
        s.n_indicator += g ? g->n_z : 0;
    }
    memcpy(s.bound_core, wr_placement_bound_cores, sizeof s.bound_core);
    s.memory_bytes = (int64_t)wr_arena_used_bytes(a->arena);
    if (sim->driver_run)
        sim->driver->stats(sim, &s);
    *ret = s;
    return WRSIM_OK;
}

wrsim_status wrsim_stats_subsystem(const wrsim *sim, int i, wrsim_subsystem_stats *ret)
{
    if (!sim || !ret || i < 0 || i >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    const wr_setup *const m = &sim->assembly->setup[i];
    const wr_subsystem *const s = m->subsystem;
    const wr_group *const group = wr_setup_group(m);
    const int has_tolerance = (s->flags & WR_SUBSYSTEM_HAS_TOLERANCE) != 0;
    wrsim_subsystem_stats r = {.name = m->name,
                               .solver = wr_setup_solver_name(m),
                               .n_component = m->n_component,
                               .rtol = has_tolerance ? m->ode.options.rtol : 0.0,
                               .n_state = s->n_x,
                               .integration_s = s->integration_s,
                               .n_indicator = group ? group->n_z : 0,
                               .n_input = m->n_external,
                               .n_output = m->n_published,
                               .n_indicator_value = wr_subsystem_count_values(m->subsystem, 0),
                               .n_stop = s->stops ? s->stops->n : 0,
                               .n_stop_state = s->stops ? s->stops->n_state : 0,
                               .n_stop_time = s->stops ? s->stops->n_time : 0,
                               .n_stop_jump = s->stops ? s->stops->n_jump : 0,
                               .n_event_block = group ? wr_group_n_block(group) : 0,
                               .n_event_thread = group ? wr_group_n_thread(group) : 1};
#define COPY_COUNTER(type, name, text) r.name = s->stats.name;
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, COPY_COUNTER, WRSIM_STATS_NOTHING)
    const wr_integ_stats *const t = group ? wr_ode_solver_stats(s) : NULL;
    if (t) {
#define COPY_SOLVER(type, name, text) r.name = t->name;
        WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_NOTHING, COPY_SOLVER)
        r.n_rhs += s->stats.n_effect_rhs + s->stats.n_restart_rhs;
        /* Number of entries that the models write for one Jacobian of their group: the sum of the squares of their numbers of states. */
        int64_t n_entry = 0;
        for (int c = 0; c < group->n_component && wr_group_has_jacobian(group); c++)
            n_entry +=
                (int64_t)group->component[c]->n[WRSIM_STATE] * group->component[c]->n[WRSIM_STATE];
        r.n_jacobian_entry = n_entry * t->n_jacobian;
        if (t->implicit_s > 0.0)
            r.implicit_share = t->implicit_s / (t->explicit_s + t->implicit_s);
    }
    if (!group && !(s->flags & WR_SUBSYSTEM_IS_PLAYED)) /* the subsystem is a stepper */
        r.n_step = wr_subsystem_n_rhs(s);
    const wr_slack_left left = sim->driver_run && sim->driver->sweep_left
                                   ? sim->driver->sweep_left(sim, i)
                                   : (wr_slack_left){.i_signal = -1, .i_share = -1};
    r.sweep_rest = left.units;
    r.sweep_rest_s = left.t_s;
    r.sweep_rest_share = left.share;
    r.sweep_rest_output = left.i_signal >= 0 ? m->link.signal_name[left.i_signal] : "";
    r.sweep_rest_share_output = left.i_share >= 0 ? m->link.signal_name[left.i_share] : "";
    wrsim_points points[WRSIM_PURPOSE_COUNT];
    wrsim_stats_points(sim, i, points);
    for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
        r.n_point += points[k].n;
        r.point_s += points[k].cost_s;
    }
    *ret = r;
    return WRSIM_OK;
}

wrsim_status wrsim_stats_points(const wrsim *sim, int i, wrsim_points ret[WRSIM_PURPOSE_COUNT])
{
    if (!sim || !ret || i < 0 || i >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    const wr_group *const group = wr_setup_group(&sim->assembly->setup[i]);
    memset(ret, 0, WRSIM_PURPOSE_COUNT * sizeof *ret);
    for (int c = 0; group && c < group->n_component; c++)
        wr_group_add_points(group, c, ret);
    return WRSIM_OK;
}

/* Estimated splitting error above which results may be wrong (assumed): the error exceeds this share of the range, and this multiple of
 * simulation.rtol. */
static const double LARGE_ERROR = 0.01, LARGE_ERROR_RTOL = 1000.0;

wrsim_status wrsim_error_account_get(const wrsim *sim, wrsim_error_account *ret)
{
    if (!sim || !ret)
        return WRSIM_E_ARG;
    *ret = (wrsim_error_account){.limit = sim->settings->relaxation.error_limit *
                                          sim->settings->simulation.rtol,
                                 .subsystem = ""};
    if (sim->driver_run && sim->driver->account)
        sim->driver->account(sim, ret);
    const double rtol = sim->settings->simulation.rtol;
    ret->is_large = sim->driver->has_error_account && ret->error > LARGE_ERROR &&
                    ret->error > LARGE_ERROR_RTOL * rtol;
    return WRSIM_OK;
}

/* ---- ages ---- */

/* Counts the inputs with an age, and sets *ret to the age of input i_wanted (-1: none) among the counted inputs. Inputs from played
 * subsystems have no age. */
static int list_ages(const wrsim *sim, int i_wanted, wrsim_age *ret)
{
    int n = 0;
    const wr_assembly *const a = sim && sim->driver_run && sim->driver->age ? sim->assembly : NULL;
    for (int i = 0; a && i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        const wr_subsystem *const s = m->subsystem;
        for (int j = 0; j < s->n_external; j++) {
            const wr_setup *const producer = &a->setup[m->link.producer[s->external_source[j]]];
            if ((producer->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) || n++ != i_wanted)
                continue;
            const wr_slack_age age = sim->driver->age(sim, i, j);
            *ret = (wrsim_age){.reader = m->name,
                               .producer = producer->name,
                               .n_read = age.n_read,
                               .mean_s = age.mean_s,
                               .most_s = age.most_s};
            wr_lookup_connection(a, i, producer->link.signal_name[s->external_signal[j]],
                                 ret->connection, sizeof ret->connection);
        }
    }
    return n;
}

int wrsim_age_count(const wrsim *sim) { return list_ages(sim, -1, NULL); }

wrsim_status wrsim_stats_age(const wrsim *sim, int i, wrsim_age *ret)
{
    return ret && i >= 0 && i < list_ages(sim, i, ret) ? WRSIM_OK : WRSIM_E_ARG;
}

/* ---- workers ---- */

wrsim_status wrsim_stats_worker(const wrsim *sim, int i, wrsim_worker_stats *ret)
{
    if (!sim || !ret || i < 0 || i >= sim->n_worker)
        return WRSIM_E_ARG;
    *ret = (wrsim_worker_stats){.cpu = sim->cpu[i]};
    if (sim->team) {
        const wr_worker_stats *const w = wr_team_stats(sim->team, i);
        ret->is_pinned = w->is_pinned;
        ret->busy_ns = w->busy_ns;
        ret->wait_ns = w->wait_ns;
        ret->n_task = w->n_task;
        ret->n_sleep = w->n_sleep;
    }
    return WRSIM_OK;
}
