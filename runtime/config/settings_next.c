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
static const char *settle_path(void *user, const char *key, const char *owner, const char *path)
{
    (void)key;
    (void)owner;
    const settler *const s = user;
    const size_t n_folder = strlen(s->folder);
    char *const full = realpath(path, NULL);
    if (!full)
        return path;
    const int is_beside = n_folder > 0 && strncmp(full, s->folder, n_folder) == 0 &&
                          full[n_folder] == '/' && full[n_folder + 1] != '\0';
    const char *const wanted = is_beside ? full + n_folder + 1 : full;
    const char *const copy = wr_heap_pool_text(s->memory, wanted, strlen(wanted));
    free(full);
    return copy;
}

static void *copy_of(wr_heap_pool *memory, const void *items, int n, size_t bytes)
{
    void *const copy = wr_heap_pool_take(memory, (size_t)n + 1, bytes);
    if (copy && n > 0)
        memcpy(copy, items, (size_t)n * bytes);
    return copy;
}

static const char *map(const wr_settings_map *to, const char *key, const char *owner,
                       const char *path)
{
    return path && path[0] ? to->map(to->user, key, owner, path) : path;
}

static void map_solver(const wr_settings_map *to, const char *owner, wr_set_solver *solver)
{
    solver->pattern = map(to, "solver.pattern", owner, solver->pattern);
    solver->code = map(to, "solver.code", owner, solver->code);
}

int wr_settings_map_files(const wr_settings *from, const wr_settings_map *to, wr_settings *ret)
{
    wr_settings set = *from;
    set.plugins = copy_of(to->memory, from->plugins, from->n_plugins, sizeof *set.plugins);
    set.components =
        copy_of(to->memory, from->components, from->n_components, sizeof *set.components);
    set.subsystems =
        copy_of(to->memory, from->subsystems, from->n_subsystems, sizeof *set.subsystems);
    set.scenarios = copy_of(to->memory, from->scenarios, from->n_scenarios, sizeof *set.scenarios);
    if (wr_heap_pool_is_short(to->memory))
        return -1;
    for (int i = 0; i < set.n_plugins; i++)
        set.plugins[i].file = map(to, "plugin.file", "", set.plugins[i].file);
    for (int i = 0; i < set.n_components; i++)
        set.components[i].fmu =
            map(to, "component.fmu", set.components[i].name, set.components[i].fmu);
    for (int i = 0; i < set.n_subsystems; i++) {
        wr_set_subsystem *const s = &set.subsystems[i];
        s->file = map(to, "subsystem.file", s->name, s->file);
        map_solver(to, s->name, &s->solver);
    }
    for (int i = 0; i < set.n_scenarios; i++)
        set.scenarios[i].file =
            map(to, "scenario.file", set.scenarios[i].name, set.scenarios[i].file);
    map_solver(to, "", &set.solver);
    set.slack.replay = map(to, "slack.replay", "", set.slack.replay);
    if (wr_heap_pool_is_short(to->memory))
        return -1;
    *ret = set;
    return 0;
}

char *wr_settings_dump_next(const wr_settings *settings, const char *folder)
{
    wr_heap_pool *memory = wr_heap_pool_create(NULL);
    char *const full = folder ? realpath(folder, NULL) : NULL, *text = NULL;
    if (memory) {
        settler s = {.memory = memory, .folder = full ? full : ""};
        const wr_settings_map to = {.memory = memory, .map = settle_path, .user = &s};
        wr_settings set;
        if (wr_settings_map_files(settings, &to, &set) == 0)
            text = wr_settings_dump(&set, WR_DUMP_SHORT);
    }
    free(full);
    wr_heap_pool_destroy(&memory);
    return text;
}
