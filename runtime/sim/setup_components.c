/* Subsystems of the kind "components": a group of components and their solver.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"

/* What stale inputs cost is told by differences of f, which with a mass matrix are no slopes. */
static wrsim_status check_watch(const wr_assembly *a, const wr_setup *m, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    if (set->relaxation.scheme != WR_SCHEME_SLACK || set->slack.watch == 0 ||
        !wr_ode_group(m->subsystem)->mass)
        return WRSIM_OK;
    const wr_where where = wr_settings_place(set, "slack.watch");
    return wr_diag_add(
        diag, WRSIM_E_CONFIG, &where,
        "'slack.watch' cannot tell what stale inputs cost in subsystem '%s', which has "
        "a mass matrix; set slack.watch = 0",
        m->name);
}

static wrsim_status create(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    wr_component **const components = WR_TAKE(a->bag, wr_component *, m->n_component);
    if (!components)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < m->n_component; i++)
        components[i] = a->component[m->component[i]];
    const wr_ode_config config = {.name = m->name,
                                  .arena = a->arena,
                                  .components = components,
                                  .n_components = m->n_component,
                                  .edges = m->group_edge,
                                  .n_edges = m->n_group_edge,
                                  .n_external = m->n_external,
                                  .source = m->external_source,
                                  .source_signal = m->external_signal,
                                  .n_source = m->n_source,
                                  .published = m->published,
                                  .n_published = m->n_published,
                                  .recorded_kind = m->recorded_kind,
                                  .recorded_index = m->recorded_index,
                                  .n_recorded = m->n_recorded,
                                  .integrator = m->integrator,
                                  .options = m->options,
                                  .pattern_file = m->matrix.pattern_file,
                                  .code_file = m->matrix.code_file,
                                  .where_pattern = m->matrix.where_pattern,
                                  .where_code = m->matrix.where_code,
                                  .start_s = set->simulation.start_s,
                                  .communication_step_s = set->simulation.communication_step_s,
                                  .event_tolerance_s = set->simulation.event_tolerance_s,
                                  .max_event_iterations = set->simulation.max_event_iterations,
                                  .max_stuck_events = set->simulation.max_stuck_events,
                                  .chatter_time_s = set->simulation.chatter_time_s,
                                  .run_s = set->simulation.stop_s - set->simulation.start_s,
                                  .event_blocks = set->simulation.event_blocks,
                                  .bounds_steps = m->bound.n_spare >= 0,
                                  .n_spare = m->bound.n_spare,
                                  .budget = m->bound.budget,
                                  .over_budget_fails = m->bound.fails,
                                  .cap_node = a->cap_node,
                                  .cap_row = wr_setups_row_count(a, m),
                                  .jump_limit = 1.0,
                                  .coupling_rtol = wr_setup_rtol(a),
                                  .looks_always = wr_setup_rtol(a) < set->simulation.rtol,
                                  .record_events = set->output.events};
    m->subsystem = wr_ode_create(&config, diag);
    return m->subsystem ? check_watch(a, m, diag) : wr_diag_status(diag);
}

const wr_setup_kind wr_setup_components = {
    .name = "components", .has_inputs = 1, .has_group = 1, .create = create};
