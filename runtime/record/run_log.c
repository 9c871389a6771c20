/* The event log and the window records of a run in memory. See run_log.h. Thread: one owner. Real-time: no. */
#include "runtime/record/run_log.h"

#include <stdlib.h>

int wr_log_table_place(wr_log_table *table, int n_column, int n_row, int width)
{
    const size_t n = (size_t)n_row + 1;
    table->column = calloc((size_t)n_column, sizeof *table->column);
    if (!table->column)
        return 0;
    table->n_row = n_row;
    table->n_column = n_column;
    int all = 1;
    for (int i = 0; i < n_column; i++) {
        table->column[i] =
            calloc(i == n_column - 1 ? n * (size_t)(width > 1 ? width : 1) : n, sizeof(double));
        all &= table->column[i] != NULL;
    }
    return all;
}

static void table_done(wr_log_table *table)
{
    for (int i = 0; i < table->n_column; i++)
        free(table->column[i]);
    free(table->column);
}

void wr_log_names_done(wr_log_names *names)
{
    for (int i = 0; i < names->n; i++)
        free(names->text[i]);
    free(names->text);
}

void wr_run_log_done(wr_run_log *log)
{
    wr_log_names *const lists[] = {&log->subsystem, &log->item_name, &log->item_type,
                                   &log->item_unit, &log->reason};
    table_done(&log->event);
    table_done(&log->window);
    for (size_t i = 0; i < WR_COUNT_OF(lists); i++)
        wr_log_names_done(lists[i]);
    *log = (wr_run_log){0};
}
