/* Matrix Market files: "coordinate" and "array", real, integer and pattern, general, symmetric and skew-symmetric.
 *
 * The format is that of NIST (Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996): a banner,
 * comment lines with '%', sizes, one entry a line, rows and columns from 1, arrays column by column. What is symmetric is
 * read as the whole matrix. Numbers are written so that they read back to the same bits.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MATRIX_MARKET_H
#define WR_MATRIX_MARKET_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* Gets every comment line in order, without its '%' and line end. text is valid during the call. */
typedef void (*wr_matrix_comment_fn)(void *user, int line, const char *text);

/* Reads a file. Of "array" the zeros are left out; zeros of "coordinate" are entries. The caller's, freed by
 * wr_matrix_destroy(). comment may be NULL. NULL on failure with err filled, file and line in it: WRSIM_E_IO where it cannot be
 * read, as it is not there, is not such a file (complex numbers, too), an entry lies outside, is there twice or not finite,
 * entries lack or are too many; WRSIM_E_MEMORY. */
wr_matrix *wr_matrix_market_read(const char *path, wr_matrix_comment_fn comment, void *user,
                                 wrsim_error *err);

/* Writes "coordinate real general", or "coordinate pattern general" for a pattern. comments: lines without '%' that stand
 * after the banner, each with its own '%' before it; NULL: none. The file is written whole or not at all. Returns WRSIM_OK,
 * WRSIM_E_IO or _E_MEMORY. */
wrsim_status wr_matrix_market_write(const char *path, const wr_matrix *matrix, const char *comments,
                                    wrsim_error *err);

#endif
