/* Unpacks FMUs of a config into the folder resources of an exported FMU.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_COSIM_FMUS_H
#define WR_COSIM_FMUS_H

#include "wrsim/status.h"

/* Receives each file of an unpacked FMU. Returns 0, or -1 to stop when memory is exhausted. */
typedef int wr_cosim_fmus_file(void *user, const char *path);

/* Unpacks the description, the binaries of this machine and resources/ of an FMU into a new folder, and calls file() for each file. key: for
 * messages. Refuses a binary that needs other libraries than libc, libm and files beside the binary. Returns WRSIM_OK, or a status with err. */
wrsim_status wr_cosim_fmus_unpack(const char *key, const char *fmu, const char *folder,
                                  wr_cosim_fmus_file *file, void *user, wrsim_error *err);

#endif
