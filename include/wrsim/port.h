/* Ports: a host, such as a rack with hardware in the loop, sets inputs and reads signals while the simulation advances.
 *
 *     wrsim_prepare -> (wrsim_port_set* -> wrsim_advance -> wrsim_port_get*)* -> wrsim_finish
 *
 * A config declares ports ([[port]]): an input port drives inputs, an output port has the value of a signal. The host finds the handle of a
 * port by name. The handle is valid as long as the simulation.
 *
 * wrsim_advance() samples the input ports once, at its beginning. With mode = "hold" a new value acts from the present time on, as a jump
 * of the input. The jump may cause events at that instant. With "ramp" the input changes linearly to the new value over the next
 * communication step, and then keeps this value. All sweeps of a window read the same inputs. If the host sets a port twice before an
 * advance, the last value counts. A port that the host does not set keeps its value.
 *
 * wrsim_advance() updates the output ports at its end, also after an early stop. The values stay constant until the next advance ends.
 * After wrsim_prepare() the ports have the start values; after a failure, the values of the last successful advance. With realtime.policy =
 * "hold", the run holds the outputs of some periods after misses. An advance that ends with such a period does not update the outputs. A
 * host that needs every period therefore advances by one period per call.
 *
 * Latency: the host sets a port, advances by one communication step and reads a port. The outputs show the new input one step later. With
 * "hold" the input has then acted for a whole step; with "ramp" the ramp has just ended. Windows, sweeps and workers add no latency. With
 * relaxation.scheme = "slack", each connection between subsystems from input to output adds 1 + d times slack.period. Here d is the age of
 * the data in periods: 0 with slack.bound = 0, else up to slack.bound (-1: no limit). slack.sweeps > 1 reduces this latency. Input ports
 * themselves add no delay.
 *
 * An input port that the host never sets keeps its start value, in wrsim_run as well.
 *
 * Thread: the owner of the simulation, between two advances; functions that read ports also in callbacks of the simulation. Real-time:
 * all functions except wrsim_port_find and wrsim_port_find_many; these functions neither allocate nor wait. */
#ifndef WRSIM_PORT_H
#define WRSIM_PORT_H

#include "wrsim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Direction of a port: whether the host sets or reads the port. */
typedef enum wrsim_port_direction {
    WRSIM_PORT_INPUT, /* the host sets the port */
    WRSIM_PORT_OUTPUT /* the host reads the port */
} wrsim_port_direction;

/* Description of a port; the simulation owns the strings. */
typedef struct wrsim_port {
    const char *name;               /* name in the config */
    const char *unit;               /* unit of the first driven input or of the signal; "": none */
    wrsim_port_direction direction; /* input or output port */
} wrsim_port;

/* Returns the number of ports, or 0 if sim is NULL. Handles are 0 to that number less 1, in the order of the config. Phase: after
 * create. */
WRSIM_API int wrsim_port_count(const wrsim *sim);

/* Returns the handle of a port, or -1 if no port has the name. Phase: after create. */
WRSIM_API int wrsim_port_find(const wrsim *sim, const char *name);

/* Finds n ports of one direction as wrsim_port_find() does. Returns WRSIM_OK, or WRSIM_E_ARG if an argument is NULL, a name is unknown,
 * or a port has the other direction. err (may be NULL) then has the name and the most similar name, and ret_port is unchanged. Phase:
 * after create. */
WRSIM_API wrsim_status wrsim_port_find_many(const wrsim *sim, wrsim_port_direction direction, int n,
                                            const char *const *name, int *ret_port,
                                            wrsim_error *err);

/* Describes a port. Returns WRSIM_OK, or WRSIM_E_ARG if the handle is invalid. Phase: after create. */
WRSIM_API wrsim_status wrsim_port_info(const wrsim *sim, int port, wrsim_port *ret_info);

/* Sets an input port, in its unit, for the next advance. Returns WRSIM_OK, or WRSIM_E_ARG if the handle is invalid or belongs to an
 * output port, or the value is not finite. Returns WRSIM_E_STATE before wrsim_prepare, in a callback, after a failure, and after
 * wrsim_finish. A call that fails changes nothing. */
WRSIM_API wrsim_status wrsim_port_set(wrsim *sim, int port, double value);

/* Sets n input ports as wrsim_port_set does. If one handle or value is invalid, the call sets no port. */
WRSIM_API wrsim_status wrsim_port_set_many(wrsim *sim, int n, const int *port, const double *value);

/* Returns the last updated value of an output port, in its unit. Returns NaN before wrsim_prepare, if the handle is invalid or belongs to
 * an input port, and if the evaluation of the output has failed. */
WRSIM_API double wrsim_port_get(const wrsim *sim, int port);

/* Reads n output ports as wrsim_port_get does. Returns WRSIM_OK. Returns WRSIM_E_ARG or WRSIM_E_STATE, without writing a value, if a port
 * cannot be read. */
WRSIM_API wrsim_status wrsim_port_get_many(const wrsim *sim, int n, const int *port,
                                           double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
