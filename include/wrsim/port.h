/* Ports: where a host, such as a rack with hardware in the loop, sets inputs and reads signals while it advances.
 *
 *     wrsim_prepare -> (wrsim_port_set* -> wrsim_advance -> wrsim_port_get*)* -> wrsim_finish
 *
 * A config declares them ([[port]]): an input port drives inputs, an output port shows a signal. Each has a handle, which
 * is found once by its name and good as long as the simulation.
 *
 * Input ports are sampled once, when wrsim_advance() begins. With mode = "hold" a value that has changed acts from the
 * present time on, as a jump of the input at that instant: events that depend on it fire there. With "ramp" the input goes
 * to it from what it was over the next communication step, then holds. Inputs are the same in all sweeps of a
 * window. What is set twice before an advance counts as it was set last; what is not set stays.
 *
 * Output ports are latched when wrsim_advance() ends, however far it came, and stay so until the next one has; after
 * wrsim_prepare() they have the start values, after a failure those of the last advance that did not fail. With
 * realtime.policy = "hold" an advance whose last period was held latches nothing: hosts that want it period by period
 * advance so.
 *
 * Total latency, in communication steps, of a host that sets, advances by one step of length P and reads: what it has
 * set shows in outputs one step later, with "hold" the effect of a whole step, with "ramp" that of a ramp which has just
 * arrived. Nothing is delayed beside that: windows, sweeps and workers add no latency. With relaxation.scheme = "slack"
 * each connection between subsystems on the way from input to output adds 1 + d times slack.period, where d is how many
 * periods old what is read is: 0 with slack.bound = 0, else up to slack.bound (-1: without a limit); slack.sweeps > 1
 * brings that down. Input ports are known ahead to who reads them: they add none.
 *
 * Without a host (wrsim_run) input ports keep their start values.
 *
 * Thread: the simulation's owner, between two advances; wrsim_port_get also in its callbacks. Real-time: all but
 * wrsim_port_find: nothing is allocated, and nothing waits.
 */
#ifndef WRSIM_PORT_H
#define WRSIM_PORT_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wrsim_port_direction {
    WRSIM_PORT_INPUT, /* the host sets it */
    WRSIM_PORT_OUTPUT /* the host reads it */
} wrsim_port_direction;

/* What a port is; strings are owned by the simulation. */
typedef struct wrsim_port {
    const char *name,
        *unit; /* unit as the model has it, of the first input that is driven; "" = none */
    wrsim_port_direction direction;
} wrsim_port;

/* How many there are; handles are 0 to that less 1, in the order of the config. 0 where sim is NULL. Phase: after create. */
WRSIM_API int wrsim_port_count(const wrsim *sim);

/* The handle of a port; -1 if there is none of that name. Phase: after create. */
WRSIM_API int wrsim_port_find(const wrsim *sim, const char *name);

/* Returns WRSIM_OK, or WRSIM_E_ARG where the handle is wrong. Phase: after create. */
WRSIM_API wrsim_status wrsim_port_info(const wrsim *sim, int port, wrsim_port *ret_info);

/* Sets an input port, in its unit, for the next advance. Returns WRSIM_OK; WRSIM_E_ARG if the handle is wrong or an output
 * port's, or the value is not finite; WRSIM_E_STATE before wrsim_prepare, in a callback, and after a failure. Changes nothing
 * then. */
WRSIM_API wrsim_status wrsim_port_set(wrsim *sim, int port, double value);

/* The same for n: all of them, or where one is refused none. */
WRSIM_API wrsim_status wrsim_port_set_many(wrsim *sim, int n, const int *port, const double *value);

/* The latched value of an output port, in its unit; NaN before wrsim_prepare, where the handle is wrong or an input port's,
 * and where an output could not be evaluated. */
WRSIM_API double wrsim_port_get(const wrsim *sim, int port);

/* The same for n. Returns WRSIM_OK; WRSIM_E_ARG or WRSIM_E_STATE where one of them is not to be had, and writes none. */
WRSIM_API wrsim_status wrsim_port_get_many(const wrsim *sim, int n, const int *port,
                                           double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
