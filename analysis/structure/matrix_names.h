/* Matrices from files, with the names that tools of wrsim give rows and columns in comments:
 *
 *     %wrsim row 3 shaft.speed      %wrsim column 1 motor.u      %wrsim state 2 robot.q1 (a row and its column)
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_MATRIX_NAMES_H
#define WR_MATRIX_NAMES_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* Filled by wr_matrix_names_read(), which owns the texts; NULL where a row or column has no name. */
typedef struct wr_matrix_names {
    char **row, **column; /* [n_row], [n_column] of the matrix */
    int n_row, n_column;
} wr_matrix_names;

/* As wr_matrix_market_read(). Names of rows that are not there, or that tables could not hold, are left out; of several for one the
 * last holds. ret is to be freed with wr_matrix_names_done(), also on failure. */
wr_matrix *wr_matrix_names_read(const char *path, wr_matrix_names *ret, wrsim_error *err);
void wr_matrix_names_done(wr_matrix_names *names);

#endif
