/* `wrsim sweep`. See sweep_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/sweep_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/utf8.h"
#include "cli/print.h"
#include "cli/print_sweep.h"
#include "cli/program_output.h"
#include "cli/run_command.h"
#include "cli/tool_options.h"
#include "offline/runs/run_pool.h"
#include "offline/runs/run_sweep.h"
#include "offline/runs/run_table.h"
#include "scheduler/topology.h"
#include "wrsim/wrsim.h"

enum { MOST_JOBS = 4096 };

typedef struct sweep {
    wr_tool tool;
    const char *cases;
    int is_paired, is_resumed, is_retried, is_json, is_quiet, is_progress;
    wr_run_sweep runs;
    wr_run_pool pool;
    wr_sweep_progress progress;
    int i_next, is_changed; /* the config file changed during the sweep */
    wrsim_error *err;
} sweep;

/* Returns why the folder's name cannot stand in an override; NULL: the name is valid. */
static const char *find_flaw(const char *folder)
{
    for (size_t n; *folder; folder += n) {
        n = wr_utf8_length(folder);
        if (n == 0 || (wr_utf8_is_control(folder) && *folder != '\t'))
            return n == 0 ? "is not UTF-8" : "has a control character";
    }
    return NULL;
}

static int parse(sweep *a, int argc, char **argv)
{
    const wr_tool_option options[] = {
        {"results", "LIST",
         "columns: NAME, max:NAME, min:NAME, mean:NAME, at:T:NAME, stat:PATH (default: all NAMEs)",
         WR_TOOL_TEXT, &a->runs.result_list, 0, 0},
        {"paired", NULL, "use the i-th values of all keys together, instead of all combinations",
         WR_TOOL_FLAG, &a->is_paired, 0, 0},
        {"cases", "FILE.csv", "one run for each row; the header names the keys", WR_TOOL_TEXT,
         &a->cases, 0, 0},
        {"jobs", "N", "runs at a time (default: the number of cores)", WR_TOOL_COUNT,
         &a->pool.n_job, 1, MOST_JOBS},
        {"format", "csv|h5", "format of the result files, csv or h5 (default csv)", WR_TOOL_TEXT,
         &a->runs.format, 0, 0},
        {"resume", NULL, "continue the sweep in DIR; completed runs are not repeated", WR_TOOL_FLAG,
         &a->is_resumed, 0, 0},
        {"retry", NULL, "with --resume: repeat failed runs", WR_TOOL_FLAG, &a->is_retried, 0, 0},
        {"json", NULL, "print the table as JSON instead of text", WR_TOOL_FLAG, &a->is_json, 0, 0},
        {"progress", NULL, "draw the progress line even if standard error is no terminal",
         WR_TOOL_FLAG, &a->is_progress, 0, 0},
        {"quiet", NULL, "print no progress and no table", WR_TOOL_FLAG, &a->is_quiet, 0, 0},
        {NULL, NULL, NULL, WR_TOOL_FLAG, NULL, 0, 0}};
    a->tool.option = options;
    const int code = wr_tool_parse(&a->tool, argc, argv);
    a->tool.option = NULL;
    if (code != 0)
        return code;
    if (!a->tool.folder)
        return 1 + wr_print_misuse("sweep",
                                   "a sweep needs a folder for its runs and table: add -o DIR");
    const char *const flaw = find_flaw(a->tool.folder);
    if (flaw)
        return 1 + wr_print_misuse("sweep", "the folder's name, -o '%s', %s; choose another",
                                   a->tool.folder, flaw);
    if (strcmp(a->runs.format, "csv") != 0 && strcmp(a->runs.format, "h5") != 0)
        return 1 + wr_print_misuse("sweep", "--format is csv or h5, not '%s'", a->runs.format);
    if (a->is_retried && !a->is_resumed)
        return 1 + wr_print_misuse("sweep", "--retry needs --resume");
    a->runs.config = a->tool.operand[0];
    a->runs.folder.path = a->tool.folder;
    return 0;
}

static wrsim_status plan(sweep *a, wrsim_error *err)
{
    wr_run_plan *const p = &a->runs.plan;
    p->is_paired = a->is_paired;
    WR_TRY(wr_run_results_parse(&a->runs.results, a->runs.result_list, err));
    for (int i = 0; i < a->tool.n_override; i++)
        WR_TRY(wr_run_plan_add(p, a->tool.override[i], err));
    if (a->cases)
        WR_TRY(wr_run_plan_add_cases(p, a->cases, err));
    WR_TRY(wr_run_plan_finish(p, err));
    return wr_run_sweep_begin(&a->runs, err);
}

/* Runs in its own process, because a plug-in may end the process while it is loaded. */
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
    fprintf(wr_err, "wrsim: error: the config cannot be checked: %s%s\n",
            wait_status == -1 ? "no process can be started: " : "",
            wait_status == -1 ? strerror(error_number) : strsignal(WTERMSIG(wait_status)));
    return wrsim_status_exit_code(wait_status == -1 ? WRSIM_E_INTERNAL : WRSIM_E_PLUGIN);
}

static int run(const char *config, const char *const *override, int n_override)
{
    wr_cli *const cli = calloc(1, sizeof *cli);
    if (!cli)
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    cli->operand[cli->n_operand++] = config;
    for (int i = 0; i < n_override; i++)
        cli->override[cli->n_override++] = override[i];
    cli->limit = -1.0;
    cli->is_quiet = 1; /* the log has the errors, summary.json the summary */
    const int code = wr_run_command(cli);
    free(cli);
    return code;
}

static int child(void *context, int i_run)
{
    return wr_run_sweep_run(&((sweep *)context)->runs, i_run, run, wr_print_error);
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
        return WRSIM_OK; /* a resumed sweep runs it again */
    WR_TRY(wr_run_sweep_ended(&a->runs, i_run, wait_status, wall_s, message, a->err));
    a->progress.n_done++;
    if (message[0]) {
        a->progress.n_failed++;
        wr_print_failed_run(&a->progress, &a->runs, i_run, message);
    }
    return WRSIM_OK;
}

static void tick(void *context, int n_live)
{
    wr_sweep_progress_draw(&((sweep *)context)->progress, n_live);
}

/* Returns the number of cores that this process may use. Hardware threads of one core count once. */
static int count_cores(void)
{
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create(NULL, &diag);
    const int n = topology && topology->n_core > 0 ? topology->n_core : 1;
    wr_topology_destroy(&topology);
    wr_diag_done(&diag);
    return n;
}

/* Counts the runs that an earlier sweep has completed. With --retry, failed runs do not count. */
static void look_at_done(sweep *a, wrsim_error *err)
{
    wr_run_table *table = a->is_resumed && a->is_retried ? wr_run_table_load(&a->runs, err) : NULL;
    for (int i = 0; table && i < table->n_row; i++)
        if (strcmp(wr_run_table_get(table, i, "status"), "failed") == 0)
            wr_run_folder_forget(&a->runs.folder, atoi(wr_run_table_get(table, i, "run")) - 1);
    wr_run_table_destroy(&table);
    for (int i = 0; i < a->runs.plan.n_run; i++)
        a->progress.n_done_before += wr_run_folder_is_done(&a->runs.folder, i);
}

static wrsim_status run_all(sweep *a, wrsim_error *err)
{
    a->err = err;
    a->progress.n_run = a->runs.plan.n_run;
    a->progress.is_drawn = !a->is_quiet && (a->is_progress || isatty(STDERR_FILENO));
    a->progress.begin_ns = wr_clock_monotonic_ns();
    look_at_done(a, err);
    if (a->pool.n_job == 0)
        a->pool.n_job = count_cores();
    a->pool.context = a;
    a->pool.next = next;
    a->pool.child = child;
    a->pool.ended = ended;
    a->pool.tick = tick;
    err->status = WRSIM_OK;
    const wrsim_status status = wr_run_pool_run(&a->pool, err);
    wr_sweep_progress_clear(&a->progress);
    return status < 0 ? status : err->status; /* next() reports its error in err only */
}

static wrsim_status print(const sweep *a, const wr_run_table *table, wrsim_error *err)
{
    if (a->is_json) {
        wr_json json = {0};
        wr_run_table_json(&json, table);
        const char *const text = wr_json_text(&json);
        if (text)
            fputs(text, wr_out);
        else
            wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the table");
        wr_json_done(&json);
        return text ? WRSIM_OK : WRSIM_E_MEMORY;
    }
    if (!a->is_quiet)
        wr_print_sweep(wr_out, table, &a->runs, &a->pool);
    return WRSIM_OK;
}

static int count_failed(const wr_run_table *table)
{
    int n = 0;
    for (int i = 0; i < table->n_row; i++)
        n += strcmp(wr_run_table_get(table, i, "status"), "failed") == 0;
    return n;
}

/* Prints the runs that are left and the command that resumes the sweep. */
static void tell_left(const sweep *a, int n_over)
{
    const int n_run = a->runs.plan.n_run;
    if (n_over == n_run)
        fputs("wrsim: all runs are completed; after the repair the same command with --resume "
              "makes their table\n",
              wr_err);
    else
        fprintf(wr_err,
                n_over > 0 ? "wrsim: stopped: %d of %d runs are completed; the same command with "
                             "--resume does the other %d\n"
                           : "wrsim: stopped: %d of %d runs are completed; the same command with "
                             "--resume starts again\n",
                n_over, n_run, n_run - n_over);
}

/* Prints the number of remaining runs. Returns the exit code. */
static int conclude(const sweep *a, int n_over, int n_failed)
{
    const int n_left = a->runs.plan.n_run - n_over;
    if (a->is_changed)
        fprintf(wr_err,
                "wrsim: error: '%s' changed during the sweep: %d of %d runs are completed, no "
                "further run was started; restore the file and add --resume, or start another "
                "sweep in another folder\n",
                a->runs.config, n_over, a->runs.plan.n_run);
    else if (n_left > 0)
        tell_left(a, n_over);
    if (n_left > 0)
        return wrsim_status_exit_code(a->is_changed ? WRSIM_E_CONFIG : WRSIM_STOPPED);
    return wrsim_status_exit_code(n_failed > 0 ? WRSIM_E_SOLVER : WRSIM_OK);
}

/* Ends a sweep that has begun. */
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
        status =
            text ? wr_run_folder_open(&a->runs.folder, a->tool.folder, text, a->is_resumed, &err)
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

int wr_sweep_main(int argc, char **argv)
{
    sweep *const a = calloc(1, sizeof *a);
    if (!a) {
        fputs("wrsim: error: out of memory for the sweep\n", wr_err);
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    }
    a->tool = (wr_tool){
        .name = "sweep",
        .operands = "CONFIG",
        .n_operand = 1,
        .output = "folder for the runs and table.csv; required",
        .define = "values of a key: A,B,C or START:STEP:STOP; may be repeated",
        .summary =
            "Runs CONFIG with all combinations of the given values, each run in its own "
            "process\nwith one worker. A value with commas is quoted or bracketed, as in TOML. If "
            "a run\nfails, the table contains its error, and the other runs go on.\n"};
    a->runs.format = "csv";
    a->runs.folder.fd = -1;
    int code = parse(a, argc, argv);
    code = code != 0 ? code - 1 : work(a);
    wr_run_sweep_done(&a->runs);
    free(a);
    return code;
}
