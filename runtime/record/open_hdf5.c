/* Opens result files in HDF5 format. See open_hdf5.h. Thread: one owner. Real-time: no. */
#include "runtime/record/open_hdf5.h"

#include <stdlib.h>

#include "runtime/record/hdf5_names.h"
#include "runtime/record/quiet_hdf5.h"
#include "runtime/record/streams_hdf5.h"

int wr_hdf5_read_integer(hid_t object, const char *name, int *ret_value)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return 0;
    const hid_t space = H5Aget_space(attribute); /* a foreign attribute may be a list */
    const int is_done = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                        H5Aread(attribute, H5T_NATIVE_INT, ret_value) >= 0;
    if (space >= 0)
        H5Sclose(space);
    H5Aclose(attribute);
    return is_done;
}

char *wr_hdf5_read_text(hid_t object, const char *name)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    char *const text = wr_hdf5_attribute_text(attribute);
    H5Aclose(attribute);
    return text;
}

/* Opens a file. If HDF5 refuses the file, for example because the file is marked as open, opens it for shared reading. */
static hid_t open_any(const char *file)
{
    const hid_t plain = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (plain >= 0)
        return plain;
    /* Largest number of attempts of a read (assumed). HDF5 repeats reads of inconsistent metadata after pauses, which double from a
     * nanosecond. HDF5's default of 100 attempts would never end for a damaged file. */
    enum { N_ATTEMPT = 24 };
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access, N_ATTEMPT);
    const hid_t shared = H5Fopen(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    H5Pclose(access);
    return shared;
}

/* Returns 1 if the file has a layout of a later version of wrsim. has_log: also if a log of the file has such a layout. */
static int is_later(hid_t file, int has_log)
{
    static const struct {
        const char *name;
        int layout;
    } objects[] = {{"/", WR_HDF5_LAYOUT_NUMBER},
                   {WR_HDF5_EVENT_LOG, WR_HDF5_LOG_LAYOUT},
                   {WR_HDF5_WINDOW_LOG, WR_HDF5_LOG_LAYOUT}};
    int is_found = 0;
    for (size_t i = 0; i < (has_log ? sizeof objects / sizeof objects[0] : 1); i++) {
        int layout = 0;
        const hid_t object = i == 0 || H5Lexists(file, objects[i].name, H5P_DEFAULT) > 0
                                 ? H5Oopen(file, objects[i].name, H5P_DEFAULT)
                                 : H5I_INVALID_HID;
        is_found |= object >= 0 && wr_hdf5_read_integer(object, WR_HDF5_LAYOUT, &layout) &&
                    layout > objects[i].layout;
        if (object >= 0)
            H5Oclose(object);
    }
    return is_found;
}

hid_t wr_hdf5_open_results(const char *file)
{
    const hid_t handle = open_any(file);
    if (handle < 0 || !is_later(handle, 0))
        return handle;
    H5Fclose(handle);
    return H5I_INVALID_HID;
}

wrsim_status wr_hdf5_fail_to_read(const char *file, int is_memory_out, wrsim_error *err)
{
    if (is_memory_out)
        return wr_results_fail(err, WRSIM_E_MEMORY, file, 0, "out of memory for the results '%s'",
                               file);
    const wr_hdf5_quiet before = wr_hdf5_quiet_begin();
    const hid_t handle = open_any(file);
    const int has_later = handle >= 0 && is_later(handle, 1);
    char *const version = has_later ? wr_hdf5_read_text(handle, WR_HDF5_VERSION) : NULL;
    if (handle >= 0)
        H5Fclose(handle);
    wr_hdf5_quiet_end(&before);
    const wrsim_status status =
        has_later ? wr_results_fail_later(file, version, err)
                  : wr_results_fail(err, WRSIM_E_IO, file, 0,
                                    "'%s' is an HDF5 file but not a result file of wrsim, or it is "
                                    "damaged; name another file",
                                    file);
    free(version);
    return status;
}
