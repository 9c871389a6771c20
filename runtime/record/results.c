/* See results.h. Thread: one owner. Real-time: no. */
#include "runtime/record/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/open_file.h"
#include "base/text_buffer.h"
#include "runtime/record/hdf5.h"
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

static wr_results *read_csv(const char *file, wrsim_error *err)
{
    size_t n_bytes;
    char *const text = read_all(file, &n_bytes, err);
    if (!text)
        return NULL;
    wr_results *const results = wr_results_csv_read(file, text, n_bytes, err);
    free(text);
    return results;
}

wr_results *wr_results_load(const char *file, wrsim_error *err)
{
    wr_results *results =
        wr_results_is_hdf5(file) ? wr_results_hdf5_read(file, err) : read_csv(file, err);
    if (results && check_names(results, file, err) < 0)
        wr_results_destroy(&results);
    return results;
}

wrsim_status wr_results_events_read(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err)
{
    if (wr_results_is_hdf5(file))
        return wr_results_hdf5_events(file, n_wanted, wanted, ret, err);
    size_t n_bytes;
    char *const text = read_all(file, &n_bytes, err);
    if (!text)
        return WRSIM_E_IO;
    const wrsim_status status =
        wr_results_csv_events(file, text, n_bytes, n_wanted, wanted, ret, err);
    free(text);
    return status;
}
