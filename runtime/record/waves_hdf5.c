/* Recorded waves in HDF5 files. See waves.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/record/waves.h"

#include <stdlib.h>

#include "runtime/record/results_read.h"

void wr_recorded_waves_destroy(wr_recorded_waves **waves)
{
    if (!waves || !*waves)
        return;
    for (int i = 0; i < (*waves)->n; i++) {
        wr_recorded_wave *const w = &(*waves)->wave[i];
        for (int k = 0; w->name && k < 2 * w->n_signal; k++)
            free(w->name[k]);
        free(w->name);
        free(w->time_s);
        free(w->value);
    }
    free((*waves)->wave);
    free(*waves);
    *waves = NULL;
}

#ifdef WR_HAVE_HDF5

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "runtime/record/hdf5_names.h"

/* Sizes of a data set of that many dimensions; 0 if it is none. */
static int read_size(hid_t dataset, int n_dimension, hsize_t *ret_size)
{
    const hid_t space = H5Dget_space(dataset);
    const int is_good = space >= 0 && H5Sget_simple_extent_ndims(space) == n_dimension &&
                        H5Sget_simple_extent_dims(space, ret_size, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    return is_good;
}

static int read_names(hid_t group, wr_recorded_wave *w)
{
    const hid_t dataset = H5Dopen2(group, WR_HDF5_NAMES, H5P_DEFAULT);
    hsize_t n = 0;
    int is_done = 0;
    if (dataset >= 0 && read_size(dataset, 1, &n) && n > 0 && n % 2 == 0 && n < INT_MAX) {
        const hid_t type = H5Dget_type(dataset);
        char **const text = calloc((size_t)n, sizeof *text);
        w->name = calloc((size_t)n, sizeof *w->name);
        if (text && w->name && H5Tis_variable_str(type) > 0 &&
            H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            w->n_signal = (int)n / 2;
            is_done = 1;
            for (hsize_t i = 0; i < n; i++)
                is_done &= (w->name[i] = strdup(text[i] ? text[i] : "")) != NULL;
            const hid_t space = H5Dget_space(dataset);
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
            H5Sclose(space);
        }
        free(text);
        H5Tclose(type);
    }
    if (dataset >= 0)
        H5Dclose(dataset);
    return is_done;
}

/* The first n rows of a data set; n_column 0: it has one dimension. */
static double *read_rows(hid_t dataset, hsize_t n, hsize_t n_column)
{
    const int n_dimension = n_column > 0 ? 2 : 1;
    const hsize_t start[2] = {0, 0}, count[2] = {n, n_column};
    double *value = malloc((size_t)(n * (n_column > 0 ? n_column : 1) + 1) * sizeof *value);
    if (!value || n == 0)
        return value;
    const hid_t memory = H5Screate_simple(n_dimension, count, NULL), space = H5Dget_space(dataset);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value) < 0) {
        free(value);
        value = NULL;
    }
    H5Sclose(space);
    H5Sclose(memory);
    return value;
}

static int read_nodes(hid_t group, wr_recorded_wave *w)
{
    const hid_t time = H5Dopen2(group, WR_HDF5_TIME, H5P_DEFAULT);
    const hid_t values = H5Dopen2(group, WR_HDF5_VALUES, H5P_DEFAULT);
    hsize_t n_time = 0, size[2] = {0, 0};
    int is_done = 0;
    if (time >= 0 && values >= 0 && read_size(time, 1, &n_time) && read_size(values, 2, size) &&
        size[1] == 2 * (hsize_t)w->n_signal) {
        const hsize_t n = n_time < size[0] ? n_time : size[0];
        if (n < INT_MAX) {
            w->time_s = read_rows(time, n, 0);
            w->value = read_rows(values, n, size[1]);
            w->n_node = (int)n;
            is_done = w->time_s && w->value;
        }
    }
    /* Rows whose space was taken but which were never written. */
    while (is_done && w->n_node > 0 && isnan(w->time_s[w->n_node - 1]))
        w->n_node--;
    if (values >= 0)
        H5Dclose(values);
    if (time >= 0)
        H5Dclose(time);
    return is_done;
}

/* Called for every group in /waves. */
static herr_t read_wave(hid_t parent, const char *name, const H5L_info_t *info, void *waves_at)
{
    (void)info;
    wr_recorded_waves *const waves = waves_at;
    wr_recorded_wave *const grown =
        realloc(waves->wave, (size_t)(waves->n + 1) * sizeof *waves->wave);
    if (!grown)
        return -1;
    waves->wave = grown;
    wr_recorded_wave *const w = &grown[waves->n++];
    *w = (wr_recorded_wave){0};
    const hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    const int is_done = group >= 0 && read_names(group, w) && read_nodes(group, w);
    if (group >= 0)
        H5Gclose(group);
    return is_done ? 0 : -1;
}

static int read_all(const char *file, wr_recorded_waves *waves)
{
    hid_t handle = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (handle < 0) /* being written, or cut off */
        handle = H5Fopen(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    if (handle < 0)
        return 0;
    int is_done = 1;
    if (H5Lexists(handle, WR_HDF5_WAVES, H5P_DEFAULT) > 0) {
        const hid_t group = H5Gopen2(handle, WR_HDF5_WAVES, H5P_DEFAULT);
        is_done = group >= 0 &&
                  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_wave, waves) >= 0;
        if (group >= 0)
            H5Gclose(group);
    }
    H5Fclose(handle);
    return is_done;
}

wr_recorded_waves *wr_recorded_waves_load(const char *file, wrsim_error *err)
{
    H5E_auto2_t function = NULL;
    void *data = NULL;
    wr_recorded_waves *waves = calloc(1, sizeof *waves);
    if (!waves) {
        wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory reading '%s'", file);
        return NULL;
    }
    H5Eget_auto2(H5E_DEFAULT, &function, &data); /* HDF5 prints its errors unless told not to */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Fis_hdf5(file) > 0 && !read_all(file, waves)) {
        wr_results_fail(err, WRSIM_E_IO, file, 0, "the recorded waves in '%s' are damaged", file);
        wr_recorded_waves_destroy(&waves);
    }
    H5Eset_auto2(H5E_DEFAULT, function, data);
    return waves;
}

#else

wr_recorded_waves *wr_recorded_waves_load(const char *file, wrsim_error *err)
{
    wr_recorded_waves *const waves = calloc(1, sizeof *waves);
    if (!waves)
        wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory reading '%s'", file);
    return waves; /* this build reads CSV only, which has none */
}

#endif
