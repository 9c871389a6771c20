/* The failure of a run whose windows do not contract, and the coupling to blame for it.
 *
 * Thread: serial section. Real-time: yes.
 */
#ifndef WR_ENGINE_FAILURE_H
#define WR_ENGINE_FAILURE_H

#include "runtime/relax/engine_options.h"

/* The connection whose wave has the largest residual in the last sweep: the subsystem that drives it and the index among
 * its published signals. Returns the residual in tolerances; 0: no signal changes, and the indices are -1. */
double wr_engine_worst_coupling(const wr_engine *engine, int *ret_part, int *ret_signal);

/* Sets the sentence that names the worst coupling, or the events that do not settle. */
void wr_engine_set_contract_failure(wr_engine *engine);

#endif
