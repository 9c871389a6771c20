/* Spy plots: drawings of the pattern of a matrix.
 *
 * Row 0 is at the top. Five shades show the magnitudes, black the largest; each shade covers an equal number of
 * decades, at least one. A pattern has one shade. Names appear under the mouse, and beside rows and
 * above columns if cells are large enough. For names "component.variable" light lines divide the components. If cells are too small for
 * names, the drawing shows the names of the components.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_SVG_SPY_H
#define WR_SVG_SPY_H

#include "base/matrix.h"
#include "base/svg.h"

typedef struct wr_svg_spy {
    const wr_matrix *matrix;
    const char *title, *row_text, *column_text; /* texts of the drawing and its axes; NULL: none */
    const char *const *row_name;                /* [n_row] names; NULL: numbers */
    const char *const *column_name;             /* [n_column] names; NULL: numbers */
    const char *note;                           /* a line of text below; NULL: none */
    const int *row_block;    /* [n_row_block + 1] first row of blocks between lines; NULL: none */
    const int *column_block; /* [n_column_block + 1] first column of each block; NULL: none */
    int n_row_block, n_column_block;
    const unsigned char *is_marked; /* [n_nonzero] 1: entry in another colour; NULL: none */
} wr_svg_spy;

/* Writes the drawing. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_svg_spy_write(const wr_svg_spy *spy, const char *path, wrsim_error *err);

#endif
