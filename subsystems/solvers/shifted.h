/* The matrix c I - J of linearly implicit methods, or c L - J with a mass matrix, and its factors: dense or sparse.
 *
 * Sparse factors keep their pivots on the diagonal (sparse_lu.h). If such a pivot is too small, systems of
 * up to 256 states are solved dense this time, in memory placed before. Larger systems report a failure,
 * and the method takes a smaller step, which makes the diagonal dominant. So no function allocates
 * after place, and the result depends only on c and J. n_other_pivots counts these cases. Generated code (lu_code.h) replaces the
 * sparse solver, with the same rules.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#ifndef WR_SHIFTED_H
#define WR_SHIFTED_H

#include "base/lu_code.h"
#include "base/sparse_lu.h"
#include "subsystems/solvers/integrator.h"

typedef struct wr_shifted {
    int n_x;
    const wr_matrix *jacobian; /* pattern of J */
    const wr_mass *mass;       /* NULL: L = I */
    /* Sparse: J's pattern joined with L's, its values, where J's values and L's go. */
    const wr_matrix *pattern;
    double *values;
    const int *place_of_jacobian, *place_of_mass;
    wr_sparse_lu *sparse;   /* NULL = dense only, or */
    const wr_lu_code *code; /* generated code, with its */
    double *code_value;     /* factors */
    /* Dense; NULL for large sparse systems. */
    double *dense;
    int *pivot;
    int is_dense; /* the present factors are dense */
    /* States that no other state's derivative reads, or that read no other state: their places in J's diagonal. */
    int n_apart;
    const int *apart, *apart_state;
} wr_shifted;

/* Places the memory and makes the sparse solver if the choice asks for it. */
wrsim_status wr_shifted_place(wr_shifted *shifted, wr_arena *arena, const wr_matrix *jacobian,
                              wr_linear_solver choice);
/* As wr_shifted_place() for c L - J (mass NULL: L = I), always sparse, by generated code (NULL: KLU). WRSIM_E_ARG if
 * every such matrix is singular, or the code was generated for another pattern. */
wrsim_status wr_shifted_place_sparse(wr_shifted *shifted, wr_arena *arena,
                                     const wr_matrix *jacobian, const wr_mass *mass,
                                     const wr_lu_code *code);
void wr_shifted_done(wr_shifted *shifted);

/* Factorises c I - J. Returns 0, or 1 if no accurate factors exist. */
int wr_shifted_factor(wr_shifted *shifted, wr_integ_stats *stats, double c, const double *jacobian);
/* Solves (c I - J) b = b. */
void wr_shifted_solve(wr_shifted *shifted, double *b);

/* Has the step that changed the states x by d, with c I - J just factorised, gone against a growing solution? This happens if a real
 * eigenvalue of J exceeds c, about 1 / h: in its direction the solution grows by a factor e or more in the step, but the step goes the
 * other way, across a pole or to a point off the solution. det(c I - J) is then negative if the number of such eigenvalues is odd, and
 * never if J is stable; states apart are tested singly. An even number among coupled states is not detected. States that do not change
 * are ignored. With a mass matrix or generated code: 0. May overwrite the factors. */
int wr_shifted_turns_back(wr_shifted *shifted, double c, const double *jacobian, const double *x,
                          const double *d, const double *nominal);

/* Is a system of n_x states solved sparse? */
int wr_shifted_is_sparse(wr_linear_solver choice, int n_x);

/* Builds jacobian's pattern joined with the diagonal, with the places of both in it. NULL when out
 * of memory. */
const wr_matrix *wr_shifted_pattern_place(wr_arena *arena, const wr_matrix *jacobian,
                                          const int **ret_place_of_jacobian,
                                          const int **ret_place_of_diagonal);

#endif
