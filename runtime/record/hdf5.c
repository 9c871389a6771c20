/* Loads the module 'hdf5' for writers and readers. See hdf5.h. Thread: any. Real-time: no. */
#include "runtime/record/hdf5.h"

#include <stdatomic.h>

#include "base/module.h"

/* 1: HDF5 has no cleanup at exit. A program sets the flag before the program reads or writes. The flag is global, because HDF5 has one exit
 * handler per process, which must be disabled before the first use of HDF5. */
static atomic_int is_left = 0;

/* relaxed: the program sets the flag before the program starts threads that load the module. */
void wr_results_leave_hdf5(void) { atomic_store_explicit(&is_left, 1, memory_order_relaxed); }

static const wr_hdf5_ops *load(wrsim_error *err)
{
    const wr_hdf5_ops *const ops = wr_module_load(WR_MODULE_HDF5, err);
    if (ops && atomic_load_explicit(&is_left, memory_order_relaxed))
        ops->leave();
    return ops;
}

static const wr_hdf5_ops *load_for(const char *file, wrsim_error *err)
{
    wrsim_error reason;
    const wr_hdf5_ops *const ops = load(&reason);
    if (!ops)
        wr_results_fail(err, WRSIM_E_IO, file, 0, "'%s' cannot be read: %s", file, reason.text);
    return ops;
}

wr_results *wr_results_hdf5_read(const char *file, wr_results_extent extent, wrsim_error *err)
{
    const wr_hdf5_ops *const ops = load_for(file, err);
    return ops ? ops->read(file, extent, err) : NULL;
}

wrsim_status wr_results_hdf5_waves(const char *file, int n_wanted, const char *const *wanted,
                                   wr_results_part **ret_part, int *ret_n, char **ret_unit,
                                   wrsim_error *err)
{
    const wr_hdf5_ops *const ops = load_for(file, err);
    return ops ? ops->waves(file, n_wanted, wanted, ret_part, ret_n, ret_unit, err) : WRSIM_E_IO;
}

wrsim_status wr_results_hdf5_events(const char *file, int n_wanted, const char *const *wanted,
                                    wr_results_events *ret, wrsim_error *err)
{
    const wr_hdf5_ops *const ops = load_for(file, err);
    return ops ? ops->events(file, n_wanted, wanted, ret, err) : WRSIM_E_IO;
}

wrsim_status wr_results_hdf5_log(const char *file, wr_run_log *ret, wrsim_error *err)
{
    const wr_hdf5_ops *const ops = load_for(file, err);
    return ops ? ops->log(file, ret, err) : WRSIM_E_IO;
}

static const wr_writer_ops *load_writer(wrsim_error *err)
{
    const wr_hdf5_ops *const ops = load(err);
    return ops ? ops->writer : NULL;
}

const wr_writer_ops wr_writer_h5 = {.extension = ".h5", .help = "HDF5", .load = load_writer};
const wr_writer_ops wr_writer_hdf5 = {.extension = ".hdf5", .help = "HDF5", .load = load_writer};
