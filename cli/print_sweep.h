/* What is said of a sweep: its progress, runs that failed, and its end.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_SWEEP_H
#define WR_PRINT_SWEEP_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/runs/run_pool.h"
#include "analysis/runs/run_table.h"
#include "cli/live_line.h"

typedef struct wr_sweep_progress {
    int is_drawn; /* on a terminal */
    wr_live_line line;
    int n_run, n_done_before; /* all; done by an earlier call */
    int n_done, n_failed;     /* by this one; failed are done, too */
    int n_told;               /* failures of which a line has been written */
    int64_t begin_ns;
} wr_sweep_progress;

/* One line on standard error, drawn over itself. */
void wr_sweep_progress_draw(wr_sweep_progress *p, int n_live);
void wr_sweep_progress_clear(wr_sweep_progress *p);

/* A line for a run that failed; of very many the first only. */
void wr_print_failed_run(wr_sweep_progress *p, const wr_run_sweep *sweep, int i_run,
                         const char *message);

/* The table's first rows, and what came of the sweep. */
void wr_print_sweep(FILE *out, const wr_run_table *table, const wr_run_sweep *sweep,
                    const wr_run_pool *pool);

#endif
