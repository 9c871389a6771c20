/* The module 'hdf5': its operations for hdf5.c.
 *
 * Thread: any. Real-time: constant data. */
#include "base/module.h"
#include "runtime/record/hdf5.h"
#include "runtime/record/results_hdf5.h"
#include "runtime/record/writer_hdf5.h"

static const wr_hdf5_ops ops = {
    .writer = &wr_hdf5_writer,
    .read = wr_hdf5_read,
    .waves = wr_hdf5_waves,
    .events = wr_hdf5_events,
    .leave = wr_hdf5_leave,
};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
