/* Values of an instance of an exported FMU, which its states contain. Thread: one owner. */
#ifndef WR_FMU_VALUES_H
#define WR_FMU_VALUES_H

#include "runtime/cosim/fmu/fmu_types.h"

/* Allocates the arrays for n variables. Returns 0, or -1 when out of memory. */
int wr_fmu_values_create(wr_fmu_values *values, int n);
void wr_fmu_values_free(wr_fmu_values *values);
void wr_fmu_values_copy(wr_fmu_values *to, const wr_fmu_values *from, int n);

#endif
