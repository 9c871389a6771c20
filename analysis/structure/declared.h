/* What models declare of their incidence, joined over the connections inside of a view.
 *
 * A pattern that a model does not declare counts as full, and so do outputs by discrete states, which cannot be declared: an
 * output that is no state depends on all of its component. What is declared is thus never too little where models are
 * right.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_DECLARED_H
#define WR_DECLARED_H

#include "analysis/structure/incidence.h"

/* The set is the caller's, freed by wr_incidence_done(). 0, or -1 when out of memory. */
int wr_declared_make(const wr_view *view, wr_incidence_set *ret_set);

/* Does any model leave one of the nine patterns undeclared that has rows and columns? Its component, -1: none; from
 * i_first on. ret_pattern: which. */
int wr_declared_lacks(const wr_view *view, int i_first, wrsim_pattern *ret_pattern);

#endif
