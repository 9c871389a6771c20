/* See print_sweep.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/print_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "cli/print.h"
#include "cli/program_output.h"

enum { BAR = 20, TOLD = 10, ROWS = 20, CELL = 18, COLUMNS = 6 };

void wr_sweep_progress_draw(wr_sweep_progress *p, int n_live)
{
    char bar[BAR + 1], left[40] = "", text[WR_LIVE_LINE_BYTES];
    const int n_over = p->n_done_before + p->n_done;
    if (!p->is_drawn || p->n_run == 0)
        return;
    for (int i = 0; i < BAR; i++)
        bar[i] = (int64_t)i * p->n_run < (int64_t)n_over * BAR ? '#' : '.';
    bar[BAR] = '\0';
    const double wall_s = (double)(wr_clock_monotonic_ns() - p->begin_ns) * 1e-9;
    if (p->n_done > 0)
        snprintf(left, sizeof left, ", %.0f s left", wall_s * (p->n_run - n_over) / p->n_done);
    snprintf(text, sizeof text, "[%s] %d of %d run%s, %d failed, %d under way%s", bar, n_over,
             p->n_run, wr_plural(p->n_run), p->n_failed, n_live, left);
    wr_live_line_draw(&p->line, text);
}

void wr_sweep_progress_clear(wr_sweep_progress *p) { wr_live_line_clear(&p->line); }

void wr_print_failed_run(wr_sweep_progress *p, const wr_run_sweep *sweep, int i_run,
                         const char *message)
{
    char text[WR_RUN_PLAN_TEXT_BYTES];
    wr_sweep_progress_clear(p);
    if (p->n_told < TOLD) {
        fprintf(wr_err, "wrsim: run %d (", i_run + 1);
        wr_print_in_line(wr_run_plan_text(&sweep->plan, i_run, text));
        fputs(") failed: ", wr_err);
        wr_print_in_line(message);
        fputc('\n', wr_err);
    } else if (p->n_told == TOLD)
        fprintf(wr_err, "wrsim: further failures are in the table only\n");
    p->n_told++;
}

static void print_line(FILE *out, char *const *cell, const int *width, int n, int is_header)
{
    for (int j = 0; j < n; j++) {
        fputs(j > 0 ? "  " : "", out);
        const char *const text = cell[j];
        const int room = width[j], n_text = (int)strlen(text);
        double value;
        if (n_text <= room)
            fprintf(out, "%*s", room, text);
        else if (wr_number_parse(text, text + n_text, &value))
            fprintf(out, "%*.9g", room, value);
        else if (is_header)
            fprintf(out, "..%s", text + n_text - room + 2);
        else
            fprintf(out, "%.*s..", room - 2, text);
    }
    fputc('\n', out);
}

static void print_rows(FILE *out, const wr_run_table *table, int n_key)
{
    /* Prints the number of the run, its keys, status and exit code, and some results. */
    const int n_most = n_key + 3 + COLUMNS;
    const int n_column = table->n_column < n_most ? table->n_column : n_most;
    const int n_row = table->n_row < ROWS ? table->n_row : ROWS;
    int *const width = calloc((size_t)n_column + 1, sizeof *width);
    if (!width || n_row == 0) {
        free(width);
        return;
    }
    for (int j = 0; j < n_column; j++) {
        size_t most = strlen(table->column[j]);
        for (int i = 0; i < n_row; i++) {
            const size_t n = strlen(table->cell[(size_t)i * (size_t)table->n_column + (size_t)j]);
            most = n > most ? n : most;
        }
        width[j] = most < CELL ? (int)most : CELL;
    }
    print_line(out, table->column, width, n_column, 1);
    for (int i = 0; i < n_row; i++)
        print_line(out, table->cell + (size_t)i * (size_t)table->n_column, width, n_column, 0);
    if (n_row < table->n_row || n_column < table->n_column)
        fprintf(out, "... %d row%s and %d columns in all\n", table->n_row, wr_plural(table->n_row),
                table->n_column);
    free(width);
}

void wr_print_sweep(FILE *out, const wr_run_table *table, const wr_run_sweep *sweep,
                    const wr_run_pool *pool)
{
    int n_failed = 0;
    for (int i = 0; i < table->n_row; i++)
        n_failed += strcmp(wr_run_table_get(table, i, "status"), "failed") == 0;
    print_rows(out, table, sweep->plan.n_key);
    fprintf(out, "\n%d of %d run%s completed, %d of them failed; table: %s/table.csv\n",
            table->n_row, sweep->plan.n_run, sweep->plan.n_run == 1 ? " is" : "s are", n_failed,
            sweep->folder.path);
    if (pool->wall_s > 0.0 && pool->processor_s > 0.0)
        fprintf(out,
                "%.1f s; %d runs at a time were requested and %.2f ran on average; they used %.2f "
                "cores\n",
                pool->wall_s, pool->n_job, pool->occupied_s / pool->wall_s,
                pool->processor_s / pool->wall_s);
}
