/* The log of a slackened run. See version_log.h. Thread: as version_log.h. Real-time: as version_log.h. */
#include "runtime/sim/version_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/heap_pool.h"
#include "runtime/record/results.h"
#include "wrsim/version.h"

/* Least capacity, in rows, of the ring buffer before the writer (assumed). */
enum { CAP_ROW = 1024 };

/* The log's data of a subsystem. */
typedef struct part {
    /* Number of sources and listeners; number of sources and listeners that are not played. */
    int n_source, n_logged;
    int *source;           /* [n_logged] index of the source */
    wr_channel *channel;   /* [n_logged] */
    double *row;           /* [n_logged] scratch of the worker */
    int *producer;         /* [n_logged] subsystem of the source */
    const double **column; /* [n_logged] columns of a replayed log */
    int i_row;             /* row that the next search in a replayed log tries first */
    int n_own;             /* rows of this subsystem's periods in a replayed log */
    double *own_s;         /* [n_own] times of the rows of this subsystem's periods, s */
    double span_s; /* length of the subsystem's periods, s, for subsystems without logged sources */
    int has_noted; /* a row is written */
} part;

struct wr_version_log {
    wr_slack_log calls;
    int n_part;
    double start_s, period_s;
    wr_recorder *recorder; /* NULL: the run writes no log */
    wr_results *results;   /* NULL: the run replays no log */
    part *part;            /* [n_subsystem] */
};

/* ---- checks ---- */

void wr_version_log_check(const wr_settings *set, wr_diag *diag)
{
    const wr_set_slack *const k = &set->slack;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    if (!is_slack && k->log[0])
        WR_SETTINGS_REFUSE(
            set, "slack.log", diag,
            "slack.log needs relaxation.scheme = \"slack\"; remove the key, or set the scheme");
    if (!is_slack && k->replay[0])
        WR_SETTINGS_REFUSE(
            set, "slack.replay", diag,
            "slack.replay needs relaxation.scheme = \"slack\"; remove the key, or set the scheme");
    if (is_slack && k->log[0] && k->delays != WR_DELAYS_LIVE)
        WR_SETTINGS_REFUSE(set, "slack.log", diag,
                           "slack.log is only for live delays, because other delays repeat without "
                           "a log; remove slack.log, or set slack.delays = \"live\"");
    if (is_slack && k->replay[0] && k->delays != WR_DELAYS_LIVE)
        WR_SETTINGS_REFUSE(set, "slack.replay", diag,
                           "slack.replay excludes slack.delays, because a replay has the delays of "
                           "its log; remove slack.delays");
}

/* ---- calls ---- */

static wrsim_status note(void *context, int i_part, double t_s, const int64_t *version)
{
    const wr_version_log *const log = context;
    part *const p = &log->part[i_part];
    p->has_noted = 1;
    for (int k = 0; k < p->n_logged; k++)
        p->row[k] = (double)version[p->source[k]];
    return wr_recorder_push(log->recorder, i_part, WR_RECORD_COMMUNICATION, t_s, p->row);
}

/* Returns row `hint` if its time is t_s, else the first row at t_s or later; n_row: no such row. */
static int find_row(const wr_results *results, int hint, double t_s)
{
    const double *const time_s = results->time_s;
    if (hint < results->n_row && wr_time_close(time_s[hint], t_s))
        return hint;
    int low = 0, high = results->n_row;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (time_s[middle] < t_s && !wr_time_close(time_s[middle], t_s))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns 1 for a row of this subsystem's periods. Rows of other subsystems have no numbers in this subsystem's columns. */
static int is_own(const part *p, int i_row)
{
    return p->n_logged > 0 && !isnan(p->column[0][i_row]);
}

/* Reads the versions at t_s. Numbers in a log never decrease. Returns 0, or -1: the log has no row of t_s, or a wrong number. */
static int next(void *context, int i_part, double t_s, int64_t *ret_version)
{
    static const double MOST = 1e15; /* a double represents smaller whole numbers exactly */
    const wr_version_log *const log = context;
    part *const p = &log->part[i_part];
    if (p->n_logged == 0)
        return 0;
    const int i = find_row(log->results, p->i_row, t_s);
    if (i >= log->results->n_row || !wr_time_close(log->results->time_s[i], t_s))
        return -1;
    int i_before = i - 1;
    while (i_before >= 0 && !is_own(p, i_before))
        i_before--;
    for (int k = 0; k < p->n_logged; k++) {
        const double known = p->column[k][i], before = i_before >= 0 ? p->column[k][i_before] : 0.0;
        if (!(known >= before) || !(known <= MOST) || known > floor(known))
            return -1;
        ret_version[p->source[k]] = (int64_t)known;
    }
    p->i_row = i + 1;
    return 0;
}

/* ---- opening ---- */

/* Returns the subsystem of entry j in the list of sources, followed by listeners (runtime/slack/task_record.h: n_pick). */
static int picked(const wr_setup *m, int j)
{
    const int n_source = m->subsystem->n_source;
    return j < n_source ? m->link.producer[j] : m->link.listener[j - n_source];
}

static int place_part(const wr_assembly *a, int i, part *p)
{
    const wr_setup *const m = &a->setup[i];
    p->n_source = m->subsystem->n_source + m->link.n_listener;
    p->source = WR_TAKE(a->pool, int, p->n_source);
    p->channel = WR_TAKE(a->pool, wr_channel, p->n_source);
    p->producer = WR_TAKE(a->pool, int, p->n_source);
    p->row = WR_TAKE(a->pool, double, p->n_source);
    p->column = WR_TAKE(a->pool, const double *, p->n_source);
    if (!p->source || !p->channel || !p->producer || !p->row || !p->column)
        return -1;
    for (int j = 0; j < p->n_source; j++) {
        const wr_setup *const producer = &a->setup[picked(m, j)];
        if (producer->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED)
            continue;
        const char *const name = wr_heap_pool_join(a->pool, m->name, producer->name);
        if (!name)
            return -1;
        p->channel[p->n_logged] =
            (wr_channel){.name = name,
                         .unit = "1",
                         .description = "number of the producer's periods that the reader has"};
        p->producer[p->n_logged] = picked(m, j);
        p->source[p->n_logged++] = j;
    }
    return 0;
}

static int open_written(wr_version_log *log, const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_stream_info *const streams = calloc((size_t)a->n_subsystem, sizeof *streams);
    char *const config_text = wr_settings_dump(set, WR_DUMP_RESULTS);
    if (streams && config_text) {
        for (int i = 0; i < a->n_subsystem; i++)
            streams[i] =
                (wr_stream_info){a->setup[i].name, log->part[i].n_logged, log->part[i].channel};
        const wr_recorder_options options = {.file = set->slack.log,
                                             .memory = a->memory,
                                             .config_text = config_text,
                                             .version = WRSIM_VERSION_STRING,
                                             .decimation = 1,
                                             .start_s = -(double)INFINITY,
                                             .communication_step_s = wr_settings_slack_period(set),
                                             .n_stream = a->n_subsystem,
                                             .stream = streams,
                                             .cap_row = CAP_ROW,
                                             .is_sparse = 1,
                                             .is_dropping = set->realtime.rate > 0.0};
        log->recorder = wr_recorder_create(&options, diag);
    } else
        wr_assembly_out_of_memory(diag);
    free(config_text);
    free(streams);
    return log->recorder ? 0 : -1;
}

/* Finds the times of a subsystem's rows, and the length of its periods, which is constant if the subsystem has no rows. */
static int find_own(const wr_assembly *a, const wr_results *results, int i, part *p)
{
    p->own_s = WR_TAKE(a->pool, double, results->n_row);
    if (!p->own_s)
        return -1;
    for (int row = 0; row < results->n_row; row++)
        if (is_own(p, row))
            p->own_s[p->n_own++] = results->time_s[row];
    p->span_s = wr_settings_slack_period(a->settings);
    for (int k = 0; k < a->n_subsystem; k++)
        for (int j = 0; j < a->setup[k].n_source; j++) {
            const double period_s = a->setup[k].link.period_s[j];
            if ((k == i || a->setup[k].link.producer[j] == i) && period_s > 0.0)
                p->span_s = wr_min(p->span_s, period_s);
        }
    return 0;
}

static int open_replayed(wr_version_log *log, const wr_assembly *a, wr_diag *diag)
{
    const wr_where where = wr_settings_place(a->settings, "slack.replay");
    wrsim_error err;
    log->results = wr_results_load(a->settings->slack.replay, &err);
    if (!log->results) {
        wr_diag_add(diag, err.status, &where, "%s", err.text);
        return -1;
    }
    for (int i = 0; i < a->n_subsystem; i++) {
        part *const p = &log->part[i];
        for (int k = 0; k < p->n_logged; k++) {
            const int column = wr_results_find(log->results, p->channel[k].name);
            if (column < 0) {
                wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                            "'%s' is not a log of this config, because the column '%s' is missing; "
                            "write a log with slack.log",
                            a->settings->slack.replay, p->channel[k].name);
                return -1;
            }
            p->column[k] = log->results->value + (size_t)column * (size_t)log->results->n_row;
        }
        if (find_own(a, log->results, i, p) != 0) {
            wr_assembly_out_of_memory(diag);
            return -1;
        }
    }
    return 0;
}

int wr_version_log_open(const wr_assembly *a, wr_version_log **ret_log, wr_diag *diag)
{
    const wr_set_slack *const k = &a->settings->slack;
    *ret_log = NULL;
    if (a->settings->relaxation.scheme != WR_SCHEME_SLACK || (!k->log[0] && !k->replay[0]))
        return 0;
    wr_version_log *log = calloc(1, sizeof *log);
    if (log)
        log->part = calloc((size_t)a->n_subsystem, sizeof *log->part);
    int is_placed = log && log->part;
    if (log) {
        log->n_part = a->n_subsystem;
        log->start_s = a->settings->simulation.start_s;
        log->period_s = wr_settings_slack_period(a->settings);
    }
    for (int i = 0; is_placed && i < a->n_subsystem; i++)
        is_placed = place_part(a, i, &log->part[i]) == 0;
    if (!is_placed)
        wr_assembly_out_of_memory(diag);
    if (!is_placed || (k->log[0] && open_written(log, a, diag) < 0) ||
        (k->replay[0] && open_replayed(log, a, diag) < 0)) {
        wr_version_log_destroy(&log);
        return -1;
    }
    log->calls = (wr_slack_log){
        .context = log, .note = k->log[0] ? note : NULL, .next = k->replay[0] ? next : NULL};
    *ret_log = log;
    return 0;
}

wrsim_status wr_version_log_check_move(const wr_version_log *log, const char *call,
                                       wrsim_error *err)
{
    for (int i = 0; log && i < log->n_part; i++)
        if (log->part[i].has_noted)
            return wr_error_set(err, WRSIM_E_STATE,
                                "%s: slack.log has rows, which cannot be removed; remove slack.log "
                                "from the config",
                                call);
    return WRSIM_OK;
}

/* Returns the end of a version, s: the start of the producer's next period. If versions are sweeps or parts of cut periods, the true end is
 * earlier. Returns infinity if the log ends before. */
static double end_of(const wr_version_log *log, int i_part, double version)
{
    const part *const p = &log->part[i_part];
    if (p->n_logged == 0)
        return log->start_s + version * p->span_s;
    return version < p->n_own ? p->own_s[(int)version] : (double)INFINITY;
}

/* Returns the largest delay of a subsystem's reads, periods. */
static double most_delay_of(const wr_version_log *log, const part *p)
{
    double most_s = 0.0;
    for (int k = 0; k < p->n_logged; k++)
        for (int i = 0; i < log->results->n_row; i++)
            if (is_own(p, i) && p->column[k][i] >= 0.0)
                most_s = wr_max(most_s, log->results->time_s[i] -
                                            end_of(log, p->producer[k], p->column[k][i]));
    return most_s / log->period_s;
}

int wr_version_log_most_delay(const wr_version_log *log)
{
    static const double MOST =
        256.0; /* largest number of periods whose waves a run stores (assumed); longer delays may fail */
    double most = 0.0;
    for (int i = 0; log && log->results && i < log->n_part; i++)
        most = wr_max(most, most_delay_of(log, &log->part[i]));
    static const double ROUNDING = 1e-6;
    return (int)wr_max(ceil(wr_min(most, MOST) - ROUNDING), 0.0);
}

const wr_slack_log *wr_version_log_calls(const wr_version_log *log) { return &log->calls; }

wrsim_status wr_version_log_finish(wr_version_log *log, int64_t *n_dropped, wrsim_error *err)
{
    wr_recorder_stats stats = {0};
    if (!log || !log->recorder)
        return WRSIM_OK;
    const wrsim_status status = wr_recorder_finish(log->recorder, &stats, err);
    *n_dropped += stats.n_dropped;
    return status;
}

void wr_version_log_destroy(wr_version_log **log)
{
    if (!log || !*log)
        return;
    wr_recorder_destroy(&(*log)->recorder);
    wr_results_destroy(&(*log)->results);
    free((*log)->part);
    free(*log);
    *log = NULL;
}
