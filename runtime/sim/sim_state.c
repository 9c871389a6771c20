/* The state of a simulation: its engine's, and how far its results have come. See sim_state.h.
 *
 * Thread: as there. Real-time: as there.
 */
#include "runtime/sim/sim_state.h"

#include <math.h>
#include <stdio.h>

#include "base/fp_mode.h"
#include "runtime/sim/drive.h"
#include "runtime/sim/ports.h"

static int n_stream(const wrsim *sim) { return 2 * sim->assembly->n_subsystem; }

static int has_rows(const wrsim *sim)
{
    int any = 0;
    for (int i = 0; i < n_stream(sim); i++)
        any |= sim->gate[i].reached.n_there > 0;
    return any;
}

/* How many communication points each stream has given so far; the one at the start comes with the first window. */
static int64_t count_communication(const wrsim *sim)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double t_s = wrsim_time(sim), step_s = set->communication_step_s;
    const double i = floor((t_s - set->start_s) / step_s + 0.5), grid_s = set->start_s + i * step_s;
    if (!wr_drive_has_moved(sim))
        return 0;
    return (int64_t)i + wr_time_is_due(t_s, grid_s);
}

/* Where the rows are. */
static void rows_state(wrsim *sim, wr_state_io *io)
{
    wr_state_begin(io, "rows", n_stream(sim));
    for (int i = 0; i < n_stream(sim); i++) {
        WR_STATE(io, sim->gate[i].at.t_s);
        WR_STATE(io, sim->gate[i].at.n_there);
        if (wr_state_reads(io))
            wr_row_gate_move(&sim->gate[i]);
    }
    wr_state_end(io);
}

/* The last nodes that were recorded, so that none is doubled or missed. A run without a result file has none. */
static void nodes_state(wrsim *sim, wr_state_io *io)
{
    const int n = sim->assembly->n_subsystem;
    const int is_there = (int)wr_state_count(io, sim->wave_node != NULL, 1);
    for (int i = 0; i < n; i++) {
        const int n_number = is_there ? 1 + 2 * sim->assembly->setup[i].n_published : 0;
        double *const node = sim->wave_node ? sim->wave_node[i] : NULL, unused = 0.0;
        if (wr_state_reads(io) && node)
            node[0] = (double)NAN; /* none */
        for (int k = 0; k < n_number; k++)
            wr_state_bytes(io, node ? &node[k] : &unused, sizeof *node);
    }
}

wrsim_status wr_simulation_check_rows(const wrsim *sim, double time_s)
{
    return has_rows(sim) && time_s > sim->furthest_s ? WRSIM_E_ARG : WRSIM_OK;
}

void wr_simulation_state(wrsim *sim, wr_state_io *io)
{
    rows_state(sim, io);
    wr_state_begin(io, "wall", 0);
    WR_STATE(io, sim->wall_ns);
    wr_state_end(io);
    wr_state_begin(io, "sim", 0);
    WR_STATE(io, sim->is_start_told);
    nodes_state(sim, io);
    wr_state_end(io);
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* solvers make their factors anew */
    wr_drive_state(sim, io);
    wr_fp_mode_restore(before);
    if (!wr_state_reads(io))
        return;
    wr_simulation_enter(sim, WR_SIM_PREPARED);
    sim->failure = (wrsim_error){0};
    sim->ended = WRSIM_OK;
    sim->is_paused = 0;
    wr_ports_latch(sim);
    if (!has_rows(sim)) /* the file begins here */
        wr_recorder_resume(sim->recorder, count_communication(sim));
}

wrsim_status wr_simulation_check_state(const wrsim *sim, unsigned states, const char *call,
                                       wrsim_error *err)
{
    WR_TRY(wr_simulation_check(sim, states, call, err));
    if (!wr_drive_is_placed(sim) || !sim->has_values)
        return wr_error_set(err, WRSIM_E_STATE, "%s: wrsim_prepare has failed", call);
    const int i = wr_drive_opaque(sim);
    if (i < 0)
        return WRSIM_OK;
    const wr_setup *const m = &sim->assembly->setup[i];
    if (m->subsystem->ops->state)
        wr_error_set(err, WRSIM_E_CONFIG,
                     "it is solved by %s, whose inside cannot be saved: take rosenbrock_w, dopri54 "
                     "or auto (solver.kind)",
                     wr_setup_solver_name(m));
    else
        wr_error_set(err, WRSIM_E_CONFIG, "it is of kind '%s', whose inside cannot be saved",
                     m->kind->name);
    if (err)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return WRSIM_E_CONFIG;
}
