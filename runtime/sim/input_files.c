/* What a config reads. See input_files.h.
 *
 * Thread: any. Real-time: no.
 */
#include "runtime/sim/input_files.h"

#include "base/same_file.h"

static int is_file(const char *path, const char *input)
{
    return input && wr_same_file(path, input);
}

static const char *of_solver(const wr_set_solver *solver, const char *path)
{
    return is_file(path, solver->pattern) ? "a pattern of the run"
           : is_file(path, solver->code)  ? "a solver's code of the run"
                                          : NULL;
}

const char *wr_input_file(const wr_settings *set, const char *path)
{
    if (is_file(path, set->file))
        return "the config";
    if (is_file(path, set->slack.replay))
        return "the log that the run replays";
    for (int i = 0; i < set->n_plugins; i++)
        if (is_file(path, set->plugins[i].file))
            return "a plug-in of the run";
    for (int i = 0; i < set->n_scenarios; i++)
        if (is_file(path, set->scenarios[i].file))
            return "a recording that a scenario plays";
    const char *what = of_solver(&set->solver, path);
    for (int i = 0; i < set->n_subsystems && !what; i++)
        what = is_file(path, set->subsystems[i].file) ? "a recording that the run plays"
                                                      : of_solver(&set->subsystems[i].solver, path);
    return what;
}
