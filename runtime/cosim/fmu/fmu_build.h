/* Builds the simulation of an instance of an exported FMU. Thread: one owner. Real-time: no. */
#ifndef WR_FMU_BUILD_H
#define WR_FMU_BUILD_H

#include "runtime/cosim/fmu/fmu_types.h"

/* Creates the simulation of the config without preparing it, for its variables and times. Returns NULL after a message. */
wr_fmu_build *wr_fmu_build_describe(wr_fmu *fmu);
/* Builds and prepares the simulation of the values fmu->now.start, unless fmu->build exists. Returns WR_FMU_OK, or WR_FMU_ERROR after a
 * message. */
wr_fmu_status wr_fmu_build_make(wr_fmu *fmu);
/* Gives up a use of a build, and sets *build to NULL. *build may be NULL. */
void wr_fmu_build_leave(wr_fmu_build **build);

#endif
