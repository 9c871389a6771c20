/* Messages of an instance of an exported FMU to the host's logger. Thread: one owner. */
#ifndef WR_FMU_LOG_H
#define WR_FMU_LOG_H

#include "runtime/cosim/fmu/fmu_types.h"

/* Writes a message to the logger. */
void wr_fmu_log(const wr_fmu *fmu, wr_fmu_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes an error of wrsim to the logger. Returns WR_FMU_ERROR. */
wr_fmu_status wr_fmu_log_failure(const wr_fmu *fmu, const wrsim_error *err);

#endif
