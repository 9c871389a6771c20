/* What a pattern costs: non-zeros of L - tau J and of its LU factors, by eliminating the pattern in a fixed order.
 *
 * Pivots are those of a largest matching, on the diagonal where there is one; their order is Markowitz's: the least product of
 * what is left in row and column, known before the first step and never changed, as in a real-time integrator.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_FILL_H
#define WR_FILL_H

typedef struct wr_fill {
    int nnz;        /* of L - tau J */
    int nnz_lu;     /* of L + U, the diagonal counted once */
    double n_flop;  /* of a factorisation: divisions, multiplications, subtractions */
    int is_regular; /* 0: every matrix of this pattern is singular */
} wr_fill;

/* is_set[column * n + row] of L - tau J. Returns 0, or -1 when out of memory. */
int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill);

#endif
