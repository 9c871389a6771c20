/* The kind "components": a group of components, their solver and their events, over a window.
 *
 * The subsystem is a hybrid ODE with waveforms as inputs. The steps of the solver end at state events, at time events and at jumps of
 * inputs. An event restarts only the solver of its subsystem. The subsystem writes its output wave and the rows to record.
 *
 * Thread: one at a time. Real-time: advance, save, restore, with rt-safe models and integrators.
 */
#ifndef WR_ODE_SUBSYSTEM_H
#define WR_ODE_SUBSYSTEM_H

#include "subsystems/ode/ode_config.h"

/* Builds a subsystem. Adds errors to diag. Returns NULL on failure. */
wr_subsystem *wr_ode_create(const wr_ode_config *config, wr_diag *diag);

/* Initialises a subsystem without inputs, or with the inputs external (subsystem.h). */
wrsim_status wr_ode_init(wr_subsystem *subsystem, const double *external);

/* Return the objects of a subsystem of kind "components". wr_ode_solver_stats() returns NULL for a subsystem without states. */
wr_group *wr_ode_group(const wr_subsystem *subsystem);
/* Returns the pattern of the matrix c L - J that the solver factorises, kept entries only. The subsystem must have states. NULL when out of
 * memory. */
const wr_matrix *wr_ode_matrix_pattern(const wr_subsystem *subsystem, wr_arena *arena);
const unsigned char *wr_ode_mode(const wr_subsystem *subsystem);
const wr_integ_stats *wr_ode_solver_stats(const wr_subsystem *subsystem);

#endif
