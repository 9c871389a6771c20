/* Incidence that models declare, joined along the connections within a view.
 *
 * An undeclared pattern counts as full. No pattern declares how outputs depend on discrete states. So an output that is
 * no state counts as dependent on all discrete states of its component. For correct models the result is never too
 * small.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_DECLARED_H
#define WR_DECLARED_H

#include "offline/structure/incidence.h"

/* Computes the declared relations. The caller owns the set (wr_incidence_done()). Returns 0, or -1 when out of
 * memory. */
int wr_declared_make(const wr_view *view, wr_incidence_set *ret_set);

/* Returns the first component from i_first on whose model leaves a non-empty pattern undeclared, with the pattern in
 * *ret_pattern; -1 if every pattern is declared. */
int wr_declared_lacks(const wr_view *view, int i_first, wrsim_pattern *ret_pattern);

#endif
