/* `wrsim analyze`. See analyze_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/analyze_command.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "cli/busy_line.h"
#include "cli/print.h"
#include "cli/print_survey.h"
#include "cli/program_output.h"
#include "cli/tool_config.h"
#include "cli/tool_options.h"
#include "offline/structure/survey_files.h"
#include "offline/structure/walk.h"

enum { N_POINT = 100, MOST_POINTS = 100000 };

typedef struct analyze {
    wr_tool tool;
    wr_selection selection;
    int n_point, is_declared_only, is_linear, is_json;
    wr_tool_numbers times;
    wrsim_config *config;
    double *time_s;
    int n_time;
    wr_folder folder;
    int n_linear; /* number of linearisations written */
} analyze;

static int parse(analyze *a, int argc, char **argv)
{
    const wr_tool_option options[] = {
        {"subsystem", "NAME", "analyze this subsystem alone (default: all components)",
         WR_TOOL_TEXT, &a->selection.subsystem, 0, 0},
        {"component", "NAME", "analyze this component alone", WR_TOOL_TEXT, &a->selection.component,
         0, 0},
        {"points", "N", "detect dependencies at N points, evenly spaced over the run (default 100)",
         WR_TOOL_COUNT, &a->n_point, 1, MOST_POINTS},
        {"times", "T,T,...", "detect dependencies, or linearise, at these times, s",
         WR_TOOL_NUMBERS_LIST, &a->times, 0, 0},
        {"declared", NULL, "show declared dependencies only, without a run", WR_TOOL_FLAG,
         &a->is_declared_only, 0, 0},
        {"linear", NULL, "also write A, B, C, D at the points or times (needs -o)", WR_TOOL_FLAG,
         &a->is_linear, 0, 0},
        {"json", NULL, "print JSON instead of text", WR_TOOL_FLAG, &a->is_json, 0, 0},
        {NULL, NULL, NULL, WR_TOOL_FLAG, NULL, 0, 0}};
    a->tool.option = options;
    const int code = wr_tool_parse(&a->tool, argc, argv);
    a->tool.option = NULL;
    if (code != 0)
        return code;
    if (a->selection.subsystem && a->selection.component)
        return 1 + wr_print_misuse("analyze", "--subsystem and --component exclude one another");
    if (a->is_linear && !a->tool.folder)
        return 1 + wr_print_misuse("analyze", "--linear needs -o DIR");
    if (a->is_linear && a->is_declared_only)
        return 1 + wr_print_misuse(
                       "analyze",
                       "--linear needs a run, which --declared omits; leave one of them out");
    if (a->n_point && a->times.n > 0)
        return 1 + wr_print_misuse("analyze", "--points and --times exclude one another");
    if (a->is_declared_only && (a->n_point || a->times.n > 0))
        return 1 + wr_print_misuse("analyze", "--points and --times need a run, which --declared "
                                              "omits; leave one of them out");
    if (!a->n_point)
        a->n_point = N_POINT;
    return 0;
}

static wrsim_status choose_times(analyze *a, wrsim_error *err)
{
    a->n_time = a->is_declared_only ? 0 : a->times.n > 0 ? a->times.n : a->n_point;
    a->time_s = wr_walk_times(a->config, a->n_time);
    if (!a->time_s)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d points", a->n_time);
    for (int i = 0; i < a->times.n && i < a->n_time; i++)
        a->time_s[i] = a->times.value[i];
    return WRSIM_OK;
}

static wrsim_status write_linear(void *user, const wr_linear *linear, wrsim_error *err)
{
    analyze *const a = user;
    return wr_linear_write(linear, a->n_linear++, &a->folder, err);
}

static wrsim_status linearise(analyze *a, wrsim_error *err)
{
    wr_busy_line *line = wr_busy_line_begin("analyze --linear", a->n_time);
    const wr_linear_request request = {.group = &a->selection,
                                       .n_group = 1,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .progress = wr_busy_line_point,
                                       .teller = line};
    const wrsim_status status =
        wr_linear_run(a->config, &request, write_linear, a, wr_print_error, NULL, err);
    wr_busy_line_end(&line);
    return status;
}

static wrsim_status tell(analyze *a, const wr_survey *survey, wrsim_error *err)
{
    if (a->tool.folder)
        WR_TRY(wr_survey_write(survey, a->tool.operand[0], &a->folder, err));
    if (!a->is_json) {
        wr_print_survey(wr_out, survey, a->tool.operand[0]);
        return WRSIM_OK;
    }
    char *const json = wr_survey_json(survey, a->tool.operand[0]);
    if (!json)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    fputs(json, wr_out);
    free(json);
    return WRSIM_OK;
}

static wrsim_status survey(analyze *a, wrsim_error *err)
{
    wr_survey found;
    wr_busy_line *line = wr_busy_line_begin("analyze", a->n_time);
    const wr_survey_request request = {.selection = a->selection,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .progress = wr_busy_line_point,
                                       .user = line};
    wrsim_status status = wr_survey_run(a->config, &request, &found, wr_print_error, NULL, err);
    wr_busy_line_end(&line);
    WR_TRY(status);
    status = tell(a, &found, err);
    if (status == WRSIM_OK && a->is_linear)
        status = linearise(a, err);
    if (status == WRSIM_OK && a->tool.folder && !a->is_json)
        fprintf(wr_out, "\n%d file%s in %s\n", a->folder.n_file, wr_plural(a->folder.n_file),
                a->tool.folder);
    if (status == WRSIM_OK)
        status = wr_survey_judge(&found, err);
    wr_survey_done(&found);
    return status;
}

int wr_analyze_main(int argc, char **argv)
{
    static analyze a; /* static: too large for the stack */
    a = (analyze){
        .tool = {.name = "analyze",
                 .operands = "CONFIG",
                 .n_operand = 1,
                 .output = "write matrices, tables, spy plots and JSON there",
                 .summary = "Shows which variables of a config depend on which: as models declare "
                            "it, and as perturbations at points of\na run detect it. The exit code "
                            "is 4 if a model has a dependency that it does not declare.\n"}};
    const int code = parse(&a, argc, argv);
    if (code != 0)
        return code - 1;
    wrsim_error err = {0};
    wrsim_status status = wr_tool_load(&a.tool, &a.config, &err);
    if (status >= 0)
        status = choose_times(&a, &err);
    if (status >= 0 && a.tool.folder)
        status = wr_folder_open(&a.folder, a.tool.folder, a.tool.operand[0], a.config, &err);
    if (status >= 0)
        status = survey(&a, &err);
    if (status < 0 && err.text[0])
        wr_print_error(NULL, &err);
    free(a.time_s);
    wrsim_config_destroy(&a.config);
    return wrsim_status_exit_code(status < 0 ? status : WRSIM_OK);
}
