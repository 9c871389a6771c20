/* Writes result files in HDF5 format; part of the module 'hdf5'. Thread: as in writer.h. Real-time: no. */
#ifndef WR_WRITER_HDF5_H
#define WR_WRITER_HDF5_H

#include "runtime/record/writer_ops.h"

extern const wr_writer_ops wr_hdf5_writer;

#endif
