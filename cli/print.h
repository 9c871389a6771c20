/* Messages, progress lines and help hints of the program. Thread: main, except wr_progress_update (any). Real-time: no. */
#ifndef WR_PRINT_H
#define WR_PRINT_H

#include <stdint.h>

#include "cli/live_line.h"
#include "wrsim/wrsim.h"

/* Prints a text of a plug-in, config or table on standard error as one line: control characters except tabs appear as escapes. */
void wr_print_in_line(const char *text);

/* Prints "wrsim: engine.toml:41:5: error: text" on standard error. Has the type wrsim_report_fn. */
void wr_print_error(void *user, const wrsim_error *error);

/* Returns the ending of a plural: "1 state", "2 states". */
static inline const char *wr_plural(int64_t n) { return n == 1 ? "" : "s"; }

/* Prints a usage error with a hint at the command's --help, or for command "" at `wrsim --help`. Returns the exit code. */
int wr_print_misuse(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The progress line on standard error. A thread draws the line a few times per second. */
typedef struct wr_progress wr_progress;
wr_progress *wr_progress_start(void); /* NULL if no thread or memory is available */
void wr_progress_update(void *progress, const wrsim_progress *now); /* fits wrsim_progress_fn */
void wr_progress_finish(wr_progress **progress); /* draws and ends the line; accepts NULL */

/* The activity of an offline tool as one overwritten line on standard error, if standard error is a terminal. */
typedef struct wr_status_line {
    int is_shown;
    int64_t drawn_ns;
    wr_live_line line;
} wr_status_line;
wr_status_line wr_status_line_begin(void);
/* Draws the text at most 10 times per second. Does nothing if line is NULL or not shown. */
void wr_status_line_draw(void *line, const char *text);
void wr_status_line_end(wr_status_line *line); /* clears the line */

#endif
