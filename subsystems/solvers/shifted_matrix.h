/* The matrix c I - J of linearly implicit methods, or c L - J with a mass matrix, and its factors: dense or sparse.
 *
 * Sparse factors keep their pivots on the diagonal (sparse_lu.h). If a pivot is too small, wr_shifted_factor() computes dense factors of a
 * system of up to 256 states, in memory placed before. For a larger system the function reports a failure. A method with error control then
 * takes a smaller step, which makes the diagonal dominant. n_other_pivots counts both cases. So no function allocates after place, and the
 * result depends only on c and J. Generated code (lu_code.h) replaces the sparse solver, with the same rules.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#ifndef WR_SHIFTED_MATRIX_H
#define WR_SHIFTED_MATRIX_H

#include "base/lu_code.h"
#include "base/sparse_lu.h"
#include "base/state_io.h"
#include "subsystems/solvers/integrator.h"

typedef struct wr_shifted {
    int n_x;
    const wr_matrix *jacobian; /* pattern of J */
    const wr_mass *mass;       /* NULL: L = I */
    /* Members of a sparse matrix. */
    const wr_matrix *pattern; /* joined pattern of J and L */
    double *values;
    const int *place_of_jacobian, *place_of_mass; /* places of the entries of J and L */
    wr_sparse_lu *sparse;                         /* NULL: dense only, or generated code */
    const wr_lu_code *code;                       /* generated code; NULL: none */
    double *code_value;                           /* factors of the generated code */
    double *dense; /* [n_x * n_x] dense matrix; NULL for large sparse systems */
    int *pivot;
    int is_dense; /* the present factors are dense */
    /* Matrix of the last factors, with wr_shifted_place_last(). */
    double *last; /* [n_nonzero of J] J; NULL: not kept */
    double last_c;
    int has_last;    /* last and last_c are valid */
    int has_factors; /* the factors of last_c and last exist */
    /* Number of states apart. A state with a diagonal entry in J is apart if no other derivative reads the state, or if its derivative
     * reads no other state. */
    int n_apart;
    const int *apart,
        *apart_state; /* [n_apart] places of the diagonal entries of states apart in J; indices of the states */
} wr_shifted;

/* Places the memory, and creates the sparse solver if `choice` requires it. */
wrsim_status wr_shifted_place(wr_shifted *shifted, wr_arena *arena, const wr_matrix *jacobian,
                              wr_linear_solver choice);
/* Places the memory like wr_shifted_place() for c L - J (mass NULL: L = I), always sparse, by generated code (NULL: KLU). Returns
 * WRSIM_OK, WRSIM_E_MEMORY, WRSIM_E_CONFIG if KLU is missing, or WRSIM_E_ARG if every such matrix is singular or the code is for another
 * pattern. */
wrsim_status wr_shifted_place_sparse(wr_shifted *shifted, wr_arena *arena,
                                     const wr_matrix *jacobian, const wr_mass *mass,
                                     const wr_lu_code *code);
void wr_shifted_done(wr_shifted *shifted);

/* Places memory for J, so that wr_shifted_factor() does not repeat a factorisation with the same bits of c and J. Linear systems with
 * constant matrices then have one factorisation for each c. */
wrsim_status wr_shifted_place_last(wr_shifted *shifted, wr_arena *arena);
/* Visits the matrix of the last factors. After reading, wr_shifted_factor() computes the same factors again, without counting. */
void wr_shifted_state(wr_shifted *shifted, wr_state_io *io);

/* Factorises c I - J, or c L - J. Returns 0, or 1 if no accurate factors exist. */
int wr_shifted_factor(wr_shifted *shifted, wr_integ_stats *stats, double c, const double *jacobian);
/* Replaces b by the solution x of the system with the last factorised matrix and right-hand side b. */
void wr_shifted_solve(wr_shifted *shifted, double *b);

/* Returns whether a step that changes the states x by d, with c I - J just factorised, is opposite to a growing solution. A step is
 * opposite if a real eigenvalue of J exceeds c, about 1 / h. In the direction of the eigenvector the solution grows by a factor e or more
 * in the step. Such a step has the opposite sign, across a pole or off the solution. If the number of eigenvalues above c is odd,
 * det(c I - J) is negative. If J is stable, the determinant is positive. The function tests states apart singly. The function does not
 * detect an even number among coupled states, and ignores states at rest. Returns 0 with a mass matrix or generated code. May overwrite the
 * factors. */
int wr_shifted_turns_back(wr_shifted *shifted, double c, const double *jacobian, const double *x,
                          const double *d, const double *nominal);

/* Returns whether a sparse solver solves a system of n_x states. */
int wr_shifted_is_sparse(wr_linear_solver choice, int n_x);

/* Places the pattern of jacobian joined with the diagonal, and the places of jacobian and diagonal in the joined pattern. Returns NULL
 * when out of memory. */
const wr_matrix *wr_shifted_pattern_place(wr_arena *arena, const wr_matrix *jacobian,
                                          const int **ret_place_of_jacobian,
                                          const int **ret_place_of_diagonal);

#endif
