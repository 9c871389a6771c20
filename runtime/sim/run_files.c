/* Files that a run reads and writes. See run_files.h. Thread: as in wrsim/sim.h. Real-time: no. */
#include "runtime/sim/run_files.h"

#include <errno.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/same_file.h"
#include "base/text_file.h"
#include "runtime/record/log_csv.h"
#include "runtime/record/own_file.h"
#include "runtime/record/writer.h"

/* ---- files to write ---- */

/* Checks that an output file replaces no input of the run, also under another path, and no file with content that wrsim did not write. */
static void check_replaced(const wr_settings *set, const char *key, const char *noun,
                           const char *name, const char *path, wr_own_kind kind, wr_diag *diag)
{
    const char *const input = wr_run_files_input(set, path);
    const char *const refusal = input ? NULL : wr_own_file_refusal(path, kind);
    if (input)
        WR_SETTINGS_REFUSE(set, key, diag, "%s '%s' would overwrite %s; choose another %s", noun,
                           name, input, key);
    else if (refusal)
        WR_SETTINGS_REFUSE(set, key, diag,
                           "'%s' exists and is not %s, so it is not overwritten; choose another "
                           "%s, or remove the file",
                           name, refusal, key);
}

/* Returns 1 if the run writes its event log or its windows to `path`, beside results in CSV format. */
static int is_event_log(const wr_settings *set, const char *path)
{
    const wr_writer_ops *const row = wr_writer_row(set->output.file);
    int is_same = 0;
    for (int i = 0; i < 2 && !is_same && row && row->beside_kind == WR_OWN_DESCRIPTION &&
                    wr_settings_has_log(set);
         i++) {
        WR_AUTO_FREE char *const log = wr_log_csv_name(set->output.file, i);
        is_same = log && wr_same_file(path, log);
    }
    return is_same;
}

/* Checks the further file of results or of a log (wr_writer_beside()). */
static void check_beside(const wr_settings *set, const char *key, const char *file, wr_diag *diag)
{
    const wr_writer_ops *const row = wr_writer_row(file);
    WR_AUTO_FREE char *const beside = wr_writer_beside(file);
    if (!beside)
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory for the name of a file");
    else if (wr_same_file(beside, wr_set_json_place(&set->output)))
        WR_SETTINGS_REFUSE(set, "output.json", diag,
                           "the run also writes '%s' for '%s'; choose another output.json", beside,
                           file);
    else if (*beside)
        check_replaced(set, key, "the further file", beside, beside, row->beside_kind, diag);
}

void wr_run_files_check(const wr_settings *set, wr_diag *diag)
{
    wrsim_error err;
    const wr_where where = wr_settings_place(set, "output.file");
    if (!wr_writer_find(set->output.file, &err))
        wr_diag_add(diag, err.status == WRSIM_E_ARG ? WRSIM_E_CONFIG : err.status, &where, "%s",
                    err.text);
    const char *const file = set->output.file, *const json = wr_set_json_place(&set->output);
    check_replaced(set, "output.file", "results", file, file, WR_OWN_RESULT, diag);
    check_beside(set, "output.file", file, diag);
    if (wr_same_file(json, file))
        WR_SETTINGS_REFUSE(set, "output.json", diag,
                           "summary '%s' would overwrite the results; choose another output.json",
                           set->output.json);
    else if (is_event_log(set, json))
        WR_SETTINGS_REFUSE(set, "output.json", diag,
                           "summary '%s' would overwrite the event log; choose another output.json",
                           set->output.json);
    else
        check_replaced(set, "output.json", "summary", set->output.json, json, WR_OWN_SUMMARY, diag);
    const char *const log = set->slack.log;
    if (wr_same_file(log, file) || wr_same_file(log, json))
        WR_SETTINGS_REFUSE(
            set, "slack.log", diag,
            "log '%s' would overwrite the results or the summary; choose another slack.log", log);
    else {
        check_replaced(set, "slack.log", "log", log, log, WR_OWN_RESULT, diag);
        check_beside(set, "slack.log", log, diag);
    }
}

/* ---- the summary ---- */

/* Returns the status of the summary's file; error_number 0: no error. */
static wrsim_status summary_status(const char *path, int error_number, wrsim_error *err)
{
    if (error_number == 0)
        return WRSIM_OK;
    if (wr_text_file_is_full(error_number))
        return wr_error_set(err, WRSIM_E_DISK,
                            "no space left for the summary '%s' (%s): free space, or set "
                            "output.json to another disk",
                            path, strerror(error_number));
    return wr_error_set(err, WRSIM_E_IO,
                        "summary '%s' cannot be written: %s; choose another output.json", path,
                        strerror(error_number));
}

static wrsim_status out_of_memory(const char *path, wrsim_error *err)
{
    return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the summary '%s'", path);
}

wrsim_status wr_run_files_try(const wr_settings *set, wr_file_claim **ret_claim, wrsim_error *err)
{
    const char *const path = wr_set_json_place(&set->output);
    *ret_claim = NULL;
    if (!path[0])
        return WRSIM_OK;
    WR_TRY(summary_status(set->output.json, wr_text_file_try(path), err));
    const int failure = wr_file_claim_take(path, ret_claim);
    if (failure == EAGAIN)
        return wr_error_set(err, WRSIM_E_IO,
                            "another run that has not ended writes its summary to '%s': choose "
                            "another output.json, or wait",
                            set->output.json);
    return failure == 0 ? WRSIM_OK : out_of_memory(path, err);
}

wrsim_status wr_run_files_write(const wr_settings *set, const char *text, wrsim_error *err)
{
    const char *const path = wr_set_json_place(&set->output);
    if (!path[0])
        return WRSIM_OK;
    if (!text)
        return out_of_memory(path, err);
    return summary_status(set->output.json, wr_text_file_write(path, text), err);
}

/* ---- files that a run reads ---- */

static int is_file(const char *path, const char *input)
{
    return input && wr_same_file(path, input);
}

static const char *solver_input(const wr_set_solver *solver, const char *path)
{
    return is_file(path, solver->pattern) ? "a pattern of the run"
           : is_file(path, solver->code)  ? "a solver's code of the run"
                                          : NULL;
}

const char *wr_run_files_input(const wr_settings *set, const char *path)
{
    if (is_file(path, set->file))
        return "the config";
    if (is_file(path, set->slack.replay))
        return "the log that the run replays";
    for (int i = 0; i < set->n_plugins; i++)
        if (is_file(path, set->plugins[i].file))
            return "a plug-in of the run";
    for (int i = 0; i < set->n_components; i++)
        if (is_file(path, set->components[i].fmu))
            return "an FMU of the run";
    for (int i = 0; i < set->n_scenarios; i++)
        if (is_file(path, set->scenarios[i].file))
            return "a recording that a scenario plays";
    const char *role = solver_input(&set->solver, path);
    for (int i = 0; i < set->n_subsystems && !role; i++)
        role = is_file(path, set->subsystems[i].file)
                   ? "a recording that the run plays"
                   : solver_input(&set->subsystems[i].solver, path);
    return role;
}

/* ---- the trace ---- */

wrsim_status wr_run_files_check_trace(const wr_settings *set, const char *path, const char *place,
                                      const char *checkpoint, wrsim_error *err)
{
    const struct {
        const char *file, *noun;
    } others[] = {{set->output.file, "the results"},
                  {wr_set_json_place(&set->output), "the summary"},
                  {set->slack.log, "the log of versions"},
                  {checkpoint ? checkpoint : "", "the checkpoint"}};
    WR_AUTO_FREE char *const beside = wr_writer_beside(set->output.file);
    if (!beside)
        return wr_error_memory(err);
    const char *replaced = wr_same_file(place, beside) ? "a further file of the results"
                           : is_event_log(set, place)  ? "the event log"
                                                       : wr_run_files_input(set, place);
    for (size_t i = 0; i < WR_COUNT_OF(others) && !replaced; i++)
        if (wr_same_file(place, others[i].file))
            replaced = others[i].noun;
    if (replaced)
        return wr_error_set(err, WRSIM_E_ARG,
                            "trace '%s' would overwrite %s; choose another file for --trace", path,
                            replaced);
    const char *const refusal = wr_own_file_refusal(place, WR_OWN_TRACE);
    if (refusal)
        return wr_error_set(err, WRSIM_E_ARG,
                            "'%s' exists and is not %s, so it is not overwritten; choose another "
                            "file for --trace, or remove the file",
                            path, refusal);
    return WRSIM_OK;
}
