/* Ports of a simulation (wrsim/port.h): input ports are the outputs of one component that the program makes, "port", in a
 * subsystem of its own, also where all others are one; output ports are variables that are looked at.
 *
 * Thread: one owner. Real-time: no (setup), but for wr_ports_sample() and wr_ports_latch().
 */
#ifndef WR_PORTS_H
#define WR_PORTS_H

#include "runtime/sim/lookup.h"
#include "wrsim/sim.h"

#define WR_PORTS_NAME "port" /* of the component and its subsystem */

typedef struct wr_port {
    const char *name, *unit;
    int i_signal; /* of an input port among those of the component; -1: an output port */
    int i_shown;  /* of an output port among those that are shown; -1: an input port */
} wr_port;

typedef struct wr_ports {
    int n, n_input, n_shown;
    wr_port *port;        /* [n] as the config has them */
    int *variable;        /* [n_shown] numbers (wrsim_find), those of one subsystem side by side */
    double *latched;      /* [n_shown] */
    wr_subsystem *player; /* NULL = there is no input port */
} wr_ports;

/* How many outputs the component has as far as the config could be read: one for each input port, then two for each
 * scenario that a host triggers. */
int wr_ports_count_signals(const wr_settings *settings);
/* The first of the two of such a scenario: whether it is on, and its value. */
int wr_ports_api_output(const wr_settings *settings, int i_api);

/* The component of the input ports; NULL with errors in diag. */
wr_component *wr_ports_component(wr_assembly *a, wr_diag *diag);

/* The value that an input port has until it is set: its own, or that of the first input. */
double wr_ports_start(const wr_assembly *a, const wr_set_port *set);

/* Its connections, into links; returns how many, wr_ports_count_links() at most, -1 when out of memory. */
int wr_ports_count_links(const wr_settings *settings);
int wr_ports_links(const wr_assembly *a, wr_graph_link *links);

/* Do the signals of output ports exist? */
void wr_ports_check(const wr_assembly *a, wr_diag *diag);

/* Fills a->ports once subsystems have been made. */
wrsim_status wr_ports_place(wr_assembly *a, wr_diag *diag);

/* Before and after an advance. */
void wr_ports_sample(wrsim *sim);
void wr_ports_latch(wrsim *sim);

#endif
