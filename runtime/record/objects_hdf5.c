/* Groups, data sets and attributes of a result file in HDF5 format. See objects_hdf5.h. Thread: one at a time. Real-time: no. */
#include "runtime/record/objects_hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wr_hdf5_objects_init(wr_hdf5_objects *o, wr_hdf5_fault *fault)
{
    *o = (wr_hdf5_objects){.fault = fault};
    o->string_type = H5Tcopy(H5T_C_S1);
    H5Tset_size(o->string_type, H5T_VARIABLE); /* type that h5py and MATLAB read as text */
    H5Tset_cset(o->string_type, H5T_CSET_UTF8);
    o->plain_space = H5Screate(H5S_SCALAR);
    o->dataset_options = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(o->dataset_options, 0);
    o->link_options = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(o->link_options, H5T_CSET_UTF8);
    o->access_options = H5Pcreate(H5P_DATASET_ACCESS);
    /* The chunk cache is off, because the blocks collect rows to whole chunks. */
    return H5Pset_chunk_cache(o->access_options, 1, 0, 1.0) >= 0;
}

void wr_hdf5_objects_done(wr_hdf5_objects *o)
{
    if (o->string_type > 0)
        H5Tclose(o->string_type);
    if (o->plain_space > 0)
        H5Sclose(o->plain_space);
    if (o->dataset_options > 0)
        H5Pclose(o->dataset_options);
    if (o->access_options > 0)
        H5Pclose(o->access_options);
    if (o->link_options > 0)
        H5Pclose(o->link_options);
    *o = (wr_hdf5_objects){.fault = o->fault};
}

char *wr_hdf5_link_name(const char *name, size_t n_bytes)
{
    char *const link = malloc(3 * n_bytes + 4);
    if (!link)
        return NULL;
    char *end = link;
    for (size_t i = 0; i < n_bytes; i++) {
        if (name[i] == '/' || name[i] == '%' || (name[i] == '.' && n_bytes == 1))
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)name[i]);
        else
            *end++ = name[i];
    }
    if (n_bytes == 0)
        *end++ = '%';
    *end = 0;
    return link;
}

int wr_hdf5_put_string(wr_hdf5_objects *o, hid_t object, const char *name, const char *text)
{
    const char *const value = text ? text : "";
    const hid_t attribute =
        H5Acreate2(object, name, o->string_type, o->plain_space, H5P_DEFAULT, H5P_DEFAULT);
    const int is_done = wr_hdf5_is_good(o->fault, attribute) &&
                        wr_hdf5_is_good(o->fault, H5Awrite(attribute, o->string_type, &value));
    return (attribute < 0 || wr_hdf5_is_good(o->fault, H5Aclose(attribute))) && is_done;
}

int wr_hdf5_put_integer(wr_hdf5_objects *o, hid_t object, const char *name, int value)
{
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I32LE, o->plain_space, H5P_DEFAULT, H5P_DEFAULT);
    const int is_done = wr_hdf5_is_good(o->fault, attribute) &&
                        wr_hdf5_is_good(o->fault, H5Awrite(attribute, H5T_NATIVE_INT, &value));
    return (attribute < 0 || wr_hdf5_is_good(o->fault, H5Aclose(attribute))) && is_done;
}

int wr_hdf5_put_strings(wr_hdf5_objects *o, hid_t group, const char *name, int n,
                        const char *const *text)
{
    const hsize_t length = (hsize_t)n;
    const size_t n_text = n >= 0 ? (size_t)n : 1;
    size_t size = 1;
    for (size_t i = 0; i < n_text; i++)
        size = strlen(text[i]) >= size ? strlen(text[i]) + 1 : size;
    char *const bytes = calloc(n_text + 1, size);
    if (!bytes)
        return 0;
    for (size_t i = 0; i < n_text; i++)
        memcpy(bytes + i * size, text[i], strlen(text[i]));
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    const hid_t space = n >= 0 ? H5Screate_simple(1, &length, NULL) : H5Screate(H5S_SCALAR);
    const hid_t dataset =
        H5Dcreate2(group, name, type, space, H5P_DEFAULT, o->dataset_options, H5P_DEFAULT);
    const int is_done =
        wr_hdf5_is_good(o->fault, dataset) &&
        (n == 0 ||
         wr_hdf5_is_good(o->fault, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes)));
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    free(bytes);
    return is_done;
}

hid_t wr_hdf5_make_group(wr_hdf5_objects *o, hid_t parent, const char *name)
{
    const hid_t options = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(options, 0);
    const hid_t group = H5Gcreate2(parent, name, o->link_options, options, H5P_DEFAULT);
    wr_hdf5_is_good(o->fault, group);
    H5Pclose(options);
    return group;
}

hid_t wr_hdf5_make_dataset(wr_hdf5_objects *o, hid_t group, const char *name, hid_t type,
                           hsize_t chunk_row, int n_column)
{
    const int n_dimension = n_column > 0 ? 2 : 1;
    const hsize_t columns = (hsize_t)n_column;
    const hsize_t size[2] = {0, columns}, max_size[2] = {H5S_UNLIMITED, columns},
                  chunk[2] = {chunk_row, columns};
    const double no_value = (double)NAN;
    const hid_t options = H5Pcopy(o->dataset_options);
    H5Pset_chunk(options, n_dimension, chunk);
    H5Pset_alloc_time(
        options,
        H5D_ALLOC_TIME_EARLY); /* HDF5 allocates when the data set grows (see writer_hdf5.c) */
    H5Pset_fill_time(options, H5D_FILL_TIME_ALLOC);
    if (H5Tget_class(type) == H5T_FLOAT)
        H5Pset_fill_value(options, H5T_NATIVE_DOUBLE, &no_value);
    const hid_t space = H5Screate_simple(n_dimension, size, max_size);
    const hid_t dataset =
        H5Dcreate2(group, name, type, space, o->link_options, options, o->access_options);
    wr_hdf5_is_good(o->fault, dataset);
    H5Sclose(space);
    H5Pclose(options);
    return dataset;
}
