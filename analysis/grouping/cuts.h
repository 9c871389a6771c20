/* Candidate groupings: k-way partitions of the weighted graph of parts.
 *
 * By METIS (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J.
 * Sci. Comput. 20(1), 1998): vertices weigh what a right-hand side costs, edges how strongly they couple (parts.h), how
 * many signals they have, or both; outputs that follow inputs at once weigh more. By event locality: components that have a
 * large share of all events are a group each, and METIS cuts what is left. Random ones are grown from random parts, balanced.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_CUTS_H
#define WR_CUTS_H

#include "analysis/grouping/grouping.h"

/* What edges weigh. */
typedef enum wr_cuts_rule {
    WR_CUTS_STRENGTH,
    WR_CUTS_SIGNALS,
    WR_CUTS_BOTH,
    WR_CUTS_RULES
} wr_cuts_rule;

/* k groups, all on one level, uneven by up to that factor; same arguments, same result. 0, or -1: METIS cannot. */
int wr_cuts_make(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                 int seed, wr_grouping_set *ret_set);

/* The same of what is left without the parts that have many events, in a level of its own before these: ret_n_alone of them; 0, or -1:
 * there are none, or k is not larger than how many. */
int wr_cuts_events(const wr_parts *parts, int k, wr_cuts_rule rule, double rtol, double uneven,
                   int seed, wr_grouping_set *ret_set, int *ret_n_alone);

/* k groups grown from random parts, none heavier than uneven times the mean unless one part is; 0, or -1 where the draw
 * did not come out balanced. *state is the generator's. */
int wr_cuts_random(const wr_parts *parts, int k, double uneven, unsigned long long *state,
                   wr_grouping_set *ret_set);

/* A number from 0 to n - 1. */
int wr_cuts_draw(unsigned long long *state, int n);

#endif
