/* Everything the program says to people goes through here.
 *
 * Thread: main, except wr_progress_update (any). Real-time: no.
 */
#ifndef WR_PRINT_H
#define WR_PRINT_H

#include <stdint.h>

#include "cli/live_line.h"
#include "wrsim/wrsim.h"

/* On standard error, in one line, whatever a plug-in, a config or a table has put into it. */
void wr_print_in_line(const char *text);

/* "wrsim: engine.toml:41:5: error: text" on standard error. Fits wrsim_report_fn. */
void wr_print_error(void *user, const wrsim_error *error);

/* "1 state", "2 states". */
static inline const char *wr_plural(int64_t n) { return n == 1 ? "" : "s"; }

/* A usage error with a hint at --help; returns the exit code for it. */
int wr_print_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of a command's options and operands, with a hint at the command's --help. */
int wr_print_misuse(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The progress line on standard error: drawn a few times per second by a thread of its own. */
typedef struct wr_progress wr_progress;
wr_progress *wr_progress_start(void); /* NULL when it cannot be had: nothing is drawn then */
void wr_progress_update(void *progress, const wrsim_progress *now); /* fits wrsim_progress_fn */
void wr_progress_finish(wr_progress **progress); /* clears the line; accepts NULL */

/* What a tool is doing, in one line on standard error that is drawn over; only where that is a terminal. */
typedef struct wr_status_line {
    int is_shown;
    int64_t drawn_ns;
    wr_live_line line;
} wr_status_line;
wr_status_line wr_status_line_begin(void);
/* Not more often than a reader can follow. line NULL or not begun: does nothing. */
void wr_status_line_draw(void *line, const char *text);
void wr_status_line_end(wr_status_line *line); /* clears it */

#endif
