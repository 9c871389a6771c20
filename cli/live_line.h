/* Progress lines on standard error: a line that each drawing overwrites, a thread that draws a line periodically, and the
 * line of an offline tool.
 *
 * A drawing truncates the text to the terminal's present width, because the terminal cannot overwrite a wrapped line.
 *
 * Thread: one owner per line; the ticker's thread calls tick; any for wr_busy_line_point. Real-time: no.
 */
#ifndef WR_LIVE_LINE_H
#define WR_LIVE_LINE_H

#include <stdint.h>

enum { WR_LIVE_LINE_BYTES = 256 };

/* A line; all members zero: no line is drawn. */
typedef struct wr_live_line {
    int n_drawn; /* columns of the drawn line */
} wr_live_line;

/* Returns the columns of the terminal of a descriptor; 0: unknown, or no terminal. */
int wr_terminal_columns(int fd);

/* Returns the columns of the terminal, or WR_LIVE_LINE_BYTES if the width is unknown or standard error is no
 * terminal. */
int wr_live_line_columns(void);

/* Overwrites the line. Each byte of text takes one column. Ignores write errors. */
void wr_live_line_draw(wr_live_line *line, const char *text);
/* Blanks the line; the next text begins in the first column. */
void wr_live_line_clear(wr_live_line *line);

/* A thread that calls a function periodically, beside the main thread. The thread blocks all signals except signals of its own faults, so
 * that the main thread receives the other signals. */
typedef struct wr_ticker wr_ticker;

/* Starts a thread that calls tick(context) after each pause of pause_ns of wall time. Returns NULL if no thread or memory is
 * available. */
wr_ticker *wr_ticker_start(int64_t pause_ns, void (*tick)(void *context), void *context);
/* Waits for a running call of tick and ends the thread; no call of tick follows. Sets the pointer to NULL. Accepts NULL. */
void wr_ticker_stop(wr_ticker **ticker);

/* A line with the point of the run that an offline tool works on, and the elapsed wall time, on a terminal. A ticker draws the line each
 * second, because one point of a model with thousands of states can take minutes. */
typedef struct wr_busy_line wr_busy_line;

/* Starts the line of a tool. tool: the command's name; the caller keeps the string until the line ends. Returns NULL if standard error is
 * no terminal, or if no thread or memory is available; the other functions accept NULL. */
wr_busy_line *wr_busy_line_begin(const char *tool, int n_point);
/* Shows point i_point (from 0) at time_s (simulated s). Has the type wr_walk_progress_fn. */
void wr_busy_line_point(void *line, int i_point, double time_s);
/* Clears the line and sets the pointer to NULL. The call must precede other output. */
void wr_busy_line_end(wr_busy_line **line);

#endif
