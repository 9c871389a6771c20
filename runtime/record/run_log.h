/* The event log and the window records of a run in memory, from the readers of all formats. Thread: one owner. Real-time: no. */
#ifndef WR_RUN_LOG_H
#define WR_RUN_LOG_H

#include "base/diag.h"
#include "runtime/record/log_columns.h"

typedef struct wr_log_names {
    int n;
    char **text; /* [n] */
} wr_log_names;

/* A table of numbers. The last column of the window records has n_subsystem values per row. */
typedef struct wr_log_table {
    int n_row, n_column;
    double **column; /* [n_column][n_row] */
} wr_log_table;

typedef struct wr_run_log {
    wr_log_table event;  /* columns WR_EVENT_... */
    wr_log_table window; /* columns WR_WINDOW_...; no columns: the run had no windows */
    wr_log_names subsystem, item_name, item_type, item_unit, reason;
} wr_run_log;

void wr_log_names_done(wr_log_names *names);

/* Allocates the columns of a table; width: values per row of the last column. Returns 0 when out of memory. */
int wr_log_table_place(wr_log_table *table, int n_column, int n_row, int width);

void wr_run_log_done(wr_run_log *log);

#endif
