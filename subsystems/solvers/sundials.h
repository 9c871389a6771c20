/* Common objects of all SUNDIALS packages, and a coloured Jacobian in SUNDIALS' matrices, for the integrators and the benchmark's peers.
 *
 * Each instance has a SUNContext, so instances share nothing.
 *
 * Thread: one at a time. Real-time: no (SUNDIALS gives no guarantee; KLU allocates).
 */
#ifndef WR_SUNDIALS_H
#define WR_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "subsystems/solvers/integrator.h"

/* 1: sparse matrices are solved by KLU. The module of exported FMUs has no KLU, and refuses sparse matrices. */
#ifndef WR_SUNDIALS_KLU
#define WR_SUNDIALS_KLU 1
#endif

/* Objects of one integrator, all zero before wr_sundials_begin(). */
typedef struct wr_sundials {
    SUNContext context;
    N_Vector y, other; /* the state; a work vector of the owner */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double factor_flop; /* number of operations of a factorisation of matrix */
    const wr_matrix *from,
        *to;          /* patterns of the Jacobian and of the sparse matrix; to NULL: dense */
    const int *place; /* [from->n_nonzero] places of the Jacobian's entries in to */
} wr_sundials;

/* Makes context and y[n]. Returns 0, or -1; wr_sundials_free() then frees the partial objects. */
int wr_sundials_begin(wr_sundials *self, int n);
/* Makes matrix and linear solver (KLU or dense) for Newton's method and a Jacobian of the given pattern. The pattern outlives matrix and
 * solver. Returns 0, or -1, also for a sparse matrix without KLU. */
int wr_sundials_linear(wr_sundials *self, wr_arena *arena, const wr_matrix *jacobian,
                       int is_sparse);
/* Writes the Jacobian's values[n_nonzero] into the matrix, which is zero elsewhere. */
void wr_sundials_fill(const wr_sundials *self, const double *values, SUNMatrix matrix);
/* Frees all objects. Call the function after freeing the memory of the integrator. */
void wr_sundials_free(wr_sundials *self);

/* Handles an error without printing, because calls return their failures as statuses. */
void wr_sundials_silence(int code, const char *module, const char *function, char *text,
                         void *user);

#endif
