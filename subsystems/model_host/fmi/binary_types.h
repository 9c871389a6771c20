/* Types of the calls of the binary of an FMU. See binary.h. Thread: plain data. */
#ifndef WR_BINARY_TYPES_H
#define WR_BINARY_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "subsystems/model_host/fmi/fmi_need.h"
#include "subsystems/model_host/fmi/quantity.h"

typedef struct wr_binary wr_binary;
typedef struct wr_binary_instance wr_binary_instance;

/* The binary of an FMU, as its description declares it. */
typedef struct wr_binary_source {
    const char *folder;     /* folder of the unpacked FMU, absolute */
    const char *identifier; /* name of the binary without its extension */
    const char *token;      /* GUID (FMI 2.0) or instantiation token (FMI 3.0) */
    int version;            /* 2 or 3 */
    unsigned uses;          /* WR_FMI_NEED_ME or WR_FMI_NEED_CS, and bits of optional functions */
    int is_once;            /* 1: the process may have one instance */
} wr_binary_source;

/* Result of a call. After an error the instance may only be reset or freed. After a fatal error no call reaches any instance of the binary. */
typedef enum wr_binary_status {
    WR_BINARY_OK, /* also with a warning */
    WR_BINARY_DISCARD,
    WR_BINARY_ERROR,
    WR_BINARY_FATAL
} wr_binary_status;

typedef struct wr_binary_experiment {
    double start_s;
    double stop_s;    /* NaN: none */
    double tolerance; /* relative; NaN: none */
} wr_binary_experiment;

/* Results of an update of discrete states. */
typedef struct wr_binary_update {
    int is_iteration_needed, is_terminated, has_new_nominals, has_new_states;
    double next_time_s; /* INFINITY: no time event */
} wr_binary_update;

/* Results of a step: of a co-simulation step, or of an integrator's step that ends (reached_s is then NaN). */
typedef struct wr_binary_step {
    int is_event, is_terminated;
    double reached_s; /* below the end of the step if the FMU returns early */
} wr_binary_step;

enum { WR_BINARY_LOG_BYTES = 512 /* longest text of a log, with its end */ };

#endif
