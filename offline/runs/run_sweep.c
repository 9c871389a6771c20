/* A sweep, and the work in the process of a run. See run_sweep.h. Thread: one owner. Real-time: no. */
#include "offline/runs/run_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/open_file.h"
#include "base/text_file.h"
#include "base/toml_string.h"
#include "offline/runs/csv_cells.h"
#include "wrsim/version.h"

wrsim_status wr_run_sweep_begin(wr_run_sweep *sweep, wrsim_error *err)
{
    struct stat about;
    /* From a descriptor, each run would read another section of the data. */
    if (wr_open_file_descriptor(sweep->config) >= 0 ||
        (stat(sweep->config, &about) == 0 && !S_ISREG(about.st_mode)))
        return wr_error_set(err, WRSIM_E_ARG,
                            "'%.200s' is not a regular file, but every run of a sweep reads the "
                            "config; name a regular file",
                            sweep->config);
    sweep->config_text = wr_run_file_read(sweep->config, err);
    return sweep->config_text ? WRSIM_OK : err->status;
}

void wr_run_sweep_done(wr_run_sweep *sweep)
{
    wr_run_folder_close(&sweep->folder);
    wr_run_results_done(&sweep->results);
    wr_run_plan_done(&sweep->plan);
    free(sweep->config_text);
    sweep->config_text = NULL;
}

int wr_run_sweep_is_unchanged(const wr_run_sweep *sweep)
{
    wrsim_error err;
    WR_AUTO_FREE char *const now = wr_run_file_read(sweep->config, &err);
    return now && strcmp(now, sweep->config_text) == 0;
}

char *wr_run_sweep_describe(const wr_run_sweep *sweep)
{
    const wr_run_plan *const plan = &sweep->plan;
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "tool", "wrsim sweep");
    wr_json_string(&json, "version", WRSIM_VERSION_STRING);
    wr_json_string(&json, "config_file", sweep->config);
    wr_json_string(&json, "config", sweep->config_text);
    wr_json_integer(&json, "n_run", plan->n_run);
    wr_json_bool(&json, "is_paired", plan->is_paired);
    wr_json_array(&json, "keys");
    for (int k = 0; k < plan->n_key; k++) {
        wr_json_object(&json, NULL);
        wr_json_string(&json, "key", plan->key[k].name);
        wr_json_bool(&json, "is_case", plan->key[k].is_case);
        wr_json_array(&json, "values");
        for (int i = 0; i < plan->key[k].values.n; i++)
            wr_json_string(&json, NULL, plan->key[k].values.text[i]);
        wr_json_end(&json);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    wr_json_string(&json, "results", sweep->result_list);
    wr_json_string(&json, "format", sweep->format);
    wr_json_end(&json);
    return wr_json_take(&json);
}

/* ---- overrides */

static int add(wr_run_overrides *o, const char *format, const char *a, const char *b)
{
    char *text = NULL;
    if (asprintf(&text, format, a, b) < 0)
        return -1;
    o->text[o->n++] = text;
    return 0;
}

/* Adds KEY = the path of a file of the run, as a TOML string. Returns 0, or -1 when out of memory. */
static int add_file(wr_run_overrides *o, const char *key, const wr_run_sweep *sweep, int i_run,
                    const char *name)
{
    char path[WR_RUN_PATH_BYTES], quoted[WR_TOML_STRING_BYTES(WR_RUN_PATH_BYTES)];
    wr_toml_string(wr_run_folder_file(&sweep->folder, i_run, name, path), quoted);
    return add(o, "%s=%s", key, quoted);
}

int wr_run_overrides_make(wr_run_overrides *o, const wr_run_sweep *sweep, int i_run, int with_files)
{
    char result[16];
    *o = (wr_run_overrides){.n = 0};
    /* The keys of the sweep come after these two keys and may change their values. */
    int failed =
        add(o, "%s=%s", "scheduler.workers", "1") + add(o, "%s=%s", "scheduler.pin", "false");
    for (int k = 0; k < sweep->plan.n_key; k++)
        failed +=
            add(o, "%s=%s", sweep->plan.key[k].name, wr_run_plan_value(&sweep->plan, i_run, k));
    snprintf(result, sizeof result, "result.%s", sweep->format);
    if (with_files)
        failed += add_file(o, "output.file", sweep, i_run, result) +
                  add_file(o, "output.json", sweep, i_run, "summary.json");
    else
        failed += add(o, "%s=\"%s\"", "output.file", "") + add(o, "%s=\"%s\"", "output.json", "");
    return failed < 0 ? -1 : 0;
}

void wr_run_overrides_done(wr_run_overrides *o)
{
    for (int i = 0; i < o->n; i++)
        free(o->text[i]);
    o->n = 0;
}

/* ---- in the process of a run */

/* Redirects input from /dev/null, and output to the log. Returns 0, or -1 on failure. */
static int redirect(const char *log)
{
    const int in = open("/dev/null", O_RDONLY);
    const int out = in < 0 ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    if (out < 0)
        return -1;
    const int failed =
        dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0;
    close(in);
    close(out);
    return failed ? -1 : 0;
}

/* Writes the resolved config, if the config is valid. The written config has absolute paths, so that any folder may hold the config. The
 * config has no output files, so that a second run does not overwrite the sweep's results. */
static void write_config(const wr_run_sweep *sweep, int i_run)
{
    char path[WR_RUN_PATH_BYTES];
    wr_run_overrides o;
    if (wr_run_overrides_make(&o, sweep, i_run, 0) < 0)
        return;
    WR_AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    const char *const slash = strrchr(sweep->config, '/');
    WR_AUTO_FREE char *const folder =
        slash ? strndup(sweep->config, (size_t)(slash - sweep->config) + 1) : strdup(".");
    WR_AUTO_FREE char *const real = folder ? realpath(folder, NULL) : NULL;
    WR_AUTO_FREE char *whole = NULL;
    if (real && asprintf(&whole, "%s/%s", real, slash ? slash + 1 : sweep->config) < 0)
        whole = NULL;
    const wrsim_status status = wrsim_config_from_file(
        whole ? whole : sweep->config, (const char *const *)o.text, o.n, NULL, NULL, &config, NULL);
    wr_run_overrides_done(&o);
    WR_AUTO_FREE char *const text = status >= 0 ? wrsim_config_dump(config) : NULL;
    if (text)
        (void)wr_text_file_write(wr_run_folder_file(&sweep->folder, i_run, "config.toml", path),
                                 text);
}

int wr_run_sweep_run(const wr_run_sweep *sweep, int i_run, wr_run_fn run, wrsim_report_fn report)
{
    const int64_t begin_ns = wr_clock_monotonic_ns();
    char path[WR_RUN_PATH_BYTES];
    wr_run_overrides overrides;
    wrsim_error err;
    if (redirect(wr_run_folder_file(&sweep->folder, i_run, "log.txt", path)) < 0) {
        const wrsim_status status = wr_text_file_fail(path, errno, &err);
        report(NULL, &err); /* the log is not available, so report receives the message */
        return wrsim_status_exit_code(status);
    }
    if (wr_run_overrides_make(&overrides, sweep, i_run, 1) < 0)
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    write_config(sweep, i_run);
    int code = run(sweep->config, (const char *const *)overrides.text, overrides.n);
    wr_run_overrides_done(&overrides);
    char why[256];
    WR_AUTO(wr_json_tree_free)
    wr_json_tree *summary =
        wr_json_tree_load(wr_run_folder_file(&sweep->folder, i_run, "summary.json", path), why);
    /* Exit code 8 also follows a stop by slack.on_loc or slack.on_glo, after which the run is incomplete. */
    if (code != wrsim_status_exit_code(WRSIM_OK) &&
        (code != wrsim_status_exit_code(WRSIM_INACCURATE) || !summary ||
         wr_json_tree_number(summary, "is_complete") != 1.0))
        return code;
    const wr_run_outcome outcome = {.status = code == 0 ? "done" : "inaccurate",
                                    .exit_code = code,
                                    .message = "",
                                    .wall_s = (double)(wr_clock_monotonic_ns() - begin_ns) * 1e-9};
    if (wr_run_row_write(sweep, i_run, &outcome, &err) < 0) {
        report(NULL, &err);
        code = wrsim_status_exit_code(err.status);
    }
    return code;
}

/* ---- after the end of a process */

/* Removes the first occurrence of `word`. */
static void leave_out(char *text, const char *word)
{
    char *const at = strstr(text, word);
    if (at)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

static const char program[] = "wrsim: ", warning[] = "wrsim: warning: ", error[] = "error: ";

/* Ranks of log lines as the reason of a run's end, ascending: warnings, lines of models, other lines of wrsim, errors. */
enum { WARNS, PRINTED, SAYS_END, SAYS_ERROR };

/* Writes the first error line of the log, else the last line of the highest rank, without "wrsim: " and "error: ". */
static void read_message(const wr_run_sweep *sweep, int i_run, char ret_text[WR_RUN_KEPT_BYTES])
{
    char path[WR_RUN_PATH_BYTES], line[WR_RUN_KEPT_BYTES];
    FILE *const in = fopen(wr_run_folder_file(&sweep->folder, i_run, "log.txt", path), "re");
    int best = WARNS;
    while (in && best < SAYS_ERROR && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = '\0';
        const int rank = strncmp(line, program, strlen(program)) != 0   ? PRINTED
                         : strncmp(line, warning, strlen(warning)) == 0 ? WARNS
                         : strstr(line, error)                          ? SAYS_ERROR
                                                                        : SAYS_END;
        if (!line[0] || rank < best)
            continue;
        best = rank;
        strcpy(ret_text, line);
    }
    if (in)
        fclose(in);
    if (best != PRINTED)
        leave_out(ret_text, program);
    if (best == SAYS_ERROR)
        leave_out(ret_text, error);
}

wrsim_status wr_run_sweep_ended(const wr_run_sweep *sweep, int i_run, int wait_status,
                                double wall_s, char ret_text[WR_RUN_KEPT_BYTES], wrsim_error *err)
{
    const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    ret_text[0] = '\0';
    if (wr_run_folder_is_done(&sweep->folder, i_run))
        return WRSIM_OK;
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        snprintf(ret_text, WR_RUN_KEPT_BYTES, "ended by signal %d (%s)", number,
                 number == SIGKILL ? "killed, perhaps for lack of memory: lower --jobs"
                                   : strsignal(number));
    } else {
        read_message(sweep, i_run, ret_text);
        if (code == 0)
            snprintf(ret_text, WR_RUN_KEPT_BYTES,
                     "the process ended before the end of the run, because a model or library "
                     "called exit() or _exit(); remove this call");
        else if (!ret_text[0])
            snprintf(
                ret_text, WR_RUN_KEPT_BYTES,
                "ended with exit code %d, without a message; see log.txt in the folder of the run",
                code);
    }
    return wr_run_row_write(
        sweep, i_run,
        &(wr_run_outcome){
            .status = "failed", .exit_code = code, .message = ret_text, .wall_s = wall_s},
        err);
}
