/* Patterns against models. See check_patterns.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/check_patterns.h"

#include "analysis/structure/survey.h"
#include "analysis/structure/walk.h"
#include "cli/home_folder.h"
#include "cli/print.h"
#include "runtime/sim/simulation.h"

enum { N_TIME = 9, OVERRIDES_OF_WALK = 32 };

/* The same once more, which writes nothing. */
static wrsim_status load(const wr_cli *cli, const wrsim *sim, wrsim_config **ret_config)
{
    const char *override[WR_CLI_OVERRIDES + OVERRIDES_OF_WALK];
    int n = 0;
    for (int i = 0; i < cli->n_override; i++)
        override[n++] = cli->override[i];
    for (int i = 0; wr_walk_overrides[i]; i++)
        override[n++] = wr_walk_overrides[i];
    override[n++] = sim->assembly->n_subsystem > 1 ? "simulation.monolithic=false"
                                                   : "simulation.monolithic=true";
    return wrsim_config_from_file(cli->operand[0], override, n, NULL, NULL, ret_config, NULL);
}

static wrsim_status survey(const wr_cli *cli, const wrsim *sim, wr_survey *ret_survey)
{
    const wrsim_split_probe *const probe = &sim->split;
    const double start_s = sim->settings->simulation.start_s;
    const double span_s = probe->has_answer ? probe->start_s + probe->span_s - start_s : 0.0;
    double time_s[N_TIME];
    for (int i = 0; i < N_TIME; i++)
        time_s[i] = start_s + span_s * i / (N_TIME - 1);
    const wr_survey_request request = {.time_s = time_s, .n_time = span_s > 0.0 ? N_TIME : 1};
    wrsim_config *config = NULL;
    wrsim_status status = load(cli, sim, &config);
    if (status >= 0)
        status = wr_survey_run(config, &request, ret_survey, NULL, NULL, NULL);
    wrsim_config_destroy(&config);
    wr_home_folder_return();
    return status;
}

wrsim_status wr_check_patterns(const wr_cli *cli, const wrsim *sim)
{
    wr_survey found;
    wrsim_error err;
    if (survey(cli, sim, &found) < 0)
        return WRSIM_OK;
    const wrsim_status status = wr_survey_judge(&found, &err);
    if (status < 0)
        wr_print_error(NULL, &err);
    wr_survey_done(&found);
    return status;
}
