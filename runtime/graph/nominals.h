/* One nominal value for every signal, from the declarations of its ends.
 *
 * A signal is an output with all inputs that it drives. The producer and every reader compare errors and jumps with the nominal value of
 * the signal. With separate values, a reader of nominal 1 would ignore every jump of a signal of size 1e-9. The value of an
 * input is in the unit of the input.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_NOMINALS_H
#define WR_NOMINALS_H

#include "runtime/graph/graph.h"
#include "subsystems/model_host/component.h"

/* Sets the nominal values of outputs and connected inputs of all components, which are the nodes of the graph. The value of a signal is
 * the smallest value that its ends declare. If no end declares a value, stateless components propagate the value of other signals. Their
 * gains are unknown, so a propagated value is at most 1. A signal without a declared or propagated value has the value 1. Warns, with
 * status WRSIM_OK, of connections whose ends differ by a factor above 1e3, if another subsystem reads the output. Returns WRSIM_OK, or
 * WRSIM_E_MEMORY without any change. */
wrsim_status wr_nominals_settle(wr_component *const *component, const wr_graph *graph,
                                wr_diag *warnings);

#endif
