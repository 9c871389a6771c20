/* The log of a run beside a result file in CSV format: NAME.events.csv and NAME.windows.csv beside NAME.csv (docs/reference/event_log.md).
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_LOG_CSV_H
#define WR_LOG_CSV_H

#include "base/text_buffer.h"
#include "runtime/record/csv_description.h"
#include "runtime/record/run_log.h"

typedef struct wr_log_csv {
    char *name[2];          /* names of both files; from malloc */
    int fd[2];              /* -1: the file does not exist */
    wr_text_buffer text[2]; /* rows that the file lacks */
    int64_t n_stop;
    wr_csv_description *description; /* of the result file, which has the check sums of the log */
    /* Copies of the names in wr_log_info. */
    wr_log_names subsystem, item_name, item_type, item_unit, reason;
} wr_log_csv;

/* Returns WRSIM_E_CONFIG with err if a file of the log exists and belongs to another program. */
wrsim_status wr_log_csv_check(const wr_recorder_options *options, wrsim_error *err);

/* Removes the old log of a result file, and creates the files of options->log, if any. The description must remain open until
 * wr_log_csv_close(). On failure returns a negative status with err, and *log has no files. */
wrsim_status wr_log_csv_open(wr_log_csv *log, const wr_recorder_options *options,
                             wr_csv_description *description, wrsim_error *err);

/* Adds a row of the log; arguments as wr_writer_ops.log(). */
wrsim_status wr_log_csv_add(wr_log_csv *log, int i_log, int kind, double t_s, const double *values,
                            wrsim_error *err);

/* Writes all added rows. After a failure the log adds and writes no further rows. */
wrsim_status wr_log_csv_flush(wr_log_csv *log, wrsim_error *err);

/* Closes the files, and frees the memory. */
void wr_log_csv_close(wr_log_csv *log);

/* Reads the log of a result file in CSV format into an empty log, whose memory belongs to the caller also after a failure. Returns WRSIM_E_IO
 * with err also if the check sums in the description of the results differ. */
wrsim_status wr_log_csv_read(const char *file, wr_run_log *ret, wrsim_error *err);

/* Returns the name of the events (0) or windows (1) of a result file, from malloc; NULL when out of memory. */
char *wr_log_csv_name(const char *file, int i);

/* Removes the log of a result file; other files with these names remain. */
void wr_log_csv_remove(const char *file);

#endif
