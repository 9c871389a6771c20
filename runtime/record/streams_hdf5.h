/* Reads strings and the rows of single subsystems from result files in HDF5 format; part of the module 'hdf5'. Thread: one owner.
 * Real-time: no. */
#ifndef WR_STREAMS_HDF5_H
#define WR_STREAMS_HDF5_H

#include <hdf5.h>
#include <stdint.h>

/* Return strings from malloc, which the file has with a fixed or a variable length. Return NULL if the object has no strings, or when out of
 * memory. wr_hdf5_texts() returns *ret_n strings of a data set with one dimension. */
char *wr_hdf5_attribute_text(hid_t attribute);
char *wr_hdf5_dataset_text(hid_t dataset);
char **wr_hdf5_texts(hid_t dataset, int *ret_n);

/* Returns the number of rows of a one-dimensional data set; -1 for any other data set. */
int64_t wr_hdf5_count_rows(hid_t dataset);

/* Content of one group below /events or /waves. */
typedef struct wr_stream_rows {
    const char *link; /* name of the group */
    int n_row, n_channel;
    char **name;                   /* [n_channel] names of the channels */
    double *time_s, *kind, *value; /* kind NULL: not requested; time_s NULL: no wanted channel */
    int is_memory_out;
} wr_stream_rows;

/* Returns the index of a name among the wanted names; -1 if the name is absent. */
int wr_hdf5_place_of(const char *name, int n_wanted, const char *const *wanted);

/* Takes the rows of a stream. Returns 0 when out of memory. */
typedef int (*wr_take_rows)(const wr_stream_rows *rows, int n_wanted, const char *const *wanted,
                            void *to);

/* Calls take_rows for each group of the parent with a wanted channel (wanted NULL: every group). Returns 0 on failure. */
int wr_hdf5_read_streams(hid_t file, const char *parent_name, int has_kind, int n_wanted,
                         const char *const *wanted, wr_take_rows take_rows, void *to,
                         int *ret_is_memory_out);

#endif
