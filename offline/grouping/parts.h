/* The components of a config as a weighted graph: parts that must stay together, the cost of each part, the strength of each connection.
 *
 * Outputs in a ring of direct feed-through stay together. The components of such a ring form one part, a strong component of the graph of
 * outputs (R. Tarjan, "Depth-first search and linear graph algorithms", 1972). The strength of a connection from signal j to state i is
 * |J_ij| H w_j / w_i (docs/METHODS.md, Grouping and placement). J is the Jacobian, H the window, and w_i the nominal value of the state.
 * w_j is the error of extrapolating the signal over the window. So well predicted signals couple weakly. A connection has the largest
 * strength over the reader's states. Along a path of direct feed-through, gains multiply the strength. J, gains and w_j are the largest
 * values at several points of a monolithic run (offline/structure/linear.h).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_PARTS_H
#define WR_PARTS_H

#include "base/arena.h"
#include "runtime/config/settings_data.h"
#include "wrsim/status.h"

typedef struct wr_parts_edge {
    int from, to; /* components: producer and consumer */
    int i_output, i_input;
    int at_once;     /* 1: the output has direct feed-through */
    double strength; /* strength relative to nominal values, over a window */
} wr_parts_edge;

typedef struct wr_parts {
    int n_component, n_part, n_edge;
    int *part;      /* [n_component] part of each component */
    double *weight; /* [n_component] estimated instructions of a right-hand side */
    /* [n_component] number of modes that differ between successive examined points; 0 for a component without inputs */
    double *events;
    int *n_state;      /* [n_component] number of states of each component */
    const char **name; /* [n_component] names; owned by the settings */
    wr_parts_edge *edge;
    wr_arena *arena; /* owner of all arrays */
} wr_parts;

/* Finds the parts, and the strengths of connections at n_time points of a run in one subsystem. The window is relaxation.window.initial
 * or, if shorter, half of the distance of two points. The caller owns *ret_parts (wr_parts_done()). Returns WRSIM_OK, an error of the
 * run, or an error of a linearisation, such as WRSIM_E_NAN. */
wrsim_status wr_parts_find(const wr_settings *settings, int n_time, wr_parts *ret_parts,
                           wrsim_error *err);
void wr_parts_done(wr_parts *parts);

#endif
