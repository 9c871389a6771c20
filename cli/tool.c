/* See tool.h. Thread: main. Real-time: no. */
#include "cli/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text_buffer.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "offline/structure/walk.h"

wrsim_status wr_tool_load_with(const wr_arguments *a, const char *more, wrsim_report_fn report,
                               wrsim_config **ret_config)
{
    const char *override[WR_OPTION_OVERRIDES + 32];
    int n = 0;
    for (int i = 0; i < a->n_override; i++)
        override[n++] = a->override[i];
    for (int i = 0; wr_walk_overrides[i]; i++)
        override[n++] = wr_walk_overrides[i];
    if (more)
        override[n++] = more;
    return wrsim_config_from_file(a->operand[0], override, n, report, NULL, ret_config, NULL);
}

wrsim_status wr_tool_load(const wr_arguments *arguments, wrsim_config **ret_config)
{
    wrsim_status status = wr_tool_load_with(arguments, NULL, wr_print_error, ret_config);
    if (status >= 0 && wrsim_config_is_undecided(*ret_config)) {
        wrsim_config_destroy(ret_config);
        status =
            wr_tool_load_with(arguments, "simulation.monolithic=false", wr_print_error, ret_config);
    }
    return status;
}

wrsim_status wr_tool_check(wrsim_config *config)
{
    wrsim *sim = NULL;
    const wrsim_status status = wrsim_create(config, wr_print_error, NULL, &sim, NULL);
    wrsim_destroy(&sim);
    return status;
}

wrsim_status wr_tool_check_file(const char *path, wrsim_error *err)
{
    if (!path || access(path, R_OK) == 0)
        return WRSIM_OK;
    return wr_error_set_at(err, WRSIM_E_IO, &(wr_where){.file = path},
                           "the file cannot be opened: %s; check the path and its permissions",
                           strerror(errno));
}

wrsim_status wr_tool_print_json(char *json, wrsim_error *err)
{
    if (!json)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    fputs(json, wr_out); /* main() reports failed writes */
    free(json);
    return WRSIM_OK;
}

wrsim_status wr_tool_write_json(wr_folder *folder, const char *file, const char *json,
                                wrsim_error *err)
{
    wr_text_buffer text = {0};
    const char *const path = wr_folder_file(folder, err, "%s", file);
    if (!path)
        return err->status;
    wr_text_buffer_add(&text, "%s", json ? json : "");
    text.is_failed |= !json;
    return wr_text_buffer_write(&text, path, err);
}

void wr_tool_print_files(const wr_folder *folder, const char *remark)
{
    fprintf(wr_out, "%d file%s in %s%s\n", folder->n_file, wr_plural(folder->n_file), folder->path,
            remark);
}

int wr_tool_end(wrsim_status status, const wrsim_error *err)
{
    if (status < 0 && err->text[0])
        wr_print_error(NULL, err);
    return wrsim_status_exit_code(status);
}
