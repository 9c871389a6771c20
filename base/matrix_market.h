/* Matrix Market files: "coordinate" and "array", real, integer and pattern, general, symmetric and skew-symmetric.
 *
 * Format: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996. A file has a banner, comment lines
 * with '%', sizes, and one entry per line. Numbers of rows and columns begin at 1; arrays are column by column. The reader makes the whole
 * matrix from a symmetric file. Written numbers read back to the same bits.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_MATRIX_MARKET_H
#define WR_MATRIX_MARKET_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* Receives each comment line in order, without the first '%' and the newline. text is valid during the call. */
typedef void (*wr_matrix_comment_fn)(void *user, int line, const char *text);

/* Reads a file. Drops zeros of "array"; zeros of "coordinate" are entries. The caller frees the result with wr_matrix_destroy(). comment
 * may be NULL. On failure returns NULL and fills err with the file, and the line if known. WRSIM_E_IO: the file cannot be read, has another
 * format (such as complex numbers) or breaks a rule of the format. Also WRSIM_E_IO: an entry is repeated or not finite. WRSIM_E_MEMORY:
 * memory is exhausted. */
wr_matrix *wr_matrix_market_read(const char *path, wr_matrix_comment_fn comment, void *user,
                                 wrsim_error *err);

/* Writes "coordinate real general", or "coordinate pattern general" for a pattern. comments: lines without '%', for the place after the
 * banner; NULL: none. Writes the whole file or no file (text_file.h). Returns WRSIM_OK, WRSIM_E_IO, _E_DISK or _E_MEMORY. */
wrsim_status wr_matrix_market_write(const char *path, const wr_matrix *matrix, const char *comments,
                                    wrsim_error *err);

#endif
