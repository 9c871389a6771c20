/* Drops entries of the Jacobian greedily, over all linearisations at once (docs/METHODS.md, Sparsing).
 *
 * Candidates are tried in the order of their criterion divided by the work that they save in a step. This work is factor
 * entries, and pairs of columns that a candidate keeps from sharing a colour and so an evaluation of f (base/sparse.h,
 * wr_sparsity_colour_partial()). Several candidates are dropped at once while the exact check accepts the pattern. If it
 * refuses, fewer are tried, down to one, which is then kept (Schiela and Bornemann (2003), section 3.5). Every pattern on
 * the way has passed the exact check on every kept sample. So cancellation and higher orders make a pattern larger, never wrong.
 *
 * Candidates are pairs of entries of an equation that cancel, then whole rows, then single entries. With mixed-mode
 * integration a candidate is a state's row and column: the state is then integrated explicitly (sum-of-squares paper,
 * section 2.1; docs/METHODS.md, Sources).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_DROPPING_H
#define WR_DROPPING_H

#include "analysis/sparsing/fill.h"
#include "analysis/sparsing/samples.h"

/* A candidate that the criterion lets through, and the check of it alone does not: what it does to a cluster cancels, or
 * is not small. */
typedef struct wr_surprise {
    int i, j;     /* entry (row, column), from 0; j -1: state i as a whole; i -1: none */
    double score; /* of it alone: below 1 where the criterion sees no harm */
} wr_surprise;

typedef struct wr_dropping {
    int n_surprise;       /* such candidates */
    wr_surprise surprise; /* of those the one with the least score */
} wr_dropping;

/* L - tau J's pattern where J has keep's: is_set[n * n]. */
void wr_dropping_pattern(const wr_samples *samples, const unsigned char *keep,
                         unsigned char *ret_is_set);

/* Drops entries of keep[n * n]. Returns 0, or -1 when out of memory. */
int wr_dropping_entries(wr_samples *samples, unsigned char *keep, wr_dropping *ret_what);

/* Makes states explicit: drops their rows and columns, sets is_explicit[n]. */
int wr_dropping_states(wr_samples *samples, unsigned char *keep, unsigned char *ret_is_explicit,
                       wr_dropping *ret_what);

#endif
