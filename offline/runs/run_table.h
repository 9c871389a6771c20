/* The table of a sweep: the rows of all finished runs, with all their columns. Thread: one owner. Real-time: no. */
#ifndef WR_RUN_TABLE_H
#define WR_RUN_TABLE_H

#include "base/json.h"
#include "offline/runs/run_sweep.h"

typedef struct wr_run_table {
    int n_column, n_row;
    char **column; /* [n_column] names; a row's columns keep their order */
    char **cell;   /* [n_row * n_column] row-major; "" if a run has no value */
} wr_run_table;

/* Returns a table of all existing rows. Returns NULL with err if a read fails, or when out of memory. */
wr_run_table *wr_run_table_load(const wr_run_sweep *sweep, wrsim_error *err);
void wr_run_table_destroy(wr_run_table **table);

/* Writes table.csv. Returns WRSIM_OK; or WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY with err. */
wrsim_status wr_run_table_write(const wr_run_table *table, const wr_run_sweep *sweep,
                                wrsim_error *err);

/* Writes {"tool", "columns": [...], "rows": [{column: value}]}. Missing values become null. */
void wr_run_table_json(wr_json *json, const wr_run_table *table);

/* Returns the cell of a column, or "" if the table lacks the column. */
const char *wr_run_table_get(const wr_run_table *table, int i_row, const char *column);

#endif
