/* `wrsim analyze`.
 *
 * Thread: main. Real-time: no.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "cli/busy_line.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/print_survey.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/structure/survey_files.h"
#include "offline/structure/walk.h"

enum { N_POINT = 100, MOST_POINTS = 100000 };

typedef struct analyze {
    wr_arguments line;
    const char *dir;
    wr_selection selection;
    int n_point, is_declared_only, is_linear, is_json;
    wr_option_numbers times;
    wrsim_config *config;
    double *time_s;
    int n_time;
    wr_folder folder;
    int n_linear; /* number of linearisations written */
} analyze;

#define ROW(...) WR_OPTION(analyze, __VA_ARGS__)
static const wr_option options[] = {
    ROW("subsystem", "NAME", "analyze this subsystem alone (default: all components)", TEXT,
        selection.subsystem, .excludes = "component"),
    ROW("component", "NAME", "analyze this component alone", TEXT, selection.component),
    ROW("points", "N", "detect dependencies at N points, evenly spaced over the run (default 100)",
        COUNT, n_point, .low = 1, .high = MOST_POINTS, .excludes = "times"),
    ROW("times", "T,T,...", "detect dependencies, or linearise, at these times, s", LIST, times),
    ROW("declared", NULL, "show declared dependencies only, without a run", FLAG, is_declared_only,
        .excludes = "linear points times"),
    ROW("linear", NULL, "also write A, B, C, D at the points or times", FLAG, is_linear,
        .needs = "output"),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR", "write matrices, tables, spy plots and JSON to this folder", FILE, dir,
        .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

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
    if (a->dir)
        WR_TRY(wr_survey_write(survey, a->line.operand[0], &a->folder, err));
    if (a->is_json)
        return wr_tool_print_json(wr_survey_json(survey, a->line.operand[0]), err);
    wr_print_survey(wr_out, survey, a->line.operand[0]);
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
    if (status == WRSIM_OK && a->dir && !a->is_json) {
        fputs("\n", wr_out);
        wr_tool_print_files(&a->folder, "");
    }
    if (status == WRSIM_OK)
        status = wr_survey_judge(&found, err);
    wr_survey_done(&found);
    return status;
}

static int run(void *into)
{
    analyze *const a = into;
    wrsim_error err = {0};
    wrsim_status status = wr_tool_load(&a->line, &a->config);
    if (status >= 0)
        status = choose_times(a, &err);
    if (status >= 0 && a->dir)
        status = wr_folder_open(&a->folder, a->dir, a->line.operand[0], a->config, &err);
    if (status >= 0)
        status = survey(a, &err);
    free(a->time_s);
    wrsim_config_destroy(&a->config);
    return wr_tool_end(status < 0 ? status : WRSIM_OK, &err);
}

const wr_command wr_analyze_command = {
    .name = "analyze",
    .operands = "CONFIG",
    .min_operand = 1,
    .max_operand = 1,
    .help = "show which variables depend on which, declared and detected",
    .more = "Perturbations at points of a run detect the dependencies. The exit code is 4 if a "
            "model has a dependency that it\ndoes not declare.\n",
    .option = options,
    .into = &(analyze){.n_point = N_POINT},
    .run = run};
