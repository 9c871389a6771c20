/* Creation, run and destruction of a simulation: wrsim/sim.h.
 *
 * Thread: as in the public headers. Real-time: wrsim_advance(), wrsim_stop(), and end_window(), which the driver calls between windows. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/fp_mode.h"
#include "base/heap_pool.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/component_process.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/host_services.h"
#include "runtime/sim/log_recording.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/realtime.h"
#include "runtime/sim/recording.h"
#include "runtime/sim/run_files.h"
#include "runtime/sim/simulation.h"
#include "scheduler/machine.h"

/* ---- states ---- */

wrsim_status wr_simulation_check(const wrsim *sim, unsigned states, const char *call,
                                 wrsim_error *err)
{
    if (!sim)
        return wr_error_set(err, WRSIM_E_ARG, "%s needs a simulation: call wrsim_create first",
                            call);
    const wr_sim_state state = wr_simulation_where(sim);
    if (state & states)
        return WRSIM_OK;
    const char *const why =
        state == WR_SIM_CREATED    ? "the simulation is not prepared: call wrsim_prepare first"
        : state == WR_SIM_FINISHED ? "the simulation is finished: create another one"
        : state == WR_SIM_FAILED   ? "the simulation has failed: wrsim_finish keeps its results"
        : state == WR_SIM_RUNNING
            ? "the simulation is running: make this call when the running call has returned"
            : "the simulation is prepared already: run it";
    return wr_error_set(err, WRSIM_E_STATE, "%s: %s", call, why);
}

wrsim_status wr_simulation_fail(wrsim *sim, const wrsim_error *failure, wrsim_error *err)
{
    wr_simulation_enter(sim, WR_SIM_FAILED);
    sim->failure = *failure;
    wr_host_services_log(sim, WRSIM_LOG_ERROR, "%s", failure->text);
    if (err)
        *err = *failure;
    return failure->status;
}

/* ---- create ---- */

wrsim_status wrsim_create(const wrsim_config *config, wrsim_report_fn report, void *user,
                          wrsim **ret_sim, wrsim_error *err)
{
    return wrsim_create_hosted(config, NULL, report, user, ret_sim, err);
}

wrsim_status wrsim_create_hosted(const wrsim_config *config, const wrsim_host *host,
                                 wrsim_report_fn report, void *user, wrsim **ret_sim,
                                 wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!config || !ret_sim)
        return wr_error_set(err, WRSIM_E_ARG, "wrsim_create: config or ret_sim is NULL; pass both");
    wr_diag diag = {0};
    wrsim *sim = wr_build_simulation_empty(config->settings);
    if (!sim) {
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL, "out of memory for a simulation");
        const wrsim_status none = wr_diag_report(&diag, report, user, err);
        wr_diag_done(&diag);
        return none;
    }
    const wrsim_status taken = wr_host_services_take(sim, host, err);
    if (taken < 0) {
        wrsim_destroy(&sim);
        return taken;
    }
    /* The union removes const, because the config's count of users changes. */
    union {
        const wrsim_config *read;
        wrsim_config *shared;
    } const handle = {config};
    sim->config = handle.shared;
    wr_build_simulation_use_config(sim->config);
    sim->split = config->split;
    sim->is_split_chosen = config->is_split_chosen;
    wr_build_simulation_fill(sim, &diag);
    /* Only a study of the split replaces "auto", because the study runs models. */
    if (wrsim_config_is_undecided(config))
        WR_SETTINGS_REFUSE(
            config->settings, "simulation.monolithic", &diag,
            "simulation.monolithic = \"auto\" is not decided; call wrsim_study_split() and "
            "wrsim_config_keep_split(), or set true or false");
    const wrsim_status status = wr_diag_report(&diag, report, user, err);
    if (sim->assembly) {
        wr_host_services_log_all(sim, WRSIM_LOG_WARNING, &sim->assembly->warnings);
        wr_host_services_log_all(sim, WRSIM_LOG_WARNING, &sim->assembly->length_warnings);
    }
    wr_host_services_log_all(sim, WRSIM_LOG_ERROR, &diag);
    wr_diag_done(&diag);
    if (status < 0 || !sim->assembly) {
        wrsim_destroy(&sim);
        return status < 0 ? status : WRSIM_E_INTERNAL;
    }
    wr_host_services_log(sim, WRSIM_LOG_INFO, "created: %d components in %d subsystems",
                         sim->assembly->n_component, sim->assembly->n_subsystem);
    *ret_sim = sim;
    return WRSIM_OK;
}

/* ---- prepare ---- */

/* Calls the progress function. Stops the driver after a request of the host, or at pause_window. is_stop_asked stores a request, because
 * the host may request a stop before the driver is placed. */
static void end_window(void *context, double t_s)
{
    wrsim *const sim = context;
    if (sim->progress) {
        const wrsim_progress progress = {.start_s = sim->settings->simulation.start_s,
                                         .time_s = t_s,
                                         .stop_s = sim->settings->simulation.stop_s,
                                         .n_window = sim->driver->windows(sim),
                                         .n_sweep = sim->driver->sweeps(sim)};
        /* The host's callback, and threads that the callback starts, get the host's floating-point mode. */
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_USUAL);
        sim->progress(sim->progress_user, &progress);
        wr_fp_mode_restore(before);
    }
    const int is_asked = atomic_exchange_explicit(&sim->is_stop_asked, 0, memory_order_relaxed);
    sim->is_paused =
        !is_asked && sim->pause_window > 0 && sim->driver->windows(sim) >= sim->pause_window;
    if (is_asked || sim->is_paused)
        sim->driver->stop(sim);
}

/* Places the observers of each run in the arena, in the order of their calls. A new observer is a row. Returns 0, or -1 when out of
 * memory. */
static int place_observers(wrsim *sim)
{
    const wr_observer rows[] = {{.context = sim,
                                 .start = wr_recording_keep_start,
                                 .commit = wr_recording_commit,
                                 .report = sim->log ? wr_log_recording_window : NULL},
                                {.context = sim, .window = end_window}};
    wr_observer *const placed = WR_NEW_ARRAY(sim->assembly->arena, wr_observer, WR_COUNT_OF(rows));
    for (size_t i = 0; placed && i < WR_COUNT_OF(rows); i++) {
        placed[i] = rows[i];
        wr_observer_append(&sim->observers, &placed[i]);
    }
    return placed ? 0 : -1;
}

/* Places memory for the outputs of any one subsystem. Returns NULL with an error in diag if memory is exhausted. */
static double *place_outputs(const wrsim *sim, wr_diag *diag)
{
    int most = 1;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        const wr_group *const g = wr_setup_group(&sim->assembly->setup[i]);
        const int n = g ? g->n_y : sim->assembly->setup[i].n_published;
        most = n > most ? n : most;
    }
    double *const outputs = WR_NEW_ARRAY(sim->assembly->arena, double, most);
    if (!outputs)
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for %d outputs", most);
    return outputs;
}

static void share(void *team, int n_part, void (*work)(void *context, int i_part), void *context)
{
    wr_team_share(team, n_part, work, context);
}

/* Returns 1 if idle workers evaluate indicators (scheduler.event_threads). Only a run of one subsystem lends workers. A real-time run lends
 * no workers, because the run would wait for a late worker. */
static int lends_workers(const wrsim *sim)
{
    return sim->settings->scheduler.event_threads && wr_assembly_n_relaxed(sim->assembly) == 1 &&
           sim->n_worker > 1 && !wr_settings_is_realtime(sim->settings);
}

static void lend_workers(wrsim *sim)
{
    if (!lends_workers(sim))
        return;
    wr_group_helpers helpers = {.team = sim->team, .share = share};
    for (int i = 0; i < sim->n_worker; i++)
        helpers.n_worker += sim->worker_pu[i] >= 0; /* workers that have a core */
    for (int i = 0; i < sim->assembly->n_subsystem && helpers.n_worker > 1; i++) {
        wr_group *const group = wr_setup_group(&sim->assembly->setup[i]);
        if (group)
            wr_group_use_helpers(group, &helpers);
    }
}

wrsim_status wrsim_prepare(wrsim *sim, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    const wrsim_status order = wr_simulation_check(sim, WR_SIM_CREATED, "wrsim_prepare", err);
    if (order < 0)
        return order;
    wr_diag diag = {0};
    wrsim_error failure = {0};
    if (wr_run_files_try(sim->settings, &sim->summary_claim, &failure) < 0)
        wr_diag_add(&diag, failure.status, NULL, "%s", failure.text);
    wr_host_services_claim_cores(sim, &diag); /* before the team starts its threads */
    const wr_team_options team = {.n_worker = sim->n_worker,
                                  .cpu = sim->cpu,
                                  .spin_us = sim->settings->scheduler.spin_us,
                                  .is_sharing = lends_workers(sim),
                                  .memory = &sim->memory};
    sim->outputs = place_outputs(sim, &diag);
    sim->recorder = wr_diag_status(&diag) < 0 ? NULL : wr_recording_open(sim, &diag);
    if (sim->recorder && wr_version_log_open(sim->assembly, &sim->version_log, &diag) == 0)
        sim->team = wr_team_create(&team);
    wr_arena_line(sim->assembly->arena);
    sim->gate = WR_NEW_ARRAY(sim->assembly->arena, wr_resume_filter, wr_recording_n_stream(sim));
    if ((!sim->team || !sim->gate || place_observers(sim) < 0 || wr_driver_place(sim) < 0 ||
         wr_realtime_place(sim) < 0) &&
        wr_diag_status(&diag) >= 0)
        wr_diag_add(&diag, WRSIM_E_MEMORY, NULL,
                    "the system refuses memory or threads for %d workers; lower scheduler.workers, "
                    "relaxation.max_nodes or relaxation.history.max_nodes",
                    sim->n_worker);
    wrsim_status status = wr_diag_status(&diag);
    if (status >= 0) {
        lend_workers(sim);
        wr_component_process_set_waits(sim);
        const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN);
        status = sim->driver->start(sim, &failure);
        wr_fp_mode_restore(before);
        if (status >= 0)
            status = wr_realtime_ask(sim, &failure);
    }
    if (status < 0) {
        if (wr_diag_status(&diag) < 0)
            wr_diag_report(&diag, NULL, NULL, &failure);
        wr_diag_done(&diag);
        wr_simulation_fail(sim, &failure, err);
        return status;
    }
    wr_arena_seal(sim->assembly->arena);
    sim->has_values = 1;
    wr_ports_latch(sim);
    wr_host_services_observe(sim);
    wr_simulation_enter(sim, WR_SIM_PREPARED);
    wr_host_services_log(sim, WRSIM_LOG_INFO, "prepared: %d workers, %zu bytes, t = %.10g s",
                         sim->n_worker, wr_arena_used_bytes(sim->assembly->arena), wrsim_time(sim));
    return WRSIM_OK;
}

/* ---- run ---- */

wrsim_status wrsim_set_progress(wrsim *sim, wrsim_progress_fn progress, void *user)
{
    if (!sim)
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) == WR_SIM_RUNNING)
        return WRSIM_E_STATE;
    sim->progress = progress;
    sim->progress_user = user;
    return WRSIM_OK;
}

wrsim_status wrsim_observe(wrsim *sim, const wrsim_observer *observer, wrsim_error *err)
{
    WR_TRY(wr_simulation_check(sim, WR_SIM_CREATED | WR_SIM_PREPARED | WR_SIM_FAILED,
                               "wrsim_observe", err));
    return wr_host_services_take_observer(sim, observer, err);
}

/* Advances a simulation in the state "running". Sets ret_failure if the run fails, and err for an error of the caller. */
static wrsim_status advance(wrsim *sim, double time_s, wrsim_error *ret_failure, wrsim_error *err)
{
    const wrsim_status reach = sim->driver->check_end(sim, time_s, err);
    if (reach < 0)
        return reach;
    const int64_t start_ns = wr_clock_monotonic_ns();
    wr_ports_sample(sim);
    wrsim_status status = wr_recording_push_start(sim);
    wr_realtime_enter(sim);
    if (status >= 0)
        status = sim->driver->run(sim, time_s, ret_failure);
    wr_realtime_leave(sim);
    if (sim->driver->is_cut && sim->driver->is_cut(sim)) /* end_window() has not cleared the flag */
        atomic_store_explicit(&sim->is_stop_asked, 0, memory_order_relaxed);
    sim->wall_ns += wr_clock_monotonic_ns() - start_ns;
    sim->furthest_s = wr_max(sim->furthest_s, wrsim_time(sim));
    sim->ended = status > 0 ? status : WRSIM_OK;
    /* An error of the writer's thread may arrive after the run's last check. */
    if (ret_failure->status == WRSIM_OK) {
        const wrsim_status written = wr_recorder_status(sim->recorder, ret_failure);
        status = written < 0 ? written : status;
    }
    if (status < 0)
        ret_failure->status = status;
    return status;
}

wrsim_status wrsim_advance(wrsim *sim, double time_s, wrsim_error *err)
{
    static const char *const call = "wrsim_advance";
    WR_TRY(wr_simulation_check(sim, WR_SIM_PREPARED, call, err));
    if (!isfinite(time_s))
        return wr_error_set(err, WRSIM_E_ARG, "wrsim_advance: time_s is %g; pass a finite time",
                            time_s);
    if (!wr_simulation_begin(sim)) /* another thread has begun a run */
        return wr_simulation_check(sim, WR_SIM_PREPARED, call, err);
    wrsim_error failure = {0};
    const wrsim_status status = advance(sim, time_s, &failure, err);
    if (failure.status < 0)
        return wr_simulation_fail(sim, &failure, err);
    if (status >= 0 && !wr_realtime_is_holding(sim))
        wr_ports_latch(sim);
    wr_simulation_enter(sim, WR_SIM_PREPARED);
    return status;
}

void wrsim_stop(wrsim *sim)
{
    if (sim)
        atomic_store_explicit(&sim->is_stop_asked, 1, memory_order_relaxed);
}

/* Returns WRSIM_OK, or an error if a model has written beyond its memory or data. */
static wrsim_status check_models(const wrsim *sim, wrsim_error *err)
{
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        const wr_setup *const m = &sim->assembly->setup[i];
        wr_group *const group = wr_setup_group(m);
        if (!group || wr_group_check_end(group, wrsim_time(sim)) == 0)
            continue;
        wr_group_fault_text(group, &group->fault, err);
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
        return err->status;
    }
    return WRSIM_OK;
}

wrsim_status wrsim_finish(wrsim *sim, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    const wrsim_status order =
        wr_simulation_check(sim, WR_SIM_PREPARED | WR_SIM_FAILED, "wrsim_finish", err);
    if (order < 0)
        return order;
    wr_simulation_enter(sim, WR_SIM_FINISHED);
    wrsim_status status = WRSIM_OK;
    wrsim_error failure = {0};
    wr_realtime_finish(sim);
    if (sim->has_values)
        (void)wr_recording_push_start(sim); /* wr_recorder_finish() returns the error */
    if (sim->recorder)
        status = wr_recorder_finish(sim->recorder, &sim->recorded, &failure);
    if (status >= 0)
        status = wr_version_log_finish(sim->version_log, &sim->recorded.n_dropped, &failure);
    if (status >= 0 && sim->has_values && sim->failure.status == WRSIM_OK)
        status = check_models(sim, &failure);
    /* wrsim_advance() has reported this failure. */
    if (status < 0 && strcmp(failure.text, sim->failure.text) == 0)
        status = WRSIM_OK;
    if (sim->failure.status == WRSIM_OK && status < 0)
        sim->failure = failure;
    wrsim_status written = WRSIM_OK;
    if (wr_driver_is_placed(sim)) {
        char *const text = sim->settings->output.json[0] ? wrsim_summary(sim) : NULL;
        written = wr_run_files_write(sim->settings, text, status < 0 ? NULL : &failure);
        free(text);
    }
    wr_file_claim_release(&sim->summary_claim);
    wr_file_claim_release(&sim->checkpoint_claim);
    status = status < 0 ? status : written;
    if (err && status < 0)
        *err = failure;
    if (status < 0)
        wr_host_services_log(sim, WRSIM_LOG_ERROR, "%s", failure.text);
    else if (sim->has_values)
        wr_host_services_log(sim, WRSIM_LOG_INFO, "finished at t = %.10g s", wrsim_time(sim));
    return status;
}

void wrsim_destroy(wrsim **sim)
{
    if (!sim || !*sim)
        return;
    wrsim *const s = *sim;
    if (wr_simulation_where(s) == WR_SIM_RUNNING) {
        wrsim_stop(s); /* the caller is a callback of the run, and the run still uses the memory */
        return;
    }
    wr_realtime_done(s);
    wr_file_claim_release(&s->summary_claim);
    wr_file_claim_release(&s->checkpoint_claim);
    wr_recorder_destroy(&s->recorder);
    wr_version_log_destroy(&s->version_log);
    wr_team_destroy(&s->team);
    wr_driver_close(s);
    wr_memory_give(&s->memory, s->start, s->start_bytes); /* a snapshot is one block */
    free(s->start_value);
    wrsim_config_destroy(&s->config);
    wr_build_simulation_free(sim);
}
