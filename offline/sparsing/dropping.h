/* Drops entries of the Jacobian by a greedy search, for all linearisations at once (docs/METHODS.md, Sparsing).
 *
 * A candidate is a set of entries that the search drops together. The search orders the candidates by the criterion divided by the work
 * that a step saves without the candidate. This work has two parts: entries of the LU factors, and pairs of columns that can then share a
 * colour. Columns of one colour need only one evaluation of f (base/sparse.h, wr_sparsity_colour_partial()).
 *
 * The search drops several candidates at once while the exact check accepts the pattern. When the check refuses, the search tries fewer
 * candidates. The entries of a refused candidate stay, unless a later candidate with these entries passes (Schiela and Bornemann (2003),
 * section 3.5). Every intermediate pattern has passed the exact check at every kept sample. Therefore cancellation and terms of higher
 * order can make the pattern larger than necessary, but not wrong at a kept sample.
 *
 * The candidates are pairs of entries of one equation that cancel, then whole rows, then single entries. For mixed-mode integration a
 * candidate is the row and the column of a state, which the step then integrates explicitly (sum-of-squares paper, section 2.1;
 * docs/METHODS.md, Sources).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_DROPPING_H
#define WR_DROPPING_H

#include "offline/sparsing/samples.h"

/* Cost of a step with a given pattern. As in a real-time integrator, pivots and order of elimination are fixed (base/lu_plan.h). */
typedef struct wr_fill {
    int nnz;        /* nonzeros of L - tau J */
    int nnz_lu;     /* nonzeros of both LU factors; the diagonal counts once */
    double n_flop;  /* floating-point operations of one factorisation and one solve */
    int is_regular; /* 0: every matrix with the pattern is singular; the other members are 0 */
} wr_fill;

/* Counts the cost for the pattern is_set[column * n + row] of L - tau J. Returns 0, or -1 when out of memory or when the matrix is too
 * large. */
int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill);

/* Returns the number of colours of the columns, or -1 when out of memory. Each colour costs one evaluation of f. keep[n * n] marks the
 * entries that differences compute, full[n * n] all entries of the Jacobian. The integrator uses this colouring
 * (subsystems/solvers/jac_color.h). */
int wr_fill_colours(int n, const unsigned char *full, const unsigned char *keep);

/* A surprise: a candidate that the first-order criterion accepts, but that the exact check refuses even alone. Reasons are cancellation
 * within a cluster, or a change too large for a first-order estimate. */
typedef struct wr_surprise {
    int i; /* row of the entry, from 0; -1: no surprise */
    int j; /* column of the entry, from 0; -1: the candidate is the whole state i */
    /* value of the criterion for this candidate alone; below 1, which means "acceptable" */
    double score;
} wr_surprise;

typedef struct wr_dropping {
    int n_surprise;       /* number of surprises that the search found */
    wr_surprise surprise; /* the surprise with the smallest criterion */
} wr_dropping;

/* Marks in ret_is_set[n * n] the possible nonzeros of L - tau J, if keep[n * n] marks the nonzeros of J. */
void wr_dropping_pattern(const wr_samples *samples, const unsigned char *keep,
                         unsigned char *ret_is_set);

/* Clears the entries of keep[n * n] that the search drops. Returns 0, or -1 when out of memory. */
int wr_dropping_entries(wr_samples *samples, unsigned char *keep, wr_dropping *ret_what);

/* Chooses the states that a step can integrate explicitly. Marks each such state in ret_is_explicit[n], and clears the state's row and
 * column in keep[n * n]. Returns 0, or -1 when out of memory. */
int wr_dropping_states(wr_samples *samples, unsigned char *keep, unsigned char *ret_is_explicit,
                       wr_dropping *ret_what);

#endif
