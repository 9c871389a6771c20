/* Drops entries of the Jacobian by a greedy search, for all linearisations at once (docs/METHODS.md, Sparsing).
 *
 * A candidate is a set of entries that are dropped together. Candidates are tried in the order of their criterion
 * divided by the work that a step saves without them. This work has two parts: entries of the LU factors, and pairs
 * of columns that can then share a colour and so one evaluation of f (base/sparse.h, wr_sparsity_colour_partial()).
 * The search drops several candidates at once while the exact check accepts the pattern. When the check refuses, the
 * search tries fewer candidates, down to a single one, which is then kept in the pattern (Schiela and Bornemann
 * (2003), section 3.5). Every intermediate pattern has passed the exact check at every kept sample. Therefore
 * cancellation and terms of higher order can make the pattern larger than necessary, but never wrong.
 *
 * First the candidates are pairs of entries of one equation that cancel, then whole rows, then single entries. For
 * mixed-mode integration a candidate is the row and the column of a state, which is then integrated explicitly
 * (sum-of-squares paper, section 2.1; docs/METHODS.md, Sources).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_DROPPING_H
#define WR_DROPPING_H

#include "offline/sparsing/fill.h"
#include "offline/sparsing/samples.h"

/* A surprise: a candidate that the first-order criterion accepts, but that the exact check refuses even when nothing
 * else is dropped. Reasons are cancellation within a cluster, or a change that is too large for a first-order
 * estimate. */
typedef struct wr_surprise {
    int i; /* row of the entry, from 0; -1: there is no surprise */
    int j; /* column of the entry, from 0; -1: the candidate is the whole state i */
    /* value of the criterion for this candidate alone; below 1, which means "acceptable" */
    double score;
} wr_surprise;

typedef struct wr_dropping {
    int n_surprise;       /* number of surprises that the search found */
    wr_surprise surprise; /* the surprise with the smallest criterion */
} wr_dropping;

/* Writes to ret_is_set[n * n] where L - tau J can have nonzeros, if J has nonzeros only where keep[n * n] is set. */
void wr_dropping_pattern(const wr_samples *samples, const unsigned char *keep,
                         unsigned char *ret_is_set);

/* Clears the entries of keep[n * n] that can be dropped. Returns 0, or -1 when out of memory. */
int wr_dropping_entries(wr_samples *samples, unsigned char *keep, wr_dropping *ret_what);

/* Chooses the states that can be integrated explicitly: sets is_explicit[n] for them, and clears their rows and
 * columns in keep[n * n]. Returns 0, or -1 when out of memory. */
int wr_dropping_states(wr_samples *samples, unsigned char *keep, unsigned char *ret_is_explicit,
                       wr_dropping *ret_what);

#endif
