/* A progress line on standard error that each drawing overwrites.
 *
 * The text is cut to the terminal's present width, because a wrapped line cannot be overwritten.
 *
 * Thread: one owner per line. Real-time: no.
 */
#ifndef WR_LIVE_LINE_H
#define WR_LIVE_LINE_H

enum { WR_LIVE_LINE_BYTES = 256 };

/* Zeroed: no line is drawn. */
typedef struct wr_live_line {
    int n_drawn; /* columns of the drawn line */
} wr_live_line;

/* Returns the columns of the terminal, or WR_LIVE_LINE_BYTES if the width is unknown or standard error is no
 * terminal. */
int wr_live_line_columns(void);

/* Overwrites the line. Each byte of text takes one column. Write errors are ignored. */
void wr_live_line_draw(wr_live_line *line, const char *text);
/* Blanks the line; the next text begins in the first column. */
void wr_live_line_clear(wr_live_line *line);

#endif
