/* Matrices from files, with names of rows and columns in comments, in the format of wrsim's tools:
 *
 *     %wrsim row 3 shaft.speed      %wrsim column 1 motor.u      %wrsim state 2 robot.q1 (a row and its column)
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_MATRIX_NAMES_H
#define WR_MATRIX_NAMES_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* Names of a matrix, owned by this object; NULL for a row or column without a name. */
typedef struct wr_matrix_names {
    char **row, **column; /* [n_row], [n_column] names */
    int n_row, n_column;
} wr_matrix_names;

/* Reads a matrix as wr_matrix_market_read(). Ignores names of absent rows and columns. If a row or column has several names, uses the last
 * name. The caller frees ret with wr_matrix_names_done(), also on failure. */
wr_matrix *wr_matrix_names_read(const char *path, wr_matrix_names *ret, wrsim_error *err);
void wr_matrix_names_done(wr_matrix_names *names);

#endif
