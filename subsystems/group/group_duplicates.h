/* Duplicates: components that compute the same values. Duplicates have the same model, equal parameters, and equal sources of all inputs.
 * The model has inputs and outputs, but no tunable parameters, states, discrete states, events, memory, step_completed() or done(). A
 * subsystem evaluates one of several duplicates and uses its outputs for the others. Results have the same bits, because outputs depend on
 * time, parameters and inputs only (wrsim/model.h). Components in an algebraic loop and components of unknown order are not shared.
 *
 * Example: two subsystems compute a property of the same states, each with a component of its own. A monolithic run computes the property
 * once.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_DUPLICATES_H
#define WR_GROUP_DUPLICATES_H

#include "subsystems/group/group_layout.h"

/* Changes edges from a duplicate to edges from the first component that computes the same values. edges: sorted by consumer. Returns the
 * number of duplicates, or -1 when out of memory. */
int wr_group_share_duplicates(wr_component *const *components, int n_components,
                              wr_group_edge *edges, int n_edges);

#endif
