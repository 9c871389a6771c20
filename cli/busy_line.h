/* What an offline tool is doing, on a terminal: which point of the run it looks at, and for how long it has been at work.
 *
 * It is drawn by a thread of its own, for a point of thousands of states can take minutes in which nobody could say anything. What is
 * done within a second is not worth a line.
 *
 * Thread: main, except wr_busy_line_point (any). Real-time: no.
 */
#ifndef WR_BUSY_LINE_H
#define WR_BUSY_LINE_H

typedef struct wr_busy_line wr_busy_line;

/* tool: the command's name, which outlives it. NULL, which all take, where standard error is no terminal or nothing can be had. */
wr_busy_line *wr_busy_line_begin(const char *tool, int n_point);
/* Point i_point (from 0) is looked at, at this time of the run. Fits wr_walk_progress_fn. */
void wr_busy_line_point(void *line, int i_point, double time_s);
/* Clears it, before anything else is printed; nulls the pointer. */
void wr_busy_line_end(wr_busy_line **line);

#endif
