/* Writes and reads descriptions of CSV results. See csv_description.h. Thread: one owner. Real-time: no. */
#include "runtime/record/csv_description.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text_file.h"
#include "runtime/record/own_file.h"
#include "runtime/record/result_file.h"
#include "runtime/record/title.h"

enum { LAYOUT = 1 };

/* Members of the number of checked bytes and of the check sum of each file. */
static const char *const CHECKED[WR_CSV_PARTS] = {"checked_bytes", "events_checked_bytes",
                                                  "windows_checked_bytes"};
static const char *const SUM[WR_CSV_PARTS] = {"adler32", "events_adler32", "windows_adler32"};

/* The ending is also in the row of the format (writer_csv.c, beside). */
char *wr_csv_description_name(const char *file)
{
    char *const name = malloc(strlen(file) + sizeof ".json");
    if (name)
        sprintf(name, "%s.json", file);
    return name;
}

void wr_csv_description_remove(const char *file)
{
    char *const name = wr_csv_description_name(file);
    if (name && !wr_own_file_refusal(name, WR_OWN_DESCRIPTION))
        (void)unlink(name);
    free(name);
}

/* ---- check sum ---- */

static void update_sum(wr_csv_sum *sum, const char *bytes, size_t n_bytes)
{
    /* modulus of Adler-32, and the largest number of bytes for which the sums fit 32 bits (RFC 1950, section 9) */
    enum { BASE = 65521, MOST = 5552 };
    sum->n_bytes += (int64_t)n_bytes;
    while (n_bytes > 0) {
        const size_t n = n_bytes < MOST ? n_bytes : MOST;
        for (size_t i = 0; i < n; i++) {
            sum->low += (unsigned char)bytes[i];
            sum->high += sum->low;
        }
        sum->low %= BASE;
        sum->high %= BASE;
        bytes += n;
        n_bytes -= n;
    }
}

static void print_checked(const wr_csv_sum *sum, char ret_number[24], char ret_sum[16])
{
    snprintf(ret_number, 24, "%020" PRId64, sum->n_bytes);
    snprintf(ret_sum, 16, "%08" PRIx32, sum->high << 16 | sum->low);
}

/* ---- writing ---- */

/* Returns 0 when out of memory. */
static int put_signals(wr_json *json, const wr_recorder_options *options)
{
    int is_done = 1;
    wr_json_array(json, "signals");
    for (int i = 0; i < options->n_stream; i++)
        for (int j = 0; j < options->stream[i].n_channel; j++) {
            const wr_channel *const channel = &options->stream[i].channel[j];
            wr_text_buffer title = {0};
            wr_title_put(&title, channel->name, channel->unit);
            const char *const column = wr_text_buffer_get(&title);
            is_done &= column != NULL;
            wr_json_object(json, NULL);
            wr_json_string(json, "name", channel->name);
            wr_json_string(json, "unit", channel->unit ? channel->unit : "");
            wr_json_string(json, "description", channel->description ? channel->description : "");
            wr_json_string(json, "subsystem", options->stream[i].name);
            wr_json_string(json, "column", column ? column : "");
            wr_json_end(json);
            wr_text_buffer_done(&title);
        }
    wr_json_end(json);
    return is_done;
}

static char *make_text(const wr_csv_description *d, const wr_recorder_options *options)
{
    wr_json json = {0};
    char number[24], sum[16];
    wr_json_object(&json, NULL);
    wr_json_string(&json, "program", WR_CSV_DESCRIPTION_PROGRAM);
    wr_json_string(&json, "version", options->version ? options->version : "");
    wr_json_integer(&json, "layout", LAYOUT);
    for (int i = 0; i < WR_CSV_PARTS; i++) {
        print_checked(&d->sum[i], number, sum);
        wr_json_string(&json, CHECKED[i], number);
        wr_json_string(&json, SUM[i], sum);
    }
    const int is_done = put_signals(&json, options);
    wr_json_string(&json, "config", options->config_text ? options->config_text : "");
    wr_json_end(&json);
    if (is_done)
        return wr_json_take(&json);
    wr_json_done(&json);
    return NULL;
}

/* Writes the strings of all check sums, with the same bytes between them as in make_text(). */
static void write_checked(const wr_csv_description *d)
{
    char number[24], sum[16], text[384];
    int n = 0;
    for (int i = 0; i < WR_CSV_PARTS; i++) {
        print_checked(&d->sum[i], number, sum);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%s\": \"%s\",\n  \"%s\": \"%s\"",
                      i > 0 ? ",\n  " : "", CHECKED[i], number, SUM[i], sum);
    }
    /* The text has the length of the text that it replaces. If the call fails, the old numbers still describe the files. */
    if (pwrite(d->fd, text, (size_t)n, (off_t)d->i_checked) != n)
        return;
}

wrsim_status wr_csv_description_open(wr_csv_description *d, const wr_recorder_options *options,
                                     wrsim_error *err)
{
    *d = (wr_csv_description){.fd = -1, .sum = {{.low = 1}, {.low = 1}, {.low = 1}}};
    char *const name = wr_csv_description_name(options->file);
    char *const text = name ? make_text(d, options) : NULL;
    wrsim_status status = WRSIM_OK;
    if (!text) {
        status = wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the result file '%s'",
                              options->file);
    } else {
        const char *const at = strstr(text, CHECKED[0]);
        d->i_checked = (int64_t)(at - text) - 1; /* the quote before the key */
        int failure = wr_text_file_write(name, text);
        if (failure == 0) {
            d->fd = open(name, O_WRONLY | O_CLOEXEC);
            failure = d->fd < 0 ? errno : 0;
        }
        if (failure != 0 && wr_text_file_is_full(failure))
            status = wr_result_file_fail(options->file, failure, NULL, err);
        else if (failure != 0)
            status = wr_results_fail(err, WRSIM_E_IO, name, 0,
                                     "the description '%s' of the results cannot be written: %s; "
                                     "choose another file",
                                     name, strerror(failure));
    }
    free(text);
    free(name);
    return status;
}

void wr_csv_description_add(wr_csv_description *d, wr_csv_part part, const char *bytes,
                            size_t n_bytes)
{
    if (d->fd < 0 || n_bytes == 0)
        return;
    update_sum(&d->sum[part], bytes, n_bytes);
    write_checked(d);
}

void wr_csv_description_close(wr_csv_description *d)
{
    if (d->fd >= 0)
        (void)close(d->fd);
    d->fd = -1;
}

/* ---- reading ---- */

wrsim_status wr_csv_description_load(const char *file, wr_json_tree **ret, wrsim_error *err)
{
    char why[256];
    char *const name = wr_csv_description_name(file);
    *ret = NULL;
    if (!name)
        return wr_error_memory(err);
    wrsim_status status = WRSIM_OK;
    if (access(name, F_OK) == 0) {
        *ret = wr_json_tree_load(name, why);
        if (!*ret)
            status = wr_results_fail(err, WRSIM_E_IO, name, 0,
                                     "the description '%s' of the results %s; "
                                     "remove the description to use the results without it",
                                     name, why);
        else if (strcmp(wr_json_tree_string(*ret, "program"), WR_CSV_DESCRIPTION_PROGRAM) != 0)
            wr_json_tree_free(ret);
    }
    free(name);
    return status;
}

/* Returns 1 if the description lists the signals of the results. */
static int has_signals(const wr_json_tree *description, const wr_results *results)
{
    const wr_json_tree *const list = wr_json_tree_get(description, "signals");
    const wr_json_tree *item = list ? list->first : NULL;
    for (int i = 0; i < results->n_signal; i++, item = item->next)
        if (!item || strcmp(wr_json_tree_string(item, "name"), results->name[i]) != 0 ||
            strcmp(wr_json_tree_string(item, "unit"), results->unit[i]) != 0)
            return 0;
    return !item;
}

/* Returns 1 if the text begins with the bytes that the description has checked. */
static int has_bytes(const wr_json_tree *description, wr_csv_part part, const char *text,
                     size_t n_bytes)
{
    char number[24], sum[16];
    wr_csv_sum found = {.low = 1};
    const char *const checked = wr_json_tree_string(description, CHECKED[part]);
    const unsigned long long n = strtoull(checked, NULL, 10);
    if (n > n_bytes)
        return 0;
    update_sum(&found, text, (size_t)n);
    print_checked(&found, number, sum);
    return strcmp(number, checked) == 0 &&
           strcmp(sum, wr_json_tree_string(description, SUM[part])) == 0;
}

wrsim_status wr_csv_description_apply(const wr_json_tree *description, const char *file,
                                      const char *text, size_t n_bytes, wr_results *results,
                                      wrsim_error *err)
{
    if (!description)
        return WRSIM_OK;
    if (wr_json_tree_number(description, "layout") > LAYOUT)
        return wr_results_fail_later(file, wr_json_tree_string(description, "version"), err);
    if (!has_bytes(description, WR_CSV_RESULTS, text, n_bytes) ||
        !has_signals(description, results))
        return wr_results_fail(err, WRSIM_E_IO, file, 0,
                               "'%s.json' does not describe '%s', because the description belongs "
                               "to another run, or the results have changed; remove or restore "
                               "'%s.json'",
                               file, file, file);
    const wr_json_tree *item = wr_json_tree_get(description, "signals")->first;
    for (int i = 0; i < results->n_signal; i++, item = item->next) {
        free(results->description[i]);
        free(results->subsystem[i]);
        results->description[i] = strdup(wr_json_tree_string(item, "description"));
        results->subsystem[i] = strdup(wr_json_tree_string(item, "subsystem"));
        if (!results->description[i] || !results->subsystem[i])
            return wr_error_memory(err);
    }
    free(results->config_text);
    results->config_text = strdup(wr_json_tree_string(description, "config"));
    return results->config_text ? WRSIM_OK : wr_error_memory(err);
}

int wr_csv_description_has(const wr_json_tree *description, wr_csv_part part)
{
    return description && strtoull(wr_json_tree_string(description, CHECKED[part]), NULL, 10) > 0;
}

wrsim_status wr_csv_description_check_log(const wr_json_tree *description, wr_csv_part part,
                                          const char *file, const char *text, size_t n_bytes,
                                          wrsim_error *err)
{
    if (!description || !*wr_json_tree_string(description, CHECKED[part]))
        return WRSIM_OK;
    /* A log has at least its header, so a description with 0 checked bytes belongs to a run without this log. */
    if (wr_csv_description_has(description, part) && has_bytes(description, part, text, n_bytes))
        return WRSIM_OK;
    return wr_results_fail(err, WRSIM_E_IO, file, 0,
                           "'%s' belongs to another run than the results beside it, or has "
                           "changed; restore the file, or repeat the run with output.log = true",
                           file);
}
