/* `wrsim check`. Thread: main. Real-time: no. */
#include <math.h>
#include <sys/stat.h>

#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/home_folder.h"
#include "cli/print.h"
#include "cli/print_run.h"
#include "cli/program_output.h"
#include "cli/run_creation.h"
#include "cli/tool.h"
#include "offline/structure/survey.h"
#include "runtime/sim/report.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

typedef struct check {
    wr_arguments line;
    int is_json;
} check;

#define ROW(...) WR_OPTION(check, __VA_ARGS__)
static const wr_option options[] = {WR_OPTION_COSTS,
                                    WR_OPTION_DEFINE(WR_SET_KEY),
                                    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
                                    WR_RUN_CREATION_MONOLITHIC,
                                    {.name = NULL}};

enum { N_TIME = 9 }; /* number of points at which `check` detects dependencies (assumed) */

static wrsim_status survey(const wr_arguments *line, const wrsim *sim, wr_survey *ret_survey)
{
    const wrsim_split_probe *const probe = &sim->split;
    const double start_s = sim->settings->simulation.start_s,
                 stop_s = sim->settings->simulation.stop_s;
    /* If the split probe has no result, the check covers the start only, because the run may be expensive or fail. */
    const int is_probed = probe->has_answer && isfinite(probe->work_ratio);
    const double span_s = is_probed ? probe->start_s + probe->span_s - start_s : 0.0;
    double time_s[N_TIME];
    for (int i = 0; i < N_TIME; i++)
        time_s[i] = fmin(start_s + span_s * i / (N_TIME - 1), stop_s); /* fmin limits rounding */
    const wr_survey_request request = {
        .time_s = time_s, .n_time = span_s > 0.0 ? N_TIME : 1, .scope = WR_DETECT_VALUES};
    wrsim_config *config = NULL;
    wrsim_status status =
        wr_tool_load_with(line,
                          sim->assembly->n_subsystem > 1 ? "simulation.monolithic=false"
                                                         : "simulation.monolithic=true",
                          NULL, &config);
    if (status >= 0)
        status = wr_survey_run(config, &request, ret_survey, NULL, NULL, NULL);
    wrsim_config_destroy(&config);
    wr_home_folder_return();
    return status;
}

/* Checks the declared patterns of the config that sim was made from, at the start and in the interval that the split probe simulated.
 * Solvers do not check a declared pattern, so a missing entry gives wrong results. If the check finds a missing entry, prints the entry and
 * returns WRSIM_E_MODEL. Returns WRSIM_OK if the check cannot run. If the models refuse an evaluation, returns WRSIM_OK, too, because the
 * run reports the cause. */
static wrsim_status check_patterns(const wr_arguments *line, const wrsim *sim)
{
    wr_survey found;
    wrsim_error err;
    wrsim_stats stats;
    struct stat about;
    if (stat(line->operand[0], &about) != 0 || !S_ISREG(about.st_mode))
        return WRSIM_OK; /* a second read of a pipe gives no config */
    /* The detection perturbs each variable by itself, at a cost proportional to the square of the number of states. */
    if (wrsim_stats_get(sim, &stats) < 0 || stats.n_state > WR_SECOND_RUN_STATES)
        return WRSIM_OK;
    if (survey(line, sim, &found) < 0)
        return WRSIM_OK;
    const wrsim_status status = wr_survey_judge(&found, &err);
    if (status < 0)
        wr_print_error(NULL, &err);
    wr_survey_done(&found);
    return status;
}

static int run(void *into)
{
    const check *const c = into;
    wrsim *sim = NULL;
    const int created =
        wr_run_creation_make(&(wr_run_creation){.line = &c->line, .has_probe = 1}, &sim);
    if (created != 0)
        return created;
    wrsim_error err = {0};
    wrsim_status status = WRSIM_OK;
    if (c->is_json)
        status = wr_tool_print_json(wrsim_structure(sim), &err);
    else
        wr_print_structure(wr_out, sim);
    wr_program_output_flush(); /* a model may end the program in check_patterns() */
    if (status >= 0)
        status = check_patterns(&c->line, sim);
    if (sim->split.failure.status < 0)
        wr_print_error(NULL, &sim->split.failure);
    if (status >= 0)
        status = sim->split.failure.status;
    wrsim_destroy(&sim);
    return wr_tool_end(status, &err);
}

const wr_command wr_check_command = {
    WR_COMMAND("check", "CONFIG", 1, 1, options, run),
    .help = "validate a config, print its structure, try its start, and say whether its split pays",
    .into = &(check){.is_json = 0}};
