/* `wrsim report`. Thread: main. Real-time: no. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "cli/command_list.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/report/report_page.h"
#include "runtime/record/own_file.h"

typedef struct report {
    wr_arguments line;
    const char *output, *twin, *summary, *trace;
    wr_option_texts signal;
} report;

#define ROW(...) WR_OPTION(report, __VA_ARGS__)
static const wr_option options[] = {
    ROW("output", "FILE", "page to write; default: name of RESULT with .html appended", FILE,
        output, .letter = 'o'),
    ROW("twin", "RESULT", "result of another run of the same signals, such as the monolithic twin",
        FILE, twin),
    ROW("summary", "FILE", "summary of the run, written by wrsim run --json", FILE, summary),
    ROW("trace", "FILE", "trace of the run, written by wrsim run --trace", FILE, trace),
    ROW("signal", "PATTERN",
        "signals of the page, by name or by pattern with * and ?; may be repeated; default: all",
        REPEAT, signal, .letter = 's'),
    {.name = NULL}};

static wrsim_status write_page(const char *path, char *page, wrsim_error *err)
{
    const char *const refusal = wr_own_file_refusal(path, WR_OWN_TOOL);
    wr_text_buffer text = {0};
    if (refusal)
        return wr_error_set(err, WRSIM_E_IO, "'%s' exists and is not %s; name another file", path,
                            refusal);
    wr_text_buffer_add(&text, "%s", page);
    return wr_text_buffer_write(&text, path, err);
}

/* Returns 1 if a page may have this name: an extension of HTML, or a device or pipe. */
static int is_page_name(const char *path)
{
    struct stat about;
    const char *const dot = strrchr(path, '.');
    if (dot && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0))
        return 1;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static int run(void *into)
{
    const report *const r = into;
    const char *const result = r->line.operand[0];
    wrsim_error err = {0};
    wr_text_buffer name = {0};
    wr_text_buffer_add(&name, "%s.html", result);
    const char *const path = r->output ? r->output : wr_text_buffer_get(&name);
    if (r->output && !is_page_name(r->output)) {
        wr_text_buffer_done(&name);
        return wr_tool_end(
            wr_error_set(&err, WRSIM_E_ARG,
                         "the page '%s' must have the extension .html; choose another "
                         "name",
                         r->output),
            &err);
    }
    char *const page = wr_report_page(&(wr_report_input){.result = result,
                                                         .twin = r->twin,
                                                         .summary = r->summary,
                                                         .trace = r->trace,
                                                         .n_pattern = r->signal.n,
                                                         .pattern = r->signal.text},
                                      &err);
    wrsim_status status = page ? WRSIM_OK : err.status;
    if (page && !path)
        status = wr_error_set(&err, WRSIM_E_MEMORY, "out of memory for the name of the page");
    if (page && path)
        status = write_page(path, page, &err);
    if (status >= 0)
        fprintf(wr_out, "report: %s\n", path);
    free(page);
    wr_text_buffer_done(&name);
    return wr_tool_end(status, &err);
}

const wr_command wr_report_command = {
    WR_COMMAND("report", "RESULT", 1, 1, options, run),
    .help = "write the pictures of a run as one page of HTML",
    .more = "The page needs no network. A browser shows signals, the difference from a twin, "
            "windows and sweeps, steps and\n"
            "events, cores, deadlines, delay errors, the error account, and the settings.\n",
    .into = &(report){.output = NULL}};
