/* The kind "components": a group of components, their solver and their events, over a window.
 *
 * The subsystem is a hybrid ODE with waveforms as inputs. Except with bounded work, solver steps end at state events, time events and large
 * jumps of inputs. An event restarts only the solver of its subsystem. The subsystem writes its output wave and the rows to record.
 *
 * Thread: one at a time. Real-time: advance, save, restore, with rt-safe models and integrators.
 */
#ifndef WR_ODE_SUBSYSTEM_H
#define WR_ODE_SUBSYSTEM_H

#include "subsystems/ode/ode_config.h"

/* Builds a subsystem. Adds errors to diag. Returns NULL on failure. */
wr_subsystem *wr_ode_create(const wr_ode_config *config, wr_diag *diag);

/* Initialises the subsystem at the start of the run. external[n_external]: inputs; NULL without inputs. Returns the status. */
wrsim_status wr_ode_init(wr_subsystem *subsystem, const double *external);

/* Returns the group of the components. */
wr_group *wr_ode_group(const wr_subsystem *subsystem);
/* Returns the pattern of the matrix c L - J that the solver factorises (mass matrix L, kept entries of the Jacobian J). The subsystem must
 * have states. Returns NULL when out of memory. */
const wr_matrix *wr_ode_matrix_pattern(const wr_subsystem *subsystem, wr_arena *arena);
/* Return the modes, [n_z], and the statistics of the solver (NULL without states). */
const unsigned char *wr_ode_mode(const wr_subsystem *subsystem);
const wr_integ_stats *wr_ode_solver_stats(const wr_subsystem *subsystem);

#endif
