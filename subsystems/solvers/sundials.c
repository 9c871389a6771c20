/* Creates and fills objects of SUNDIALS. See sundials.h. Thread: one at a time. Real-time: no. */
#include "subsystems/solvers/sundials.h"

#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/dense.h"
#include "subsystems/solvers/shifted_matrix.h"

#if WR_SUNDIALS_KLU
/* Returns the number of operations of a sparse factorisation for a pattern; 0: the sparse solver cannot be created. */
static double sparse_flop(const wr_matrix *pattern)
{
    wr_sparse_lu *lu = NULL;
    const double flop = wr_sparse_lu_create(pattern, &lu) < 0 ? 0.0 : wr_sparse_lu_flop(lu);
    wr_sparse_lu_destroy(&lu);
    return flop;
}

/* This prototype is from sunlinsol/sunlinsol_klu.h, which includes <klu.h>; Debian has <suitesparse/klu.h>. */
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix matrix, SUNContext context);
#endif

void wr_sundials_silence(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

int wr_sundials_begin(wr_sundials *self, int n)
{
    if (SUNContext_Create(NULL, &self->context) != 0)
        return -1;
    self->y = N_VNew_Serial(n, self->context);
    return self->y ? 0 : -1;
}

static void make_sparse(wr_sundials *self, wr_arena *arena, const wr_matrix *jacobian)
{
#if WR_SUNDIALS_KLU
    const int n = jacobian->n_column;
    const int *of_diagonal;
    self->to = wr_shifted_pattern_place(arena, jacobian, &self->place, &of_diagonal);
    if (self->to)
        self->matrix = SUNSparseMatrix(n, n, self->to->n_nonzero, CSC_MAT, self->context);
    if (self->matrix)
        self->linear = SUNLinSol_KLU(self->y, self->matrix, self->context);
    if (self->linear)
        self->factor_flop = sparse_flop(self->to);
#else
    (void)self, (void)arena, (void)jacobian;
#endif
}

int wr_sundials_linear(wr_sundials *self, wr_arena *arena, const wr_matrix *jacobian, int is_sparse)
{
    const int n = jacobian->n_column;
    self->from = jacobian;
    if (is_sparse)
        make_sparse(self, arena, jacobian);
    else {
        self->factor_flop = wr_dense_flop(n);
        self->matrix = SUNDenseMatrix(n, n, self->context);
        if (self->matrix)
            self->linear = SUNLinSol_Dense(self->y, self->matrix, self->context);
    }
    return self->linear ? 0 : -1;
}

static void fill_dense(const wr_matrix *pattern, const double *values, SUNMatrix matrix)
{
    for (int column = 0; column < pattern->n_column; column++) {
        double *const to = SUNDenseMatrix_Column(matrix, column);
        memset(to, 0, (size_t)pattern->n_row * sizeof *to);
        for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++)
            to[pattern->row[i]] = values[i];
    }
}

/* Writes the Jacobian into a sparse matrix. SUNMatZero() clears the pattern of a sparse matrix, so the function also writes the pattern. */
static void fill_sparse(const wr_sundials *self, const double *values, SUNMatrix matrix)
{
    const wr_matrix *const pattern = self->to;
    double *const to = SUNSparseMatrix_Data(matrix);
    sunindextype *const row = SUNSparseMatrix_IndexValues(matrix);
    sunindextype *const start = SUNSparseMatrix_IndexPointers(matrix);
    for (int i = 0; i <= pattern->n_column; i++)
        start[i] = pattern->start[i];
    for (int i = 0; i < pattern->n_nonzero; i++) {
        row[i] = pattern->row[i];
        to[i] = 0.0;
    }
    for (int i = 0; i < self->from->n_nonzero; i++)
        to[self->place[i]] = values[i];
}

void wr_sundials_fill(const wr_sundials *self, const double *values, SUNMatrix matrix)
{
    if (self->to)
        fill_sparse(self, values, matrix);
    else
        fill_dense(self->from, values, matrix);
}

void wr_sundials_free(wr_sundials *self)
{
    if (self->nonlinear)
        SUNNonlinSolFree(self->nonlinear);
    if (self->linear)
        SUNLinSolFree(self->linear);
    if (self->matrix)
        SUNMatDestroy(self->matrix);
    if (self->y)
        N_VDestroy(self->y);
    if (self->other)
        N_VDestroy(self->other);
    if (self->context)
        SUNContext_Free(&self->context);
    *self = (wr_sundials){.context = NULL};
}
