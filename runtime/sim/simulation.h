/* The data of a simulation, shared by the files that implement wrsim/sim.h. Thread: as in wrsim/sim.h. */
#ifndef WR_SIMULATION_H
#define WR_SIMULATION_H

#include <stdatomic.h>

#include "base/file_claim.h"
#include "runtime/live/live_memory.h"
#include "runtime/record/resume_filter.h"
#include "runtime/relax/engine.h"
#include "runtime/sim/assembly.h"
#include "runtime/sim/version_log.h"
#include "scheduler/core_lock.h"
#include "wrsim/wrsim.h"

typedef struct wr_realtime wr_realtime;

struct wrsim_config {
    wr_settings *settings;
    atomic_int n_user;       /* references: the config's owner, and each simulation of the config */
    wrsim_split_probe split; /* result of a study of the split */
    int is_split_chosen;     /* a study has replaced simulation.monolithic = "auto" */
};

/* States of a simulation, as bits. A mask has the bits of the states in which a call is allowed. */
typedef enum wr_sim_state {
    WR_SIM_CREATED = 1 << 0,
    WR_SIM_PREPARED = 1 << 1,
    WR_SIM_FAILED = 1 << 2,
    WR_SIM_FINISHED = 1 << 3,
    WR_SIM_RUNNING = 1 << 4 /* inside of wrsim_advance(), and in callbacks */
} wr_sim_state;

struct wrsim {
    uint64_t number;             /* unique in the process */
    wrsim_config *config;        /* NULL: the caller owns the settings */
    const wr_settings *settings; /* points to `own` */
    wr_settings own;             /* the config's settings, with the chosen grouping */
    wrsim_split_probe split;     /* copy of config->split at creation */
    int is_split_chosen;         /* copy of config->is_split_chosen at creation */
    /* After creation only wr_simulation_where(), _enter() and _begin() access the state. */
    _Atomic(wr_sim_state) state;
    wrsim_host host;  /* NULL members are not used */
    wr_memory memory; /* memory functions of the host, or of the system */
    wr_assembly *assembly;
    wr_topology *topology;
    wr_team *team;
    int n_worker;
    int n_cpu;           /* usable CPUs; INT_MAX if scheduler.topology describes a machine */
    wr_core_lock *claim; /* locked cores; NULL: none */
    int *worker_pu;      /* [n_worker] index into topology->pu, -1 = no core */
    int *cpu;            /* [n_worker] OS number, -1 = not pinned */
    double *outputs;     /* scratch of wrsim_get_many(), outputs of one subsystem */
    int has_values;      /* the driver has found the start values */
    const struct wr_driver_ops *driver; /* operations of the driver (driver_ops.h) */
    void *driver_run;                   /* the driver's object; NULL: not placed */
    /* Real time of a slackened run (realtime.h), in the arena; NULL: neither paced nor timed. */
    wr_realtime *realtime;
    wr_pacer_clock pace_clock; /* clock of a paced run; without functions: CLOCK_MONOTONIC */
    int is_timed; /* periods are timed, also without [realtime]; set before wrsim_prepare() */
    /* [n_subsystem][1 + 2 n_published] time, values and slopes of the wave's last node; NULL: waves are not recorded */
    double **wave_node;
    /* [3 n_subsystem + 1] filters of rows, of nodes of waves, of entries of event logs, and of window records */
    wr_resume_filter *gate;
    struct wr_log_room
        *log;          /* event logs and window records (log_recording.h); NULL: not recorded */
    double furthest_s; /* latest time that an advance has reached, s; stays after a restore */
    /* [n_start_round][published signals of all subsystems] values at the start. The first advance, or wrsim_finish(), records the
     * values, unless a restored state has set is_start_told. */
    double *start_value;
    int n_start_round;
    int is_start_told;            /* start values are recorded */
    struct wrsim_snapshot *start; /* state that wrsim_reset() restores; NULL: not requested */
    size_t start_bytes;
    wr_observer
        *observers; /* list that the driver calls; a study appends its observer between runs */
    /* Claims until wrsim_finish() or wrsim_destroy(); NULL: no claimed file, or no lock. */
    wr_file_claim *summary_claim, *checkpoint_claim;
    wr_recorder *recorder;
    wr_live *live; /* memory that viewers read, set before wrsim_prepare(); NULL: none */
    wr_version_log *version_log; /* log of a slackened run; NULL: not requested */
    wr_recorder_stats recorded;
    int64_t wall_ns;
    wrsim_status ended; /* positive status of the last advance, or WRSIM_OK */
    /* an advance pauses at this number of windows since the start; 0: never */
    int64_t pause_window;
    int is_paused;           /* the last advance paused after pause_window windows */
    wrsim_observer observer; /* size_bytes 0: none */
    wrsim_progress_fn progress;
    void *progress_user;
    /* wrsim_stop() sets the flag. The end of a window, a paced wait or the end of a cut run clears the flag (relaxed). */
    atomic_int is_stop_asked;
    wrsim_error failure; /* status WRSIM_OK: no failure */
};

/* Returns the state of the simulation. The acquire pairs with the release in wr_simulation_enter(), so that a refusal of a call from
 * another thread is no data race. */
static inline wr_sim_state wr_simulation_where(const wrsim *sim)
{
    return atomic_load_explicit(&sim->state, memory_order_acquire);
}

static inline void wr_simulation_enter(wrsim *sim, wr_sim_state state)
{
    atomic_store_explicit(&sim->state, state, memory_order_release);
}

/* Changes the state from prepared to running, in one thread only. Returns 0 if the simulation is not prepared. The acquire and release pair
 * with wr_simulation_enter() and wr_simulation_where(). */
static inline int wr_simulation_begin(wrsim *sim)
{
    wr_sim_state expected = WR_SIM_PREPARED;
    return atomic_compare_exchange_strong_explicit(&sim->state, &expected, WR_SIM_RUNNING,
                                                   memory_order_acq_rel, memory_order_acquire);
}

/* Checks that the simulation is in one of the states (bits) in which the call is allowed. Returns WRSIM_OK, WRSIM_E_ARG (no simulation) or
 * WRSIM_E_STATE. err (may be NULL) names the call and the missing step. */
wrsim_status wr_simulation_check(const wrsim *sim, unsigned states, const char *call,
                                 wrsim_error *err);

/* Records the failure of the run. Returns the failure's status; err may be NULL. */
wrsim_status wr_simulation_fail(wrsim *sim, const wrsim_error *failure, wrsim_error *err);

#endif
