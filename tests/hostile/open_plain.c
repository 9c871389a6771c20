/* Opens a result file as h5py.File(path) does, without SWMR, reads all times, and prints how many there are and the last one.
 *
 *     open_plain FILE
 *
 * Exit code 1: it cannot be opened or read.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const hid_t file = argc == 2 ? H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    if (file < 0)
        return 1;
    const hid_t dataset = H5Dopen2(file, "time", H5P_DEFAULT);
    const hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
    const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    double *const time = n >= 0 ? malloc(((size_t)n + 1) * sizeof *time) : NULL;
    if (!time ||
        (n > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) < 0))
        return 1;
    printf("%lld %.17g\n", (long long)n, n > 0 ? time[n - 1] : 0.0);
    free(time);
    return H5Sclose(space) < 0 || H5Dclose(dataset) < 0 || H5Fclose(file) < 0;
}
