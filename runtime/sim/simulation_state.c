/* The state of a simulation as bytes, and snapshots in memory (wrsim/checkpoint.h). See simulation_state.h.
 *
 * Thread: as simulation_state.h. Real-time: as simulation_state.h.
 */
#include "runtime/sim/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fp_mode.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/recording.h"
#include "runtime/sim/version_log.h"
#include "subsystems/model_host/own_state.h"

static int n_stream(const wrsim *sim) { return wr_recording_n_stream(sim); }

static int has_rows(const wrsim *sim)
{
    int any = 0;
    for (int i = 0; i < n_stream(sim); i++)
        any |= sim->gate[i].reached.n_there > 0;
    return any;
}

wrsim_status wr_simulation_state_check_rows(const wrsim *sim, double time_s)
{
    return has_rows(sim) && time_s > sim->furthest_s ? WRSIM_E_ARG : WRSIM_OK;
}

void wr_simulation_state_pass(wrsim *sim, wr_state_io *io)
{
    wr_state_begin(io, "rows", n_stream(sim));
    for (int i = 0; i < n_stream(sim); i++) {
        WR_STATE(io, sim->gate[i].at.t_s);
        WR_STATE(io, sim->gate[i].at.n_there);
        if (wr_state_reads(io))
            wr_resume_filter_move(&sim->gate[i]);
    }
    wr_state_end(io);
    wr_state_begin(io, "wall", 0);
    WR_STATE(io, sim->wall_ns);
    wr_state_end(io);
    wr_state_begin(io, "sim", 0);
    WR_STATE(io, sim->is_start_told);
    /* The state of the waves prevents lost or repeated nodes. A run that records no waves has no nodes. */
    const int n = sim->assembly->n_subsystem;
    const int is_there = (int)wr_state_count(io, sim->wave_node != NULL, 1);
    for (int i = 0; i < n; i++) {
        const int n_number = is_there ? 1 + 2 * sim->assembly->setup[i].n_published : 0;
        double *const node = sim->wave_node ? sim->wave_node[i] : NULL, unused = 0.0;
        if (wr_state_reads(io) && node)
            node[0] = (double)NAN; /* NaN: the wave has no last node */
        for (int k = 0; k < n_number; k++)
            wr_state_bytes(io, node ? &node[k] : &unused, sizeof *node);
    }
    wr_state_end(io);
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* solvers factorise again */
    sim->driver->state(sim, io);
    wr_fp_mode_restore(before);
    if (!wr_state_reads(io))
        return;
    wr_simulation_enter(sim, WR_SIM_PREPARED);
    sim->failure = (wrsim_error){0};
    sim->ended = WRSIM_OK;
    sim->is_paused = 0;
    wr_ports_latch(sim);
    if (has_rows(sim))
        return;
    /* No row is recorded yet, so the result file begins after this state, or with the start of the run. */
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double t_s = wrsim_time(sim), step_s = set->communication_step_s;
    const double i = floor((t_s - set->start_s) / step_s + 0.5), grid_s = set->start_s + i * step_s;
    wr_recorder_resume(sim->recorder,
                       wr_driver_has_moved(sim) ? (int64_t)i + wr_time_is_due(t_s, grid_s) : 0);
}

/* Fills err: a model of the subsystem i has a state that a checkpoint cannot save. */
static void refuse_own_state(const wrsim *sim, int i, wrsim_error *err)
{
    const wr_assembly *const a = sim->assembly;
    int c = 0;
    while (a->graph->node[c].i_subsystem != i || wr_own_state_is_saved(a->component[c]->model))
        c++;
    const wr_component *const component = a->component[c];
    if (c < a->n_listed && a->settings->components[c].fmu)
        wr_error_set(err, WRSIM_E_CONFIG,
                     "the state of component '%s' cannot be saved, because its FMU cannot %s; run "
                     "without checkpoints and snapshots, or export the FMU with this capability",
                     component->name,
                     component->model->own_state
                         ? "write its state as bytes (canSerializeFMUState)"
                         : "save and restore its state (canGetAndSetFMUState)");
    else
        wr_error_set(err, WRSIM_E_CONFIG,
                     "the state of component '%s' cannot be saved, because its model '%s' has a "
                     "state outside of instance->memory; move the state into instance->memory, or "
                     "add write() and read() to the model",
                     component->name, component->model->name);
}

wrsim_status wr_simulation_state_check(const wrsim *sim, unsigned states, const char *call,
                                       wrsim_error *err)
{
    WR_TRY(wr_simulation_check(sim, states, call, err));
    if (!wr_driver_is_placed(sim) || !sim->has_values)
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s: wrsim_prepare has failed; create another simulation", call);
    const int i = sim->driver->opaque(sim);
    if (i < 0)
        return WRSIM_OK;
    const wr_setup *const m = &sim->assembly->setup[i];
    if (m->subsystem->ops->state && !(m->subsystem->flags & WR_SUBSYSTEM_NO_BYTES))
        wr_error_set(err, WRSIM_E_CONFIG,
                     "the solver %s has a state that cannot be saved; set solver.kind to "
                     "lsoda, rosenbrock_w, dopri54 or auto",
                     wr_setup_solver_name(m));
    else
        refuse_own_state(sim, i, err);
    if (err)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return WRSIM_E_CONFIG;
}

wrsim_status wr_simulation_state_refused(const wr_state_io *io, wrsim_error *err)
{
    const char *const doing = io->mode == WR_STATE_WRITE ? "write" : "read";
    return io->refused_for
               ? wr_error_set(err, WRSIM_E_CALLBACK, "component '%s' fails to %s its own state: %s",
                              io->refused_by, doing, io->refused_for)
               : wr_error_set(err, WRSIM_E_CALLBACK,
                              "component '%s' fails to %s its own state; check %s() of its model",
                              io->refused_by, doing, doing);
}

/* ---- snapshots in memory ---- */

struct wrsim_snapshot {
    uint64_t number;  /* wrsim.number of the snapshot's simulation */
    wr_memory memory; /* memory functions that allocated the snapshot */
    size_t n_bytes, cap_bytes;
    unsigned char bytes[];
};

static size_t bytes_of(const wrsim_snapshot *snapshot)
{
    return sizeof *snapshot + snapshot->cap_bytes;
}

/* States in which a call may take a snapshot, and restore a snapshot. */
enum { CAN_KEEP = WR_SIM_PREPARED, CAN_GO_BACK = WR_SIM_PREPARED | WR_SIM_FAILED };

static wrsim_status check_owner(const wrsim *sim, const wrsim_snapshot *snapshot, const char *call,
                                wrsim_error *err)
{
    if (snapshot && snapshot->number == sim->number)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_ARG,
                        "%s: the snapshot is %s; pass a snapshot of this simulation", call,
                        snapshot ? "of another simulation" : "NULL");
}

static wrsim_status keep(wrsim *sim, wrsim_snapshot *snapshot, wrsim_error *err)
{
    wr_state_io io = wr_state_writer(snapshot->bytes, snapshot->cap_bytes, 0);
    snapshot->n_bytes = 0; /* a failure leaves no state */
    wr_simulation_state_pass(sim, &io);
    if (io.fault == WR_STATE_REFUSED)
        return wr_simulation_state_refused(&io, err);
    if (io.fault != WR_STATE_SOUND)
        return wr_error_set(err, WRSIM_E_INTERNAL,
                            "the state is larger than its snapshot; report this error of wrsim");
    snapshot->n_bytes = io.n_bytes;
    return WRSIM_OK;
}

static wrsim_status create(wrsim *sim, const char *call, wrsim_snapshot **ret, wrsim_error *err)
{
    WR_TRY(wr_simulation_state_check(sim, CAN_KEEP, call, err));
    wr_state_io io = wr_state_measure();
    wr_simulation_state_pass(sim, &io);
    wrsim_snapshot *snapshot =
        wr_memory_take(&sim->memory, sizeof *snapshot + io.n_bytes, _Alignof(max_align_t));
    if (!snapshot)
        return wr_error_set(err, WRSIM_E_MEMORY, "%s: out of memory for a state of %zu bytes", call,
                            io.n_bytes);
    snapshot->number = sim->number;
    snapshot->memory = sim->memory;
    snapshot->cap_bytes = io.n_bytes;
    const wrsim_status status = keep(sim, snapshot, err);
    if (status < 0)
        wrsim_snapshot_destroy(&snapshot);
    else
        *ret = snapshot;
    return status;
}

static wrsim_status go_back(wrsim *sim, const wrsim_snapshot *snapshot, const char *call,
                            wrsim_error *err)
{
    if (snapshot->n_bytes == 0)
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s: the snapshot has no state, because the last wrsim_snapshot_take() "
                            "has failed; take the snapshot again",
                            call);
    WR_TRY(wr_version_log_check_move(sim->version_log, call, err));
    WR_TRY(wr_recorder_status(sim->recorder, err));
    wr_state_io io = wr_state_reader(snapshot->bytes, snapshot->n_bytes, 0, 0);
    wr_simulation_state_pass(sim, &io);
    if (io.fault == WR_STATE_REFUSED)
        return wr_simulation_state_refused(&io, err);
    return io.fault == WR_STATE_SOUND
               ? WRSIM_OK
               : wr_error_set(
                     err, WRSIM_E_INTERNAL,
                     "the snapshot does not match its simulation; report this error of wrsim");
}

wrsim_status wrsim_snapshot_create(wrsim *sim, wrsim_snapshot **ret_snapshot, wrsim_error *err)
{
    static const char *const call = "wrsim_snapshot_create";
    if (!ret_snapshot)
        return wr_error_set(err, WRSIM_E_ARG, "%s: ret_snapshot is NULL; pass a pointer", call);
    return create(sim, call, ret_snapshot, err);
}

wrsim_status wrsim_snapshot_take(wrsim *sim, wrsim_snapshot *snapshot, wrsim_error *err)
{
    static const char *const call = "wrsim_snapshot_take";
    WR_TRY(wr_simulation_check(sim, CAN_KEEP, call, err));
    WR_TRY(check_owner(sim, snapshot, call, err));
    return keep(sim, snapshot, err);
}

wrsim_status wrsim_snapshot_restore(wrsim *sim, const wrsim_snapshot *snapshot, wrsim_error *err)
{
    static const char *const call = "wrsim_snapshot_restore";
    WR_TRY(wr_simulation_check(sim, CAN_GO_BACK, call, err));
    WR_TRY(check_owner(sim, snapshot, call, err));
    return go_back(sim, snapshot, call, err);
}

void wrsim_snapshot_destroy(wrsim_snapshot **snapshot)
{
    if (!snapshot || !*snapshot)
        return;
    const wr_memory memory = (*snapshot)->memory;
    wr_memory_give(&memory, *snapshot, bytes_of(*snapshot));
    *snapshot = NULL;
}

wrsim_status wrsim_keep_start(wrsim *sim, wrsim_error *err)
{
    static const char *const call = "wrsim_keep_start";
    WR_TRY(wr_simulation_state_check(sim, CAN_KEEP, call, err));
    if (sim->start)
        return WRSIM_OK;
    if (sim->is_start_told || wr_driver_has_moved(sim))
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s: the simulation has left its start: make this call right after "
                            "wrsim_prepare",
                            call);
    WR_TRY(create(sim, call, &sim->start, err));
    sim->start_bytes = bytes_of(sim->start);
    return WRSIM_OK;
}

wrsim_status wrsim_reset(wrsim *sim, wrsim_error *err)
{
    static const char *const call = "wrsim_reset";
    WR_TRY(wr_simulation_check(sim, CAN_GO_BACK, call, err));
    if (!sim->start)
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s: no start is stored: call wrsim_keep_start after wrsim_prepare",
                            call);
    return go_back(sim, sim->start, call, err);
}
