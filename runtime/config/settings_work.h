/* The state of the reader of settings: its errors, and checked access to the TOML tree. Internal to this folder.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_WORK_H
#define WR_SETTINGS_WORK_H

#include "runtime/config/keys.h"
#include "runtime/config/settings_data.h"
#include "runtime/config/toml.h"

enum {
    /* limit of the items of a list (assumed); a faulty script may write more items */
    WR_SETTINGS_MAX_ITEMS = 1000000,
    WR_SETTINGS_MAX_PATH = 512 /* longest path of a key, bytes (assumed) */
};

typedef struct wr_settings_work {
    wr_settings *settings;
    wr_heap_pool *memory;
    wr_diag *diag;
    const char *file;   /* name of the file in messages */
    const char *folder; /* folder of the file, without final '/'; "" = none */
    wr_toml *root;
} wr_settings_work;

/* Reports an error. Replaces control characters and invalid UTF-8, so that such bytes do not reach a terminal. */
wrsim_status wr_settings_error(wr_settings_work *work, const wr_where *where, const char *format,
                               ...) WR_PRINTF(3, 4);

/* Returns "a string", "a table", ... */
const char *wr_settings_kind_text(const wr_toml *value);

enum { WR_SETTINGS_VALUE_BYTES = 96 };

/* Describes a value of a wrong type: the text "20ms", true, 2.5, a list, ... Returns ret_text. */
const char *wr_settings_value_text(const wr_toml *value, char ret_text[WR_SETTINGS_VALUE_BYTES]);

/* Returns "; " and the format of numbers if value is a text that resembles a number, else "". */
const char *wr_settings_number_hint(const wr_toml *value);
/* Requires a number. unit: of the number, such as "s". Returns 0 after an error. */
int wr_settings_is_quantity(wr_settings_work *work, const wr_toml *value, const char *list,
                            const char *unit);

/* Returns the member of a table; NULL without the member, or if `table` is no table. */
wr_toml *wr_settings_member(const wr_toml *table, const char *key);

/* Reports the replacement of a removed key. prefix: name of its table. Returns 1, or 0 for a key that is not in wr_gone_keys. */
int wr_settings_refuse_gone(wr_settings_work *work, const wr_toml *child, const char *prefix);

/* Reports the keys of an item that wr_tables[list] does not have. Returns the number of such keys. */
int wr_settings_check_members(wr_settings_work *work, const wr_toml *item, wr_list list);

/* Returns 1 if `table` has a key that is similar to `key`, so that `key` may be misspelt and not missing. */
int wr_settings_is_misspelt(const wr_toml *table, const char *key);

/* Finds the value of a path such as "output.file". Returns NULL without a value. ret_where: place of the value, else of the last section of
 * the path that exists, else the file. */
const wr_toml *wr_settings_find(const wr_toml *root, const char *path, wr_where *ret_where);

/* Returns the place of a key's value, as wr_settings_place(). */
static inline wr_where wr_settings_at(const wr_settings_work *work, const char *path)
{
    wr_where where;
    wr_settings_find(work->root, path, &where);
    return where;
}

/* Returns an item's name, an identifier; NULL after an error, and for a missing key as wr_settings_texts(). item_text: "[[component]]". */
const char *wr_settings_name(wr_settings_work *work, const wr_toml *item, const char *item_text);
/* Returns 1 for a number; reports an error otherwise. item_text: "[[component]]". */
int wr_settings_is_number(wr_settings_work *work, const wr_toml *value, const char *item_text);
/* Returns the path of a file that the config names: a relative path starts at the config file's folder. Returns NULL when out of memory. */
const char *wr_settings_path(wr_settings_work *work, const char *file);

/* Returns a string, or (if may_be_list) a list of at least one string; NULL after an error. For a missing key the call reports no error if
 * the item has a similar key, which wr_settings_check_members() reports. item_text: "[[connection]]". */
const wr_toml *wr_settings_texts(wr_settings_work *work, const wr_toml *item, const char *key,
                                 const char *item_text, int may_be_list);
/* Return the first text, and the number of texts, of a value of wr_settings_texts(). For value NULL the number is 1, and
 * wr_settings_first_of() must not be called. */
static inline const wr_toml *wr_settings_first_of(const wr_toml *value)
{
    return value->kind == WR_TOML_ARRAY ? value->first : value;
}
static inline int wr_settings_count_of(const wr_toml *value)
{
    return !value ? 1 : (value->kind == WR_TOML_ARRAY ? value->n_children : 1);
}
/* Returns 1 for "component.variable" with an identifier as component. */
int wr_settings_is_variable(const char *text);
/* Returns 1 for "component.variable" with an identifier as component; reports an error otherwise. key: the key with this text. */
int wr_settings_check_variable(wr_settings_work *work, const wr_toml *text, const char *key);
/* Returns the names in a value of wr_settings_texts(); NULL when out of memory. After an error *ret_is_good is 0. */
wr_set_name *wr_settings_variables(wr_settings_work *work, const wr_toml *texts, const char *key,
                                   int *ret_is_good);

/* Returns a string member of an item, as wr_settings_texts(). An empty string is also an error. item_text: "[[component]]". */
const char *wr_settings_text(wr_settings_work *work, const wr_toml *item, const char *key,
                             const char *item_text, wr_where *ret_where);

/* Reports each of n items whose name an earlier item has, and sets is_refused. noun: "port". Skips items without a name. */
void wr_settings_check_names(wr_settings_work *work, const char *noun, wr_set_name *items, int n);

/* Returns the index of a string member among choices[n_choice]. Returns -1 with an error for any other value, and -1 for a missing key
 * (wr_settings_texts()). */
int wr_settings_choice(wr_settings_work *work, const wr_toml *item, const char *key,
                       const char *item_text, const char *const *choices, int n_choice);

#endif
