/* Passes rows and waves of a run to the recorder. See recording.h. Thread: as recording.h. Real-time: as recording.h. */
#include "runtime/sim/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap_pool.h"
#include "runtime/sim/log_recording.h"

/* ---- rows ---- */

/* Passes a row to the recorder, unless the file already has the row. The streams of waves follow the streams of rows. */
static wrsim_status push(wrsim *sim, int i_stream, int kind, double t_s, const double *value)
{
    return wr_resume_filter_pass(&sim->gate[i_stream], t_s)
               ? wr_recorder_push(sim->recorder, i_stream, kind, t_s, value)
               : WRSIM_OK;
}

wrsim_status wr_recording_keep_start(void *context, int i_subsystem, const double *value)
{
    wrsim *const sim = context;
    size_t n_all = 0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++)
        n_all += (size_t)sim->assembly->setup[i].n_published;
    if (!sim->wave_node || n_all == 0)
        return WRSIM_OK;
    if (i_subsystem == 0) {
        double *const grown =
            realloc(sim->start_value, (size_t)(sim->n_start_round + 1) * n_all * sizeof *grown);
        if (!grown)
            return WRSIM_E_MEMORY;
        sim->start_value = grown;
        sim->n_start_round++;
    }
    double *to = sim->start_value + (size_t)(sim->n_start_round - 1) * n_all;
    for (int i = 0; i < i_subsystem; i++)
        to += sim->assembly->setup[i].n_published;
    memcpy(to, value, (size_t)sim->assembly->setup[i_subsystem].n_published * sizeof *to);
    return WRSIM_OK;
}

/* Nodes of the start have slope 0. In a run that advances, a node at an equal time follows each start node, so no piece uses this slope. */
wrsim_status wr_recording_push_start(wrsim *sim)
{
    const double *value = sim->start_value, start_s = sim->settings->simulation.start_s;
    if (sim->is_start_told)
        return WRSIM_OK;
    sim->is_start_told = 1;
    for (int i = 0; i < sim->assembly->n_subsystem && sim->log; i++)
        WR_TRY(wr_log_recording_start(sim, i));
    for (int round = 0; round < sim->n_start_round; round++)
        for (int i = 0; i < sim->assembly->n_subsystem; i++) {
            const size_t n = (size_t)sim->assembly->setup[i].n_published;
            double *const last = sim->wave_node[i]; /* last[0], the time, stays NaN */
            memcpy(last + 1, value, n * sizeof *last);
            memset(last + 1 + n, 0, n * sizeof *last);
            value += n;
            if (n > 0)
                WR_TRY(
                    push(sim, sim->assembly->n_subsystem + i, WR_RECORD_NODE, start_s, last + 1));
        }
    return WRSIM_OK;
}

/* Pushes the nodes of an accepted window's wave, except a first node that repeats the last window's end. Other equal nodes are
 * rounds of one instant. */
static wrsim_status push_wave(wrsim *sim, int i_subsystem)
{
    const wr_wave *const wave = sim->assembly->setup[i_subsystem].subsystem->wave;
    const size_t n = (size_t)wave->n_signal;
    double *const last = sim->wave_node[i_subsystem];
    for (int i = 0; n > 0 && i < wave->n_node; i++) {
        const double *const value = wave->value + (size_t)i * n, *const slope =
                                                                     wave->slope + (size_t)i * n;
        if (i == 0 && memcmp(last, &wave->t_s[i], sizeof *last) == 0 &&
            memcmp(last + 1, value, n * sizeof *last) == 0 &&
            memcmp(last + 1 + n, slope, n * sizeof *last) == 0)
            continue;
        last[0] = wave->t_s[i];
        memcpy(last + 1, value, n * sizeof *last);
        memcpy(last + 1 + n, slope, n * sizeof *last);
        WR_TRY(push(sim, sim->assembly->n_subsystem + i_subsystem, WR_RECORD_NODE, wave->t_s[i],
                    last + 1));
    }
    return WRSIM_OK;
}

wrsim_status wr_recording_commit(void *context, int i_subsystem)
{
    wrsim *const sim = context;
    const wr_subsystem *const s = sim->assembly->setup[i_subsystem].subsystem;
    if (sim->log) /* before the rows, because rows wait in the recorder for the log */
        WR_TRY(wr_log_recording_commit(sim, i_subsystem));
    for (int i = 0; i < s->n_row; i++)
        WR_TRY(push(sim, i_subsystem, s->row_kind[i], s->row_time_s[i],
                    s->row_value + (size_t)i * (size_t)s->n_recorded));
    return sim->wave_node ? push_wave(sim, i_subsystem) : WRSIM_OK;
}

/* ---- opening ---- */

/* Places the channels of the waves, values and then slopes, and the last node of each wave. */
static int place_waves(wrsim *sim, wr_stream_info *waves)
{
    wr_assembly *const a = sim->assembly;
    sim->wave_node = WR_NEW_ARRAY(a->arena, double *, a->n_subsystem);
    for (int i = 0; sim->wave_node && i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        const int n = m->n_published;
        wr_channel *const channel = WR_TAKE(a->pool, wr_channel, 2 * n);
        double *const node = sim->wave_node[i] = WR_NEW_ARRAY(a->arena, double, 1 + 2 * n);
        if (!channel || !node)
            return -1;
        node[0] = (double)NAN;
        for (int k = 0; k < n; k++) {
            char *const slope =
                WR_TAKE(a->pool, char, strlen(m->link.signal_name[k]) + sizeof "der()");
            if (!slope)
                return -1;
            sprintf(slope, "der(%s)", m->link.signal_name[k]);
            channel[k] = (wr_channel){.name = m->link.signal_name[k]};
            channel[n + k] = (wr_channel){.name = slope};
        }
        waves[i] = (wr_stream_info){m->name, 2 * n, channel};
    }
    return sim->wave_node ? 0 : -1;
}

/* Returns the recorder's least capacity in a paced run, in rows of each subsystem; 0 without realtime.rate. A full recorder drops rows. The
 * capacity suffices for the communication points of STALL_S s without the disk, but all rows take at most MOST_BYTES (both assumed). */
static int rows_paced(const wrsim *sim)
{
    static const double STALL_S = 2.0, MOST_BYTES = 16777216.0;
    const wr_settings *const set = sim->settings;
    double n_value = 0.0; /* values of all subsystems at a communication point */
    for (int i = 0; i < sim->assembly->n_subsystem; i++)
        n_value += 2.0 + sim->assembly->setup[i].n_recorded;
    const double rows = STALL_S * set->realtime.rate / set->simulation.communication_step_s;
    return (int)wr_min(rows, MOST_BYTES / (sizeof(double) * n_value));
}

/* Begins to show the run to its viewers. */
static void begin_live(const wrsim *sim, const wr_stream_info *streams)
{
    const wr_settings *const set = sim->settings;
    const int is_paced = set->realtime.rate > 0.0;
    wr_live_begin(sim->live,
                  &(wr_live_run){.title = set->file[0] ? set->file : "wrsim",
                                 .start_s = set->simulation.start_s,
                                 .stop_s = set->simulation.stop_s,
                                 .rate = set->realtime.rate,
                                 .period_s = is_paced ? wr_settings_slack_period(set) : 0.0,
                                 .n_stream = sim->assembly->n_subsystem,
                                 .stream = streams});
    wr_live_set_cpus(sim->live, sim->n_worker, sim->cpu);
}

wr_recorder *wr_recording_open(wrsim *sim, wr_diag *diag)
{
    const wr_settings *const set = sim->settings;
    const wr_assembly *const a = sim->assembly;
    wr_stream_info *const streams = calloc(2 * (size_t)a->n_subsystem, sizeof *streams);
    wr_stream_info *const waves = streams ? streams + a->n_subsystem : NULL;
    const int has_waves = set->output.waves && set->output.file[0] != '\0' && a->n_subsystem > 1;
    const int has_file = set->output.file[0] != '\0';
    char *const config_text = has_file ? wr_settings_dump(set, WR_DUMP_RESULTS) : NULL;
    wr_recorder *recorder = NULL;
    if (!streams || (has_file && !config_text)) {
        wr_assembly_out_of_memory(diag);
        goto out;
    }
    if (has_waves && place_waves(sim, waves) < 0) {
        wr_assembly_out_of_memory(diag);
        goto out;
    }
    const wr_log_info *const log = wr_settings_has_log(set) ? wr_log_recording_place(sim) : NULL;
    if (wr_settings_has_log(set) && !log) {
        wr_assembly_out_of_memory(diag);
        goto out;
    }
    int cap_row = 0;
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        streams[i] = (wr_stream_info){m->name, m->n_recorded, m->channel};
        cap_row = m->subsystem->cap_row > cap_row ? m->subsystem->cap_row : cap_row;
    }
    if (sim->live)
        begin_live(sim, streams);
    const wr_recorder_options options = {
        .show = sim->live ? wr_live_row : NULL,
        .show_context = sim->live,
        .file = set->output.file,
        .memory = &sim->memory,
        .summary = wr_set_json_place(&set->output),
        .config_text = config_text,
        .version = WRSIM_VERSION_STRING,
        .decimation = set->output.decimation,
        .is_without_points = !set->output.points,
        .start_s = set->output.start_s,
        .communication_step_s = set->simulation.communication_step_s,
        .n_stream = a->n_subsystem,
        .stream = streams,
        .cap_row = cap_row > rows_paced(sim) ? cap_row : rows_paced(sim),
        .is_dropping = set->realtime.rate > 0.0,
        .n_wave = has_waves ? a->n_subsystem : 0,
        .wave = waves,
        .cap_node = a->cap_node,
        .log = log};
    recorder = wr_recorder_create(&options, diag);
out:
    free(config_text);
    free(streams);
    return recorder;
}

/* ---- crash ---- */

wr_crash_flush wr_recording_flush(wrsim *sim, int64_t wait_ns)
{
    if (!sim->recorder || sim->settings->output.file[0] == '\0')
        return WR_FLUSH_NO_FILE;
    return wr_recorder_hurry(sim->recorder, wait_ns) ? WR_FLUSH_DONE : WR_FLUSH_LATE;
}
