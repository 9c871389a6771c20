/* Strings and streams of result files in HDF5 format. See streams_hdf5.h. Thread: one owner. Real-time: no. */
#include "runtime/record/streams_hdf5.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/record/hdf5_names.h"

/* ---- strings ---- */

static herr_t read_raw(hid_t object, hid_t type, int is_attribute, void *to)
{
    return is_attribute ? H5Aread(object, type, to)
                        : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
}

/* Reads n strings of variable length. */
static int read_variable(hid_t object, hid_t type, int is_attribute, int n, char **ret_text)
{
    char **const text = calloc((size_t)n + 1, sizeof *text);
    int is_done = text && read_raw(object, type, is_attribute, text) >= 0;
    for (int i = 0; text && i < n; i++) {
        ret_text[i] = is_done ? strdup(text[i] ? text[i] : "") : NULL;
        is_done = ret_text[i] != NULL;
        if (text[i])
            H5free_memory(text[i]);
    }
    free(text);
    return is_done;
}

/* Reads n strings of fixed length, which end at a NUL or at their length. */
static int read_fixed(hid_t object, hid_t type, int is_attribute, int n, char **ret_text)
{
    const size_t size = H5Tget_size(type);
    char *const bytes =
        size > 0 && size < SIZE_MAX / ((size_t)n + 1) ? malloc(size * (size_t)n + 1) : NULL;
    int is_done = bytes && read_raw(object, type, is_attribute, bytes) >= 0;
    for (int i = 0; is_done && i < n; i++) {
        ret_text[i] = strndup(bytes + (size_t)i * size, size);
        is_done = ret_text[i] != NULL;
    }
    free(bytes);
    return is_done;
}

/* Reads all strings of an object. Returns NULL on failure. ret_n NULL: the object must be one string. */
static char **read_texts(hid_t object, int is_attribute, int *ret_n)
{
    const hid_t type = is_attribute ? H5Aget_type(object) : H5Dget_type(object);
    const hid_t space = is_attribute ? H5Aget_space(object) : H5Dget_space(object);
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const int is_text = type >= 0 && H5Tget_class(type) == H5T_STRING && n >= 0 && n < INT_MAX &&
                        (ret_n ? H5Sget_simple_extent_ndims(space) == 1 : n == 1);
    char **text = is_text ? calloc((size_t)n + 1, sizeof *text) : NULL;
    if (text && n > 0 &&
        !(H5Tis_variable_str(type) > 0 ? read_variable(object, type, is_attribute, (int)n, text)
                                       : read_fixed(object, type, is_attribute, (int)n, text))) {
        for (hssize_t i = 0; i < n; i++)
            free(text[i]);
        free(text);
        text = NULL;
    }
    if (ret_n)
        *ret_n = text ? (int)n : 0;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return text;
}

static char *read_text(hid_t object, int is_attribute)
{
    char **const list = read_texts(object, is_attribute, NULL);
    char *const text = list ? list[0] : NULL;
    free(list);
    return text;
}

char *wr_hdf5_attribute_text(hid_t attribute) { return read_text(attribute, 1); }
char *wr_hdf5_dataset_text(hid_t dataset) { return read_text(dataset, 0); }

char **wr_hdf5_texts(hid_t dataset, int *ret_n) { return read_texts(dataset, 0, ret_n); }

/* ---- rows of single subsystems ---- */

int64_t wr_hdf5_count_rows(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    hsize_t n_row = 0;
    const int is_good = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                        H5Sget_simple_extent_dims(space, &n_row, NULL) >= 0 && n_row < INT_MAX;
    if (space >= 0)
        H5Sclose(space);
    return is_good ? (int64_t)n_row : -1;
}

static void *take(wr_stream_rows *rows, size_t count, size_t size)
{
    void *const memory = calloc(count + 1, size);
    rows->is_memory_out |= !memory;
    return memory;
}

/* Returns the first *n_row rows of a data set, from malloc. If the data set has fewer rows, *n_row decreases to their number. n_column 0:
 * the data set has one dimension. Returns NULL if the data set is absent, has another shape or cannot be read, or when out of memory. */
static double *read_columns(hid_t group, const char *name, int n_column, int *n_row,
                            wr_stream_rows *rows)
{
    const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    const int n_dimension = n_column > 0 ? 2 : 1;
    hsize_t size[2] = {0, 0};
    const hsize_t start[2] = {0, 0};
    double *value = NULL;
    int is_done = space >= 0 && H5Sget_simple_extent_ndims(space) == n_dimension &&
                  H5Sget_simple_extent_dims(space, size, NULL) >= 0 &&
                  (n_column == 0 || size[1] == (hsize_t)n_column);
    if (is_done) {
        const hsize_t most = (hsize_t)*n_row;
        *n_row = size[0] < most ? (int)size[0] : *n_row;
        const hsize_t count[2] = {(hsize_t)*n_row, (hsize_t)n_column};
        const size_t n_value = (size_t)*n_row * (size_t)(n_column > 0 ? n_column : 1);
        const hid_t memory = H5Screate_simple(n_dimension, count, NULL);
        value = take(rows, n_value, sizeof *value);
        is_done = value &&
                  (n_value == 0 ||
                   (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value) >= 0));
        H5Sclose(memory);
    }
    if (!is_done) {
        free(value);
        value = NULL;
    }
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return value;
}

int wr_hdf5_place_of(const char *name, int n_wanted, const char *const *wanted)
{
    for (int k = 0; k < n_wanted; k++)
        if (strcmp(name, wanted[k]) == 0)
            return k;
    return -1;
}

/* Reads a stream. Without a wanted channel, the rows stay empty. */
static int read_stream(hid_t group, int has_kind, int n_wanted, const char *const *wanted,
                       wr_stream_rows *rows)
{
    const hid_t dataset = H5Dopen2(group, WR_HDF5_NAMES, H5P_DEFAULT);
    rows->name = dataset >= 0 ? wr_hdf5_texts(dataset, &rows->n_channel) : NULL;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (!rows->name)
        return 0;
    int is_wanted = !wanted;
    for (int i = 0; wanted && i < rows->n_channel; i++)
        is_wanted |= wr_hdf5_place_of(rows->name[i], n_wanted, wanted) >= 0;
    if (!is_wanted)
        return 1;
    rows->n_row = INT_MAX;
    /* The writer writes times last, so a row whose time the reader has read first is complete, also in a file of a present run. */
    rows->time_s = read_columns(group, WR_HDF5_TIME, 0, &rows->n_row, rows);
    while (rows->time_s && rows->n_row > 0 && isnan(rows->time_s[rows->n_row - 1]))
        rows->n_row--; /* allocated space without written values */
    if (rows->time_s && has_kind)
        rows->kind = read_columns(group, WR_HDF5_KIND, 0, &rows->n_row, rows);
    if (rows->time_s && (rows->kind || !has_kind))
        rows->value = read_columns(group, WR_HDF5_VALUES, rows->n_channel, &rows->n_row, rows);
    return rows->value != NULL;
}

int wr_hdf5_read_streams(hid_t file, const char *parent_name, int has_kind, int n_wanted,
                         const char *const *wanted, wr_take_rows take_rows, void *to,
                         int *ret_is_memory_out)
{
    enum { LINK_BYTES = 1024 }; /* more than three times the longest name */
    if (H5Lexists(file, parent_name, H5P_DEFAULT) <= 0)
        return 1; /* the run recorded no such rows */
    const hid_t parent = H5Gopen2(file, parent_name, H5P_DEFAULT);
    H5G_info_t info = {.nlinks = 0};
    int is_done = parent >= 0 && H5Gget_info(parent, &info) >= 0;
    for (hsize_t i = 0; is_done && i < info.nlinks; i++) {
        char link[LINK_BYTES] = "";
        wr_stream_rows rows = {.link = link};
        const hid_t group = H5Oopen_by_idx(parent, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT);
        is_done = group >= 0 &&
                  H5Lget_name_by_idx(parent, ".", H5_INDEX_NAME, H5_ITER_INC, i, link, sizeof link,
                                     H5P_DEFAULT) >= 0 &&
                  read_stream(group, has_kind, n_wanted, wanted, &rows);
        if (is_done && rows.time_s && !take_rows(&rows, n_wanted, wanted, to)) {
            rows.is_memory_out = 1;
            is_done = 0;
        }
        *ret_is_memory_out |= rows.is_memory_out;
        for (int k = 0; rows.name && k < rows.n_channel; k++)
            free(rows.name[k]);
        free(rows.name);
        free(rows.time_s);
        free(rows.kind);
        free(rows.value);
        if (group >= 0)
            H5Oclose(group);
    }
    if (parent >= 0)
        H5Gclose(parent);
    return is_done;
}
