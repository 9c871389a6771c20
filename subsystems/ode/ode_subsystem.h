/* The kind "components": a group of components, their solver and their events, over a window.
 *
 * A hybrid ODE with waveforms as inputs. It lands on events of its own indicators, on time events and on jumps of its
 * inputs, restarts itself only, writes its output wave, and keeps the rows to be recorded.
 *
 * Thread: one at a time. Real-time: advance, save, restore, with rt-safe models and integrators.
 */
#ifndef WR_ODE_SUBSYSTEM_H
#define WR_ODE_SUBSYSTEM_H

#include "subsystems/ode/ode_config.h"

/* Builds one. Errors go to diag, NULL on failure. */
wr_subsystem *wr_ode_create(const wr_ode_config *config, wr_diag *diag);

/* Starts a subsystem that is alone, or has known inputs (subsystem.h). */
wrsim_status wr_ode_init(wr_subsystem *subsystem, const double *external);

/* What it is made of; of a subsystem of this kind only. stats: NULL without states. */
wr_group *wr_ode_group(const wr_subsystem *subsystem);
/* Pattern of c L - J as its solver factorises it: with the entries that are kept. NULL when out of memory. It has states. */
const wr_sparsity *wr_ode_matrix_pattern(const wr_subsystem *subsystem, wr_arena *arena);
const unsigned char *wr_ode_mode(const wr_subsystem *subsystem);
const wr_integ_stats *wr_ode_solver_stats(const wr_subsystem *subsystem);

#endif
