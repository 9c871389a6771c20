/* A linear system, possibly with algebraic equations, around an operating point:
 *
 *     G x + C x' = B (u - u0) + r        y = y0 + L^T x + D (u - u0)
 *
 * x is zero at the operating point. r is the rate of the states there with inputs at rest: one more column of B, whose
 * input is always 1. Systems at rest and those from files have no r (docs/METHODS.md, Reduction).
 *
 * Thread: any for reading. Real-time: no.
 */
#ifndef WR_LINEAR_SYSTEM_H
#define WR_LINEAR_SYSTEM_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* An input or output: an identifier, its unit ("" = not known), its nominal value (0 = not known), its value at the
 * operating point. */
typedef struct wr_linear_signal {
    char *name, *unit;
    double nominal, value;
} wr_linear_signal;

typedef struct wr_linear_system {
    int n, n_input, n_output;
    wr_matrix *G, *C; /* n x n */
    int has_rate;     /* B has a last column more, r */
    double *B;        /* [n_column][n] */
    double *L;        /* [n_output][n] */
    double *D;        /* [n_input][n_output] */
    wr_linear_signal *input, *output;
} wr_linear_system;

/* Columns of B: the inputs, and r. */
static inline int wr_linear_columns(const wr_linear_system *system)
{
    return system->n_input + system->has_rate;
}

/* Zeroed vectors and signals without names, G and C still to come; NULL when out of memory. */
wr_linear_system *wr_linear_system_create(int n, int n_input, int n_output, int has_rate);
/* With all that it has; accepts NULL and nulls the pointer. */
void wr_linear_system_destroy(wr_linear_system **system);

/* Sets a signal: name and unit are copied, characters that no identifier has become '_'. 0, or -1 when out of memory. */
int wr_linear_signal_set(wr_linear_signal *signal, const char *name, const char *unit,
                         double nominal, double value);

/* From Matrix Market files. B has n rows, L has n rows, too; D, n_output x n_input, may be NULL: 0. C may be NULL: the unit
 * matrix. Signals are named u1, ... and y1, .... WRSIM_E_ARG where sizes do not fit together (the file is named) or there
 * is no input or output; what reading says; WRSIM_E_MEMORY. */
typedef struct wr_linear_files {
    const char *G, *C, *B, *L, *D;
} wr_linear_files;
wrsim_status wr_linear_system_read(const wr_linear_files *files, wr_linear_system **ret_system,
                                   wrsim_error *err);

#endif
