/* The state of a simulation: its engine's, and how far its results have come. See sim_state.h.
 *
 * Thread: as there. Real-time: as there.
 */
#include "runtime/sim/sim_state.h"

#include <stdio.h>

#include "base/fp_mode.h"

static int n_stream(const wrsim *sim) { return 2 * sim->assembly->n_subsystem; }

static void place_state(wr_row_place *at, wr_state_io *io)
{
    WR_STATE(io, at->t_s);
    WR_STATE(io, at->n_there);
    WR_STATE(io, at->n_communication);
}

/* How many communication rows there have been; each stream with channels has had all of them. */
static int64_t count_communication(const wrsim *sim)
{
    int64_t most = 0;
    for (int i = 0; i < n_stream(sim); i++)
        if (sim->gate[i].at.n_communication > most)
            most = sim->gate[i].at.n_communication;
    return most;
}

static int has_rows(const wrsim *sim)
{
    int any = 0;
    for (int i = 0; i < n_stream(sim); i++)
        any |= sim->gate[i].reached.n_there > 0;
    return any;
}

/* The file that has no row yet begins here. */
static void rows_state(wrsim *sim, wr_state_io *io)
{
    wr_state_begin(io, "rows", n_stream(sim));
    for (int i = 0; i < n_stream(sim); i++)
        place_state(&sim->gate[i].at, io);
    wr_state_end(io);
    if (!wr_state_reads(io))
        return;
    for (int i = 0; i < n_stream(sim); i++)
        wr_row_gate_move(&sim->gate[i]);
    if (!has_rows(sim))
        wr_recorder_resume(sim->recorder, count_communication(sim));
}

int wr_simulation_would_miss_rows(const wrsim *sim, wr_state_io io)
{
    int is_missed = 0;
    wr_state_begin(&io, "rows", n_stream(sim));
    for (int i = 0; i < n_stream(sim) && has_rows(sim); i++) {
        wr_row_place there = {0};
        place_state(&there, &io);
        is_missed |= wr_row_place_is_before(&sim->gate[i].reached, &there);
    }
    return is_missed;
}

/* The last nodes that were recorded, so that none is doubled or missed. */
static void nodes_state(wrsim *sim, wr_state_io *io)
{
    wr_state_agree(io, sim->wave_node != NULL);
    for (int i = 0; sim->wave_node && i < sim->assembly->n_subsystem; i++)
        WR_STATE_ARRAY(io, sim->wave_node[i], 1 + 2 * sim->assembly->setup[i].n_published);
}

void wr_simulation_state(wrsim *sim, wr_state_io *io)
{
    rows_state(sim, io);
    wr_state_begin(io, "sim", 0);
    WR_STATE(io, sim->wall_ns);
    WR_STATE(io, sim->is_start_told);
    nodes_state(sim, io);
    wr_state_end(io);
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* solvers make their factors anew */
    wr_engine_state(sim->engine, io);
    wr_fp_mode_restore(before);
    if (!wr_state_reads(io))
        return;
    sim->state = WR_SIM_PREPARED;
    sim->failure = (wrsim_error){0};
    sim->is_stopped = sim->is_paused = 0;
}

wrsim_status wr_simulation_check_state(const wrsim *sim, unsigned states, const char *call,
                                       wrsim_error *err)
{
    WR_TRY(wr_simulation_check(sim, states, call, err));
    if (!sim->engine || !sim->has_values)
        return wr_error_set(err, WRSIM_E_STATE, "%s: wrsim_prepare has failed", call);
    const int i = wr_engine_opaque(sim->engine);
    if (i < 0)
        return WRSIM_OK;
    const wr_setup *const m = &sim->assembly->setup[i];
    if (m->subsystem->ops->state)
        wr_error_set(err, WRSIM_E_MODEL,
                     "%s: subsystem '%s' is solved by %s, whose inside cannot be saved: take "
                     "rosenbrock_w, dopri54 or auto (solver.kind)",
                     call, m->name, wr_setup_solver_name(m));
    else
        wr_error_set(err, WRSIM_E_MODEL,
                     "%s: subsystem '%s' is of kind '%s', whose inside cannot be saved", call,
                     m->name, m->kind->name);
    if (err)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return WRSIM_E_MODEL;
}
