/* `wrsim run`. Thread: main. Real-time: no. */
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/open_file.h"
#include "cli/checkpoints.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/crash_report.h"
#include "cli/home_folder.h"
#include "cli/live/live_view.h"
#include "cli/print.h"
#include "cli/print_run.h"
#include "cli/program_output.h"
#include "cli/run_creation.h"
#include "cli/tool.h"
#include "cli/trace_file.h"
#include "runtime/record/writer.h"
#include "runtime/sim/report.h"
#include "runtime/sim/run_files.h"
#include "runtime/sim/simulation.h"
#include "scheduler/other_load.h"
#include "wrsim/wrsim.h"

typedef struct run {
    wr_arguments line;
    int is_quiet, is_progress;
    const char *checkpoint, *restart, *trace;
    double checkpoint_every_s; /* simulated s; 0: only at the start and at a stop */
    int is_live, live_port;
    wr_live_view_process *view; /* NULL: no live view */
} run;

#define ROW(...) WR_OPTION(run, __VA_ARGS__)
static const wr_option run_options[] = {
    WR_OPTION_DEFINE(WR_SET_KEY),
    ROW("output", "FILE", "result file (key output.file); its extension selects the format",
        OVERRIDE, line, .letter = 'o', .key = "output.file", .words = wr_writer_names),
    ROW("json", "FILE", "write the summary as JSON (key output.json)", OVERRIDE, line,
        .key = "output.json"),
    WR_RUN_CREATION_MONOLITHIC,
    ROW("checkpoint", "FILE",
        "write checkpoints to this file: at the start, after each --checkpoint-every, and when a "
        "signal stops the run",
        FILE, checkpoint),
    ROW("checkpoint-every", "S", "simulated time between checkpoints, s", NUMBER,
        checkpoint_every_s, .low = DBL_MIN, .high = DBL_MAX, .needs = "checkpoint"),
    ROW("restart", "FILE",
        "continue from a checkpoint; a new result file (-o) gets the remaining rows", FILE,
        restart),
    ROW("trace", "FILE",
        "write a timeline of tasks, waits and windows to this file, for Perfetto and Chrome", FILE,
        trace),
    ROW("live", NULL,
        "show signals, real-time margin and misses on a page of this machine while the run "
        "advances",
        FLAG, is_live),
    ROW("live-port", "PORT", "port of the page; without it the system chooses", COUNT, live_port,
        .low = 1, .high = 65535, .needs = "live"),
    ROW("progress", NULL, "draw the progress line even if standard error is no terminal", FLAG,
        is_progress),
    ROW("quiet", NULL, "print no progress and no summary", FLAG, is_quiet, .letter = 'q'),
    {.name = NULL}};

/* The running simulation. The variable is static, because a signal handler has no parameter for the simulation. */
static wrsim *volatile signal_sim;
static volatile sig_atomic_t is_signalled, is_silent;

/* Signals that stop the run. catch_signals() installs the handler of SIGTERM last, so a process that catches SIGTERM catches all of these
 * signals (SIGHUP not under nohup). */
static const int stops[] = {SIGINT, SIGHUP, SIGTERM};

/* The first signal stops the run at the end of the present window, period or step. The second signal ends the program at once. */
static void on_signal(int number)
{
    static const char text[] = "\nwrsim: stopping at the end of the present window, period or "
                               "step; a second signal ends the program at once\n";
    const int before = errno;
    struct sigaction now;
    for (size_t i = 0; i < WR_COUNT_OF(stops); i++)
        if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(stops[i], SIG_DFL);
    is_signalled = 1;
    if (signal_sim)
        wrsim_stop(signal_sim);
    if (number == SIGINT && !is_silent && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        is_silent = 1; /* standard error is closed */
    errno = before;
}

/* Installs the signal handlers. Under nohup SIGHUP stays ignored, also after another signal. SIGPIPE becomes ignored: if a reader of the
 * printed text ends, the run completes its results and main() reports the failed write. */
static void catch_signals(void)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < WR_COUNT_OF(stops); i++)
        sigaddset(&action.sa_mask, stops[i]);
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < WR_COUNT_OF(stops); i++)
        if (stops[i] != SIGHUP || sigaction(SIGHUP, NULL, &old) != 0 || old.sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
}

/* Writes the trace, if the run has one. state NULL: the run has not ended. Prints an error. Returns the status. */
static wrsim_status write_trace(const run *r, const wr_trace *trace, const wrsim *sim,
                                const char *state)
{
    wrsim_error err = {0};
    if (!r->trace)
        return WRSIM_OK;
    char *const text = wr_settings_dump(sim->settings, WR_DUMP_RESULTS);
    const wr_trace_about about = {
        .config = sim->settings->file,
        .config_text = text,
        .state = state ? state : "the run has not ended, or its process has been killed"};
    const wrsim_status status =
        text ? wr_trace_file_write(trace, sim, &about, r->trace, &err) : wr_error_memory(&err);
    free(text);
    if (status < 0)
        wr_print_error(NULL, &err);
    return status;
}

/* Allocates the trace of a prepared simulation, and sets its observer. */
static wrsim_status start_trace(wrsim *sim, const run *r, wr_trace **ret_trace, wrsim_error *err)
{
    if (!r->trace)
        return WRSIM_OK;
    *ret_trace = wr_trace_create(sim, WR_TRACE_RECORDS);
    return *ret_trace ? wrsim_observe(sim, wr_trace_observer(*ret_trace), err)
                      : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the trace");
}

/* Writes the trace of a run that has ended, and frees the trace. Returns the status. */
static wrsim_status end_trace(const run *r, wr_trace **trace, wrsim *sim, wrsim_status ended,
                              const wrsim_error *failure)
{
    char text[sizeof failure->text + sizeof failure->subsystem + 32], state[sizeof text + 64];
    snprintf(state, sizeof state, "%s%s", ended < 0 ? "failed: " : "",
             ended < 0           ? wr_run_creation_error_text(failure, text, sizeof text)
             : ended == WRSIM_OK ? "complete"
                                 : wrsim_status_text(ended));
    const wrsim_status status = write_trace(r, *trace, sim, state);
    if (*trace)
        (void)wrsim_observe(sim, NULL, NULL);
    wr_trace_destroy(trace);
    return status;
}

/* Prepares and runs. Returns the status. *ret_is_prepared becomes 1 if wrsim_prepare() succeeds. *ret_busy is the load of
 * the CPUs during the run. */
static wrsim_status prepare_and_run(wrsim *sim, const run *r, wr_trace **ret_trace,
                                    int *ret_is_prepared, wr_busy_cpus *ret_busy, wrsim_error *err)
{
    wr_progress *progress = NULL;
    /* The progress thread starts before prepare pins this thread, so that the progress thread may run on any core. */
    if (!r->is_quiet && (r->is_progress || isatty(STDERR_FILENO)))
        progress = wr_progress_start();
    wr_checkpoints checkpoints = {.file = r->checkpoint,
                                  .restart = r->restart,
                                  .every_s = r->checkpoint_every_s,
                                  .sim = sim,
                                  .progress = progress,
                                  .is_signalled = &is_signalled};
    if (progress || r->checkpoint_every_s > 0.0)
        wrsim_set_progress(sim, wr_checkpoints_update, &checkpoints);
    wrsim_status status = wrsim_prepare(sim, err);
    *ret_is_prepared = status >= 0;
    wr_print_warnings(wr_err, sim);
    WR_THEN(status, start_trace(sim, r, ret_trace, err));
    if (status >= 0)
        wr_crash_report_watch(sim);
    if (status >= 0 && !r->is_quiet)
        wr_print_fitness(wr_err, sim);
    const int64_t written_ns = sim->recorder ? wr_recorder_cpu_ns(sim->recorder) : 0;
    const wr_other_load before = wr_other_load_read(sim->cpu, sim->n_worker);
    if (status >= 0)
        status = wr_checkpoints_run(&checkpoints, err);
    const wr_other_load after = wr_other_load_read(sim->cpu, sim->n_worker);
    const int64_t writer_ns = sim->recorder ? wr_recorder_cpu_ns(sim->recorder) - written_ns : 0;
    ret_busy->n_other = wr_other_load_between(&before, &after);
    ret_busy->n_writer = (double)writer_ns / wr_max((double)(after.now_ns - before.now_ns), 1.0);
    wrsim_set_progress(sim, NULL, NULL);
    wr_progress_finish(&progress);
    return status;
}

/* Prints up to which time the results of an incomplete run are valid. After a full disk this time is unknown. */
static void print_kept(const wrsim *sim, wrsim_status status, wrsim_status finished)
{
    wrsim_stats stats;
    wrsim_stats_get(sim, &stats);
    const int has_rows = stats.file_bytes > 0 && stats.n_row + stats.n_event_row > 0;
    const int is_kept = finished >= 0 && has_rows && stats.time_s > stats.start_s;
    const char *const why =
        status == WRSIM_DEADLINE_MISSED  ? ", because more deadlines were missed than allowed,"
        : status == WRSIM_DELAY_EXCEEDED ? ", because a delay error is above its limit,"
                                         : "";
    if (status == WRSIM_STOPPED || why[0])
        fprintf(wr_err, "wrsim: stopped%s at t = %.9g s%s%s\n", why, stats.time_s,
                is_kept         ? "; results up to this time are complete: "
                : finished >= 0 ? "; nothing was recorded"
                                : "",
                is_kept ? wr_report_result_file(sim) : "");
    if (status == WRSIM_DEADLINE_MISSED)
        fprintf(wr_err, "wrsim: lower realtime.rate, raise realtime.deadline or realtime.misses, "
                        "or choose another realtime.policy\n");
    else if (status < 0 && status != WRSIM_E_DISK && status != WRSIM_E_IO && is_kept)
        fprintf(wr_err, "wrsim: results up to t = %.9g s are kept\n", stats.time_s);
}

/* Prints the estimated splitting error of complete results, and the limit that the error exceeds. */
static void print_doubt(const wrsim *sim)
{
    wrsim_error_account account;
    wrsim_error_account_get(sim, &account);
    const int has_name = account.connection[0] != '\0';
    fprintf(wr_err,
            "wrsim: the estimated splitting error is %.2g of the range%s%s; the limit is %.2g "
            "(relaxation.error_limit = %.10g times simulation.rtol). Lower relaxation.convergence "
            "or simulation.rtol\n",
            account.error, has_name ? ", mostly through " : "", has_name ? account.connection : "",
            account.limit, sim->settings->relaxation.error_limit);
}

/* Warns of a large estimated splitting error of complete results. */
static void print_large_error(const wrsim *sim)
{
    wrsim_error_account a;
    const double rtol = sim->settings->simulation.rtol;
    if (wrsim_error_account_get(sim, &a) < 0 || !a.is_large)
        return;
    fprintf(
        wr_err,
        "wrsim: warning: the estimated splitting error is %.2g of the range (%.2g rtol)%s%s, so "
        "the results may be wrong; compare declared patterns with the models by `wrsim check`, or "
        "lower relaxation.convergence or simulation.rtol\n",
        a.error, a.error / rtol, a.connection[0] ? ", mostly through " : "", a.connection);
}

/* Tells the viewers of the run how the run has ended. */
static void end_live(const wrsim *sim, wrsim_status status, const wrsim_error *err)
{
    char text[WR_LIVE_TEXT_BYTES], why[WRSIM_SPLIT_TEXT_BYTES];
    if (!sim->live)
        return;
    if (status < 0)
        snprintf(text, sizeof text, "it failed: %.1000s.",
                 wr_run_creation_error_text(err, why, sizeof why));
    else
        snprintf(text, sizeof text, "%s at t = %.9g s.",
                 status == WRSIM_STOPPED           ? "it was stopped"
                 : status == WRSIM_DEADLINE_MISSED ? "it missed more deadlines than allowed"
                 : status == WRSIM_DELAY_EXCEEDED  ? "a delay error exceeded its limit"
                                                   : "it is complete",
                 wrsim_time(sim));
    wr_live_end(sim->live, text);
}

/* Returns whether the run may start again as one subsystem. A paced run has no wall time left for a second run. A restarted run cannot
 * continue from a checkpoint of another grouping. A model that advances itself cannot join a subsystem. */
static int may_start_again(const wrsim *sim, const run *r, wrsim_status status)
{
    const wr_settings *const set = sim->settings;
    /* The reader of a pipe has the first rows of the split run. */
    struct stat about;
    const char *const file = wr_report_result_file(sim);
    return !(file[0] && stat(file, &about) == 0 &&
             (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))) &&
           status == WRSIM_E_CONTRACT && set->relaxation.on_failure == WR_ON_FAILURE_ONE_SOLVER &&
           !(set->realtime.rate > 0.0) && !r->restart && !is_signalled &&
           sim->assembly->n_subsystem > 1 && sim->assembly->n_stepper == 0;
}

/* Refuses a file of --trace that the run may not write, and writes a trace without records. Returns the exit code. */
static int refuse_trace(const wrsim *sim, const run *r)
{
    wrsim_error err = {0};
    if (!r->trace)
        return 0;
    const wrsim_status status = wr_run_files_check_trace(
        sim->settings, r->trace, wr_program_output_path(r->trace), r->checkpoint, &err);
    if (status < 0)
        return wr_tool_end(status, &err);
    return wrsim_status_exit_code(write_trace(r, NULL, sim, NULL));
}

/* Runs the config once. before: NULL, or the split run that this run replaces. Returns the exit code. ret_given_up->error.status < 0: the
 * split run failed, and another run replaces the split run. */
static int run_config(const run *r, const wr_run_creation_failure *before,
                      wr_run_creation_failure *ret_given_up)
{
    const int64_t began_ns = wr_clock_monotonic_ns();
    wrsim *sim = NULL;
    wrsim_error err = {0};
    const wr_run_creation request = {
        .line = &r->line, .before = before, .has_memory_rows = r->is_live};
    const int created = wr_run_creation_make(&request, &sim);
    if (created != 0)
        return created;
    if (r->view) {
        sim->live = wr_live_view_memory(r->view);
        if (!before) {
            fprintf(wr_err, "wrsim: live view: http://127.0.0.1:%d/\n", wr_live_view_port(r->view));
            (void)fflush(wr_err);
        }
    }
    int refused = wr_checkpoints_refuse(sim, r->restart);
    if (refused == 0)
        refused = refuse_trace(sim, r);
    if (refused != 0) {
        wrsim_destroy(&sim);
        return refused;
    }
    signal_sim = sim;
    is_silent = r->is_quiet;
    catch_signals();
    if (is_signalled) /* a signal came after the failed split run */
        wrsim_stop(sim);
    if (!r->is_quiet && !before)
        wr_print_run_length(wr_err, sim);
    int is_prepared;
    wr_busy_cpus busy = {.n_other = 0.0};
    wr_trace *trace = NULL;
    const wrsim_status status = prepare_and_run(sim, r, &trace, &is_prepared, &busy, &err);
    const int starts_again = is_prepared && may_start_again(sim, r, status);
    if (status < 0 && !starts_again)
        wr_print_error(NULL, &err);
    signal_sim = NULL;
    wr_crash_report_watch(NULL);
    wr_home_folder_return();
    const wrsim_status traced = end_trace(r, &trace, sim, status, &err);
    if (starts_again) {
        char text[WRSIM_SPLIT_TEXT_BYTES];
        fprintf(wr_err,
                "wrsim: warning: %s. The run starts again as one subsystem (relaxation.on_failure "
                "= \"stop\" would end it)\n",
                wr_run_creation_error_text(&err, text, sizeof text));
        *ret_given_up = (wr_run_creation_failure){
            .error = err, .spent_s = 1e-9 * (double)(wr_clock_monotonic_ns() - began_ns)};
        wrsim_destroy(&sim);
        return 0;
    }
    const wrsim_status finished = wrsim_finish(sim, &err);
    if (finished < 0)
        wr_print_error(NULL, &err);
    end_live(sim, status < 0 || finished >= 0 ? status : finished, &err);
    print_kept(sim, status, finished);
    if (status < 0 && is_prepared) /* this run has created the file */
        wr_checkpoints_remove_empty(sim, r->restart);
    if (status == WRSIM_INACCURATE)
        print_doubt(sim);
    else if (is_prepared && status >= 0 && sim->assembly->n_subsystem > 1)
        print_large_error(sim);
    if (is_prepared)
        wr_print_delay_excess(wr_err, sim);
    const wrsim_status first = status < 0 ? status : finished < 0 ? finished : traced;
    const int code = wrsim_status_exit_code(first < 0 ? first : status);
    if (is_prepared && !r->is_quiet && status >= 0)
        wr_print_summary(wr_out, sim, &busy);
    wrsim_destroy(&sim);
    return code;
}

static int run_or_restart(const run *r)
{
    wr_run_creation_failure split = {0};
    const int code = run_config(r, NULL, &split);
    return split.error.status < 0 ? run_config(r, &split, NULL) : code;
}

int wr_run_quietly(const char *config, const char *const *override, int n_override)
{
    static run r; /* static, because the struct is too large for the stack */
    r = (run){.line = {.operand = &config, .n_operand = 1}, .is_quiet = 1};
    for (int i = 0; i < n_override; i++)
        r.line.override[r.line.n_override++] = override[i];
    return run_or_restart(&r);
}

static int run_main(void *into)
{
    run *const r = into;
    wrsim_error err;
    /* The process of the view starts before any thread of the run. */
    if (r->is_live && !(r->view = wr_live_view_start(r->live_port, &err))) {
        wr_arguments_done(&r->line);
        return wr_tool_end(err.status, &err);
    }
    /* A checkpoint is binary, and each new checkpoint replaces the file. */
    const int fd = r->checkpoint ? wr_open_file_descriptor(r->checkpoint) : -1;
    const int code = fd == STDOUT_FILENO || fd == STDERR_FILENO
                         ? wr_command_line_refuse(r,
                                                  "--checkpoint needs a file of its own, not '%s', "
                                                  "because each checkpoint replaces the file",
                                                  r->checkpoint)
                         : run_or_restart(r);
    wr_live_view_end(&r->view, "the program could not start the run.");
    wr_arguments_done(&r->line);
    return code;
}

const wr_command wr_run_command = {WR_COMMAND("run", "CONFIG", 1, 1, run_options, run_main),
                                   .help = "simulate and record", .into = &(run){.is_quiet = 0}};
