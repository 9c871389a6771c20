/* The loaded functions of an FMU, for fmu_session.c and fmu_refusal.c. Thread: one owner. */
#ifndef WR_TEST_FMU_LIBRARY_H
#define WR_TEST_FMU_LIBRARY_H

#include "fmu_session.h"
#include "subsystems/model_host/fmi/fmi2.h"

typedef struct fmu_functions {
#define X(name, result, arguments, need) wr_fmi2_##name *f2##name;
    WR_FMI2_LIST(X)
#undef X
#define X(name, result, arguments, need) wr_fmi3_##name *f3##name;
    WR_FMI3_LIST(X)
#undef X
    char last[512]; /* the last message of an instance */
} fmu_functions;

enum { OK, WARNING, DISCARD, ERROR, FATAL }; /* statuses with equal numbers in both versions */

#define IS_2(s) ((s)->fmu->table.version == 2)

#endif
