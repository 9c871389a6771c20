/* Settings: what a config file and -D overrides come to (settings_data.h).
 *
 * toml.cpp turns text into a tree with line and column; keys.c is the one table of scalar keys
 * (path, type, unit, default, range, help, offset into wr_settings); settings.c walks both, finds
 * every error (unknown key with the nearest valid one, wrong type, out of range) and fills the
 * structs. All strings belong to the wr_settings.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETTINGS_H
#define WR_SETTINGS_H

#include "runtime/config/settings_data.h"

/* One -D override: "key=value", value as TOML (a bare word counts as a string). Keys reach into
 * arrays of tables by name: component.cyl1.parameters.firing_offset, subsystem.airpath.solver.kind.
 */
typedef struct wr_override {
    const char *text;
} wr_override;

/* Reads a file (or text, if name is only for messages) and applies overrides in order. All errors
 * go to diag. NULL if there is nothing to read values from: no file, no TOML, no memory. After
 * other errors the settings hold what is right in the config: enough to look for errors elsewhere
 * in it, and for nothing else. */
wr_settings *wr_settings_load(const char *file, const wr_override *overrides, int n_overrides,
                              wr_diag *diag);
wr_settings *wr_settings_parse(const char *text, size_t text_bytes, const char *name,
                               const wr_override *overrides, int n_overrides, wr_diag *diag);
void wr_settings_destroy(wr_settings **settings);

/* Where the value of a key such as "output.file" stands; where its section, or at least the file,
 * is if it was not given. */
wr_where wr_settings_place(const wr_settings *settings, const char *path);

/* Was a value of that key given? */
int wr_settings_is_given(const wr_settings *settings, const char *path);

/* What of the settings is written. */
typedef enum wr_dump_kind {
    WR_DUMP_ALL,
    WR_DUMP_RESULTS, /* without keys that cannot change a result (scheduler.*, output.file, output.json): equal runs store
                        equal text */
    WR_DUMP_SHORT    /* without keys that have their defaults, in [[subsystem]] those of [solver] */
} wr_dump_kind;

/* The resolved settings as TOML that loads again to the same settings (but for what is left out), malloc'ed; NULL when out
 * of memory. */
char *wr_settings_dump(const wr_settings *settings, wr_dump_kind kind);

/* The same short, as a config for the next run that a tool writes into a folder: files that it reads have absolute paths, those
 * that lie in that folder relative ones, so that it may be moved with them. (A key that is written out counts as wanted, and
 * the next run would tell of those without use.) */
char *wr_settings_dump_next(const wr_settings *settings, const char *folder);

/* The names of actions, by wr_scenario_action. */
extern const char *const wr_settings_actions[WR_SCENARIO_ACTION_COUNT];

#endif
