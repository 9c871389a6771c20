/* States kept in memory: wrsim/checkpoint.h. They have no check sums: nothing damages them.
 *
 * Thread: as in the public header. Real-time: take and restore.
 */
#include <string.h>

#include "runtime/sim/drive.h"
#include "runtime/sim/sim_state.h"
#include "runtime/sim/version_log.h"

struct wrsim_snapshot {
    uint64_t number;  /* of the simulation whose states it holds */
    wr_memory memory; /* that it lies in */
    size_t n_bytes, cap_bytes;
    unsigned char bytes[];
};

static size_t bytes_of(const wrsim_snapshot *snapshot)
{
    return sizeof *snapshot + snapshot->cap_bytes;
}

enum { CAN_KEEP = WR_SIM_PREPARED, CAN_GO_BACK = WR_SIM_PREPARED | WR_SIM_FAILED };

static wrsim_status check_owner(const wrsim *sim, const wrsim_snapshot *snapshot, const char *call,
                                wrsim_error *err)
{
    if (snapshot && snapshot->number == sim->number)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_ARG, "%s: the snapshot is %s", call,
                        snapshot ? "another simulation's" : "missing");
}

static wrsim_status keep(wrsim *sim, wrsim_snapshot *snapshot, wrsim_error *err)
{
    wr_state_io io = wr_state_writer(snapshot->bytes, snapshot->cap_bytes, 0);
    wr_simulation_state(sim, &io);
    if (io.fault != WR_STATE_SOUND) /* what was measured is the most there can be */
        return wr_error_set(err, WRSIM_E_INTERNAL, "the state has no room in its snapshot");
    snapshot->n_bytes = io.n_bytes;
    return WRSIM_OK;
}

static wrsim_status create(wrsim *sim, const char *call, wrsim_snapshot **ret, wrsim_error *err)
{
    WR_TRY(wr_simulation_check_state(sim, CAN_KEEP, call, err));
    wr_state_io io = wr_state_measure();
    wr_simulation_state(sim, &io);
    /* Its pages are there from now on. */
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
    WR_TRY(wr_version_log_check_move(sim->version_log, call, err));
    WR_TRY(wr_recorder_status(sim->recorder, err));
    wr_state_io io = wr_state_reader(snapshot->bytes, snapshot->n_bytes, 0, 0);
    wr_simulation_state(sim, &io);
    return io.fault == WR_STATE_SOUND
               ? WRSIM_OK
               : wr_error_set(err, WRSIM_E_INTERNAL, "the snapshot does not fit its simulation");
}

wrsim_status wrsim_snapshot_create(wrsim *sim, wrsim_snapshot **ret_snapshot, wrsim_error *err)
{
    static const char *const call = "wrsim_snapshot_create";
    if (!ret_snapshot)
        return wr_error_set(err, WRSIM_E_ARG, "%s needs where to put the snapshot", call);
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
    WR_TRY(wr_simulation_check_state(sim, CAN_KEEP, call, err));
    if (sim->start)
        return WRSIM_OK;
    if (sim->is_start_told || wr_drive_has_moved(sim))
        return wr_error_set(err, WRSIM_E_STATE,
                            "%s: the simulation has left its start: call it after wrsim_prepare",
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
                            "%s: the start was not kept: call wrsim_keep_start after wrsim_prepare",
                            call);
    return go_back(sim, sim->start, call, err);
}
