/* Spy plots: where a matrix has entries, as a drawing.
 *
 * Row 0 is at the top. Strengths shade the cells, from the largest magnitude, black, down to the smallest, in five shades
 * of as many decades, but one at least; a pattern is one shade. Names stand beside the rows and above the columns where there is room for them, and where the mouse
 * rests on a cell.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_SVG_SPY_H
#define WR_SVG_SPY_H

#include "base/matrix.h"
#include "base/svg.h"

typedef struct wr_svg_spy {
    const wr_matrix *matrix;
    const char *title, *row_text, *column_text; /* what rows and columns are; NULL: nothing */
    const char *const *row_name;                /* [n_row]; NULL: numbers */
    const char *const *column_name;             /* [n_column]; NULL: numbers */
    const char *note;                           /* a line below; NULL: none */
    const int *row_block,
        *column_block; /* [n + 1] where blocks begin, lines are drawn; NULL: none */
    int n_row_block, n_column_block;
    const unsigned char *is_marked; /* [n_nonzero] entries in another colour; NULL: none */
} wr_svg_spy;

/* Writes the drawing. Returns WRSIM_OK, WRSIM_E_IO or WRSIM_E_MEMORY. */
wrsim_status wr_svg_spy_write(const wr_svg_spy *spy, const char *path, wrsim_error *err);

#endif
