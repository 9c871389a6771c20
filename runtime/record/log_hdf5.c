/* Reads the log of a result file in HDF5 format. See log_hdf5.h. Thread: one owner. Real-time: no. */
#include "runtime/record/log_hdf5.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/record/hdf5_names.h"
#include "runtime/record/open_hdf5.h"

/* Returns the number of dimensions of a data set, at most 2, and its sizes; -1: another object. */
static int shape_of(hid_t dataset, hsize_t ret_size[2])
{
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    int n = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    ret_size[1] = 1;
    if (n < 1 || n > 2 || H5Sget_simple_extent_dims(space, ret_size, NULL) < 0 ||
        ret_size[0] >= INT_MAX || ret_size[1] >= INT_MAX)
        n = -1;
    if (space >= 0)
        H5Sclose(space);
    return n;
}

/* Reads the first n_row rows of a data set of `width` values per row. Returns 0 on failure. */
static int read_column(hid_t group, const char *name, int n_row, int width, double *ret_value)
{
    hsize_t size[2];
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    const int n_dimension = shape_of(dataset, size);
    int is_done = n_dimension > 0 && size[0] >= (hsize_t)n_row && size[1] == (hsize_t)width;
    if (is_done && n_row > 0) {
        const hsize_t start[2] = {0, 0}, count[2] = {(hsize_t)n_row, (hsize_t)width};
        const hid_t memory = H5Screate_simple(n_dimension, count, NULL),
                    space = H5Dget_space(dataset);
        is_done = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, ret_value) >= 0;
        H5Sclose(space);
        H5Sclose(memory);
    }
    if (dataset >= 0)
        H5Dclose(dataset);
    return is_done;
}

/* Returns the number of complete rows, from the column with the times; -1 on failure. The writer writes the times last. */
static int count_rows(hid_t group, const char *name, int *ret_is_memory_out)
{
    hsize_t size[2];
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    const int is_good = shape_of(dataset, size) == 1;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (!is_good)
        return -1;
    int n = (int)size[0];
    double *const time_s = malloc(((size_t)n + 1) * sizeof *time_s);
    *ret_is_memory_out |= !time_s;
    const int is_read = time_s && read_column(group, name, n, 1, time_s);
    while (is_read && n > 0 && isnan(time_s[n - 1]))
        n--;
    free(time_s);
    return is_read ? n : -1;
}

static int read_table(hid_t group, const wr_log_column *columns, int n_column, int width,
                      wr_log_table *table, int *ret_is_memory_out)
{
    const int n_row = count_rows(group, columns[0].name, ret_is_memory_out);
    if (n_row < 0)
        return 0;
    if (!wr_log_table_place(table, n_column, n_row, width)) {
        *ret_is_memory_out = 1;
        return 0;
    }
    for (int i = 0; i < n_column; i++)
        if (!read_column(group, columns[i].name, n_row, i == n_column - 1 ? width : 1,
                         table->column[i]))
            return 0;
    return 1;
}

/* Reads a list of strings of a fixed length. */
static int read_names(hid_t group, const char *name, wr_log_names *names, int *ret_is_memory_out)
{
    hsize_t size[2];
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    const size_t n_bytes = type >= 0 ? H5Tget_size(type) : 0;
    int is_done = shape_of(dataset, size) == 1 && H5Tget_class(type) == H5T_STRING &&
                  H5Tis_variable_str(type) == 0 && n_bytes > 0 && n_bytes < INT_MAX;
    const size_t n = is_done ? (size_t)size[0] : 0;
    char *const bytes = is_done ? calloc(n + 1, n_bytes) : NULL;
    names->text = is_done ? calloc(n + 1, sizeof *names->text) : NULL;
    *ret_is_memory_out |= is_done && (!bytes || !names->text);
    is_done = is_done && bytes && names->text &&
              (n == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    for (size_t i = 0; is_done && i < n; i++) {
        names->text[i] = strndup(bytes + i * n_bytes, n_bytes);
        is_done = names->text[i] != NULL;
        *ret_is_memory_out |= !is_done;
        names->n += is_done;
    }
    free(bytes);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return is_done;
}

static hid_t open_group(hid_t file, const char *name)
{
    int layout = 0;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group >= 0 && wr_hdf5_read_integer(group, WR_HDF5_LAYOUT, &layout) &&
        layout == WR_HDF5_LOG_LAYOUT)
        return group;
    if (group >= 0)
        H5Gclose(group);
    return H5I_INVALID_HID;
}

int wr_log_hdf5_read(hid_t file, wr_run_log *log, int *ret_is_memory_out)
{
    hid_t group = open_group(file, WR_HDF5_EVENT_LOG);
    int is_done =
        group >= 0 && read_names(group, WR_LOG_SUBSYSTEMS, &log->subsystem, ret_is_memory_out) &&
        read_names(group, WR_LOG_ITEM_NAMES, &log->item_name, ret_is_memory_out) &&
        read_names(group, WR_LOG_ITEM_TYPES, &log->item_type, ret_is_memory_out) &&
        read_names(group, WR_LOG_ITEM_UNITS, &log->item_unit, ret_is_memory_out) &&
        read_table(group, wr_event_columns, WR_EVENT_COLUMNS, 1, &log->event, ret_is_memory_out);
    if (group >= 0)
        H5Gclose(group);
    if (!is_done || H5Lexists(file, WR_HDF5_WINDOW_LOG, H5P_DEFAULT) <= 0)
        return is_done;
    group = open_group(file, WR_HDF5_WINDOW_LOG);
    is_done = group >= 0 && read_names(group, WR_LOG_REASONS, &log->reason, ret_is_memory_out) &&
              read_table(group, wr_window_columns, WR_WINDOW_COLUMNS, log->subsystem.n,
                         &log->window, ret_is_memory_out);
    if (group >= 0)
        H5Gclose(group);
    return is_done;
}
