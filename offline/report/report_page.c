/* See report_page.h. Thread: one owner. Real-time: no. */
#include "offline/report/report_page.h"

#include <stdlib.h>
#include <string.h>

#include "offline/report/report_json.h"
#include "offline/report/report_log.h"
#include "offline/report/report_template.h"
#include "offline/report/report_trace.h"
#include "wrsim/version.h"

/* Limits of a page (assumed: the page stays below 5 MB, and a browser opens it at once). A value takes 11 bytes. CAP_POINT leaves room for the
 * jumps of curves, whose number is known only after loading. */
enum { CAP_VALUE = 300000, CAP_POINT = 190000, CAP_CURVE = 2000 };

/* Returns the last part of a path. */
static const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- the summary ---- */

/* Returns 1 if each line of `part` is a line of `whole`, in the same order. */
static int has_lines(const char *whole, const char *part)
{
    while (*part) {
        const size_t n = strcspn(part, "\n");
        for (;;) {
            const size_t n_line = strcspn(whole, "\n");
            const int is_equal = n_line == n && memcmp(whole, part, n) == 0;
            if (!is_equal && !*whole)
                return 0;
            whole += n_line + (whole[n_line] == '\n');
            if (is_equal)
                break;
        }
        part += n + (part[n] == '\n');
    }
    return 1;
}

/* Loads a summary, and checks that its run has the config of the results. */
static wr_json_tree *load_summary(const wr_report_input *input, const wr_results *results,
                                  wrsim_error *err)
{
    char why[256];
    wr_json_tree *tree = wr_json_tree_load(input->summary, why);
    if (!tree) {
        wr_results_fail(err, WRSIM_E_IO, input->summary, 0,
                        "the summary '%s' %s; name the file of wrsim run --json", input->summary,
                        why);
        return NULL;
    }
    const int is_summary = strcmp(wr_json_tree_string(tree, "program"), "wrsim") == 0;
    const int has_config = results->config_text && results->config_text[0];
    if (is_summary && has_config &&
        has_lines(wr_json_tree_string(tree, "config"), results->config_text))
        return tree;
    wr_results_fail(err, WRSIM_E_ARG, input->summary, 0,
                    !is_summary   ? "'%s' is no summary of a run; name the file of wrsim run "
                                    "--json for '%s'"
                    : !has_config ? "the summary '%s' belongs to a run, but the results '%s' have "
                                    "no config; omit the summary"
                                  : "the summary '%s' has another config than the results '%s'; "
                                    "name the summary of the same run",
                    input->summary, input->result);
    wr_json_tree_free(&tree);
    return NULL;
}

/* ---- the page ---- */

/* Writes the log of the run, or the reason why the results have no log. Returns WRSIM_OK, or WRSIM_E_MEMORY with err. */
static wrsim_status log_json(const wr_report_input *input, wr_json *json, wrsim_error *err)
{
    wr_run_log log = {0};
    wrsim_error why = {0};
    const wrsim_status status = wr_results_log_load(input->result, &log, &why);
    if (status == WRSIM_E_MEMORY) {
        *err = why;
        return status;
    }
    if (status < 0) {
        wr_json_string(json, "no_log", why.text);
    } else {
        wr_report_windows_json(json, &log);
        wr_report_events_json(json, &log);
    }
    wr_run_log_done(&log);
    return WRSIM_OK;
}

static char *data_json(const wr_report_input *input, const wr_curves *curves, wrsim_error *err)
{
    const wr_results *const r = curves->results;
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "program", "wrsim report");
    wr_json_string(&json, "version", WRSIM_VERSION_STRING);
    wr_json_integer(&json, "layout", 1); /* docs/reference/report_page.md */
    wr_json_string(&json, "file", file_name(input->result));
    if (input->twin)
        wr_json_string(&json, "twin_file", file_name(input->twin));
    wr_json_integer(&json, "n_pattern", input->n_pattern);
    wr_json_integer(&json, "n_signal", r->n_signal);
    wr_json_integer(&json, "n_chosen", curves->n_signal);
    wr_json_integer(&json, "n_row", r->n_row);
    if (r->n_row > 0) {
        wr_json_number(&json, "start_s", r->time_s[0]);
        wr_json_number(&json, "stop_s", r->time_s[r->n_row - 1]);
    }
    wr_report_curves_json(&json, curves, CAP_VALUE);
    wr_json_string(&json, "config", r->config_text);
    wrsim_status status = log_json(input, &json, err);
    if (status >= 0 && input->trace)
        status = wr_report_trace_json(&json, input->trace, r->config_text, err);
    wr_json_end(&json);
    if (status >= 0)
        return wr_json_take(&json);
    wr_json_done(&json);
    return NULL;
}

static char *summary_json(const wr_json_tree *summary)
{
    wr_json json = {0};
    if (summary)
        wr_report_tree_json(&json, NULL, summary, "config"); /* the results have the config */
    else
        wr_json_null(&json, NULL);
    return wr_json_take(&json);
}

/* Puts the texts between the parts of the template. Frees the texts. Returns NULL when out of memory. */
static char *join(char *text[WR_REPORT_PARTS - 1])
{
    wr_text_buffer page = {0};
    for (int i = 0; i < WR_REPORT_PARTS; i++) {
        wr_text_buffer_put(&page, wr_report_template[i].text, wr_report_template[i].n_bytes);
        if (i == WR_REPORT_PARTS - 1)
            break;
        char *const safe = text[i] ? wr_report_escape(text[i]) : NULL;
        if (safe)
            wr_text_buffer_put(&page, safe, strlen(safe));
        if (!safe)
            wr_text_buffer_fail(&page);
        free(safe);
        free(text[i]);
    }
    return wr_text_buffer_take(&page);
}

char *wr_report_page(const wr_report_input *input, wrsim_error *err)
{
    if (wr_report_template[0].n_bytes == 0) {
        wr_error_set(err, WRSIM_E_CONFIG,
                     "this build of wrsim has no Dygraphs, which draws the curves of a report; "
                     "install the Debian package libjs-dygraphs, and build wrsim again with a new "
                     "build folder");
        return NULL;
    }
    const wr_curves_choice choice = {.n_pattern = input->n_pattern,
                                     .pattern = input->pattern,
                                     .twin = input->twin,
                                     .cap_curve = CAP_CURVE,
                                     .cap_point = input->twin ? CAP_POINT / 2 : CAP_POINT,
                                     .has_config = 1};
    wr_curves curves;
    if (wr_curves_load(input->result, &choice, &curves, err) < 0)
        return NULL;
    char *page = NULL;
    wr_json_tree *summary = NULL;
    if (input->summary)
        summary = load_summary(input, curves.results, err);
    if (summary || !input->summary) {
        page = join((char *[]){data_json(input, &curves, err), summary_json(summary)});
        if (!page && err->status >= 0)
            wr_results_fail(err, WRSIM_E_MEMORY, input->result, 0,
                            "out of memory for the report of '%s'", input->result);
    }
    wr_json_tree_free(&summary);
    wr_curves_done(&curves);
    return page;
}
