/* Candidate groupings: partitions of the weighted graph of parts into k groups.
 *
 * METIS makes the partitions (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM
 * J. Sci. Comput. 20(1), 1998). The weight of a vertex is the cost of a right-hand side. The weight of an edge is the strength of its
 * coupling (parts.h), its number of signals, or the sum of strength and number. Outputs with direct feed-through have a larger weight. By
 * event locality, each component with a large share of all events is a group, and METIS divides the other components. Random groupings grow
 * from random parts and are balanced.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_CUTS_H
#define WR_CUTS_H

#include "offline/grouping/grouping.h"

/* Weights of edges. */
typedef enum wr_cuts_rule {
    WR_CUTS_STRENGTH,
    WR_CUTS_SIGNALS,
    WR_CUTS_BOTH,
    WR_CUTS_RULES
} wr_cuts_rule;

/* Makes k groups on one level, whose weights are uneven by up to the given factor. Equal arguments give equal
 * results. Returns 0, or -1 if METIS fails. */
int wr_cuts_make(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                 int seed, wr_grouping_set *ret_set);

/* Makes k groups as wr_cuts_make(), but each part with many events is a group by itself. The ret_n_alone groups of this kind are in a level
 * after the other groups. Returns 0, or -1 if METIS fails, no part has many events, or k groups are not possible. */
int wr_cuts_events(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                   int seed, wr_grouping_set *ret_set, int *ret_n_alone);

/* Makes k groups grown from random parts. No group is heavier than `uneven` times the mean unless one part is. *state is the state of the
 * generator. Returns 0, or -1 if the result is not balanced. */
int wr_cuts_random(const wr_parts *parts, int k, double uneven, unsigned long long *state,
                   wr_grouping_set *ret_set);

/* Returns a random number from 0 to n - 1. */
int wr_cuts_draw(unsigned long long *state, int n);

#endif
