/* The table of a sweep: the rows of all runs that are done, with the columns of all of them.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_TABLE_H
#define WR_RUN_TABLE_H

#include "analysis/runs/run_sweep.h"
#include "base/json.h"

typedef struct wr_run_table {
    int n_column, n_row;
    char **column; /* [n_column] in the order in which runs have them */
    char **cell;   /* [n_row * n_column] row-major; "" where a run has none */
} wr_run_table;

/* Collects the rows there are. NULL with err: a row cannot be read, or memory. */
wr_run_table *wr_run_table_load(const wr_run_sweep *sweep, wrsim_error *err);
void wr_run_table_destroy(wr_run_table **table);

/* Writes table.csv. WRSIM_OK, or WRSIM_E_IO, WRSIM_E_MEMORY with err. */
wrsim_status wr_run_table_write(const wr_run_table *table, const wr_run_sweep *sweep,
                                wrsim_error *err);

/* {"tool", "columns": [...], "rows": [{column: value}]}; numbers as numbers, what is not there as null. */
void wr_run_table_json(wr_json *json, const wr_run_table *table);

/* The cell of a column; "" where there is no such column. */
const char *wr_run_table_get(const wr_run_table *table, int i_row, const char *column);

#endif
