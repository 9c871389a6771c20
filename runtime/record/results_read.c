/* See results_read.h. Thread: one owner. Real-time: no. */
#include "runtime/record/results_read.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open_file.h"

/* First bytes of an HDF5 file: HDF5 File Format Specification 3.0, section II.A. */
static const char HDF5_SIGNATURE[] = "\x89HDF\r\n\x1a\n";

wrsim_status wr_results_fail(wrsim_error *err, wrsim_status status, const char *file, int line,
                             const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wr_error_set(err, status, "%s", text);
    if (err) {
        snprintf(err->file, sizeof err->file, "%s", file);
        err->line = line;
    }
    return status;
}

wrsim_status wr_results_fail_later(const char *file, const char *version, wrsim_error *err)
{
    return wr_results_fail(err, WRSIM_E_IO, file, 0,
                           "'%s' has the layout of a later version of wrsim%s%.60s; use this "
                           "version",
                           file, version ? ", " : "", version ? version : "");
}

int wr_results_find(const wr_results *results, const char *name)
{
    for (int i = 0; i < results->n_signal; i++)
        if (strcmp(results->name[i], name) == 0)
            return i;
    return -1;
}

int wr_results_is_hdf5(const char *file)
{
    char begin[sizeof HDF5_SIGNATURE - 1] = "";
    FILE *const stream = wr_open_file_read(file);
    if (!stream)
        return 0;
    const size_t n_read = fread(begin, 1, sizeof begin, stream);
    fclose(stream);
    return n_read == sizeof begin && memcmp(begin, HDF5_SIGNATURE, sizeof begin) == 0;
}

void wr_results_events_done(wr_results_events *events)
{
    free(events->time_s);
    free(events->is_right);
    free(events->value);
    *events = (wr_results_events){0};
}

void wr_results_part_done(wr_results_part *part)
{
    free(part->signal);
    free(part->t_s);
    free(part->value);
    free(part->slope);
    *part = (wr_results_part){0};
}

wr_results_part *wr_results_part_add(wr_results_part **list, int *n, size_t cap_signal,
                                     size_t cap_node)
{
    wr_results_part *const grown = realloc(*list, (size_t)(*n + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    *list = grown;
    wr_results_part *const part = &grown[(*n)++];
    const size_t n_value = cap_node * cap_signal + 1;
    *part = (wr_results_part){.signal = calloc(cap_signal + 1, sizeof *part->signal),
                              .t_s = malloc((cap_node + 1) * sizeof *part->t_s),
                              .value = malloc(n_value * sizeof *part->value),
                              .slope = malloc(n_value * sizeof *part->slope)};
    return part->signal && part->t_s && part->value && part->slope ? part : NULL;
}

int wr_results_place_texts(wr_results *results)
{
    const size_t n = (size_t)results->n_signal;
    results->description = calloc(n + 1, sizeof *results->description);
    results->subsystem = calloc(n + 1, sizeof *results->subsystem);
    if (!results->description || !results->subsystem)
        return 0;
    for (size_t i = 0; i < n; i++) {
        results->description[i] = strdup("");
        results->subsystem[i] = strdup("");
        if (!results->description[i] || !results->subsystem[i])
            return 0;
    }
    return 1;
}

int wr_results_place_streams(wr_results *results)
{
    results->stream = calloc((size_t)results->n_signal + 1, sizeof *results->stream);
    if (!results->stream)
        return 0;
    for (int i = 0; i < results->n_signal; i++) {
        const char *const name = *results->subsystem[i] ? results->subsystem[i] : "signals";
        wr_results_stream *stream = &results->stream[results->n_stream];
        if (i > 0 && strcmp(stream[-1].name, name) == 0) {
            stream--;
        } else {
            results->n_stream++;
            stream->name = strdup(name);
            stream->signal = calloc((size_t)(results->n_signal - i), sizeof *stream->signal);
            if (!stream->name || !stream->signal)
                return 0;
        }
        stream->signal[stream->n_signal++] = i;
    }
    return 1;
}

int wr_results_stream_add(wr_results_stream *stream, double t_s, int is_right, const double *value)
{
    const size_t n = (size_t)stream->n_signal;
    if (stream->n_row == stream->cap_row) {
        if (stream->cap_row > INT_MAX / 2)
            return 0;
        const size_t cap = stream->cap_row ? 2 * (size_t)stream->cap_row : 64;
        double *const times = realloc(stream->time_s, cap * sizeof *times);
        stream->time_s = times ? times : stream->time_s;
        unsigned char *const right = realloc(stream->is_right, cap);
        stream->is_right = right ? right : stream->is_right;
        double *const values = realloc(stream->value, cap * n * sizeof *values);
        stream->value = values ? values : stream->value;
        if (!times || !right || !values)
            return 0;
        stream->cap_row = (int)cap;
    }
    const size_t i = (size_t)stream->n_row++;
    stream->time_s[i] = t_s;
    stream->is_right[i] = (unsigned char)is_right;
    memcpy(stream->value + i * n, value, n * sizeof *value);
    return 1;
}

static void free_list(char **list, int n)
{
    for (int i = 0; list && i < n; i++)
        free(list[i]);
    free(list);
}

void wr_results_destroy(wr_results **results)
{
    if (!results || !*results)
        return;
    const int n = (*results)->n_signal;
    free_list((*results)->name, n);
    free_list((*results)->unit, n);
    free_list((*results)->description, n);
    free_list((*results)->subsystem, n);
    for (int i = 0; i < (*results)->n_stream; i++) {
        wr_results_stream *const stream = &(*results)->stream[i];
        free(stream->name);
        free(stream->signal);
        free(stream->time_s);
        free(stream->is_right);
        free(stream->value);
    }
    free((*results)->stream);
    free((*results)->time_s);
    free((*results)->value);
    free((*results)->config_text);
    free(*results);
    *results = NULL;
}
