/* The driver of relaxed runs. See driver_ops.h. Thread: as driver_ops.h. Real-time: as driver_ops.h. */
#include "runtime/sim/driver_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_place.h"
#include "runtime/relax/engine_reject.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/engine_state.h"
#include "runtime/sim/lookup.h"

/* ---- placing ---- */

static wr_engine_options engine_options(const wr_settings *set)
{
    wr_engine_options options = {.start_s = set->simulation.start_s,
                                 .relaxation = set->relaxation,
                                 .window_rule = wr_window_rule_find(set->relaxation.window_control),
                                 .communication_step_s = set->simulation.communication_step_s,
                                 .fixed_degree = wr_driver_ops_degree(set),
                                 .event_tolerance_s = set->simulation.event_tolerance_s,
                                 .chatter_time_s =
                                     set->simulation.chatter_time_s > 0.0
                                         ? set->simulation.chatter_time_s
                                         : WR_WINDOW_MIN_UNITS * wr_settings_time_unit(set),
                                 .max_event_iterations = set->simulation.max_event_iterations,
                                 .min_work = set->scheduler.min_work};
    options.relaxation.convergence *=
        wr_set_relaxation_tightening(&set->relaxation, set->simulation.rtol);
    return options;
}

/* Warns of relaxation.scheme_workers if relaxation.scheme = "auto" cannot choose. */
static void warn_of_scheme_workers(const wrsim *sim, const wr_engine *engine)
{
    static const char key[] = "relaxation.scheme_workers";
    const char *why = wr_engine_scheme_get(engine)->why;
    if (sim->assembly->n_subsystem == 1 && sim->settings->relaxation.scheme == WR_SCHEME_AUTO &&
        !sim->settings->simulation.monolithic) /* a monolithic twin has the keys of the split */
        why = "the run has one subsystem";
    if (!why || !wr_settings_is_given(sim->settings, key))
        return;
    const wr_where where = wr_settings_place(sim->settings, key);
    wr_diag_add(&sim->assembly->warnings, WRSIM_OK, &where,
                "%s has no effect, because %s; remove the key", key, why);
    wr_diag_sort(&sim->assembly->warnings);
}

/* Warns of relaxation.ahead without effect; unused_keys.c warns if the scheme has no levels. */
static void warn_of_ahead(wrsim *sim, const wr_engine *engine)
{
    const char *name, *const lack = wr_engine_ahead_lack(engine, &name);
    const wr_set_relaxation *const r = &sim->settings->relaxation;
    if (!r->ahead || r->scheme != WR_SCHEME_GAUSS_SEIDEL || sim->assembly->n_subsystem == 1 ||
        !lack)
        return;
    const wr_where where = wr_settings_place(sim->settings, "relaxation.ahead");
    wr_diag_add(&sim->assembly->warnings, WRSIM_OK, &where,
                "relaxation.ahead has no effect: %s%s%s%s, or remove the key",
                name ? "subsystem '" : "", name ? name : "", name ? "' " : "", lack);
}

static int place(wrsim *sim, const wr_wiring *links)
{
    const wr_assembly *const a = sim->assembly;
    wr_engine_options options = engine_options(sim->settings);
    options.cap_node = a->cap_node;
    options.counts_points = sim->settings->simulation.points != WR_POINTS_OFF;
    options.is_room_given = sim->settings->relaxation.max_nodes > 0;
    options.stop_asked = &sim->is_stop_asked;
    options.most_workers = sim->n_cpu;
    options.phase_part = a->phase_subsystem;
    options.phase_signal = a->phase_signal;
    if (a->n_subsystem == 1) /* one subsystem predicts no inputs */
        options.relaxation.history_period = 0.0;
    wr_engine *const engine = sim->driver_run =
        wr_engine_place(a->arena, &options, links, a->n_subsystem, sim->team);
    if (!engine)
        return -1;
    warn_of_scheme_workers(sim, engine);
    warn_of_ahead(sim, engine);
    /* If all subsystems can be restored, a stop cuts a window in which events never end. */
    int can_restore = 1;
    for (int i = 0; i < a->n_subsystem; i++)
        can_restore &= !(a->setup[i].subsystem->flags & WR_SUBSYSTEM_CANNOT_RESTORE);
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].subsystem->stop = can_restore ? &sim->is_stop_asked : NULL;
    for (int i = 0; i < a->n_subsystem; i++)
        can_restore &= !(a->setup[i].subsystem->flags & WR_SUBSYSTEM_GRID_ONLY);
    /* A lone subsystem pauses at the event, and needs no rollback. */
    const int is_lone =
        a->n_subsystem == 1 && (a->setup[0].subsystem->flags & WR_SUBSYSTEM_PAUSES) != 0;
    for (int i = 0; i < a->n_subsystem; i++) {
        a->setup[i].subsystem->may_end = can_restore || is_lone;
        a->setup[i].subsystem->end.t_s = (double)INFINITY;
    }
    wr_engine_observe(engine, sim->observers);
    return 0;
}

/* ---- the run ---- */

WR_DRIVER_CALLS(wr_engine)

static int is_cut(const wrsim *sim) { return wr_engine_is_cut(sim->driver_run); }

static void close_engine(wrsim *sim) { wr_engine_close(sim->driver_run); }

static int64_t windows(const wrsim *sim) { return wr_engine_stats_get(sim->driver_run)->n_window; }

static int64_t sweeps(const wrsim *sim) { return wr_engine_stats_get(sim->driver_run)->n_sweep; }

/* ---- results ---- */

static void fill_stats(const wrsim *sim, wrsim_stats *stats)
{
    const wr_engine_stats *const e = wr_engine_stats_get(sim->driver_run);
#define COPY_WINDOW(type, name, key, text) stats->name = e->name;
    WRSIM_WINDOW_STATS(COPY_WINDOW)
    stats->contraction_mean =
        e->n_contraction > 0 ? e->contraction_mean / (double)e->n_contraction : 0.0;
    stats->fallback_s = e->fallback_s;
    memcpy(stats->bound_wall_s, e->bound_wall_s, sizeof stats->bound_wall_s);
    memcpy(stats->bound_point_s, e->bound_point_s, sizeof stats->bound_point_s);
    stats->accepted_s = e->accepted_s;
    stats->n_rhs_accepted = e->n_rhs_accepted;
    const wr_engine_predicted predicted = wr_engine_predicted_get(sim->driver_run);
    stats->n_predicted = predicted.n_polynomial + predicted.n_own + predicted.n_followed;
    stats->n_predicted_period = predicted.n_own;
    stats->n_predicted_followed = predicted.n_followed;
    stats->n_phase_fall = predicted.n_phase_fall;
    stats->window_shortest_s = e->window_shortest_s;
    stats->window_longest_s = e->window_longest_s;
}

/* Lists the subsystems with an unknown error. The list names the first ones, and counts the others. */
static void list_not_covered(const wrsim *sim, char ret[WRSIM_NOT_COVERED_BYTES])
{
    enum { MOST_NAMES = 8, COUNT_BYTES = 48 /* " and ... further subsystems" */ };
    size_t n_bytes = 0;
    int n_named = 0, n_other = 0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        if (!wr_engine_is_uncovered(sim->driver_run, i))
            continue;
        const char *const name = sim->assembly->setup[i].name;
        if (n_named == MOST_NAMES || n_bytes + strlen(name) + COUNT_BYTES > WRSIM_NOT_COVERED_BYTES)
            n_other++;
        else
            n_bytes += (size_t)snprintf(ret + n_bytes, WRSIM_NOT_COVERED_BYTES - n_bytes, "%s%s",
                                        n_named++ > 0 ? ", " : "", name);
    }
    if (n_other > 0)
        snprintf(ret + n_bytes, WRSIM_NOT_COVERED_BYTES - n_bytes, " and %d further subsystem%s",
                 n_other, n_other == 1 ? "" : "s");
}

static void fill_account(const wrsim *sim, wrsim_error_account *account)
{
    const wr_engine_error e = wr_engine_error_get(sim->driver_run);
    if (e.i_subsystem < 0)
        return;
    account->error = e.error;
    account->is_above = account->limit > 0.0 && !(e.error <= account->limit);
    account->waves = e.waves;
    account->readers = e.readers;
    account->sweeps = e.sweeps;
    account->subsystem = sim->assembly->setup[e.i_subsystem].name;
    list_not_covered(sim, account->not_covered);
    if (e.i_external >= 0)
        wr_lookup_connection(sim->assembly, e.i_reader,
                             sim->assembly->setup[e.i_producer].link.signal_name[e.i_signal],
                             account->connection, sizeof account->connection);
}

static void close_account(wrsim *sim) { wr_engine_error_close(sim->driver_run); }

static void worst_coupling(const wrsim *sim, int *ret_subsystem, int *ret_signal)
{
    wr_engine_worst_coupling(sim->driver_run, ret_subsystem, ret_signal);
}

const wr_driver_ops wr_relax_driver = {WR_DRIVER_CALL_ROWS,
                                       .error_noun = "splitting",
                                       .has_windows = 1,
                                       .has_error_account = 1,
                                       .place = place,
                                       .is_cut = is_cut,
                                       .close = close_engine,
                                       .windows = windows,
                                       .sweeps = sweeps,
                                       .stats = fill_stats,
                                       .account = fill_account,
                                       .close_account = close_account,
                                       .worst_coupling = worst_coupling};
