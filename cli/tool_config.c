/* See tool_config.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/tool_config.h"

#include "cli/print.h"
#include "offline/structure/walk.h"

static wrsim_status load(const wr_tool *tool, const char *more, wrsim_config **ret_config)
{
    const char *override[WR_TOOL_OVERRIDES + 32];
    int n = 0;
    for (int i = 0; i < tool->n_override; i++)
        override[n++] = tool->override[i];
    for (int i = 0; wr_walk_overrides[i]; i++)
        override[n++] = wr_walk_overrides[i];
    if (more)
        override[n++] = more;
    return wrsim_config_from_file(tool->operand[0], override, n, wr_print_error, NULL, ret_config,
                                  NULL);
}

wrsim_status wr_tool_load(const wr_tool *tool, wrsim_config **ret_config, wrsim_error *err)
{
    (void)err; /* all errors have been printed */
    wrsim_status status = load(tool, NULL, ret_config);
    if (status >= 0 && wrsim_config_is_undecided(*ret_config)) {
        wrsim_config_destroy(ret_config);
        status = load(tool, "simulation.monolithic=false", ret_config);
    }
    return status;
}
