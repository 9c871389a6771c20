/* One nominal value for every signal: what its ends declare, and what the others take from them.
 *
 * A signal is an output with all inputs that it drives. How large an error or a jump of it matters is
 * judged at both ends, by the producer that publishes it and by each reader; were each to go by its own
 * declaration, a reader of nominal 1 would pass over every jump of a signal of size 1e-9.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_NOMINALS_H
#define WR_NOMINALS_H

#include "runtime/graph/graph.h"
#include "subsystems/model_host/component.h"

/* Sets the nominals of outputs and connected inputs of all components, which are the nodes of the graph,
 * to those of their signals: of those declared at any end the smallest; where none declares one, what
 * stateless components pass on from or to other signals, but 1 at most, as what they make of a value is
 * not known; else 1. Ends of signals between subsystems (i_subsystem of the graph) that differ by more than 1e3 are
 * told in warnings, with status WRSIM_OK and the place of the connection.
 * WRSIM_OK or WRSIM_E_MEMORY, then nothing was set. */
wrsim_status wr_nominals_settle(wr_component *const *component, const wr_graph *graph,
                                wr_diag *warnings);

#endif
