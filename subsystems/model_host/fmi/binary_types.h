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
    const char *file;       /* file of the FMU, for reports of crashes; NULL: the identifier */
    const char *identifier; /* name of the binary without its extension */
    const char *token;      /* GUID (FMI 2.0) or instantiation token (FMI 3.0) */
    int version;            /* 2 or 3 */
    unsigned uses;          /* WR_FMI_NEED_ME or WR_FMI_NEED_CS, and bits of optional functions */
    int is_once;            /* 1: the process may have one instance */
} wr_binary_source;

/* Result of a call. The log has the reason of every result other than WR_BINARY_OK. */
typedef enum wr_binary_status {
    WR_BINARY_OK, /* also with a warning */
    /* The call has no results, and may be repeated with other values. After a discarded step of FMI 2.0 the state is unknown: the caller
     * goes back to a kept state, or ends the run. */
    WR_BINARY_DISCARD,
    WR_BINARY_ERROR, /* the caller goes back to a kept state, resets the instance, or frees it */
    WR_BINARY_FATAL  /* no call reaches any instance of the FMU until the end of the process */
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

/* Results of a co-simulation step, or of the end of an integrator's step (reached_s is then NaN). */
typedef struct wr_binary_step {
    int is_event, is_terminated;
    double
        reached_s; /* below the end of the step if the FMU returns early; above the start of the step, except at an event or the end of the
                    * run */
} wr_binary_step;

/* Values that an FMU of model exchange gets before it computes. */
typedef struct wr_binary_point {
    int has_time; /* 1: t_s is new */
    double t_s;
    const double *x; /* [n_x] states; n_x is 0 if the FMU keeps its states */
    int n_x;
    const uint32_t
        *number;     /* [n_number] inputs of type FLOAT64; n_number is 0 if the FMU keeps them */
    const double *u; /* [n_u] their values */
    int n_number, n_u;
} wr_binary_point;

/* Precedes the messages of an FMU in the error of wr_binary_instantiate(). */
#define WR_BINARY_LOGS_MARK "; the FMU logs: "

enum { WR_BINARY_LOG_BYTES = 512 /* longest text of a log, with its end */ };

#endif
