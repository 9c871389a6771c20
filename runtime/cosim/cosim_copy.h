/* Copies files into an FMU in the making. Thread: one owner. Real-time: no (setup). */
#ifndef WR_COSIM_COPY_H
#define WR_COSIM_COPY_H

#include "wrsim/status.h"

/* Copies a file to a new file. Returns WRSIM_OK, or a status with err. */
wrsim_status wr_cosim_copy(const char *from, const char *to, wrsim_error *err);

#endif
