/* A linear system, possibly with algebraic equations, around an operating point:
 *
 *     G x + C x' = B (u - u0) + r        y = y0 + L^T x + D (u - u0)
 *
 * x is zero at the operating point. r is the rate of the states at the operating point with constant inputs: an additional column of
 * B, whose input is always 1. Systems at rest and systems from files have no r (docs/METHODS.md, Reduction).
 *
 * Thread: any for reading. Real-time: no. */
#ifndef WR_LINEAR_SYSTEM_H
#define WR_LINEAR_SYSTEM_H

#include <math.h>

#include "base/matrix.h"
#include "wrsim/status.h"

/* An input or output: its name, its unit ("" = unknown), its nominal value (0 = unknown), its value at the operating point. */
typedef struct wr_linear_signal {
    char *name, *unit;
    double nominal, value;
} wr_linear_signal;

typedef struct wr_linear_system {
    int n, n_input, n_output;
    wr_matrix *G, *C; /* n x n */
    int has_rate;     /* 1: the last column of B is r */
    double *B;        /* [n_column][n] */
    double *L;        /* [n_output][n] */
    double *D;        /* [n_input][n_output] */
    wr_linear_signal *input, *output;
} wr_linear_system;

/* Returns the number of columns of B: the inputs, and r. */
static inline int wr_linear_columns(const wr_linear_system *system)
{
    return system->n_input + system->has_rate;
}

/* Returns the largest magnitude of n values; 0 without values. */
static inline double wr_largest(const double *a, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* Returns a new system with zero vectors and unnamed signals, still without G and C; NULL when out of memory. */
wr_linear_system *wr_linear_system_create(int n, int n_input, int n_output, int has_rate);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_linear_system_destroy(wr_linear_system **system);

/* Copies name and unit into a signal. Returns 0, or -1 when out of memory. */
int wr_linear_signal_set(wr_linear_signal *signal, const char *name, const char *unit,
                         double nominal, double value);

/* Paths of Matrix Market files. D NULL: zero; C NULL: the identity. */
typedef struct wr_linear_files {
    const char *G, *C, *B, *L, *D;
} wr_linear_files;
/* Reads a system from files. B and L have n rows, and D is n_output x n_input. The signals have the names u1, ... and y1, .... Returns
 * WRSIM_OK; WRSIM_E_ARG if sizes do not agree (err has the file), a matrix lacks values, or the system has no state, input or output; an
 * error of reading; or WRSIM_E_MEMORY. */
wrsim_status wr_linear_system_read(const wr_linear_files *files, wr_linear_system **ret_system,
                                   wrsim_error *err);

#endif
