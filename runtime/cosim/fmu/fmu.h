/* An instance of an exported FMU, for the functions of both versions of FMI.
 *
 * The instance reads the config in resources/. Before the initialisation a host sets start values of inputs, and parameters. These values
 * become overrides of the config, so a simulation is built when a host reads an output in initialisation mode, or leaves this mode. A step
 * sets the inputs and advances the simulation to the end of the step. No function writes files or prints; messages go to the host's logger.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), section 4, and Functional
 * Mock-up Interface 3.0 (2022), section 4.
 *
 * Thread: one owner at a time; the simulation has threads of its own. Real-time: wr_fmu_set(), wr_fmu_get() and wr_fmu_step() after the
 * initialisation. */
#ifndef WR_FMU_H
#define WR_FMU_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/cosim/fmu/fmu_types.h"

/* Opens the config in a folder of resources. token: of the description; the function refuses another token. The instance copies host.
 * Returns NULL after a message. */
wr_fmu *wr_fmu_open(const char *resources, const char *token, const wr_fmu_host *host);
/* Also frees the states that the caller has left. fmu and *fmu may be NULL. */
void wr_fmu_close(wr_fmu **fmu);

/* Checks that a call may occur in the present phase. phases: bits. Returns WR_FMU_OK, or WR_FMU_ERROR after a message. */
wr_fmu_status wr_fmu_check(wr_fmu *fmu, unsigned phases, const char *call);
void wr_fmu_set_logging(wr_fmu *fmu, int is_logging);

/* Sets start and stop of the simulated time, s. stop_s NaN: no stop. */
wr_fmu_status wr_fmu_set_times(wr_fmu *fmu, double start_s, double stop_s);
/* Returns the start of the config, s. */
double wr_fmu_config_start(const wr_fmu *fmu);
wr_fmu_status wr_fmu_begin(wr_fmu *fmu);           /* enters initialisation mode */
wr_fmu_status wr_fmu_end_initialisation(wr_fmu *); /* the first step may follow */
wr_fmu_status wr_fmu_terminate(wr_fmu *fmu);
wr_fmu_status wr_fmu_reset(wr_fmu *fmu);

/* Reads or sets n variables of one type by their references. WR_COSIM_BOOLEAN: 0 or 1. A failed call sets none. */
wr_fmu_status wr_fmu_get(wr_fmu *fmu, wr_cosim_type type, const uint32_t *reference, size_t n,
                         double *ret_value);
wr_fmu_status wr_fmu_set(wr_fmu *fmu, wr_cosim_type type, const uint32_t *reference, size_t n,
                         const double *value);
/* Sets the derivative of an input, 1/s, for the next step only. */
wr_fmu_status wr_fmu_set_slope(wr_fmu *fmu, uint32_t reference, int order, double slope);

/* Advances from t_s to t_s + h_s, s. *ret_end_s: reached time. *ret_is_terminated: 1 if an event of the model has ended the simulation.
 * Returns WR_FMU_DISCARD if the step does not reach its end, and another step may follow. */
wr_fmu_status wr_fmu_step(wr_fmu *fmu, double t_s, double h_s, double *ret_end_s,
                          int *ret_is_terminated);
/* Return the time that the last step has reached, s, and whether an event of the model has ended the simulation. */
double wr_fmu_time(const wr_fmu *fmu);
int wr_fmu_is_terminated(const wr_fmu *fmu);

#endif
