/* Scenarios of signals become components in the graph.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SCENARIO_SPLICE_H
#define WR_SCENARIO_SPLICE_H

#include "runtime/sim/scenarios.h"

/* Once components have been grouped and nothing is wrong: puts a component for every scenario of a signal between what
 * drives the inputs that it is about and these, one after the other where several are about an input, in the order of
 * the config; and connects what triggers scenarios.
 *
 * It is in the subsystem of the inputs, so that nothing crosses a cut that did not before; where they are in several it
 * is in that of the output, which then shows two signals; and where that is only played, in that of the first input. */
void wr_scenarios_splice(wr_assembly *a, wr_diag *diag);

/* Finds the signals of those that a host triggers, once subsystems have been made. */
void wr_scenarios_place(wr_assembly *a);

#endif
