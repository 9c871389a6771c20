/* Candidate groupings: partitions of the weighted graph of parts into k groups.
 *
 * METIS makes the partitions (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM
 * J. Sci. Comput. 20(1), 1998). The weight of a vertex is the cost of a right-hand side. The weight of an edge comes from the strength of
 * its coupling (parts.h), its number of signals, or both. Outputs with direct feed-through have a larger weight. Partitions by event
 * locality make a group of each part with a large share of all events, and METIS divides the other parts. Random groupings grow from random
 * parts and are balanced.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_CUTS_H
#define WR_CUTS_H

#include "offline/grouping/grouping.h"

/* Rules for the weights of edges. */
typedef enum wr_cuts_rule {
    WR_CUTS_STRENGTH,
    WR_CUTS_SIGNALS,
    WR_CUTS_BOTH,
    WR_CUTS_RULES
} wr_cuts_rule;

/* Makes k groups on one level. METIS permits group weights up to `uneven` times the mean. Equal arguments give equal results. Returns 0, or
 * -1 if METIS fails or leaves a group empty. */
int wr_cuts_make(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                 int seed, wr_grouping_set *ret_set);

/* Makes k groups as wr_cuts_make(), but each part with many events is a group by itself. These *ret_n_alone groups are in a level after
 * the other groups. Returns 0, or -1 if METIS fails or leaves a group empty, no part has many events, or k groups are not possible. */
int wr_cuts_events(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                   int seed, wr_grouping_set *ret_set, int *ret_n_alone);

/* Makes k groups grown from random parts, in random levels. A group weighs at most `uneven` times the mean, or times the heaviest component
 * if this component weighs more. *state is the state of the generator. Returns 0, or -1 if a group is too heavy or k exceeds
 * the number of parts. */
int wr_cuts_random(const wr_parts *parts, int k, double uneven, unsigned long long *state,
                   wr_grouping_set *ret_set);

/* Returns a random number from 0 to n - 1. *state is the state of the generator. */
int wr_cuts_draw(unsigned long long *state, int n);

#endif
