/* Reads settings from a config file and -D overrides (settings_data.h), writes settings as TOML, and warns of keys without effect.
 *
 * toml.cpp parses the text to a tree with lines and columns. keys.c is the table of scalar and list keys: path, type, unit, default,
 * range, help, offset in wr_settings. settings_scalars.c compares tree and table, reports every error (unknown key with the nearest
 * valid key, wrong type, value out of range) and fills the structs. All strings belong to the wr_settings.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_H
#define WR_SETTINGS_H

#include "runtime/config/settings_data.h"

/* An override "key=value", with the value as TOML. A bare word counts as a string. Keys address entries of arrays of tables by name:
 * component.cyl1.parameters.firing_offset, subsystem.airpath.solver.kind. */
typedef struct wr_override {
    const char *text;
} wr_override;

/* Read a file, or a text (`name` appears in messages only), and apply the overrides in order. The functions add all errors to diag. The
 * result is NULL if the file cannot be read (config_file.h), if the text cannot be parsed (toml.h), or when out of memory. After other
 * errors the settings contain only the valid members of the config, and serve only to find further errors. */
wr_settings *wr_settings_load(const char *file, const wr_override *overrides, int n_overrides,
                              wr_diag *diag);
wr_settings *wr_settings_parse(const char *text, size_t text_bytes, const char *name,
                               const wr_override *overrides, int n_overrides, wr_diag *diag);
void wr_settings_destroy(wr_settings **settings);

/* Returns the place of the value of a key such as "output.file". Without a value, returns the place of the last section of the path that
 * exists, else the file. */
wr_where wr_settings_place(const wr_settings *settings, const char *path);

/* Adds an error of the config at the place of a key. Further arguments: format and values. Returns WRSIM_E_CONFIG. */
#define WR_SETTINGS_REFUSE(settings, path, diag, ...)                                              \
    wr_diag_add(diag, WRSIM_E_CONFIG, (wr_where[]){wr_settings_place(settings, path)}, __VA_ARGS__)

/* Returns 1 if the config sets the key. */
int wr_settings_is_given(const wr_settings *settings, const char *path);

/* Selects the written part of the settings. */
typedef enum wr_dump_kind {
    WR_DUMP_ALL,
    /* without keys that cannot change results (such as scheduler.*, output.file, output.json), so that equal runs store equal text */
    WR_DUMP_RESULTS,
    /* without keys that have their defaults; in [[subsystem]] without keys equal to [solver] */
    WR_DUMP_SHORT
} wr_dump_kind;

/* Returns the resolved settings as TOML, from malloc. A load of this text gives equal settings, except omitted keys. Returns NULL when out
 * of memory. */
char *wr_settings_dump(const wr_settings *settings, wr_dump_kind kind);

/* Changes the paths of files that a run reads. */
typedef struct wr_settings_map {
    struct wr_heap_pool *memory; /* owns new paths and arrays */
    /* Returns the new path, which the pool owns; NULL when out of memory. key: without a name, such as "component.fmu" or "solver.code".
     * owner: name of the component, subsystem or scenario; "": none. */
    const char *(*map)(void *user, const char *key, const char *owner, const char *path);
    void *user;
} wr_settings_map;

/* Copies the settings with changed paths. *ret shares everything else with `from`. Returns 0, or -1 when out of memory. */
int wr_settings_map_files(const wr_settings *from, const wr_settings_map *to, wr_settings *ret);

/* Returns a short dump (WR_DUMP_SHORT) for a config that a tool writes to `folder`; from malloc, or NULL when out of memory. The call
 * changes the paths of existing files that a run reads. Files in the folder get relative paths, so that the folder stays usable under
 * another name. Other files get absolute paths. The dump omits defaults, because the next run would warn of written keys without effect. */
char *wr_settings_dump_next(const wr_settings *settings, const char *folder);

/* Adds a warning for every reason for which given keys have no effect, for overrides of [solver] that subsystems do not follow, and for
 * overrides of subsystems' solvers in a run with one solver. If has_events is 1 (a model has events), also adds a warning for a resolution
 * of time that is too coarse for events. has_tolerance 1: a solver has a tolerance. */
void wr_unused_keys_warn(const wr_settings *set, int has_tolerance, int has_events,
                         wr_diag *warnings);

#endif
