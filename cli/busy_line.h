/* The progress line of an offline tool on a terminal: the point of the run that the tool works on, and the elapsed wall
 * time.
 *
 * A thread of its own draws the line each second, because one point of a model with thousands of states can take
 * minutes.
 *
 * Thread: main, except wr_busy_line_point (any). Real-time: no.
 */
#ifndef WR_BUSY_LINE_H
#define WR_BUSY_LINE_H

typedef struct wr_busy_line wr_busy_line;

/* tool: the command's name; the caller keeps the string until the line ends. Returns NULL if standard error is no
 * terminal or memory is exhausted; the other functions accept NULL. */
wr_busy_line *wr_busy_line_begin(const char *tool, int n_point);
/* Shows point i_point (from 0) at time_s (simulated s). Fits wr_walk_progress_fn. */
void wr_busy_line_point(void *line, int i_point, double time_s);
/* Clears the line and sets the pointer to NULL. Called before other output. */
void wr_busy_line_end(wr_busy_line **line);

#endif
