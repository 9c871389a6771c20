/* `wrsim sweep`. Thread: main. Real-time: no. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/utf8.h"
#include "bench/bench.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/runs/run_pool.h"
#include "offline/runs/run_sweep.h"
#include "offline/runs/run_table.h"
#include "runtime/record/writer.h"
#include "wrsim/wrsim.h"

typedef struct wr_sweep_progress {
    int is_drawn; /* 1: the program draws the line */
    wr_live_line line;
    int n_run, n_done_before; /* number of all runs; runs completed by an earlier call */
    int n_done, n_failed;     /* runs completed by this call; failed runs among these */
    int64_t begin_ns;
} wr_sweep_progress;

enum { BAR = 20, PRINTED_FAILURES = 10, ROWS = 20, CELL = 18, COLUMNS = 6 };

/* Draws the progress line on standard error. */
static void sweep_progress_draw(wr_sweep_progress *p, int n_live)
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
    snprintf(text, sizeof text, "[%s] %d of %d run%s, %d failed, %d running%s", bar, n_over,
             p->n_run, wr_plural(p->n_run), p->n_failed, n_live, left);
    wr_live_line_draw(&p->line, text);
}

static void sweep_progress_clear(wr_sweep_progress *p) { wr_live_line_clear(&p->line); }

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
    /* The columns are the number of the run, its keys, status and exit code, and some results. */
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

enum { MOST_JOBS = 4096 };

typedef struct sweep {
    wr_arguments line;
    const char *dir;
    const char *cases;
    int is_paired, is_resumed, is_retried, is_json, is_quiet, is_progress;
    wr_run_sweep runs;
    wr_run_pool pool;
    wr_sweep_progress progress;
    int i_next, is_changed; /* is_changed: the config file has changed during the sweep */
    wrsim_error *err;
} sweep;

#define ROW(...) WR_OPTION(sweep, __VA_ARGS__)
static const wr_option options[] = {
    ROW("results", "LIST",
        "columns: NAME, max:NAME, min:NAME, mean:NAME, at:T:NAME, stat:PATH (default: all NAMEs)",
        TEXT, runs.result_list),
    ROW("paired", NULL, "use the i-th values of all keys together, instead of all combinations",
        FLAG, is_paired),
    ROW("cases", "FILE.csv", "one run for each row; the header names the keys", FILE, cases),
    ROW("jobs", "N", "runs at a time (default: the number of cores)", COUNT, pool.n_job, .low = 1,
        .high = MOST_JOBS),
    ROW("format", "FORMAT", "format of the result files (default csv)", CHOICE, runs.format,
        .words = wr_writer_names),
    ROW("resume", NULL, "continue the sweep in DIR; completed runs are not repeated", FLAG,
        is_resumed),
    ROW("retry", NULL, "repeat failed runs", FLAG, is_retried, .needs = "resume"),
    ROW("json", NULL, "print the table as JSON instead of text", FLAG, is_json),
    ROW("progress", NULL, "draw the progress line even if standard error is no terminal", FLAG,
        is_progress),
    ROW("quiet", NULL, "print no progress and no table", FLAG, is_quiet, .letter = 'q'),
    ROW("output", "DIR", "folder for the runs and table.csv; required", FILE, dir, .letter = 'o'),
    {.name = "define",
     .letter = 'D',
     .value = "KEY=VALUES",
     .help = "values of a key: A,B,C or START:STEP:STOP; may be repeated",
     .kind = WR_OPTION_OVERRIDE},
    {.name = NULL}};

static int check_folder(sweep *a)
{
    if (!a->dir)
        return wr_command_line_refuse(a,
                                      "a sweep needs a folder for its runs and table: add -o DIR");
    /* flaw: the reason why no override can contain the folder's name; NULL: the name is valid. */
    const char *folder = a->dir;
    const char *flaw = NULL;
    for (size_t n; *folder && !flaw; folder += n) {
        n = wr_utf8_length(folder);
        if (n == 0 || (wr_utf8_is_control(folder) && *folder != '\t'))
            flaw = n == 0 ? "is not UTF-8" : "has a control character";
    }
    return flaw ? wr_command_line_refuse(a, "the folder's name, -o '%s', %s; choose another name",
                                         a->dir, flaw)
                : 0;
}

static wrsim_status plan(sweep *a, wrsim_error *err)
{
    wr_run_plan *const p = &a->runs.plan;
    p->is_paired = a->is_paired;
    WR_TRY(wr_run_results_parse(&a->runs.results, a->runs.result_list, err));
    for (int i = 0; i < a->line.n_override; i++)
        WR_TRY(wr_run_plan_add(p, a->line.override[i], err));
    if (a->cases)
        WR_TRY(wr_run_plan_add_cases(p, a->cases, err));
    WR_TRY(wr_run_plan_finish(p, err));
    return wr_run_sweep_begin(&a->runs, err);
}

/* Checks the sweep in a process of its own, because a plug-in may end the process while the program loads the plug-in. Returns the exit
 * code. */
static int check_child(void *context, int i_run)
{
    (void)i_run;
    return wr_run_sweep_check(&((sweep *)context)->runs, wr_print_error, NULL);
}

static int check(sweep *a)
{
    const int wait_status = wr_run_pool_one(check_child, a);
    if (wait_status != -1 && WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    const int error_number = errno;
    fprintf(wr_err,
            wait_status == -1
                ? "wrsim: error: the process that checks the config cannot be started: %s; end "
                  "other processes, or free memory\n"
                : "wrsim: error: the process that checks the config was ended by a signal: %s; "
                  "run wrsim check on the config\n",
            wait_status == -1 ? strerror(error_number) : strsignal(WTERMSIG(wait_status)));
    return wrsim_status_exit_code(wait_status == -1 ? WRSIM_E_INTERNAL : WRSIM_E_PLUGIN);
}

static int child(void *context, int i_run)
{
    return wr_run_sweep_run(&((sweep *)context)->runs, i_run, wr_run_quietly, wr_print_error);
}

static int next(void *context)
{
    sweep *const a = context;
    while (a->i_next < a->runs.plan.n_run && wr_run_folder_is_done(&a->runs.folder, a->i_next))
        a->i_next++;
    if (a->i_next == a->runs.plan.n_run)
        return -1;
    a->is_changed |= !wr_run_sweep_is_unchanged(&a->runs);
    if (a->is_changed)
        return -1;
    return wr_run_folder_begin(&a->runs.folder, a->i_next, a->err) < 0 ? -1 : a->i_next++;
}

static wrsim_status ended(void *context, int i_run, int wait_status, double wall_s)
{
    sweep *const a = context;
    char message[WR_RUN_KEPT_BYTES];
    if (a->pool.stop_signal && !wr_run_folder_is_done(&a->runs.folder, i_run))
        return WRSIM_OK; /* a resumed sweep repeats this run */
    WR_TRY(wr_run_sweep_ended(&a->runs, i_run, wait_status, wall_s, message, a->err));
    a->progress.n_done++;
    if (message[0]) {
        /* The first PRINTED_FAILURES failed runs print a line each. */
        char text[WR_RUN_PLAN_TEXT_BYTES];
        sweep_progress_clear(&a->progress);
        if (a->progress.n_failed < PRINTED_FAILURES) {
            fprintf(wr_err, "wrsim: run %d (", i_run + 1);
            wr_print_in_line(wr_run_plan_text(&a->runs.plan, i_run, text));
            fputs(") failed: ", wr_err);
            wr_print_in_line(message);
            fputc('\n', wr_err);
        } else if (a->progress.n_failed == PRINTED_FAILURES)
            fprintf(wr_err, "wrsim: the table lists further failures\n");
        a->progress.n_failed++;
    }
    return WRSIM_OK;
}

static void tick(void *context, int n_live)
{
    sweep_progress_draw(&((sweep *)context)->progress, n_live);
}

static wrsim_status run_all(sweep *a, wrsim_error *err)
{
    a->err = err;
    a->progress.n_run = a->runs.plan.n_run;
    a->progress.is_drawn = !a->is_quiet && (a->is_progress || isatty(STDERR_FILENO));
    a->progress.begin_ns = wr_clock_monotonic_ns();
    wr_run_table *table = a->is_resumed && a->is_retried ? wr_run_table_load(&a->runs, err) : NULL;
    for (int i = 0; table && i < table->n_row; i++)
        if (strcmp(wr_run_table_get(table, i, "status"), "failed") == 0)
            wr_run_folder_forget(&a->runs.folder, atoi(wr_run_table_get(table, i, "run")) - 1);
    wr_run_table_destroy(&table);
    for (int i = 0; i < a->runs.plan.n_run; i++)
        a->progress.n_done_before += wr_run_folder_is_done(&a->runs.folder, i);
    if (a->pool.n_job == 0)
        a->pool.n_job = wr_bench_count_cores();
    a->pool.context = a;
    a->pool.next = next;
    a->pool.child = child;
    a->pool.ended = ended;
    a->pool.tick = tick;
    err->status = WRSIM_OK;
    const wrsim_status status = wr_run_pool_run(&a->pool, err);
    sweep_progress_clear(&a->progress);
    return status < 0 ? status : err->status; /* next() reports its error in err only */
}

static int count_failed(const wr_run_table *table)
{
    int n = 0;
    for (int i = 0; i < table->n_row; i++)
        n += strcmp(wr_run_table_get(table, i, "status"), "failed") == 0;
    return n;
}

static wrsim_status print(const sweep *a, const wr_run_table *table, wrsim_error *err)
{
    if (a->is_json) {
        wr_json json = {0};
        wr_run_table_json(&json, table);
        return wr_tool_print_json(wr_json_take(&json), err);
    }
    if (!a->is_quiet) {
        print_rows(wr_out, table, a->runs.plan.n_key);
        fprintf(wr_out, "\n%d of %d run%s completed, %d of them failed; table: %s/table.csv\n",
                table->n_row, a->runs.plan.n_run, a->runs.plan.n_run == 1 ? " is" : "s are",
                count_failed(table), a->runs.folder.path);
        if (a->pool.wall_s > 0.0 && a->pool.processor_s > 0.0)
            fprintf(wr_out,
                    "%.1f s; %d runs at a time were requested and %.2f ran on average; these runs "
                    "used %.2f cores\n",
                    a->pool.wall_s, a->pool.n_job, a->pool.occupied_s / a->pool.wall_s,
                    a->pool.processor_s / a->pool.wall_s);
    }
    return WRSIM_OK;
}

/* Prints the number of completed runs and the way to resume the sweep. */
static void tell_left(const sweep *a, int n_over)
{
    const int n_run = a->runs.plan.n_run;
    if (n_over == n_run)
        fputs("wrsim: all runs are completed, but the table is not written; remove the cause of "
              "the error "
              "above and repeat the command with --resume\n",
              wr_err);
    else
        fprintf(wr_err,
                n_over > 0 ? "wrsim: stopped: %d of %d runs are completed; repeat the command with "
                             "--resume to do the other %d\n"
                           : "wrsim: stopped: %d of %d runs are completed; repeat the command with "
                             "--resume to start again\n",
                n_over, n_run, n_run - n_over);
}

/* Prints the number of completed runs if runs remain or the config has changed. Returns the exit code. */
static int conclude(const sweep *a, int n_over, int n_failed)
{
    const int n_left = a->runs.plan.n_run - n_over;
    if (a->is_changed)
        fprintf(wr_err,
                "wrsim: error: '%s' changed during the sweep, after %d of %d runs. Restore the "
                "file and add --resume, or start a sweep in another folder\n",
                a->runs.config, n_over, a->runs.plan.n_run);
    else if (n_left > 0)
        tell_left(a, n_over);
    if (n_left > 0)
        return wrsim_status_exit_code(a->is_changed ? WRSIM_E_CONFIG : WRSIM_STOPPED);
    return wrsim_status_exit_code(n_failed > 0 ? WRSIM_E_SOLVER : WRSIM_OK);
}

/* Prints an error that has ended the sweep, and the number of completed runs. */
static void tell_failure(const sweep *a, const wrsim_error *err)
{
    int n_over = 0;
    for (int i = 0; i < a->runs.plan.n_run; i++)
        n_over += wr_run_folder_is_done(&a->runs.folder, i);
    wr_print_error(NULL, err);
    tell_left(a, n_over);
}

static int finish(const sweep *a)
{
    wrsim_error err = {0};
    wr_run_table *table = wr_run_table_load(&a->runs, &err);
    wrsim_status status = table ? wr_run_table_write(table, &a->runs, &err) : err.status;
    if (status == WRSIM_OK)
        status = print(a, table, &err);
    int code = wrsim_status_exit_code(status);
    if (status < 0 && table)
        tell_failure(a, &err);
    else if (status < 0)
        wr_print_error(NULL, &err);
    else
        code = conclude(a, table->n_row, count_failed(table));
    wr_run_table_destroy(&table);
    return code;
}

static int work(sweep *a)
{
    wrsim_error err = {0};
    wrsim_status status = plan(a, &err);
    const int code = status < 0 ? 0 : check(a);
    if (code != 0)
        return code;
    if (status >= 0) {
        char *const text = wr_run_sweep_describe(&a->runs);
        status = text ? wr_run_folder_open(&a->runs.folder, a->dir, text, a->is_resumed, &err)
                      : wr_error_set(&err, WRSIM_E_MEMORY, "out of memory for the sweep");
        free(text);
    }
    if (status < 0) {
        wr_print_error(NULL, &err);
        return wrsim_status_exit_code(status);
    }
    status = run_all(a, &err);
    if (status >= 0)
        return finish(a);
    tell_failure(a, &err);
    return wrsim_status_exit_code(status);
}

static int run(void *into)
{
    sweep *const a = into;
    int code = check_folder(a);
    if (code != 0)
        return code;
    a->runs.config = a->line.operand[0];
    a->runs.folder.path = a->dir;
    code = work(a);
    wr_run_sweep_done(&a->runs);
    return code;
}

const wr_command wr_sweep_command = {
    WR_COMMAND("sweep", "CONFIG", 1, 1, options, run), .needs_config = 1,
    .help = "run a config with many values of its keys in parallel and collect a table",
    .more = "All combinations of the given values are run, each in a process of its own with one "
            "worker. A value with commas is\nquoted or bracketed, as in TOML. If a run fails, the "
            "table contains its error, and the other runs go on.\n",
    .into = &(sweep){.runs = {.format = "csv", .folder = {.fd = -1}}}};
