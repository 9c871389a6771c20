/* What moves the subsystems. See driver.h.
 *
 * Thread: as there. Real-time: as there.
 */
#include "runtime/sim/driver.h"

#include "runtime/relax/engine_place.h"
#include "runtime/relax/engine_start.h"
#include "runtime/relax/engine_state.h"

/* ---- placing ---- */

static int degree_of(const wr_settings *set)
{
    static const int degrees[WR_PREDICT_COUNT] = {[WR_PREDICT_AUTO] = -1,
                                                  [WR_PREDICT_HOLD] = 0,
                                                  [WR_PREDICT_LINEAR] = 1,
                                                  [WR_PREDICT_QUADRATIC] = 2,
                                                  [WR_PREDICT_CUBIC] = 3};
    return degrees[set->relaxation.prediction];
}

static wr_engine_options engine_options(const wr_settings *set)
{
    static const wr_accelerate_kind kinds[WR_ACCELERATE_COUNT] = {
        [WR_ACCELERATE_AUTO] = WR_ACCELERATE_KIND_AUTO,
        [WR_ACCELERATE_NONE] = WR_ACCELERATE_KIND_NONE,
        [WR_ACCELERATE_ANDERSON] = WR_ACCELERATE_KIND_ANDERSON};
    const wr_set_relaxation *const r = &set->relaxation;
    return (wr_engine_options){
        .start_s = set->simulation.start_s,
        .is_gauss_seidel = r->scheme == WR_SCHEME_GAUSS_SEIDEL,
        .window_rule = wr_window_rule_find(r->window_control),
        .window_initial_s = r->window_initial_s,
        .window_min_s = r->window_min_s,
        .window_max_s = r->window_max_s,
        .communication_step_s = set->simulation.communication_step_s,
        .max_sweeps = r->max_sweeps,
        .convergence = r->convergence * wr_set_relaxation_tightening(r, set->simulation.rtol),
        .tolerance_first = r->tolerance_first,
        .fixed_degree = degree_of(set),
        .period = r->history_period,
        .cap_history = r->history_nodes,
        .has_active_set = r->active_set,
        .acceleration = kinds[r->acceleration],
        .event_tolerance_s = set->simulation.event_tolerance_s,
        .chatter_time_s = set->simulation.chatter_time_s > 0.0
                              ? set->simulation.chatter_time_s
                              : WR_WINDOW_MIN_UNITS * wr_settings_time_unit(set),
        .max_event_iterations = set->simulation.max_event_iterations,
        .min_work = set->scheduler.min_work};
}

static wr_slack_options slack_options(const wr_settings *set)
{
    static const wr_slack_delays delays[WR_DELAYS_COUNT] = {[WR_DELAYS_LIVE] = WR_SLACK_LIVE,
                                                            [WR_DELAYS_FIXED] = WR_SLACK_FIXED,
                                                            [WR_DELAYS_DRAWN] = WR_SLACK_DRAWN};
    static const wr_slack_action actions[WR_ACTION_COUNT] = {
        [WR_ACTION_LOG] = WR_SLACK_LOG,         [WR_ACTION_WARN] = WR_SLACK_WARN,
        [WR_ACTION_SHORTEN] = WR_SLACK_SHORTEN, [WR_ACTION_WAIT] = WR_SLACK_WAIT,
        [WR_ACTION_RELAX] = WR_SLACK_RELAX,     [WR_ACTION_STOP] = WR_SLACK_STOP};
    const wr_set_slack *const k = &set->slack;
    return (wr_slack_options){.start_s = set->simulation.start_s,
                              .communication_step_s = set->simulation.communication_step_s,
                              .period_s = wr_settings_slack_period(set),
                              .shortest_s = wr_settings_shortest_period(set),
                              .bound = k->bound,
                              .n_sweep = k->sweeps,
                              .fixed_degree = degree_of(set),
                              .delays = k->replay[0] ? WR_SLACK_REPLAYED : delays[k->delays],
                              .delay = k->delay,
                              .seed = (uint64_t)k->seed,
                              .watch = k->watch,
                              .local = {k->eps_loc, actions[k->on_loc]},
                              .global = {k->eps_glo, actions[k->on_glo]},
                              .history_period = set->relaxation.history_period,
                              .max_event_iterations = set->simulation.max_event_iterations};
}

static wr_link *place_links(const wr_assembly *a)
{
    wr_link *const parts = WR_NEW_ARRAY(a->arena, wr_link, a->n_subsystem);
    for (int i = 0; parts && i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        parts[i] = (wr_link){.subsystem = m->subsystem,
                             .arena = a->arena,
                             .producer = m->producer,
                             .period_s = m->period_s,
                             .n_listener = m->n_listener,
                             .listener = m->listener,
                             .input_start = m->input_start,
                             .signal_name = m->signal_name,
                             .level = m->level,
                             .history_source = m->history_source,
                             .lag = m->lag};
    }
    return parts;
}

/* A stop in a storm of events is not kept waiting, where all can go back to the start of the window. */
static void let_stop_cut(wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    int can_restore = 1;
    for (int i = 0; i < a->n_subsystem; i++)
        can_restore &= a->setup[i].subsystem->ops->restore != NULL;
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].subsystem->stop = can_restore ? &sim->is_stop_asked : NULL;
}

static int place_engine(wrsim *sim, const wr_link *parts)
{
    const wr_assembly *const a = sim->assembly;
    wr_engine_options options = engine_options(sim->settings);
    options.cap_node = a->cap_node;
    options.is_room_given = sim->settings->relaxation.max_nodes > 0;
    options.stop_asked = &sim->is_stop_asked;
    options.most_workers = sim->n_cpu;
    options.phase_part = a->phase_subsystem;
    options.phase_signal = a->phase_signal;
    if (a->n_subsystem == 1) /* nothing is predicted */
        options.period = 0.0;
    sim->engine = wr_engine_place(a->arena, &options, parts, a->n_subsystem, sim->team);
    if (!sim->engine)
        return -1;
    let_stop_cut(sim);
    wr_engine_observe(sim->engine, &sim->recording);
    wr_engine_observe(sim->engine, &sim->pacing);
    wr_engine_observe(sim->engine, &sim->watching);
    return 0;
}

static int place_slack(wrsim *sim, const wr_link *parts)
{
    const wr_assembly *const a = sim->assembly;
    wr_slack_options options = slack_options(sim->settings);
    options.cap_node = a->cap_node;
    options.phase_part = a->phase_subsystem;
    options.phase_signal = a->phase_signal;
    options.cap_history =
        wr_engine_history_nodes(sim->settings->relaxation.history_nodes, a->cap_node);
    if (a->n_subsystem == 1) /* nothing is predicted */
        options.history_period = 0.0;
    if (options.delays == WR_SLACK_REPLAYED)
        options.delay = wr_version_log_most_delay(sim->version_log);
    sim->slack = wr_slack_place(a->arena, &options, parts, a->n_subsystem, sim->team);
    if (!sim->slack)
        return -1;
    if (sim->version_log)
        wr_slack_set_log(sim->slack, wr_version_log_calls(sim->version_log));
    wr_slack_observe(sim->slack, &sim->recording);
    wr_slack_observe(sim->slack, &sim->pacing);
    return 0;
}

int wr_driver_place(wrsim *sim)
{
    const wr_link *const parts = place_links(sim->assembly);
    if (!parts)
        return -1;
    return sim->settings->relaxation.scheme == WR_SCHEME_SLACK ? place_slack(sim, parts)
                                                               : place_engine(sim, parts);
}

/* ---- the run ---- */

wrsim_status wr_driver_start(wrsim *sim, wrsim_error *err)
{
    return sim->slack ? wr_slack_start(sim->slack, err) : wr_engine_start(sim->engine, err);
}

wrsim_status wr_driver_check_end(const wrsim *sim, double time_s, wrsim_error *err)
{
    return sim->slack ? wr_slack_check_end(sim->slack, time_s, err)
                      : wr_engine_check_end(sim->engine, time_s, err);
}

wrsim_status wr_driver_run(wrsim *sim, double time_s, wrsim_error *err)
{
    return sim->slack ? wr_slack_run(sim->slack, time_s, err)
                      : wr_engine_run(sim->engine, time_s, err);
}

void wr_driver_stop(wrsim *sim)
{
    if (sim->slack)
        wr_slack_stop(sim->slack);
    else
        wr_engine_stop(sim->engine);
}

int wr_driver_is_cut(const wrsim *sim) { return sim->engine && wr_engine_is_cut(sim->engine); }

double wr_driver_time(const wrsim *sim)
{
    return sim->slack    ? wr_slack_time(sim->slack)
           : sim->engine ? wr_engine_time(sim->engine)
                         : sim->settings->simulation.start_s;
}

void wr_driver_close(wrsim *sim) { wr_engine_close(sim->engine); }

int wr_driver_opaque(const wrsim *sim)
{
    return sim->slack ? wr_slack_opaque(sim->slack) : wr_engine_opaque(sim->engine);
}

void wr_driver_state(wrsim *sim, wr_state_io *io)
{
    if (sim->slack)
        wr_slack_state(sim->slack, io);
    else
        wr_engine_state(sim->engine, io);
}

int wr_driver_has_moved(const wrsim *sim)
{
    return sim->slack ? wr_slack_time(sim->slack) > sim->settings->simulation.start_s
                      : wr_engine_time(sim->engine) > sim->settings->simulation.start_s;
}

int64_t wr_driver_windows(const wrsim *sim)
{
    return sim->slack ? wr_slack_periods(sim->slack) : wr_engine_stats_get(sim->engine)->n_window;
}

int64_t wr_driver_sweeps(const wrsim *sim)
{
    return sim->slack ? wr_slack_periods(sim->slack) * sim->settings->slack.sweeps
                      : wr_engine_stats_get(sim->engine)->n_sweep;
}
