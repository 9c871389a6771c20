/* What is told of a simulation in more than one form: JSON (wrsim/sim.h) and the program's tables.
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#ifndef WR_REPORT_H
#define WR_REPORT_H

#include "base/json.h"
#include "wrsim/sim.h"

/* Components that no [[subsystem]] names have one each. */
int wr_report_is_automatic(const wrsim *sim, int i_subsystem);

/* The worker each subsystem is expected to end up on, by states and indicators: longest first, or of many that
 * are all short an equal part of them each, as they lie in memory (engine_sweep.c). The caller frees it; NULL: out of memory. */
int *wr_report_workers(const wrsim *sim);

/* What the history's phase is, and how many nodes it keeps. */
const char *wr_report_phase(const wrsim *sim);
int wr_report_history_nodes(const wrsim *sim);

/* The result file's name; "" where there is none. */
const char *wr_report_result_file(const wrsim *sim);

#endif
