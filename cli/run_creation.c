/* Creates the simulation of a command. See run_creation.h. Thread: main. Real-time: no. */
#include "cli/run_creation.h"

#include <math.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/home_folder.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

const char *wr_run_creation_error_text(const wrsim_error *error, char *text, size_t n)
{
    const int has_name = error->subsystem[0] != '\0';
    snprintf(text, n, "%s%s%s%s", has_name ? "subsystem '" : "", error->subsystem,
             has_name ? "': " : "", error->text);
    return text;
}

/* Estimates whether the split pays. If simulation.monolithic is "auto", the estimate decides the grouping. Returns WRSIM_OK, or a negative
 * status after a message. */
static wrsim_status probe_split(wrsim_config *config)
{
    wrsim_split_probe found;
    wrsim_error err;
    wrsim_status status = wrsim_study_split(config, 0, &found, &err);
    if (status >= 0)
        status = wrsim_config_keep_split(config, &found, &err);
    if (status < 0)
        wr_print_error(NULL, &err);
    return status;
}

/* Starts the run and drops the run, unless the study of the split has simulated the beginning of the run. Stores an error in the config's
 * study. */
static void try_start(wrsim_config *config)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_split_probe *const found = &config->split;
    if (found->span_s > 0.0 || found->failure.status < 0)
        return;
    (void)wr_run_open_second(config->settings, NULL, &sim, &found->failure);
    if (!sim) /* wrsim_create() reports the error */
        found->failure = (wrsim_error){0};
}

/* Redirects a summary for /dev/stdout to the program's standard output (cli/program_output.h). Refuses /dev/stdout for results and the
 * slack log, which need files of their own. Returns WRSIM_OK, or WRSIM_E_CONFIG after a message. */
static wrsim_status lead_to_program_output(wrsim_config *config)
{
    wr_settings *const set = config->settings;
    const struct {
        const char *key, *file;
    } results[] = {{"output.file", set->output.file}, {"slack.log", set->slack.log}};
    wr_diag diag = {0};
    for (size_t i = 0; i < WR_COUNT_OF(results); i++) {
        const wr_where where = wr_settings_place(set, results[i].key);
        if (wr_program_output_path(results[i].file) != results[i].file)
            wr_diag_add(&diag, WRSIM_E_CONFIG, &where,
                        "'%s' leads to standard output, but %s must be a file of its own; choose "
                        "another file",
                        results[i].file, results[i].key);
    }
    set->output.json_place = wr_program_output_path(set->output.json);
    const wrsim_status status = wr_diag_report(&diag, wr_print_error, NULL, NULL);
    wr_diag_done(&diag);
    return status;
}

int wr_run_creation_make(const wr_run_creation *request, wrsim **ret_sim)
{
    const wr_arguments *const line = request->line;
    const wr_run_creation_failure *const before = request->before;
    wrsim_config *config = NULL;
    wrsim_status status = wrsim_config_from_file(line->operand[0], line->override, line->n_override,
                                                 wr_print_error, NULL, &config, NULL);
    if (status >= 0)
        status = lead_to_program_output(config);
    if (status >= 0 && before) {
        wrsim_split_probe *const split = &config->split;
        config->settings->simulation.monolithic = WR_GROUPING_MONOLITHIC;
        *split = (wrsim_split_probe){.has_answer = 1,
                                     .is_monolithic = 1,
                                     .n_worker = 1,
                                     .work_ratio = (double)INFINITY,
                                     .shared_by = 1.0};
        char text[WRSIM_SPLIT_TEXT_BYTES - 120];
        snprintf(split->text, sizeof split->text,
                 "monolithic: the split run failed at t = %.9g s, after %.3g s of wall time: %s",
                 before->error.time_s, before->spent_s,
                 wr_run_creation_error_text(&before->error, text, sizeof text));
        config->is_split_chosen = 1;
    } else if (status >= 0 && (request->has_probe || wrsim_config_is_undecided(config)))
        status = probe_split(config);
    if (status >= 0 && request->has_probe)
        try_start(config);
    if (status >= 0)
        config->settings->output.has_memory_rows = request->has_memory_rows;
    if (status >= 0)
        status = wrsim_create(config, wr_print_error, NULL, ret_sim, NULL);
    wrsim_config_destroy(&config);
    wr_home_folder_return();
    return wrsim_status_exit_code(status);
}
