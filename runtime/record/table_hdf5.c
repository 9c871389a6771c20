/* Tables of a result file in HDF5 format. See table_hdf5.h. Thread: one at a time. Real-time: no. */
#include "runtime/record/table_hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of the buffer for conversions of types, bytes. HDF5 fills a buffer of this size with zeros for each write of a column whose type is
 * not double. Its default of 1 MiB took more time than the rest of a run of the engine (docs/lab/2026-11-28-quiet-times.md). */
enum { CONVERSION_BYTES = 8192 };

static herr_t look_at_error(unsigned depth, const H5E_error2_t *entry, void *fault_at)
{
    wr_hdf5_fault *const fault = fault_at;
    if (depth == 0) /* the innermost error */
        snprintf(fault->text, sizeof fault->text, "%s", entry->desc ? entry->desc : "");
    return 0;
}

int wr_hdf5_is_good(wr_hdf5_fault *fault, int64_t result)
{
    if (result < 0 && !fault->text[0])
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at_error, fault);
    return result >= 0 && !fault->disk.error_number;
}

int wr_hdf5_table_init(wr_hdf5_table *t, int n_column, const int *width, hsize_t chunk_row)
{
    const size_t n = (size_t)n_column;
    size_t n_value = 0;
    t->n_column = n_column;
    t->chunk_row = chunk_row;
    t->dataset = malloc(n * sizeof *t->dataset);
    t->width = calloc(n, sizeof *t->width);
    t->start = calloc(n, sizeof *t->start);
    for (int i = 0; t->dataset && i < n_column; i++)
        t->dataset[i] = H5I_INVALID_HID;
    if (!t->dataset || !t->width || !t->start)
        return 0;
    for (int i = 0; i < n_column; i++) {
        t->width[i] = width ? width[i] : 0;
        t->start[i] = n_value;
        n_value += (size_t)chunk_row * (t->width[i] > 0 ? (size_t)t->width[i] : 1);
    }
    t->buffer = calloc(n_value, sizeof *t->buffer);
    t->transfer = H5Pcreate(H5P_DATASET_XFER);
    return t->buffer && H5Pset_buffer(t->transfer, CONVERSION_BYTES, NULL, NULL) >= 0;
}

int wr_hdf5_table_done(wr_hdf5_table *t, wr_hdf5_fault *fault)
{
    int is_done = 1;
    for (int i = 0; t->dataset && i < t->n_column; i++)
        if (t->dataset[i] >= 0)
            is_done = wr_hdf5_is_good(fault, H5Dclose(t->dataset[i])) && is_done;
    if (t->transfer > 0)
        H5Pclose(t->transfer);
    free(t->dataset);
    free(t->width);
    free(t->start);
    free(t->buffer);
    *t = (wr_hdf5_table){.n_row = t->n_row, .n_written = t->n_written};
    return is_done;
}

static int resize(const wr_hdf5_table *t, int i_column, hsize_t n_row, wr_hdf5_fault *fault)
{
    const hsize_t size[2] = {n_row, (hsize_t)t->width[i_column]};
    return wr_hdf5_is_good(fault, H5Dset_extent(t->dataset[i_column], size));
}

int wr_hdf5_table_begin_row(wr_hdf5_table *t, wr_hdf5_fault *fault)
{
    if (t->n_row % t->chunk_row != 0)
        return 1;
    for (int i = 0; i < t->n_column; i++)
        if (!resize(t, i, t->n_row + 1, fault))
            return 0;
    return 1;
}

static int write_column(const wr_hdf5_table *t, int i, wr_hdf5_fault *fault)
{
    const int n_dimension = t->width[i] > 0 ? 2 : 1;
    const size_t width = t->width[i] > 0 ? (size_t)t->width[i] : 1;
    const hsize_t size[2] = {t->n_row, width}, start[2] = {t->n_written, 0},
                  count[2] = {t->n_row - t->n_written, width};
    if (!resize(t, i, t->n_row, fault))
        return 0;
    const hid_t memory = H5Screate_simple(n_dimension, count, NULL);
    const hid_t space = H5Screate_simple(n_dimension, size, NULL);
    const int is_done =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        wr_hdf5_is_good(
            fault,
            H5Dwrite(t->dataset[i], H5T_NATIVE_DOUBLE, memory, space, t->transfer,
                     t->buffer + t->start[i] + (size_t)(t->n_written % t->chunk_row) * width));
    H5Sclose(space);
    H5Sclose(memory);
    return is_done;
}

int wr_hdf5_table_write(wr_hdf5_table *t, int is_times, wr_hdf5_fault *fault)
{
    if (t->n_written == t->n_row)
        return 1;
    for (int i = is_times ? 0 : 1; i < (is_times ? 1 : t->n_column); i++)
        if (!write_column(t, i, fault))
            return 0;
    if (is_times)
        t->n_written = t->n_row;
    return 1;
}
