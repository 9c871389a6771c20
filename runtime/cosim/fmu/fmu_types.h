/* Types of an instance of an exported FMU. Thread: one owner. */
#ifndef WR_FMU_TYPES_H
#define WR_FMU_TYPES_H

#include "runtime/cosim/cosim_variables.h"

/* As fmi2Status and fmi3Status. */
typedef enum wr_fmu_status {
    WR_FMU_OK,
    WR_FMU_WARNING,
    WR_FMU_DISCARD,
    WR_FMU_ERROR,
    WR_FMU_FATAL
} wr_fmu_status;

typedef enum wr_fmu_phase {
    WR_FMU_INSTANTIATED = 1 << 0,
    WR_FMU_INITIALISING = 1 << 1,
    WR_FMU_STEPPING = 1 << 2,
    WR_FMU_TERMINATED = 1 << 3,
    WR_FMU_FAILED =
        1 << 4 /* after an error; only reset, restored states and the end are possible */
} wr_fmu_phase;

/* Categories of messages, in the order of the description. */
#define WR_FMU_CATEGORY_ERROR "logStatusError"
#define WR_FMU_CATEGORY_WARNING "logStatusWarning"
#define WR_FMU_CATEGORY_INFO "logEvents"

typedef struct wr_fmu_host {
    /* Receives a message without a newline; NULL: none. */
    void (*log)(void *user, wr_fmu_status status, const char *category, const char *text);
    void *user;
    int is_logging; /* 0: errors only */
    /* Status of a read of an output before initialisation mode. FMI 3.0 allows the call, so WR_FMU_DISCARD; FMI 2.0: WR_FMU_ERROR. */
    wr_fmu_status no_value;
} wr_fmu_host;

/* A prepared simulation. Instance and states share the simulation, because a state belongs to its simulation. */
typedef struct wr_fmu_build {
    int n_user;
    wrsim *sim;
    wr_cosim_list *list; /* the FMU's variables with the handles of sim */
} wr_fmu_build;

/* Values of an instance that its states contain. */
typedef struct wr_fmu_values {
    int phase; /* wr_fmu_phase */
    int is_terminated;
    double start_s, stop_s; /* stop_s NaN: none */
    double time_s;
    /* [number of variables] present values of inputs and parameters, their values when the simulation was built, and slopes of inputs for
     * the next step, 1/s */
    double *value, *start, *slope;
    unsigned char *
        is_tuned; /* [number of variables] 1: the host has set the tunable parameter during the run */
} wr_fmu_values;

typedef struct wr_fmu {
    wr_fmu_host host;
    char *config; /* path of the config */
    char token[WR_COSIM_TOKEN_BYTES];
    wr_cosim_list *list;
    double config_start_s, config_stop_s;
    wr_fmu_values now;
    wr_fmu_build *build; /* NULL: none, or values have changed since */
    int *handle;         /* [number of variables] scratch of wr_fmu_get() */
    double *shown;       /* [number of variables] scratch of wr_fmu_get() */
} wr_fmu;

#endif
