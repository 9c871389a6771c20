/* Builds the simulation of an instance of an exported FMU. Thread: one owner. Real-time: no. */
#ifndef WR_FMU_BUILD_H
#define WR_FMU_BUILD_H

#include "runtime/cosim/fmu/fmu_types.h"

/* Creates the simulation of the values fmu->now.start without preparing it. fmu->list NULL: of the config's values. Returns NULL after a
 * message. */
wr_fmu_build *wr_fmu_build_create(wr_fmu *fmu);
/* Returns 1 if the config with the values value[number of variables] gives other variables than the FMU has; 0 if the variables are the
 * same, or if the values are wrong, which wr_fmu_build_make() reports. */
int wr_fmu_build_has_other_variables(const wr_fmu *fmu, double *value);
/* Builds and prepares the simulation of the values fmu->now.start, unless fmu->build exists. Returns WR_FMU_OK, or WR_FMU_ERROR after a
 * message. */
wr_fmu_status wr_fmu_build_make(wr_fmu *fmu);
/* Gives up a use of a build, and sets *build to NULL. *build may be NULL. */
void wr_fmu_build_leave(wr_fmu_build **build);

#endif
