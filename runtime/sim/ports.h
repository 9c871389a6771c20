/* Ports of a simulation (wrsim/port.h). Input ports are the outputs of a component "port". wrsim adds this component in a
 * subsystem without other components, also in a monolithic run. Output ports are variables that the host reads.
 *
 * Thread: one owner. Real-time: wr_ports_sample() and wr_ports_latch(); all other functions are setup. */
#ifndef WR_PORTS_H
#define WR_PORTS_H

#include "runtime/sim/assembly.h"
#include "wrsim/sim.h"

#define WR_PORTS_NAME "port" /* name of the component and its subsystem */

typedef struct wr_port {
    const char *name, *unit;
    int i_signal; /* input port: index among the published signals of `player`; -1: an output port */
    int i_shown;  /* output port: index into variable and latched; -1: an input port */
} wr_port;

typedef struct wr_ports {
    int n, n_input, n_shown;
    wr_port *port;        /* [n] in the order of the config */
    int *variable;        /* [n_shown] numbers (wrsim_find), grouped by subsystem */
    double *latched;      /* [n_shown] values that the host reads */
    wr_subsystem *player; /* subsystem of input ports; NULL: the host sets no port or scenario */
} wr_ports;

/* Returns the number of outputs of the component "port": one for each valid input port, then two for each scenario that a host triggers. */
int wr_ports_count_signals(const wr_settings *settings);

/* Returns the index of the first output of scenario i_api among the scenarios that a host triggers. The output is 1 from the host's trigger
 * on until the host ends the trigger, else 0. The next output is the scenario's value. */
int wr_ports_api_output(const wr_settings *settings, int i_api);

/* Creates the component of the input ports. Returns NULL with errors in diag. */
wr_component *wr_ports_component(wr_assembly *a, wr_diag *diag);

/* Returns the start value of an input port: the config's `start`, else the start value of the port's first input, else 0. */
double wr_ports_start(const wr_assembly *a, const wr_set_port *set);

/* wr_ports_links() writes the connections of input ports into links. The result is the number of connections, at most
 * wr_ports_count_links(), or -1 when out of memory. */
int wr_ports_count_links(const wr_settings *settings);
int wr_ports_links(const wr_assembly *a, wr_graph_link *links);

/* Checks that the signals of output ports exist. Errors go to diag. */
void wr_ports_check(const wr_assembly *a, wr_diag *diag);

/* Fills a->ports, after the subsystems are created. */
wrsim_status wr_ports_place(wr_assembly *a, wr_diag *diag);

/* Sets the slope, 1/s, that an input port has from the next advance on, after wrsim_port_set() has set the value. Returns WRSIM_OK;
 * WRSIM_E_ARG: port is no input port, has mode = "ramp", or slope is not finite; WRSIM_E_STATE as wrsim_port_set(). */
wrsim_status wr_ports_set_slope(wrsim *sim, int port, double slope);

/* wr_ports_sample() applies the values of input ports before an advance. wr_ports_latch() stores the values of output ports at the start,
 * after an advance, and after a restore. */
void wr_ports_sample(wrsim *sim);
void wr_ports_latch(wrsim *sim);

#endif
