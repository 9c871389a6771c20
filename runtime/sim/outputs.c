/* The files a run writes. See outputs.h.
 *
 * Thread: as in wrsim/sim.h. Real-time: no.
 */
#include "runtime/sim/outputs.h"

#include <string.h>

#include "base/same_file.h"
#include "base/text_file.h"
#include "runtime/record/own_file.h"
#include "runtime/record/writer.h"

/* ---- what may be written ---- */

/* A file that the run reads, and what it is to people; NULL: there are no more. The log that it replays comes last. */
static const char *input_of(const wr_settings *set, int i, const char **ret_what)
{
    const int i_plugin = i - 1, i_subsystem = i_plugin - set->n_plugins;
    const char *file = set->file;
    *ret_what = "the config";
    if (i_subsystem > set->n_subsystems)
        return NULL;
    if (i_subsystem == set->n_subsystems) {
        *ret_what = "the log that the run replays";
        return set->slack.replay;
    }
    if (i_subsystem >= 0) {
        file = set->subsystems[i_subsystem].file;
        *ret_what = "a recording that the run plays";
    } else if (i_plugin >= 0) {
        file = set->plugins[i_plugin].file;
        *ret_what = "a plug-in of the run";
    }
    return file ? file : "";
}

/* What the run writes replaces no input of it, under whatever name, and nothing that wrsim did not write. */
static void check_replaced(const wr_settings *set, const char *key, const char *noun,
                           const char *name, const char *path, wr_own_kind kind, wr_diag *diag)
{
    const wr_where where = wr_settings_place(set, key);
    const char *what, *input;
    for (int i = 0; (input = input_of(set, i, &what)); i++)
        if (wr_same_file(path, input)) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                        "%s '%s' would overwrite %s; choose another %s", noun, name, what, key);
            return;
        }
    const char *const refusal = wr_own_file_refusal(path, kind);
    if (refusal)
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "'%s' is there already and is not %s: it is not overwritten; choose another "
                    "%s, or remove it",
                    name, refusal, key);
}

static void check_written(const wr_settings *set, wr_diag *diag)
{
    const char *const file = set->output.file, *const json = wr_set_json_place(&set->output);
    const wr_where where = wr_settings_place(set, "output.json");
    check_replaced(set, "output.file", "results", file, file, WR_OWN_RESULT, diag);
    if (wr_same_file(json, file))
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "summary '%s' would overwrite the results; choose another output.json",
                    set->output.json);
    else
        check_replaced(set, "output.json", "summary", set->output.json, json, WR_OWN_SUMMARY, diag);
    const char *const log = set->slack.log;
    const wr_where where_log = wr_settings_place(set, "slack.log");
    if (wr_same_file(log, file) || wr_same_file(log, json))
        wr_diag_add(diag, WRSIM_E_CONFIG, &where_log,
                    "log '%s' would overwrite what else the run writes; choose another slack.log",
                    log);
    else
        check_replaced(set, "slack.log", "log", log, log, WR_OWN_RESULT, diag);
}

/* Has the file a known format? */
static void check_format(const wr_settings *set, wr_diag *diag)
{
    wrsim_error err;
    const wr_where where = wr_settings_place(set, "output.file");
    if (!wr_writer_find(set->output.file, &err))
        wr_diag_add(diag, err.status, &where, "%s", err.text);
}

void wr_outputs_check(const wr_settings *set, wr_diag *diag)
{
    check_format(set, diag);
    check_written(set, diag);
}

/* ---- the summary ---- */

/* error_number: 0 = nothing is wrong with the summary's file. */
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

wrsim_status wr_outputs_try(const wr_settings *set, wrsim_error *err)
{
    const char *const path = wr_set_json_place(&set->output);
    return path[0] ? summary_status(set->output.json, wr_text_file_try(path), err) : WRSIM_OK;
}

wrsim_status wr_outputs_write(const wr_settings *set, const char *text, wrsim_error *err)
{
    const char *const path = wr_set_json_place(&set->output);
    if (!path[0])
        return WRSIM_OK;
    if (!text)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the summary '%s'", path);
    return summary_status(set->output.json, wr_text_file_write(path, text), err);
}
