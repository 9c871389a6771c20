/* Tables as CSV (RFC 4180): reads a file, and converts text to cells and back.
 *
 * Commas separate cells, line ends of any kind separate rows. A cell in "..." may contain commas and line ends, and "" for a quote.
 * The parser skips a byte order mark at the beginning and empty lines.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_CSV_CELLS_H
#define WR_CSV_CELLS_H

#include "base/text_buffer.h"

/* Returns the text of a file, which the caller frees. Returns NULL, with file and reason in err, if the read fails, or if the file exceeds
 * 16 MiB or contains a NUL character. */
char *wr_run_file_read(const char *file, wrsim_error *err);

typedef struct wr_csv_row {
    int n_cell, line; /* number of cells, and line of the row's beginning, counted by LF, from 1 */
    char **cell;
} wr_csv_row;

typedef struct wr_csv {
    int n_row;
    wr_csv_row *row;
} wr_csv;

/* Parses a whole text. Returns NULL with err for an unclosed quote (err->line is the line of its row), or when out of memory. */
wr_csv *wr_csv_parse(const char *text, wrsim_error *err);
void wr_csv_destroy(wr_csv **csv);

#endif
