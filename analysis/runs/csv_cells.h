/* Tables as CSV (RFC 4180): text to cells and back.
 *
 * Cells are separated by commas, rows by line ends of any kind; a cell in "..." may hold both, and "" for a quote. A byte
 * order mark at the beginning and empty lines are passed over.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_CSV_CELLS_H
#define WR_CSV_CELLS_H

#include "base/text_buffer.h"

typedef struct wr_csv_row {
    int n_cell, line; /* line: where it begins, 1-based */
    char **cell;
} wr_csv_row;

typedef struct wr_csv {
    int n_row;
    wr_csv_row *row;
} wr_csv;

/* Reads a whole text. NULL with err (its text and line; the file is the caller's to name): a quote that is not closed, or
 * memory. */
wr_csv *wr_csv_parse(const char *text, wrsim_error *err);
void wr_csv_destroy(wr_csv **csv);

/* Appends a cell, quoted where it must be; control characters become '?': a table is lines. */
void wr_csv_put(wr_text_buffer *text, int is_first, const char *cell);

#endif
