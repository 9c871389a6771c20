/* Converts result files. See convert.h. Thread: one owner. Real-time: no. */
#include "runtime/record/convert.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/open_file.h"
#include "base/same_file.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/own_file.h"
#include "runtime/record/result_file.h"
#include "runtime/record/results.h"
#include "runtime/record/writer.h"

/* A row at an event. */
typedef struct event_row {
    double t_s;
    int i_stream, i_row;
} event_row;

static int compare_events(const void *a_at, const void *b_at)
{
    const event_row *const a = a_at, *const b = b_at;
    if (a->t_s < b->t_s || a->t_s > b->t_s)
        return a->t_s < b->t_s ? -1 : 1;
    return a->i_stream != b->i_stream ? (a->i_stream < b->i_stream ? -1 : 1)
                                      : (a->i_row > b->i_row) - (a->i_row < b->i_row);
}

/* A result file with the order of its rows. */
typedef struct source {
    const wr_results *results;
    wr_stream_info *stream; /* [n_stream] */
    wr_channel *channel;    /* [n_signal] in the order of the streams */
    const double **value;   /* [n_stream] values of a row */
    double *row;            /* [n_signal] */
    event_row *
        event; /* [n_event] rows at events, in the order of the recorder's merge: time, stream, row */
    size_t n_event;
} source;

static wrsim_status place(source *s, wrsim_error *err)
{
    const wr_results *const r = s->results;
    for (int k = 0; k < r->n_stream; k++)
        s->n_event += (size_t)r->stream[k].n_row;
    s->stream = calloc((size_t)r->n_stream + 1, sizeof *s->stream);
    s->channel = calloc((size_t)r->n_signal + 1, sizeof *s->channel);
    s->value = calloc((size_t)r->n_stream + 1, sizeof *s->value);
    s->row = calloc((size_t)r->n_signal + 1, sizeof *s->row);
    s->event = malloc((s->n_event + 1) * sizeof *s->event);
    if (!s->stream || !s->channel || !s->value || !s->row || !s->event)
        return wr_error_memory(err);
    size_t i_event = 0;
    wr_channel *channel = s->channel;
    const double *row = s->row;
    for (int k = 0; k < r->n_stream; k++) {
        const wr_results_stream *const from = &r->stream[k];
        s->stream[k] = (wr_stream_info){from->name, from->n_signal, channel};
        s->value[k] = row;
        row += from->n_signal;
        for (int j = 0; j < from->n_signal; j++) {
            const int i = from->signal[j];
            *channel++ = (wr_channel){r->name[i], r->unit[i], r->description[i]};
        }
        for (int i = 0; i < from->n_row; i++)
            s->event[i_event++] = (event_row){from->time_s[i], k, i};
    }
    if (s->n_event > 1)
        qsort(s->event, s->n_event, sizeof *s->event, compare_events);
    return WRSIM_OK;
}

/* Writes all rows. An event at the time of a communication point precedes the point, as in a run. */
static wrsim_status write_rows(const source *s, const wr_writer_ops *ops, wr_writer *writer,
                               wrsim_error *err)
{
    const wr_results *const r = s->results;
    size_t i_event = 0;
    for (int i = 0; i <= r->n_row; i++) {
        for (; i_event < s->n_event && (i == r->n_row || s->event[i_event].t_s <= r->time_s[i]);
             i_event++) {
            const event_row *const e = &s->event[i_event];
            const wr_results_stream *const from = &r->stream[e->i_stream];
            WR_TRY(ops->event(writer, e->i_stream,
                              from->is_right[e->i_row] ? WR_RECORD_RIGHT : WR_RECORD_LEFT, e->t_s,
                              from->value + (size_t)e->i_row * (size_t)from->n_signal, err));
        }
        if (i == r->n_row)
            break;
        double *value = s->row;
        for (int k = 0; k < r->n_stream; k++)
            for (int j = 0; j < r->stream[k].n_signal; j++)
                *value++ = r->value[(size_t)r->stream[k].signal[j] * (size_t)r->n_row + (size_t)i];
        WR_TRY(ops->row(writer, r->time_s[i], s->value, err));
    }
    return WRSIM_OK;
}

/* Refuses a conversion that would overwrite its source, or a file that wrsim did not write. */
static wrsim_status check_new(const char *from, const char *to, const wr_writer_ops *row,
                              wrsim_error *err)
{
    WR_AUTO_FREE char *const beside = wr_writer_beside(to);
    const char *refused = to;
    if (!beside)
        return wr_error_memory(err);
    if (wr_same_file(from, to))
        return wr_results_fail(err, WRSIM_E_ARG, to, 0,
                               "'%s' would overwrite its source; choose another name", to);
    const char *refusal = wr_own_file_refusal(to, WR_OWN_RESULT);
    if (!refusal && *beside && !row->whole) {
        refused = beside;
        refusal = wr_own_file_refusal(beside, row->beside_kind);
    }
    return !refusal ? WRSIM_OK
                    : wr_results_fail(err, WRSIM_E_IO, refused, 0,
                                      "'%s' exists and is not %s, so it is not overwritten; choose "
                                      "another name, or remove the file",
                                      refused, refusal);
}

/* ---- the new file ---- */

/* A file that replaces an old result only when it is complete. */
typedef struct target {
    const char *file;     /* name from the caller */
    char place[PATH_MAX]; /* the file, without links */
    char part
        [PATH_MAX]; /* file in the same folder; the end of the conversion renames `part` to `place` */
    int fd;         /* of the old file, which holds the lock; -1: no old file */
} target;

/* Chooses the file to write, and locks an old file. The call writes pipes, devices, and links to CSV results directly. The description of
 * a CSV result is beside the link, which may be on another disk. */
static wrsim_status open_target(target *t, const char *file, const wr_writer_ops *ops,
                                wrsim_error *err)
{
    struct stat about, link;
    *t = (target){.file = file, .fd = -1};
    const int is_there = stat(file, &about) == 0;
    const int is_link = lstat(file, &link) == 0 && S_ISLNK(link.st_mode);
    if ((is_there && !S_ISREG(about.st_mode)) || (is_link && ops->beside)) {
        snprintf(t->part, sizeof t->part, "%s", file);
        return WRSIM_OK;
    }
    int failure = 0;
    if (is_there) {
        t->fd = wr_open_file_write(file);
        failure = t->fd < 0 ? errno : wr_result_file_lock(t->fd);
    }
    if (failure == 0)
        failure = wr_same_file_place(file, t->place);
    if (failure == 0 && snprintf(t->part, sizeof t->part, "%s.%ld.new", t->place, (long)getpid()) >=
                            (int)sizeof t->part)
        failure = ENAMETOOLONG;
    return failure == 0 ? WRSIM_OK : wr_result_file_fail(file, failure, NULL, err);
}

/* Gives the complete file its name and the permissions of the old file, and names the description of a CSV result, too. Removes the log of the old CSV result. */
static wrsim_status replace(const target *t, const char *beside, wrsim_error *err)
{
    char from[PATH_MAX + 16], to[PATH_MAX + 16];
    struct stat about;
    if (t->fd >= 0 && (fstat(t->fd, &about) != 0 || chmod(t->part, about.st_mode & 0777) != 0))
        return wr_result_file_fail(t->file, errno, NULL, err);
    if (rename(t->part, t->place) != 0)
        return wr_result_file_fail(t->file, errno, NULL, err);
    if (!beside)
        return WRSIM_OK;
    snprintf(from, sizeof from, "%s%s", t->part, beside);
    snprintf(to, sizeof to, "%s%s", t->place, beside);
    if (rename(from, to) != 0)
        return wr_result_file_fail(t->file, errno, NULL, err);
    wr_log_csv_remove(t->place);
    return WRSIM_OK;
}

/* Names the file of the caller, instead of the temporary file, in an error. */
static void name_target(const target *t, wrsim_error *err)
{
    char text[sizeof err->text] = "";
    const char *from = err->text, *at;
    size_t n = 0;
    for (; (at = strstr(from, t->part)) != NULL && n < sizeof text; from = at + strlen(t->part))
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s%s", (int)(at - from), from, t->file);
    if (n < sizeof text)
        snprintf(text + n, sizeof text - n, "%s", from);
    memcpy(err->text, text, sizeof text);
    snprintf(err->file, sizeof err->file, "%s", t->file);
}

/* Closes the new file, and replaces the old file after success. status: status of the conversion. Returns the first failure, or status. */
static wrsim_status close_target(target *t, wrsim_status status, const char *beside,
                                 wrsim_error *err)
{
    char further[PATH_MAX + 16];
    if (status >= 0 && t->place[0])
        status = replace(t, beside, err);
    if (status < 0 && t->place[0] && t->part[0]) {
        (void)unlink(t->part);
        snprintf(further, sizeof further, "%s%s", t->part, beside ? beside : "");
        (void)unlink(further);
        if (status == WRSIM_E_DISK) /* no row remains, other than after a run */
            wr_results_fail(err, status, t->file, 0,
                            "no space left for '%s': free space, or choose a file on another disk",
                            t->file);
        else
            name_target(t, err);
    }
    if (t->fd >= 0) {
        wr_result_file_release(t->fd);
        (void)close(t->fd);
    }
    return status;
}

/* Writes results row by row. */
static wrsim_status write_file(const char *file, const wr_results *r, const wr_writer_ops *ops,
                               const char *version, wr_recorder_stats *ret_stats, wrsim_error *err)
{
    source s = {.results = r};
    wr_writer *writer = NULL;
    wrsim_status status = place(&s, err);
    const wr_recorder_options options = {.file = file,
                                         .config_text = r->config_text,
                                         .version = version,
                                         .n_stream = r->n_stream,
                                         .stream = s.stream};
    if (status >= 0) {
        writer = ops->open(&options, err);
        status = writer ? write_rows(&s, ops, writer, err) : err->status;
    }
    if (writer) {
        wrsim_error at_close;
        const wrsim_status closed = ops->close(&writer, ret_stats, status < 0 ? &at_close : err);
        status = status < 0 ? status : closed;
    }
    free(s.stream);
    free(s.channel);
    free(s.value);
    free(s.row);
    free(s.event);
    return status;
}

wrsim_status wr_results_convert(const char *from, const char *to, const char *version,
                                wr_conversion *ret, wrsim_error *err)
{
    const wr_writer_ops *const ops = wr_writer_find(to, err);
    target t;
    if (!ops)
        return err->status;
    WR_TRY(check_new(from, to, ops, err));
    WR_AUTO(wr_results_destroy) wr_results *r = wr_results_load_whole(from, err);
    if (!r)
        return err->status;
    *ret = (wr_conversion){r->n_signal, r->n_row, 0, r->has_waves};
    for (int k = 0; k < r->n_stream; k++)
        ret->n_event_row += r->stream[k].n_row;
    wrsim_status status = open_target(&t, to, ops, err);
    if (status >= 0 && ops->whole)
        status = ops->whole(t.part, r, version, err);
    else if (status >= 0) {
        wr_recorder_stats stats = {0};
        status = write_file(t.part, r, ops, version, &stats, err);
        ret->n_row = stats.n_row;
        ret->n_event_row = stats.n_event_row;
    }
    return close_target(&t, status, ops->beside, err);
}
