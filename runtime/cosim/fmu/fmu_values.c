/* Allocates and copies values. See fmu_values.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/fmu/fmu_values.h"

#include <stdlib.h>
#include <string.h>

int wr_fmu_values_create(wr_fmu_values *v, int n)
{
    *v = (wr_fmu_values){.phase = WR_FMU_INSTANTIATED};
    v->value = calloc((size_t)n, sizeof *v->value);
    v->start = calloc((size_t)n, sizeof *v->start);
    v->slope = calloc((size_t)n, sizeof *v->slope);
    v->is_tuned = calloc((size_t)n, 1);
    if (v->value && v->start && v->slope && v->is_tuned)
        return 0;
    wr_fmu_values_free(v);
    return -1;
}

void wr_fmu_values_free(wr_fmu_values *v)
{
    free(v->value);
    free(v->start);
    free(v->slope);
    free(v->is_tuned);
    *v = (wr_fmu_values){.phase = WR_FMU_INSTANTIATED};
}

void wr_fmu_values_copy(wr_fmu_values *to, const wr_fmu_values *from, int n)
{
    double *const value = to->value, *const start = to->start, *const slope = to->slope;
    unsigned char *const is_tuned = to->is_tuned;
    *to = *from;
    to->value = value;
    to->start = start;
    to->slope = slope;
    to->is_tuned = is_tuned;
    memcpy(value, from->value, (size_t)n * sizeof *value);
    memcpy(start, from->start, (size_t)n * sizeof *start);
    memcpy(slope, from->slope, (size_t)n * sizeof *slope);
    memcpy(is_tuned, from->is_tuned, (size_t)n);
}
