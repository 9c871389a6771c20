/* What every use of SUNDIALS needs, whichever of its packages: its objects, made and freed, and a
 * coloured Jacobian in its matrices. Shared by integ_cvode.c and the benchmark's peers.
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
    N_Vector y, other; /* the state; what the owner needs beside it */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    double factor_flop; /* operations of a factorisation of matrix */
    /* Where a Jacobian's values go in the matrix. */
    const wr_sparsity *from, *to; /* to: with the diagonal; NULL = dense */
    const int *place;             /* [from->n_nonzero] in to */
} wr_sundials;

/* Makes context and y[n]. 0, or -1 with what was made left to wr_sundials_free(). */
int wr_sundials_begin(wr_sundials *self, int n);
/* Makes matrix and linear solver for Newton's method and a Jacobian of this pattern, which outlives
 * them: KLU or dense. 0 or -1. */
int wr_sundials_linear(wr_sundials *self, wr_arena *arena, const wr_sparsity *jacobian,
                       int is_sparse);
/* Writes the Jacobian's values[n_nonzero] into the matrix, which is zero elsewhere. */
void wr_sundials_fill(const wr_sundials *self, const double *values, SUNMatrix matrix);
/* After the integrator's own memory. */
void wr_sundials_free(wr_sundials *self);

/* An error handler: failures come back as statuses, library code never prints. */
void wr_sundials_silence(int code, const char *module, const char *function, char *text,
                         void *user);

#endif
