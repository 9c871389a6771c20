/* Common objects of all SUNDIALS packages, and a coloured Jacobian in SUNDIALS' matrices.
 * The SUNDIALS integrators and the benchmark's peers share it.
 *
 * One SUNContext per instance, so that instances share nothing.
 *
 * Thread: one at a time. Real-time: no (SUNDIALS promises nothing; KLU allocates).
 */
#ifndef WR_SUNDIALS_H
#define WR_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "subsystems/solvers/integrator.h"

/* Objects of one integrator; all zero to begin with. */
typedef struct wr_sundials {
    SUNContext context;
    N_Vector y, other; /* the state; a work vector of the owner */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double factor_flop; /* operations of a factorisation of matrix */
    /* Places of a Jacobian's values in the matrix. */
    const wr_matrix *from, *to; /* to: with the diagonal; NULL = dense */
    const int *place;           /* [from->n_nonzero] in to */
} wr_sundials;

/* Makes context and y[n]. 0, or -1; wr_sundials_free() then frees the partial objects. */
int wr_sundials_begin(wr_sundials *self, int n);
/* Makes matrix and linear solver for Newton's method and a Jacobian of this pattern, which outlives
 * them: KLU or dense. 0 or -1. */
int wr_sundials_linear(wr_sundials *self, wr_arena *arena, const wr_matrix *jacobian,
                       int is_sparse);
/* Writes the Jacobian's values[n_nonzero] into the matrix, which is zero elsewhere. */
void wr_sundials_fill(const wr_sundials *self, const double *values, SUNMatrix matrix);
/* After the integrator's own memory. */
void wr_sundials_free(wr_sundials *self);

/* An error handler: failures come back as statuses, library code never prints. */
void wr_sundials_silence(int code, const char *module, const char *function, char *text,
                         void *user);

#endif
