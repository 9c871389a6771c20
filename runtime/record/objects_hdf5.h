/* Makes the groups, data sets and attributes of a result file in HDF5 format. Part of the module 'hdf5'. Objects have no times, so equal results
 * give equal bytes.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_OBJECTS_HDF5_H
#define WR_OBJECTS_HDF5_H

#include <hdf5.h>

#include "runtime/record/table_hdf5.h"

/* Types and property lists that all objects share. 0: absent. */
typedef struct wr_hdf5_objects {
    hid_t string_type, plain_space, dataset_options, access_options, link_options;
    wr_hdf5_fault *fault; /* of the caller: the first failure */
} wr_hdf5_objects;

/* Creates the shared types and lists. Returns 0 after a failure; wr_hdf5_objects_done() frees them in any case. */
int wr_hdf5_objects_init(wr_hdf5_objects *objects, wr_hdf5_fault *fault);
/* Accepts a struct of zeros. */
void wr_hdf5_objects_done(wr_hdf5_objects *objects);

/* Returns a name of n_bytes as one link of a path, from malloc; NULL when out of memory. */
char *wr_hdf5_link_name(const char *name, size_t n_bytes);

/* Write an attribute of an object; a text of NULL is "". Return 0 after a failure. */
int wr_hdf5_put_string(wr_hdf5_objects *objects, hid_t object, const char *name, const char *text);
int wr_hdf5_put_integer(wr_hdf5_objects *objects, hid_t object, const char *name, int value);

/* Writes a data set of strings: a scalar if n is negative, else a list. The strings have a fixed length, because Octave cannot load others. All
 * have the length of the longest one and a final NUL. Returns 0 after a failure. */
int wr_hdf5_put_strings(wr_hdf5_objects *objects, hid_t group, const char *name, int n,
                        const char *const *text);

/* Return a new object, which the caller closes; negative after a failure. A data set is empty and can grow by rows; chunk_row: rows of a
 * chunk; n_column 0: one dimension. */
hid_t wr_hdf5_make_group(wr_hdf5_objects *objects, hid_t parent, const char *name);
hid_t wr_hdf5_make_dataset(wr_hdf5_objects *objects, hid_t group, const char *name, hid_t type,
                           hsize_t chunk_row, int n_column);

#endif
