/* The event log and the window records of a run. See results_log.h. Thread: one owner. Real-time: no. */
#include "runtime/record/results_log.h"

#include <math.h>

#include "runtime/record/hdf5.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/mat.h"
#include "runtime/record/results.h"
#include "runtime/record/results_read.h"

/* Returns whether all values of a column are whole numbers from low to high. */
static int is_within(const wr_log_table *table, int i_column, double low, double high)
{
    int all = 1;
    for (int i = 0; i < table->n_row && all; i++) {
        const double value = table->column[i_column][i];
        all = value >= low && value <= high && !(value < floor(value) || value > floor(value));
    }
    return all;
}

/* Returns whether all indices of the log are valid. */
static int is_sound(const wr_run_log *log)
{
    const int n_item = log->item_name.n;
    const wr_log_table *const e = &log->event, *const w = &log->window;
    return log->item_type.n == n_item && log->item_unit.n == n_item &&
           is_within(e, WR_EVENT_SUBSYSTEM, 0, log->subsystem.n - 1) &&
           is_within(e, WR_EVENT_KIND, 0, WR_LOGGED_KIND_COUNT - 1) &&
           is_within(e, WR_EVENT_ITEM, -1, n_item - 1) &&
           (w->n_column == 0 || (is_within(w, WR_WINDOW_REASON, 0, log->reason.n - 1) &&
                                 is_within(w, WR_WINDOW_FAILED, -1, log->subsystem.n - 1)));
}

wrsim_status wr_results_log_load(const char *file, wr_run_log *ret, wrsim_error *err)
{
    wr_run_log log = {0};
    /* Files of a log beside a MAT file belong to another run, whose results are a CSV file. */
    if (wr_results_is_mat(file))
        return wr_results_fail(err, WRSIM_E_IO, file, 0,
                               "'%s' is a MAT file, which has no event log; repeat the run into an "
                               ".h5 or .csv file with output.log = true",
                               file);
    const int is_hdf5 = wr_results_is_hdf5(file);
    /* The log of a CSV file is in files beside the CSV file. Reading the whole results finds a CSV file that has replaced other results, whose
     * log may remain. */
    WR_AUTO(wr_results_destroy)
    wr_results *results = is_hdf5 ? NULL : wr_results_load_whole(file, err);
    if (!is_hdf5 && !results)
        return WRSIM_E_IO;
    wrsim_status status =
        is_hdf5 ? wr_results_hdf5_log(file, &log, err) : wr_log_csv_read(file, &log, err);
    if (status == WRSIM_OK && !is_sound(&log))
        status = wr_results_fail(err, WRSIM_E_IO, file, 0,
                                 "the event log of '%s' is damaged; repeat the run", file);
    if (status < 0)
        wr_run_log_done(&log);
    else
        *ret = log;
    return status;
}
