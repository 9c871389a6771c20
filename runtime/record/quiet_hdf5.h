/* Switches off HDF5's printing of errors, and later restores the caller's setting. Thread: any, as HDF5 itself. Real-time: no. */
#ifndef WR_QUIET_HDF5_H
#define WR_QUIET_HDF5_H

#include <hdf5.h>

typedef struct wr_hdf5_quiet {
    H5E_auto2_t function;
    void *data;
} wr_hdf5_quiet;

static inline wr_hdf5_quiet wr_hdf5_quiet_begin(void)
{
    wr_hdf5_quiet before = {0};
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static inline void wr_hdf5_quiet_end(const wr_hdf5_quiet *before)
{
    H5Eset_auto2(H5E_DEFAULT, before->function, before->data);
}

#endif
