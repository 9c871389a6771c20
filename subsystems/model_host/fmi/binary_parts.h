/* Parts of a binary that the files binary*.c share. Thread: as binary.h. Real-time: as binary.h. */
#ifndef WR_BINARY_PARTS_H
#define WR_BINARY_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/fmi/binary_library.h"
#include "subsystems/model_host/fmi/binary_types.h"

/* A function of a version of FMI: its symbol, its place in the table of functions, and the uses that need the function. */
typedef struct wr_binary_symbol {
    const char *name;
    size_t place;
    unsigned need;
} wr_binary_symbol;

/* Operations of a version of FMI; as the functions of binary.h. */
typedef struct wr_binary_ops {
    const char *platform, *version; /* folder of the binary; version in messages */
    const wr_binary_symbol *symbol;
    size_t n_symbol, table_bytes;
    /* Returns the version that the binary reports. */
    const char *(*version_of)(wr_binary *binary);
    /* Checks the type platform. Returns NULL for the default types and for FMI 3.0, else the name that the binary reports. */
    const char *(*other_types)(wr_binary *binary);
    /* Calls instantiate, and sets the handle. */
    void (*instantiate)(wr_binary_instance *instance);
    void (*free)(wr_binary_instance *instance);
    wr_binary_status (*enter_initialisation)(wr_binary_instance *instance,
                                             const wr_binary_experiment *experiment);
    wr_binary_status (*exit_initialisation)(wr_binary_instance *instance);
    wr_binary_status (*enter_events)(wr_binary_instance *instance);
    wr_binary_status (*update_discrete)(wr_binary_instance *instance, wr_binary_update *ret);
    wr_binary_status (*leave_events)(wr_binary_instance *instance);
    wr_binary_status (*terminate)(wr_binary_instance *instance);
    wr_binary_status (*reset)(wr_binary_instance *instance);
    wr_binary_status (*get)(wr_binary_instance *instance, wr_fmi_type type, const uint32_t *number,
                            int n, double *value, int n_value);
    wr_binary_status (*set)(wr_binary_instance *instance, wr_fmi_type type, const uint32_t *number,
                            int n, const double *value, int n_value);
    wr_binary_status (*set_point)(wr_binary_instance *instance, const wr_binary_point *point,
                                  const char **ret_failed);
    wr_binary_status (*get_states)(wr_binary_instance *instance, double *x, int n);
    wr_binary_status (*get_nominals)(wr_binary_instance *instance, double *nominal, int n);
    wr_binary_status (*get_derivatives)(wr_binary_instance *instance, double *dx, int n);
    wr_binary_status (*get_indicators)(wr_binary_instance *instance, double *z, int n);
    wr_binary_status (*step_completed)(wr_binary_instance *instance, int may_forget,
                                       wr_binary_step *ret);
    wr_binary_status (*do_step)(wr_binary_instance *instance, double t_s, double h_s,
                                int may_forget, wr_binary_step *ret);
    wr_binary_status (*set_input_derivatives)(wr_binary_instance *instance, const uint32_t *number,
                                              int n, const double *value);
    wr_binary_status (*keep)(wr_binary_instance *instance, void **slot);
    wr_binary_status (*go_back)(wr_binary_instance *instance, void *slot);
    wr_binary_status (*forget)(wr_binary_instance *instance, void **slot);
    wr_binary_status (*state_bytes)(wr_binary_instance *instance, void *slot, size_t *ret_n_bytes);
    wr_binary_status (*write_state)(wr_binary_instance *instance, void *slot, void *bytes,
                                    size_t n_bytes);
    wr_binary_status (*read_state)(wr_binary_instance *instance, const void *bytes, size_t n_bytes,
                                   void **slot);
    wr_binary_status (*directional)(wr_binary_instance *instance, const uint32_t *unknown,
                                    int n_unknown, const uint32_t *known, int n_known,
                                    const double *seed, double *sensitivity);
} wr_binary_ops;

extern const wr_binary_ops wr_binary_fmi2, wr_binary_fmi3;

struct wr_binary {
    const wr_binary_ops *ops;
    wr_binary_library *library;
    char *inner;     /* path of the binary's file in the archive, for messages */
    char *file;      /* file of the FMU, in reports of crashes */
    char *resources; /* folder of the resources: a URI (FMI 2.0), or a path (FMI 3.0) */
    char *token;
    /* wr_fmi2_functions or wr_fmi3_functions. A function that the uses do not need is NULL. */
    void *functions;
    unsigned uses;
    int is_once;
};

struct wr_binary_instance {
    wr_binary *binary;
    char *name;     /* for the FMU */
    char *owner;    /* of calls, in reports of crashes: the component, or name */
    int is_counted; /* 1: the library counts the instance */
    void *fmu;      /* handle of the FMU; NULL: none */
    double t_s;     /* time of the last set_time or do_step, for the record of calls */
    int has_failed; /* 1: a call has returned an error, and no return to a kept state and no reset has followed */
    wr_calling
        outer; /* the record of the call that encloses a call of the FMU, if outer.callback is set */
    void *scratch; /* values in the type of the variable */
    size_t scratch_bytes;
    void *callbacks; /* wr_fmi2_callbacks; NULL: FMI 3.0 */
    atomic_uint
        n_text; /* texts of the present or last call; relaxed, because the lock orders texts */
    pthread_mutex_t lock; /* of log */
    char log[WR_BINARY_LOG_BYTES];
    wr_binary_instance *next; /* list of lost instances (binary_library.h) */
};

#endif
