/* The cost of a step with a given pattern: nonzeros of L - tau J and of its LU factors, floating-point operations,
 * and evaluations of f. As in a real-time integrator, the pivots and the order of elimination are chosen once
 * (base/lu_plan.h).
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_FILL_H
#define WR_FILL_H

typedef struct wr_fill {
    int nnz;       /* nonzeros of L - tau J */
    int nnz_lu;    /* nonzeros of L + U; the diagonal counts once */
    double n_flop; /* floating-point operations of one factorisation and one solve */
    /* 0: every matrix with this pattern is singular, and the other members are undefined */
    int is_regular;
} wr_fill;

/* Counts for the pattern is_set[column * n + row] of L - tau J. Returns 0, or -1 when out of memory or when the
 * matrix is too large. */
int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill);

/* Returns the number of colours of the columns; each colour costs one evaluation of f. keep[n * n] are the entries
 * that are computed by differences, full[n * n] all entries of the Jacobian. The integrator uses the same
 * colouring (solvers/jac_color.h). Returns -1 when out of memory. */
int wr_fill_colours(int n, const unsigned char *full, const unsigned char *keep);

#endif
