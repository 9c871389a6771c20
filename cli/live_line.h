/* One line on standard error that is drawn over itself: progress.
 *
 * It is cut to the terminal's width, which may change any time: a line that is wrapped cannot be drawn over.
 *
 * Thread: one owner per line. Real-time: no.
 */
#ifndef WR_LIVE_LINE_H
#define WR_LIVE_LINE_H

enum { WR_LIVE_LINE_BYTES = 256 };

/* Zeroed: nothing is there yet. */
typedef struct wr_live_line {
    int n_drawn; /* columns of the line that is there */
} wr_live_line;

/* Columns of the terminal; of one that does not know, and of what is none, WR_LIVE_LINE_BYTES. */
int wr_live_line_columns(void);

/* Over the line before; the text has one column a byte. A terminal that is gone is not waited for. */
void wr_live_line_draw(wr_live_line *line, const char *text);
/* Nothing is there any more; the next text begins at the left. */
void wr_live_line_clear(wr_live_line *line);

#endif
