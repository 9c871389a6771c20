/* The binary of an FMU: opens the shared object of an unpacked FMU, and calls its functions through one interface for FMI 2.0 and 3.0.
 *
 * The binary is foreign code. The symbols of the binary come before symbols of the process (RTLD_DEEPBIND), except under sanitizers. Each
 * call restores the floating-point mode, and records itself as the present call of the thread (calling.h).
 *
 * The order of the calls is the caller's duty (FMI 2.0, sections 3.2.3 and 4.2.4; FMI 3.0, sections 2.3, 3.2 and 4.2). The sample FMUs of
 * the tests refuse calls out of order. A structural parameter (FMI 3.0) keeps its start value.
 *
 * Values of all types are doubles. Variables are named by value references. An array (FMI 3.0) has one value reference and several values.
 * Integers beyond 2^53 - 1 are refused, because a double may have rounded them.
 *
 * Thread: an instance has one caller at a time, on any thread; instances of one FMU may run on several threads. The FMU may log from
 * threads of its own. Real-time: the calls of the FMU decide; wrsim's part allocates nothing after the first calls with the largest number
 * of values.
 */
#ifndef WR_BINARY_H
#define WR_BINARY_H

#include "subsystems/model_host/fmi/binary_types.h"
#include "wrsim/status.h"

/* Opens the binary and looks up every function that the uses need. The strings of source are copied. Returns NULL with the reason in err:
 * WRSIM_E_PLUGIN (missing file, library or function; other version or platform type), or WRSIM_E_MEMORY. */
wr_binary *wr_binary_open(const wr_binary_source *source, wrsim_error *err);
/* Closes the binary after the caller has freed its instances. *binary may be NULL. */
void wr_binary_close(wr_binary **binary);

/* Creates an instance. Returns NULL with the reason in err, also for a second instance of an FMU that allows only one. */
wr_binary_instance *wr_binary_instantiate(wr_binary *binary, const char *name, wrsim_error *err);
/* Frees an instance. The caller first forgets the kept states of the instance. After a fatal error the memory stays in the process,
 * because the FMU may use it. *instance may be NULL. */
void wr_binary_free(wr_binary_instance **instance);

/* Copies the last warning or error, of the FMU or of wrsim, "" if none. The text is UTF-8 on one line. */
void wr_binary_log(wr_binary_instance *instance, char ret_text[WR_BINARY_LOG_BYTES]);

wr_binary_status wr_binary_enter_initialisation(wr_binary_instance *instance,
                                                const wr_binary_experiment *experiment);
wr_binary_status wr_binary_exit_initialisation(wr_binary_instance *instance);
wr_binary_status wr_binary_enter_events(wr_binary_instance *instance);
wr_binary_status wr_binary_update_discrete(wr_binary_instance *instance, wr_binary_update *ret);
/* Leaves event mode: to continuous time for model exchange, to step mode for co-simulation. */
wr_binary_status wr_binary_leave_events(wr_binary_instance *instance);
/* Ends the run of the FMU. The call is refused after an error. */
wr_binary_status wr_binary_terminate(wr_binary_instance *instance);
wr_binary_status wr_binary_reset(wr_binary_instance *instance);

/* Values of n variables of one type. n_value: number of values of all their elements. Without a call of the FMU, both return
 * WR_BINARY_ERROR for the types STRING, BINARY and CLOCK. wr_binary_set() also returns the error for a value outside of the type, and for
 * a fraction in an integer. */
wr_binary_status wr_binary_get(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, double *value, int n_value);
wr_binary_status wr_binary_set(wr_binary_instance *instance, wr_fmi_type type,
                               const uint32_t *number, int n, const double *value, int n_value);

/* Model exchange. */
wr_binary_status wr_binary_set_time(wr_binary_instance *instance, double t_s);
wr_binary_status wr_binary_set_states(wr_binary_instance *instance, const double *x, int n);
/* Sets time, states and inputs, up to the first call that fails. *ret_failed: name of this call. */
wr_binary_status wr_binary_set_point(wr_binary_instance *instance, const wr_binary_point *point,
                                     const char **ret_failed);
wr_binary_status wr_binary_get_states(wr_binary_instance *instance, double *x, int n);
/* Nominal values as in the description: a value of 0 is 1, and a negative value is its magnitude. */
wr_binary_status wr_binary_get_nominals(wr_binary_instance *instance, double *nominal, int n);
wr_binary_status wr_binary_get_derivatives(wr_binary_instance *instance, double *dx, int n);
wr_binary_status wr_binary_get_indicators(wr_binary_instance *instance, double *z, int n);
/* Only for an FMU whose flags require this call. may_forget: the caller does not go back to an earlier state. */
wr_binary_status wr_binary_step_completed(wr_binary_instance *instance, int may_forget,
                                          wr_binary_step *ret);

/* Co-simulation. may_forget: the caller does not go back to an earlier state. */
wr_binary_status wr_binary_do_step(wr_binary_instance *instance, double t_s, double h_s,
                                   int may_forget, wr_binary_step *ret);
/* First derivatives of real inputs, FMI 2.0. */
wr_binary_status wr_binary_set_input_derivatives(wr_binary_instance *instance,
                                                 const uint32_t *number, int n,
                                                 const double *value);

/* States that the FMU keeps. keep overwrites a state of *slot, or creates one if *slot is NULL. forget sets *slot to NULL. */
wr_binary_status wr_binary_keep(wr_binary_instance *instance, void **slot);
wr_binary_status wr_binary_go_back(wr_binary_instance *instance, void *slot);
wr_binary_status wr_binary_forget(wr_binary_instance *instance, void **slot);
wr_binary_status wr_binary_state_bytes(wr_binary_instance *instance, void *slot,
                                       size_t *ret_n_bytes);
wr_binary_status wr_binary_write_state(wr_binary_instance *instance, void *slot, void *bytes,
                                       size_t n_bytes);
wr_binary_status wr_binary_read_state(wr_binary_instance *instance, const void *bytes,
                                      size_t n_bytes, void **slot);

/* Sensitivity of the unknowns in the direction `seed` of the knowns, for scalars of type FLOAT64. */
wr_binary_status wr_binary_directional(wr_binary_instance *instance, const uint32_t *unknown,
                                       int n_unknown, const uint32_t *known, int n_known,
                                       const double *seed, double *sensitivity);

#endif
