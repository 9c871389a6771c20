/* What a pattern costs a step: non-zeros of L - tau J and of its LU factors, and operations, with pivots and order fixed once as
 * in a real-time integrator (base/lu_plan.h); evaluations of f.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_FILL_H
#define WR_FILL_H

typedef struct wr_fill {
    int nnz;        /* of L - tau J */
    int nnz_lu;     /* of L + U, the diagonal counted once */
    double n_flop;  /* of a factorisation and a solve */
    int is_regular; /* 0: every matrix of this pattern is singular; nothing else is known then */
} wr_fill;

/* is_set[column * n + row] of L - tau J. Returns 0, or -1 when out of memory or too large. */
int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill);

/* Colours of the columns, each of which costs an evaluation of f, where keep[n * n] is differenced of the Jacobian full[n * n]: those
 * that the integrator takes (solvers/jac_color.h). -1 when out of memory. */
int wr_fill_colours(int n, const unsigned char *full, const unsigned char *keep);

#endif
