/* Reading results in HDF5 format (see hdf5_names.h), also while they are written.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/record/results_read.h"

#ifdef WR_HAVE_HDF5

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/record/hdf5_names.h"

/* A signal as it is found; data sets come in the order of their paths. */
typedef struct found_signal {
    hid_t dataset;
    char *name, *unit;
    int column;
} found_signal;

typedef struct hdf5_reader {
    found_signal *signal; /* [cap] */
    int n_signal, cap;
    int is_memory_out;
} hdf5_reader;

/* A string of an attribute or a scalar data set. malloc'ed; NULL if there is none. */
static char *copy_string(hid_t object, hid_t (*get_type)(hid_t), int is_attribute)
{
    const hid_t stored = get_type(object);
    if (stored < 0)
        return NULL;
    char *text = NULL, *copy = NULL;
    const int is_text = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) > 0;
    if (is_text &&
        (is_attribute ? H5Aread(object, stored, &text)
                      : H5Dread(object, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text)) >= 0)
        copy = strdup(text ? text : "");
    if (text)
        H5free_memory(text);
    H5Tclose(stored);
    return copy;
}

static char *read_text_attribute(hid_t object, const char *name)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    char *const text = copy_string(attribute, H5Aget_type, 1);
    H5Aclose(attribute);
    return text;
}

static int read_integer_attribute(hid_t object, const char *name, int *ret_value)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return 0;
    const int is_done = H5Aread(attribute, H5T_NATIVE_INT, ret_value) >= 0;
    H5Aclose(attribute);
    return is_done;
}

static void forget_signal(found_signal *signal)
{
    if (signal->dataset >= 0)
        H5Dclose(signal->dataset);
    free(signal->name);
    free(signal->unit);
}

/* Called for every object below /signals. */
static herr_t visit_object(hid_t group, const char *path, const H5O_info_t *info, void *reader_at)
{
    hdf5_reader *const reader = reader_at;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    if (reader->n_signal == reader->cap) {
        const int cap = reader->cap ? 2 * reader->cap : 64;
        found_signal *const signal = realloc(reader->signal, (size_t)cap * sizeof *signal);
        if (!signal) {
            reader->is_memory_out = 1;
            return -1;
        }
        reader->signal = signal;
        reader->cap = cap;
    }
    found_signal signal = {.dataset = H5Dopen2(group, path, H5P_DEFAULT)};
    if (signal.dataset < 0)
        return -1;
    signal.name = read_text_attribute(signal.dataset, WR_HDF5_NAME);
    signal.unit = read_text_attribute(signal.dataset, WR_HDF5_UNIT);
    if (!signal.name || !signal.unit ||
        !read_integer_attribute(signal.dataset, WR_HDF5_COLUMN, &signal.column)) {
        forget_signal(&signal);
        return -1;
    }
    reader->signal[reader->n_signal++] = signal;
    return 0;
}

static int compare_columns(const void *a_at, const void *b_at)
{
    const found_signal *const a = a_at, *const b = b_at;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Rows of a one-dimensional data set; -1 if it is none. */
static int64_t count_rows(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    hsize_t n_row = 0;
    const int is_good = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                        H5Sget_simple_extent_dims(space, &n_row, NULL) >= 0 && n_row < INT_MAX;
    if (space >= 0)
        H5Sclose(space);
    return is_good ? (int64_t)n_row : -1;
}

static int read_rows(hid_t dataset, int n_row, double *ret_value)
{
    if (n_row == 0)
        return 1;
    const hsize_t start = 0, count = (hsize_t)n_row;
    const hid_t memory = H5Screate_simple(1, &count, NULL), space = H5Dget_space(dataset);
    const int is_done =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, ret_value) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return is_done;
}

/* The rows that all data sets have; a run that is going on extends one after the other. */
static int64_t count_common_rows(hid_t time, const hdf5_reader *reader)
{
    int64_t n_row = count_rows(time);
    for (int i = 0; i < reader->n_signal; i++) {
        const int64_t n = count_rows(reader->signal[i].dataset);
        n_row = n < n_row ? n : n_row;
    }
    return n_row;
}

/* Moves the signals and their values into the results. */
static int read_values(wr_results *results, hid_t time, hdf5_reader *reader)
{
    const int64_t n_row = count_common_rows(time, reader);
    if (n_row < 0)
        return 0;
    const size_t n_signal = (size_t)reader->n_signal, n = (size_t)n_row;
    results->n_signal = reader->n_signal;
    results->n_row = (int)n_row;
    results->name = calloc(n_signal + 1, sizeof *results->name);
    results->unit = calloc(n_signal + 1, sizeof *results->unit);
    results->time_s = malloc((n + 1) * sizeof *results->time_s);
    results->value = malloc((n * n_signal + 1) * sizeof *results->value);
    if (!results->name || !results->unit || !results->time_s || !results->value) {
        reader->is_memory_out = 1;
        return 0;
    }
    if (!read_rows(time, results->n_row, results->time_s))
        return 0;
    /* Rows whose space was taken but which were never written. */
    while (results->n_row > 0 && isnan(results->time_s[results->n_row - 1]))
        results->n_row--;
    for (int i = 0; i < reader->n_signal; i++) {
        found_signal *const signal = &reader->signal[i];
        results->name[i] = signal->name;
        results->unit[i] = signal->unit;
        signal->name = signal->unit = NULL;
        if (!read_rows(signal->dataset, results->n_row,
                       results->value + (size_t)i * (size_t)results->n_row))
            return 0;
    }
    return 1;
}

static int read_file(hid_t file, wr_results *results, hdf5_reader *reader)
{
    int layout = 0;
    if (!read_integer_attribute(file, WR_HDF5_LAYOUT, &layout) || layout != WR_HDF5_LAYOUT_NUMBER)
        return 0;
    const hid_t signals = H5Gopen2(file, WR_HDF5_SIGNALS, H5P_DEFAULT);
    const hid_t time = H5Dopen2(file, WR_HDF5_TIME, H5P_DEFAULT);
    const hid_t config = H5Dopen2(file, WR_HDF5_CONFIG, H5P_DEFAULT);
    int is_done = signals >= 0 && time >= 0 && config >= 0 &&
                  H5Ovisit2(signals, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, reader,
                            H5O_INFO_BASIC) >= 0;
    if (is_done) {
        if (reader->n_signal > 1)
            qsort(reader->signal, (size_t)reader->n_signal, sizeof *reader->signal,
                  compare_columns);
        results->config_text = copy_string(config, H5Dget_type, 0);
        is_done = results->config_text && read_values(results, time, reader);
    }
    if (config >= 0)
        H5Dclose(config);
    if (time >= 0)
        H5Dclose(time);
    if (signals >= 0)
        H5Gclose(signals);
    return is_done;
}

/* A file that is being written, or was when its run was killed, opens for shared reading only. */
static hid_t open_file(const char *file)
{
    const hid_t plain = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    return plain >= 0 ? plain : H5Fopen(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
}

static wr_results *read_quietly(const char *file, wrsim_error *err)
{
    hdf5_reader reader = {0};
    int is_done = 0;
    wr_results *results = calloc(1, sizeof *results);
    const hid_t handle = results ? open_file(file) : H5I_INVALID_HID;
    if (handle >= 0)
        is_done = read_file(handle, results, &reader);
    for (int i = 0; i < reader.n_signal; i++)
        forget_signal(&reader.signal[i]);
    free(reader.signal);
    if (handle >= 0)
        H5Fclose(handle);
    if (is_done)
        return results;
    if (!results || reader.is_memory_out)
        wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory reading '%s'", file);
    else
        wr_results_fail(err, WRSIM_E_IO, file, 0,
                        "'%s' is an HDF5 file but not a result file of wrsim, or it is damaged",
                        file);
    wr_results_destroy(&results);
    return NULL;
}

wr_results *wr_results_hdf5_read(const char *file, wrsim_error *err)
{
    H5E_auto2_t function = NULL;
    void *data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &function, &data); /* HDF5 prints its errors unless told not to */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    wr_results *const results = read_quietly(file, err);
    H5Eset_auto2(H5E_DEFAULT, function, data);
    return results;
}

#else

wr_results *wr_results_hdf5_read(const char *file, wrsim_error *err)
{
    wr_results_fail(err, WRSIM_E_IO, file, 0,
                    "cannot read '%s': this wrsim was built without HDF5 (-Dhdf5=enabled)", file);
    return NULL;
}

#endif
