/* What the files of the settings reader share while one config is read. Internal to this folder.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETTINGS_WORK_H
#define WR_SETTINGS_WORK_H

#include "runtime/config/keys.h"
#include "runtime/config/settings.h"
#include "runtime/config/toml.h"

enum {
    WR_SETTINGS_MAX_ITEMS = 1000000, /* components, connections, ...: more is a runaway script */
    WR_SETTINGS_MAX_PATH = 512       /* longest path of a key that is looked up */
};

typedef struct wr_settings_work {
    wr_settings *settings;
    wr_settings_memory *memory;
    wr_diag *diag;
    const char *file;   /* as messages name it */
    const char *folder; /* of the file, without final '/'; "" = none */
    wr_toml *root;
} wr_settings_work;

/* Adds an error; control characters and cut UTF-8 sequences do not reach the user's terminal. */
wrsim_status wr_settings_error(wr_settings_work *work, const wr_where *where, const char *format,
                               ...) WR_PRINTF(3, 4);

/* "a string", "a table", ... */
const char *wr_settings_kind_text(const wr_toml *value);

enum { WR_SETTINGS_VALUE_BYTES = 96 };

/* What stands in place of a number, as it was typed as far as that is known: the text "20ms", true,
 * 2.5, "a list", ... Returns ret_text. */
const char *wr_settings_value_text(const wr_toml *value, char ret_text[WR_SETTINGS_VALUE_BYTES]);

/* "; " and how numbers look if value is a text that was to be one, else "". */
const char *wr_settings_number_hint(const wr_toml *value);

/* The member of a table, NULL if there is none (or no table). */
wr_toml *wr_settings_member(const wr_toml *table, const char *key);

/* Says what has come in a removed key's place; 0 if it never was one. prefix: the table's name. */
int wr_settings_refuse_gone(wr_settings_work *work, const wr_toml *child, const char *prefix);

/* Checks that every key of an item of that list is one of its keys. Returns how many are not. */
int wr_settings_check_members(wr_settings_work *work, const wr_toml *item, wr_list list);

/* 1 if a key of table is so like key, which is not there, that it was refused with a hint at it:
 * key is misspelt then and not missing. */
int wr_settings_is_misspelt(const wr_toml *table, const char *key);

/* settings_overrides.c: changes the tree as -D asks. */
void wr_settings_override(wr_settings_work *work, const wr_override *override);

/* settings_scalars.c: fills every field that has a row in the table, defaults first. */
void wr_settings_read_scalars(wr_settings_work *work);
/* Fills a subsystem's solver from its table over the values it has; table may be NULL. */
void wr_settings_read_solver(wr_settings_work *work, const wr_toml *table, wr_set_solver *solver);

/* settings_lists.c: all repeated tables. */
void wr_settings_read_lists(wr_settings_work *work);
/* An item's name, which is an identifier; NULL with an error where it is not. item_text: "[[component]]". */
const char *wr_settings_name(wr_settings_work *work, const wr_toml *item, const char *item_text);
/* Is it a number? Complains if not. item_text: "[[component]]". */
int wr_settings_is_number(wr_settings_work *work, const wr_toml *value, const char *item_text);
/* Relative to the config file's folder; NULL when out of memory. */
const char *wr_settings_path(wr_settings_work *work, const char *file);

/* settings_connections.c, settings_ports.c, settings_scenarios.c: fill what their names say from a list of tables. */
void wr_settings_read_connections(wr_settings_work *work, const wr_toml *list);
void wr_settings_read_ports(wr_settings_work *work, const wr_toml *list);
void wr_settings_read_scenarios(wr_settings_work *work, const wr_toml *list);

/* A string, or (if may_be_list) a list of at least one; NULL with an error. item_text: "[[connection]]". */
const wr_toml *wr_settings_texts(wr_settings_work *work, const wr_toml *item, const char *key,
                                 const char *item_text, int may_be_list);
/* One text of what that gives, or the only one, and how many there are; value NULL: one. */
static inline const wr_toml *wr_settings_first_of(const wr_toml *value)
{
    return value->kind == WR_TOML_ARRAY ? value->first : value;
}
static inline int wr_settings_count_of(const wr_toml *value)
{
    return !value ? 1 : (value->kind == WR_TOML_ARRAY ? value->n_children : 1);
}
/* "component.variable", where only the component must be an identifier. */
int wr_settings_is_variable(const char *text);
/* The same, and complains if it is not. key: whose value the text is. */
int wr_settings_check_variable(wr_settings_work *work, const wr_toml *text, const char *key);
/* The texts that wr_settings_texts() found, NULL when out of memory. */
wr_set_name *wr_settings_variables(wr_settings_work *work, const wr_toml *texts, const char *key,
                                   int *ret_is_good);

/* A string member of an item: NULL with an error when it has another type, is empty, or is missing
 * while item_text says "[[component]]" and so on. */
const char *wr_settings_text(wr_settings_work *work, const wr_toml *item, const char *key,
                             const char *item_text, wr_where *ret_where);

#endif
