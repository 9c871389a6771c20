/* Runs with checkpoints. See checkpoints.h. Thread: as checkpoints.h. Real-time: no. */
#include "cli/checkpoints.h"

#include <math.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/diag.h"
#include "cli/home_folder.h"
#include "runtime/record/results.h"
#include "runtime/sim/checkpoint.h"
#include "runtime/sim/report.h"

int wr_checkpoints_refuse(const wrsim *sim, const char *restart)
{
    const char *const file = wr_report_result_file(sim);
    struct stat about;
    if (!restart || !file[0] || stat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size == 0)
        return 0;
    return wr_print_misuse("",
                           "'%s' exists and may contain the results before the checkpoint; name "
                           "another result file by -o, or remove this file",
                           file);
}

void wr_checkpoints_remove_empty(const wrsim *sim, const char *restart)
{
    const char *const file = wr_report_result_file(sim);
    struct stat about;
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    if (restart && stats.n_row + stats.n_event_row == 0 && file[0] && lstat(file, &about) == 0 &&
        S_ISREG(about.st_mode))
        wr_results_remove(file);
}

/* Returns the first multiple of every_s after t_s, counted from the start; INFINITY: no further checkpoint. */
static double next_after(const wr_checkpoints *c, double t_s)
{
    wrsim_stats stats;
    wrsim_stats_get(c->sim, &stats);
    const double start_s = stats.start_s;
    if (!c->file || !(c->every_s > 0.0))
        return (double)INFINITY;
    double next_s = start_s + (floor((t_s - start_s) / c->every_s) + 1.0) * c->every_s;
    if (wr_time_close(next_s, t_s))
        next_s += c->every_s;
    return next_s;
}

void wr_checkpoints_update(void *checkpoints, const wrsim_progress *now)
{
    wr_checkpoints *const c = checkpoints;
    if (c->progress)
        wr_progress_update(c->progress, now);
    c->is_due = wr_time_is_due(now->time_s, c->next_s);
    if (c->is_due)
        wrsim_stop(c->sim);
}

wrsim_status wr_checkpoints_run(wr_checkpoints *c, wrsim_error *err)
{
    wrsim_status status = c->restart ? wrsim_checkpoint_read(c->sim, c->restart, err) : WRSIM_OK;
    wrsim_stats stats;
    wrsim_stats_get(c->sim, &stats);
    if (status >= 0 && wrsim_time(c->sim) > stats.stop_s &&
        !wr_time_close(wrsim_time(c->sim), stats.stop_s))
        return wr_error_set(
            err, WRSIM_E_CONFIG,
            "checkpoint '%s' is at t = %.10g s, after simulation.stop = %.10g s; set a later stop",
            c->restart, wrsim_time(c->sim), stats.stop_s);
    wr_home_folder_return();
    if (status >= 0 && c->file)
        WR_TRY(wr_checkpoint_claim(c->sim, c->file, err));
    /* The checkpoint at the start shows before the run whether the program can write checkpoints. */
    for (int goes_on = 1; goes_on && status >= 0;) {
        wr_home_folder_return();
        if (c->file)
            WR_TRY(wrsim_checkpoint_write(c->sim, c->file, err));
        c->next_s = next_after(c, wrsim_time(c->sim));
        c->is_due = 0;
        status = wrsim_run(c->sim, err);
        goes_on = status == WRSIM_STOPPED && c->is_due && !*c->is_signalled;
    }
    wr_home_folder_return();
    if (status == WRSIM_STOPPED && c->file)
        WR_TRY(wrsim_checkpoint_write(c->sim, c->file, err));
    return status;
}
