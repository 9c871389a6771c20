/* See results.h. Thread: one owner. Real-time: no. */
#include "runtime/record/results.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/names.h"
#include "base/open_file.h"
#include "base/text_buffer.h"
#include "runtime/record/csv_description.h"
#include "runtime/record/hdf5.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/mat.h"
#include "runtime/record/results_csv.h"

/* Returns the bytes of a file with a final 0; from malloc. */
static char *read_all(const char *file, size_t *ret_bytes, wrsim_error *err)
{
    enum { PIECE = 1 << 16 }; /* bytes of one read (assumed) */
    wr_text_buffer text = {0};
    FILE *const stream = wr_open_file_read(file);
    char *at;
    do {
        at = stream ? wr_text_buffer_room(&text, PIECE) : NULL;
        text.n_bytes += at ? fread(at, 1, PIECE, stream) : 0;
        /* The loop stops at a leading NUL: devices of zeros have no end, and no result begins with NUL. */
    } while (at && !feof(stream) && !ferror(stream) && text.text[0] != 0);
    const int has_failed = !stream || ferror(stream) || !at;
    if (has_failed)
        wr_results_fail(err, stream && !at ? WRSIM_E_MEMORY : WRSIM_E_IO, file, 0,
                        "results '%s' cannot be read: %s%s", file, strerror(errno),
                        stream && !at ? "" : "; check the path and its permissions");
    if (stream)
        fclose(stream);
    *ret_bytes = text.n_bytes;
    if (!has_failed)
        return wr_text_buffer_take(&text);
    wr_text_buffer_done(&text);
    return NULL;
}

/* Refuses two signals with one name. */
static wrsim_status check_names(const wr_results *results, const char *file, wrsim_error *err)
{
    const int n = results->n_signal;
    wr_named *const names = malloc(((size_t)n + 1) * sizeof *names);
    if (!names)
        return wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory for the results '%s'",
                               file);
    for (int i = 0; i < n; i++)
        names[i] = (wr_named){results->name[i], i};
    wr_names_sort(names, n);
    wrsim_status status = WRSIM_OK;
    for (int i = 1; i < n && status == WRSIM_OK; i++)
        if (strcmp(names[i - 1].name, names[i].name) == 0)
            status = wr_results_fail(
                err, WRSIM_E_IO, file, 0,
                "'%s' has two signals with the name '%.100s'; rename or remove one of them", file,
                names[i].name);
    free(names);
    return status;
}

static wr_results *read_csv(const char *file, wr_results_extent extent, wrsim_error *err)
{
    size_t n_bytes;
    WR_AUTO(wr_json_tree_free) wr_json_tree *description = NULL;
    if (extent == WR_RESULTS_WHOLE && wr_csv_description_load(file, &description, err) < 0)
        return NULL;
    char *text = read_all(file, &n_bytes, err);
    /* The description precedes the results, so it describes a part of the text that follows. If a run has created both files between the two
     * readings, the code reads both again. */
    if (text && extent == WR_RESULTS_WHOLE && !description) {
        if (wr_csv_description_load(file, &description, err) < 0) {
            free(text);
            return NULL;
        }
        if (description) {
            free(text);
            text = read_all(file, &n_bytes, err);
        }
    }
    if (!text)
        return NULL;
    const char *const extension = strrchr(file, '.');
    if (n_bytes == 0 && extension && strcasecmp(extension, ".mat") == 0) {
        free(text);
        wr_results_fail(
            err, WRSIM_E_IO, file, 0,
            "'%s' is empty, because its run has not ended, or was killed; name '%s.h5', "
            "which has the rows of the run",
            file, file);
        return NULL;
    }
    wr_results *const results = wr_results_csv_read(file, text, n_bytes, extent, description, err);
    free(text);
    return results;
}

static wr_results *read_mat(const char *file, wr_results_extent extent, wrsim_error *err)
{
    wrsim_error reason;
    const wr_mat_ops *const mat = wr_mat_load(&reason);
    if (mat)
        return mat->read(file, extent, err);
    wr_results_fail(err, WRSIM_E_IO, file, 0, "'%s' cannot be read: %s", file, reason.text);
    return NULL;
}

static wr_results *load(const char *file, wr_results_extent extent, wrsim_error *err)
{
    wr_results *results = wr_results_is_hdf5(file)  ? wr_results_hdf5_read(file, extent, err)
                          : wr_results_is_mat(file) ? read_mat(file, extent, err)
                                                    : read_csv(file, extent, err);
    if (results && check_names(results, file, err) < 0)
        wr_results_destroy(&results);
    return results;
}

wr_results *wr_results_load(const char *file, wrsim_error *err)
{
    return load(file, WR_RESULTS_POINTS, err);
}

wr_results *wr_results_load_whole(const char *file, wrsim_error *err)
{
    return load(file, WR_RESULTS_WHOLE, err);
}

void wr_results_remove(const char *file)
{
    wr_csv_description_remove(file);
    const char *const extension = strrchr(file, '.');
    if (extension && strcasecmp(extension, ".csv") == 0)
        wr_log_csv_remove(file);
    (void)unlink(file);
}

wrsim_status wr_results_take_events(const wr_results *r, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err)
{
    const size_t n = (size_t)n_wanted;
    size_t n_row = 0;
    for (int k = 0; k < r->n_stream; k++)
        n_row += (size_t)r->stream[k].n_row;
    *ret = (wr_results_events){0};
    ret->time_s = malloc((n_row + 1) * sizeof *ret->time_s);
    ret->is_right = malloc(n_row + 1);
    ret->value = malloc((n_row * n + 1) * sizeof *ret->value);
    if (n_row > INT_MAX || !ret->time_s || !ret->is_right || !ret->value) {
        wr_results_events_done(ret);
        return wr_error_memory(err);
    }
    for (int k = 0; k < r->n_stream; k++) {
        const wr_results_stream *const stream = &r->stream[k];
        const size_t first = (size_t)ret->n_row * n, n_channel = (size_t)stream->n_signal;
        int has_any = 0;
        for (size_t i = 0; i < (size_t)stream->n_row; i++)
            for (size_t j = 0; j < n; j++)
                ret->value[first + i * n + j] = (double)NAN;
        for (size_t c = 0; c < n_channel; c++)
            for (size_t j = 0; j < n; j++) {
                if (strcmp(r->name[stream->signal[c]], wanted[j]) != 0)
                    continue;
                for (size_t i = 0; i < (size_t)stream->n_row; i++)
                    ret->value[first + i * n + j] = stream->value[i * n_channel + c];
                has_any = 1;
            }
        for (int i = 0; has_any && i < stream->n_row; i++, ret->n_row++) {
            ret->time_s[ret->n_row] = stream->time_s[i];
            ret->is_right[ret->n_row] = stream->is_right[i];
        }
    }
    return WRSIM_OK;
}

static wrsim_status read_mat_events(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err)
{
    WR_AUTO(wr_results_destroy) wr_results *whole = wr_results_load_whole(file, err);
    return whole ? wr_results_take_events(whole, n_wanted, wanted, ret, err) : WRSIM_E_IO;
}

wrsim_status wr_results_events_read(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err)
{
    if (wr_results_is_hdf5(file))
        return wr_results_hdf5_events(file, n_wanted, wanted, ret, err);
    if (wr_results_is_mat(file))
        return read_mat_events(file, n_wanted, wanted, ret, err);
    size_t n_bytes;
    char *const text = read_all(file, &n_bytes, err);
    if (!text)
        return WRSIM_E_IO;
    const wrsim_status status =
        wr_results_csv_events(file, text, n_bytes, n_wanted, wanted, ret, err);
    free(text);
    return status;
}
