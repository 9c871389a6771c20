/* Everything the program says to people goes through here.
 *
 * Thread: main, except wr_progress_update (any). Real-time: no.
 */
#ifndef WR_PRINT_H
#define WR_PRINT_H

#include "wrsim/wrsim.h"

/* "wrsim: engine.toml:41:5: error: text" on standard error. Fits wrsim_report_fn. */
void wr_print_error(void *user, const wrsim_error *error);

/* A usage error with a hint at --help; returns the exit code for it. */
int wr_print_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The progress line on standard error: drawn a few times per second by a thread of its own. */
typedef struct wr_progress wr_progress;
wr_progress *wr_progress_start(void); /* NULL when it cannot be had: nothing is drawn then */
void wr_progress_update(void *progress, const wrsim_progress *now); /* fits wrsim_progress_fn */
void wr_progress_finish(wr_progress **progress); /* clears the line; accepts NULL */

#endif
