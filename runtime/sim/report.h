/* Data of a simulation for its reports: JSON (wrsim/sim.h) and the program's tables.
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#ifndef WR_REPORT_H
#define WR_REPORT_H

#include "base/json.h"
#include "wrsim/sim.h"

/* Returns 1 if the run is split and no [[subsystem]] lists the subsystem's component. */
int wr_report_is_automatic(const wrsim *sim, int i_subsystem);

/* Returns the expected worker of each subsystem, by work_per_rhs of the subsystems (scheduler/placement.h). The caller frees the array.
 * Returns NULL when out of memory. */
int *wr_report_workers(const wrsim *sim);

/* Writes points by purpose as the member "points". */
void wr_report_points_json(wr_json *json, const wrsim_points points[WRSIM_PURPOSE_COUNT]);

/* Return the name of the history's phase ("time" without a signal), and the number of nodes of a history. */
const char *wr_report_phase(const wrsim *sim);
int wr_report_history_nodes(const wrsim *sim);

/* Writes the order that relaxation.scheme = "auto" has chosen for relaxation.scheme_workers, and the ratio of counted work, as one line. If
 * the run cannot choose, the line has the reason. Writes "" for another scheme and for one subsystem. Returns 1 if the run can choose. */
int wr_report_scheme(const wrsim *sim, char *ret_text, size_t n);

/* Writes the component, time and message of the event that has ended the run (WRSIM_TERMINATE), and returns 1. Returns 0 and writes "" if
 * no event has ended the run. */
int wr_report_end(const wrsim *sim, char *ret_text, size_t n);

/* Returns the result file's name; "" without a result file. */
const char *wr_report_result_file(const wrsim *sim);

#endif
