/* Tables as CSV (RFC 4180): converts text to cells and back.
 *
 * Cells are separated by commas, rows by any line ends. A cell in "..." may contain both, and "" for a quote. A byte
 * order mark at the beginning and empty lines are skipped.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_CSV_CELLS_H
#define WR_CSV_CELLS_H

#include "base/text_buffer.h"

typedef struct wr_csv_row {
    int n_cell, line; /* number of cells, and line of the row's beginning, 1-based */
    char **cell;
} wr_csv_row;

typedef struct wr_csv {
    int n_row;
    wr_csv_row *row;
} wr_csv;

/* Parses a whole text. NULL with err (text and line, without the file): an unclosed quote, or out of memory. */
wr_csv *wr_csv_parse(const char *text, wrsim_error *err);
void wr_csv_destroy(wr_csv **csv);

/* Appends a cell, quoted if necessary. Control characters become '?', because a row is a line. */
void wr_csv_put(wr_text_buffer *text, int is_first, const char *cell);

#endif
