/* Comparison of declared and detected patterns. See check_patterns.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/check_patterns.h"

#include <math.h>
#include <sys/stat.h>

#include "cli/home_folder.h"
#include "cli/print.h"
#include "offline/structure/survey.h"
#include "offline/structure/walk.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"

enum { N_TIME = 9, OVERRIDES_OF_WALK = 32 };

static wrsim_status survey(const wr_arguments *line, const wrsim *sim, wr_survey *ret_survey)
{
    const wrsim_split_probe *const probe = &sim->split;
    const double start_s = sim->settings->simulation.start_s,
                 stop_s = sim->settings->simulation.stop_s;
    /* If the split probe has no answer, only the start is checked: the run beyond it may be expensive or fail. */
    const int is_probed = probe->has_answer && isfinite(probe->work_ratio);
    const double span_s = is_probed ? probe->start_s + probe->span_s - start_s : 0.0;
    double time_s[N_TIME];
    for (int i = 0; i < N_TIME; i++)
        time_s[i] = fmin(start_s + span_s * i / (N_TIME - 1), stop_s); /* fmin: rounding */
    const wr_survey_request request = {
        .time_s = time_s, .n_time = span_s > 0.0 ? N_TIME : 1, .scope = WR_DETECT_VALUES};
    wrsim_config *config = NULL;
    const char *override[WR_OPTION_OVERRIDES + OVERRIDES_OF_WALK];
    int n = 0;
    for (int i = 0; i < line->n_override; i++)
        override[n++] = line->override[i];
    for (int i = 0; wr_walk_overrides[i]; i++)
        override[n++] = wr_walk_overrides[i];
    override[n++] = sim->assembly->n_subsystem > 1 ? "simulation.monolithic=false"
                                                   : "simulation.monolithic=true";
    wrsim_status status =
        wrsim_config_from_file(line->operand[0], override, n, NULL, NULL, &config, NULL);
    if (status >= 0)
        status = wr_survey_run(config, &request, ret_survey, NULL, NULL, NULL);
    wrsim_config_destroy(&config);
    wr_home_folder_return();
    return status;
}

wrsim_status wr_check_patterns(const wr_arguments *line, const wrsim *sim)
{
    wr_survey found;
    wrsim_error err;
    wrsim_stats stats;
    struct stat about;
    if (stat(line->operand[0], &about) != 0 || !S_ISREG(about.st_mode))
        return WRSIM_OK; /* a pipe cannot be read twice */
    /* The detection perturbs each variable by itself, which costs the square of the number of states. */
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
