/* Texts of a parameter sweep: progress, failed runs, and the final table.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_SWEEP_H
#define WR_PRINT_SWEEP_H

#include <stdint.h>
#include <stdio.h>

#include "cli/live_line.h"
#include "offline/runs/run_pool.h"
#include "offline/runs/run_table.h"

typedef struct wr_sweep_progress {
    int is_drawn; /* standard error is a terminal */
    wr_live_line line;
    int n_run, n_done_before; /* runs in all; runs completed by an earlier call */
    int n_done, n_failed;     /* runs completed by this call; failed runs count as completed */
    int n_told;               /* failures that have been printed */
    int64_t begin_ns;
} wr_sweep_progress;

/* Draws and clears the progress line on standard error. */
void wr_sweep_progress_draw(wr_sweep_progress *p, int n_live);
void wr_sweep_progress_clear(wr_sweep_progress *p);

/* Prints one line for a failed run, up to a maximum number of lines. */
void wr_print_failed_run(wr_sweep_progress *p, const wr_run_sweep *sweep, int i_run,
                         const char *message);

/* Prints the table's first rows and the outcome of the sweep. */
void wr_print_sweep(FILE *out, const wr_run_table *table, const wr_run_sweep *sweep,
                    const wr_run_pool *pool);

#endif
