/* The driver of a simulation, by relaxation.scheme: relaxation or slackened synchronisation.
 *
 * Thread: the simulation's owner. Real-time: no. */
#ifndef WR_DRIVER_H
#define WR_DRIVER_H

#include "runtime/sim/driver_ops.h"

/* Returns the driver of relaxation.scheme. */
const wr_driver_ops *wr_driver_of(const wr_settings *set);

/* Places the driver of relaxation.scheme in the arena, with sim->observers. Returns 0, or -1 when out of memory. */
int wr_driver_place(wrsim *sim);

static inline int wr_driver_is_placed(const wrsim *sim) { return sim->driver_run != NULL; }

/* Returns the present time, s; before wr_driver_place() the start time. */
double wr_driver_time(const wrsim *sim);

/* Frees the driver's memory outside of the arena. Does nothing before wr_driver_place(). */
void wr_driver_close(wrsim *sim);

/* Returns the engine of a relaxed run; NULL: the run has another driver, or the driver is not placed. */
wr_engine *wr_driver_engine(const wrsim *sim);

/* Returns 1 if the present time is later than simulation.start. Requires a placed driver. */
static inline int wr_driver_has_moved(const wrsim *sim)
{
    return sim->driver->time(sim) > sim->settings->simulation.start_s;
}

#endif
