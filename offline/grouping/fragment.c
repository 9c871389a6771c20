/* Groupings as TOML. See fragment.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "offline/grouping/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/config/settings.h"
#include "runtime/record/own_file.h"

void wr_fragment_tables(const wr_grouping_of *of, const wr_search_row *row,
                        wr_settings_memory *memory, wr_text_buffer *to)
{
    const wr_settings set = wr_grouping_settings(of, &row->set, memory);
    const wr_verify_result *const r = &row->result;
    double all = 0.0;
    for (int g = 0; g < set.n_subsystems; g++)
        all += r->group_work[g];
    wr_text_buffer_add(to, WR_OWN_TOOL_MARK
                       "\n# Found by `wrsim partition --groups`. These keys belong to it, in the "
                       "config's own tables:\n#\n#     [relaxation]\n#     scheme = "
                       "\"gauss_seidel\"\n");
    wr_text_buffer_add(to, "#     convergence = %.9g\n#     solver_tolerance_factor = %.9g\n",
                       set.relaxation.convergence, set.relaxation.solver_tolerance_factor);
    wr_text_buffer_add(
        to, "#     window = { initial = %.9g, min = %.9g, max = %.9g, control = \"%s\" }\n",
        set.relaxation.window_initial_s, set.relaxation.window_min_s, set.relaxation.window_max_s,
        set.relaxation.window_control);
    if (set.solver.rtol > 0.0)
        wr_text_buffer_add(to, "#\n#     [solver]\n#     rtol = %.9g\n", set.solver.rtol);
    for (int g = 0; g < set.n_subsystems && set.subsystems; g++) {
        const wr_set_subsystem *const s = &set.subsystems[g];
        wr_text_buffer_add(to, "\n# %.0f %% of the counted work, %.0f events\n",
                           100.0 * r->group_work[g] / (all > 0.0 ? all : 1.0), r->group_events[g]);
        wr_text_buffer_add(to, "[[subsystem]]\nname = \"%s\"\n", s->name);
        wr_text_buffer_add(to, "components = [");
        for (int i = 0; i < s->n_components; i++)
            wr_text_buffer_add(to, "%s\"%s\"", i ? ", " : "", s->components[i]);
        wr_text_buffer_add(to, "]\n");
        if (s->level >= 0)
            wr_text_buffer_add(to, "level = %d\n", s->level);
        if (strcmp(s->solver.kind, set.solver.kind) != 0 || s->solver.rtol < set.solver.rtol ||
            s->solver.rtol > set.solver.rtol) {
            wr_text_buffer_add(to, "solver = { kind = \"%s\"", s->solver.kind);
            if (s->solver.rtol > 0.0)
                wr_text_buffer_add(to, ", rtol = %.9g", s->solver.rtol);
            wr_text_buffer_add(to, " }\n");
        }
        if (s->history_source) {
            wr_text_buffer_add(to, "history_source = \"%s\"\n", s->history_source);
            wr_text_buffer_add(to, "%s = ", "lag");
            wr_text_buffer_number(to, s->lag);
            wr_text_buffer_add(to, "\n");
        }
    }
}

wrsim_status wr_fragment_config(const wr_grouping_of *of, const wr_search_row *row,
                                const char *folder, wr_settings_memory *memory, wr_text_buffer *to)
{
    const wr_settings set = wr_grouping_settings(of, &row->set, memory);
    WR_AUTO_FREE char *const text = wr_settings_dump_next(&set, folder);
    if (!text)
        return WRSIM_E_MEMORY;
    wr_text_buffer_add(to, WR_OWN_TOOL_MARK ", partition --groups\n%s", text);
    return WRSIM_OK;
}
