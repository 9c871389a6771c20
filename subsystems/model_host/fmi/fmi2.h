/* Declarations of FMI 2.0: types, values and functions that the binary of an FMU exports.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), sections 2.1, 3.2 and 4.2.
 * The list of functions has one row for each function that wrsim calls: X(name without prefix, result, arguments, need).
 *
 * Thread: plain data.
 */
#ifndef WR_FMI2_H
#define WR_FMI2_H

#include <stddef.h>

#include "subsystems/model_host/fmi/fmi_need.h"

typedef unsigned wr_fmi2_number; /* value reference */
typedef int wr_fmi2_bool;

typedef enum wr_fmi2_status {
    WR_FMI2_OK,
    WR_FMI2_WARNING,
    WR_FMI2_DISCARD,
    WR_FMI2_ERROR,
    WR_FMI2_FATAL,
    WR_FMI2_PENDING
} wr_fmi2_status;

/* fmi2Type */
enum { WR_FMI2_ME, WR_FMI2_CS };
/* fmi2StatusKind of fmi2GetRealStatus and fmi2GetBooleanStatus */
enum { WR_FMI2_LAST_TIME = 2, WR_FMI2_TERMINATED = 3 };

typedef struct wr_fmi2_callbacks {
    void (*logger)(void *env, const char *instance, wr_fmi2_status status, const char *category,
                   const char *message, ...);
    void *(*allocate)(size_t n, size_t bytes);
    void (*release)(void *memory);
    void (*step_finished)(void *env, wr_fmi2_status status);
    void *env;
} wr_fmi2_callbacks;

typedef struct wr_fmi2_event_info {
    wr_fmi2_bool is_iteration_needed, is_terminated, has_new_nominals, has_new_states,
        has_next_time;
    double next_time_s;
} wr_fmi2_event_info;

#define WR_FMI2_LIST(X)                                                                            \
    X(GetTypesPlatform, const char *, (void), WR_FMI_NEED_BOTH)                                    \
    X(GetVersion, const char *, (void), WR_FMI_NEED_BOTH)                                          \
    X(Instantiate, void *,                                                                         \
      (const char *name, int type, const char *guid, const char *resources,                        \
       const wr_fmi2_callbacks *callbacks, wr_fmi2_bool is_visible, wr_fmi2_bool is_logging),      \
      WR_FMI_NEED_BOTH)                                                                            \
    X(FreeInstance, void, (void *c), WR_FMI_NEED_BOTH)                                             \
    X(SetupExperiment, wr_fmi2_status,                                                             \
      (void *c, wr_fmi2_bool has_tolerance, double tolerance, double start_s,                      \
       wr_fmi2_bool has_stop, double stop_s),                                                      \
      WR_FMI_NEED_BOTH)                                                                            \
    X(EnterInitializationMode, wr_fmi2_status, (void *c), WR_FMI_NEED_BOTH)                        \
    X(ExitInitializationMode, wr_fmi2_status, (void *c), WR_FMI_NEED_BOTH)                         \
    X(Terminate, wr_fmi2_status, (void *c), WR_FMI_NEED_BOTH)                                      \
    X(Reset, wr_fmi2_status, (void *c), WR_FMI_NEED_BOTH)                                          \
    X(GetReal, wr_fmi2_status, (void *c, const wr_fmi2_number *number, size_t n, double *value),   \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetReal, wr_fmi2_status,                                                                     \
      (void *c, const wr_fmi2_number *number, size_t n, const double *value), WR_FMI_NEED_BOTH)    \
    X(GetInteger, wr_fmi2_status, (void *c, const wr_fmi2_number *number, size_t n, int *value),   \
      WR_FMI_NEED_BOTH)                                                                            \
    X(SetInteger, wr_fmi2_status,                                                                  \
      (void *c, const wr_fmi2_number *number, size_t n, const int *value), WR_FMI_NEED_BOTH)       \
    X(GetBoolean, wr_fmi2_status,                                                                  \
      (void *c, const wr_fmi2_number *number, size_t n, wr_fmi2_bool *value), WR_FMI_NEED_BOTH)    \
    X(SetBoolean, wr_fmi2_status,                                                                  \
      (void *c, const wr_fmi2_number *number, size_t n, const wr_fmi2_bool *value),                \
      WR_FMI_NEED_BOTH)                                                                            \
    X(GetFMUstate, wr_fmi2_status, (void *c, void **state), WR_FMI_NEED_STATE)                     \
    X(SetFMUstate, wr_fmi2_status, (void *c, void *state), WR_FMI_NEED_STATE)                      \
    X(FreeFMUstate, wr_fmi2_status, (void *c, void **state), WR_FMI_NEED_STATE)                    \
    X(SerializedFMUstateSize, wr_fmi2_status, (void *c, void *state, size_t *bytes),               \
      WR_FMI_NEED_SERIALISE)                                                                       \
    X(SerializeFMUstate, wr_fmi2_status, (void *c, void *state, char *to, size_t bytes),           \
      WR_FMI_NEED_SERIALISE)                                                                       \
    X(DeSerializeFMUstate, wr_fmi2_status,                                                         \
      (void *c, const char *from, size_t bytes, void **state), WR_FMI_NEED_SERIALISE)              \
    X(GetDirectionalDerivative, wr_fmi2_status,                                                    \
      (void *c, const wr_fmi2_number *unknown, size_t n_unknown, const wr_fmi2_number *known,      \
       size_t n_known, const double *seed, double *sensitivity),                                   \
      WR_FMI_NEED_DIRECTIONAL)                                                                     \
    X(EnterEventMode, wr_fmi2_status, (void *c), WR_FMI_NEED_ME)                                   \
    X(NewDiscreteStates, wr_fmi2_status, (void *c, wr_fmi2_event_info *info), WR_FMI_NEED_ME)      \
    X(EnterContinuousTimeMode, wr_fmi2_status, (void *c), WR_FMI_NEED_ME)                          \
    X(CompletedIntegratorStep, wr_fmi2_status,                                                     \
      (void *c, wr_fmi2_bool may_forget, wr_fmi2_bool *is_event, wr_fmi2_bool *is_terminated),     \
      WR_FMI_NEED_ME)                                                                              \
    X(SetTime, wr_fmi2_status, (void *c, double t_s), WR_FMI_NEED_ME)                              \
    X(SetContinuousStates, wr_fmi2_status, (void *c, const double *x, size_t n), WR_FMI_NEED_ME)   \
    X(GetDerivatives, wr_fmi2_status, (void *c, double *dx, size_t n), WR_FMI_NEED_ME)             \
    X(GetEventIndicators, wr_fmi2_status, (void *c, double *z, size_t n), WR_FMI_NEED_ME)          \
    X(GetContinuousStates, wr_fmi2_status, (void *c, double *x, size_t n), WR_FMI_NEED_ME)         \
    X(GetNominalsOfContinuousStates, wr_fmi2_status, (void *c, double *nominal, size_t n),         \
      WR_FMI_NEED_ME)                                                                              \
    X(SetRealInputDerivatives, wr_fmi2_status,                                                     \
      (void *c, const wr_fmi2_number *number, size_t n, const int *order, const double *value),    \
      WR_FMI_NEED_INPUT_DERIVATIVES)                                                               \
    X(DoStep, wr_fmi2_status, (void *c, double t_s, double h_s, wr_fmi2_bool is_final),            \
      WR_FMI_NEED_CS)                                                                              \
    X(GetRealStatus, wr_fmi2_status, (void *c, int kind, double *value), WR_FMI_NEED_CS)           \
    X(GetBooleanStatus, wr_fmi2_status, (void *c, int kind, wr_fmi2_bool *value), WR_FMI_NEED_CS)

#define WR_X(name, result, arguments, need) typedef result wr_fmi2_##name arguments;
WR_FMI2_LIST(WR_X)
#undef WR_X

#endif
