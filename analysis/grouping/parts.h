/* The components of a config as a weighted graph: parts that may not be cut, the cost of each part, the strength of
 * each connection.
 *
 * Outputs that depend on one another at the same instant (direct feed-through in a ring) stay together. Their
 * components are one part, found as a strong component of the graph of outputs (Tarjan 1972). A
 * connection's strength is |J_ij| H w_j / w_i (docs/METHODS.md, Grouping and placement): the change of the reader's states over
 * a window H, relative to their nominal values, if the signal is wrong by w_j. w_j is the error of extrapolating the signal
 * over a window, so a signal that is predicted well couples weakly. Through components without states the strength is
 * multiplied along the way. The strength is the largest over several linearisations along a monolithic run
 * (analysis/structure/linear.h).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_PARTS_H
#define WR_PARTS_H

#include "runtime/config/settings_data.h"
#include "wrsim/status.h"

typedef struct wr_parts_edge {
    int from, to; /* components */
    int i_output, i_input;
    int at_once;     /* the output follows inputs of its component at once: it is no state */
    double strength; /* relative to nominal values, over a window */
} wr_parts_edge;

typedef struct wr_parts {
    int n_component, n_part, n_edge;
    int *part;         /* [n_component] */
    double *weight;    /* [n_component] instructions of a right-hand side, counted */
    double *events;    /* [n_component] indicators that had turned from point to point, of all */
    int *n_state;      /* [n_component] */
    const char **name; /* [n_component]; the settings' */
    wr_parts_edge *edge;
} wr_parts;

/* At n_time points of a run in one subsystem, for windows of relaxation.window.initial. *ret_parts is the caller's (wr_parts_done()). What running and linearising
 * report: WRSIM_E_NAN with who and when, for one. */
wrsim_status wr_parts_find(const wr_settings *settings, int n_time, wr_parts *ret_parts,
                           wrsim_error *err);
void wr_parts_done(wr_parts *parts);

#endif
