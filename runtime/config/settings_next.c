/* Settings as the config of another run, in any folder. See settings.h. Thread: one owner. Real-time: no. */
#include <stdlib.h>
#include <string.h>

#include "base/heap_pool.h"
#include "runtime/config/settings.h"

typedef struct settler {
    wr_heap_pool *memory;
    const char *folder; /* absolute path; "" if the folder does not exist */
} settler;

/* Returns the path of a file for the new config. A missing file keeps its path, and the next run reports the missing file. */
static const char *settle_path(const settler *s, const char *path)
{
    const size_t n_folder = strlen(s->folder);
    char *const full = path && path[0] ? realpath(path, NULL) : NULL;
    if (!full)
        return path;
    const int is_beside = n_folder > 0 && strncmp(full, s->folder, n_folder) == 0 &&
                          full[n_folder] == '/' && full[n_folder + 1] != '\0';
    const char *const wanted = is_beside ? full + n_folder + 1 : full;
    const char *const copy = wr_heap_pool_text(s->memory, wanted, strlen(wanted));
    free(full);
    return copy;
}

static void settle_solver(const settler *s, wr_set_solver *solver)
{
    solver->pattern = settle_path(s, solver->pattern);
    solver->code = settle_path(s, solver->code);
}

static void *copy_of(wr_heap_pool *memory, const void *items, int n, size_t bytes)
{
    void *const copy = wr_heap_pool_take(memory, (size_t)n + 1, bytes);
    if (copy && n > 0)
        memcpy(copy, items, (size_t)n * bytes);
    return copy;
}

/* Returns a copy that shares everything except items with paths. The caller checks s->memory for a lack of memory. */
static wr_settings settle(const settler *s, const wr_settings *from)
{
    wr_settings set = *from;
    set.plugins = copy_of(s->memory, from->plugins, from->n_plugins, sizeof *set.plugins);
    set.components =
        copy_of(s->memory, from->components, from->n_components, sizeof *set.components);
    set.subsystems =
        copy_of(s->memory, from->subsystems, from->n_subsystems, sizeof *set.subsystems);
    set.scenarios = copy_of(s->memory, from->scenarios, from->n_scenarios, sizeof *set.scenarios);
    if (wr_heap_pool_is_short(s->memory))
        return set;
    for (int i = 0; i < set.n_plugins; i++)
        set.plugins[i].file = settle_path(s, set.plugins[i].file);
    for (int i = 0; i < set.n_components; i++)
        set.components[i].fmu = settle_path(s, set.components[i].fmu);
    for (int i = 0; i < set.n_subsystems; i++) {
        set.subsystems[i].file = settle_path(s, set.subsystems[i].file);
        settle_solver(s, &set.subsystems[i].solver);
    }
    for (int i = 0; i < set.n_scenarios; i++)
        set.scenarios[i].file = settle_path(s, set.scenarios[i].file);
    settle_solver(s, &set.solver);
    set.slack.replay = settle_path(s, set.slack.replay);
    return set;
}

char *wr_settings_dump_next(const wr_settings *settings, const char *folder)
{
    wr_heap_pool *memory = wr_heap_pool_create(NULL);
    char *const full = folder ? realpath(folder, NULL) : NULL, *text = NULL;
    if (memory) {
        const settler s = {.memory = memory, .folder = full ? full : ""};
        const wr_settings set = settle(&s, settings);
        if (!wr_heap_pool_is_short(memory))
            text = wr_settings_dump(&set, WR_DUMP_SHORT);
    }
    free(full);
    wr_heap_pool_destroy(&memory);
    return text;
}
