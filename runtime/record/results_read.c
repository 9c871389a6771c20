/* See results_read.h. Thread: one owner. Real-time: no. */
#include "runtime/record/results_read.h"

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

void wr_results_destroy(wr_results **results)
{
    if (!results || !*results)
        return;
    for (int i = 0; i < (*results)->n_signal; i++) {
        if ((*results)->name)
            free((*results)->name[i]);
        if ((*results)->unit)
            free((*results)->unit[i]);
    }
    free((*results)->name);
    free((*results)->unit);
    free((*results)->time_s);
    free((*results)->value);
    free((*results)->config_text);
    free(*results);
    *results = NULL;
}
