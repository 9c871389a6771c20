/* Errors and members of tables while a config is read. See settings_work.h. Thread: one owner. Real-time: no. */
#include "runtime/config/settings_work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"

wrsim_status wr_settings_error(wr_settings_work *work, const wr_where *where, const char *format,
                               ...)
{
    char text[sizeof(((wrsim_error *)0)->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Error texts quote configs of unknown origin. */
    for (size_t i = 0; text[i];) {
        const size_t n = wr_utf8_length(text + i);
        if (n == 0 || wr_utf8_is_control(text + i)) {
            text[i] = '?';
            i++;
        } else {
            i += n;
        }
    }
    return wr_diag_add(work->diag, WRSIM_E_CONFIG, where, "%s", text);
}

const char *wr_settings_kind_text(const wr_toml *value)
{
    static const char *const texts[] = {
        [WR_TOML_STRING] = "a string", [WR_TOML_INTEGER] = "a whole number",
        [WR_TOML_REAL] = "a number",   [WR_TOML_FLAG] = "true or false",
        [WR_TOML_TIME] = "a date",     [WR_TOML_ARRAY] = "a list",
        [WR_TOML_TABLE] = "a table",
    };
    return texts[value->kind];
}

const char *wr_settings_value_text(const wr_toml *value, char ret_text[WR_SETTINGS_VALUE_BYTES])
{
    if (value->kind == WR_TOML_STRING)
        snprintf(ret_text, WR_SETTINGS_VALUE_BYTES, "the text \"%.60s\"", value->string);
    else if (value->kind == WR_TOML_FLAG)
        snprintf(ret_text, WR_SETTINGS_VALUE_BYTES, "%s", value->integer ? "true" : "false");
    else if (value->kind == WR_TOML_INTEGER || value->kind == WR_TOML_REAL)
        snprintf(ret_text, WR_SETTINGS_VALUE_BYTES, "%.10g", value->real);
    else
        snprintf(ret_text, WR_SETTINGS_VALUE_BYTES, "%s", wr_settings_kind_text(value));
    return ret_text;
}

const char *wr_settings_number_hint(const wr_toml *value)
{
    const int is_number = value->kind == WR_TOML_STRING && value->string[0] &&
                          strchr("+-.0123456789", value->string[0]);
    return is_number ? "; " WR_TOML_NUMBER_HINT : "";
}

wr_toml *wr_settings_member(const wr_toml *table, const char *key)
{
    if (!table || table->kind != WR_TOML_TABLE)
        return NULL;
    for (wr_toml *child = table->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

int wr_settings_refuse_gone(wr_settings_work *work, const wr_toml *child, const char *prefix)
{
    const size_t n = strlen(prefix);
    for (const wr_gone_key *key = wr_gone_keys; key->path; key++)
        if (n > 0 && strncmp(key->path, prefix, n) == 0 && key->path[n] == '.' &&
            strcmp(key->path + n + 1, child->key) == 0) {
            wr_settings_error(work, &child->where_key, "the key '%s' was removed: %s", key->path,
                              key->instead);
            return 1;
        }
    return 0;
}

int wr_settings_check_members(wr_settings_work *work, const wr_toml *item, wr_list list)
{
    const wr_table *const table = &wr_tables[list];
    const char *valid[WR_TABLE_KEYS];
    int n_valid = 0, n_unknown = 0;
    for (; table->key[n_valid].name; n_valid++)
        valid[n_valid] = table->key[n_valid].name;
    for (const wr_toml *child = item->first; child; child = child->next) {
        int is_valid = 0;
        for (int i = 0; i < n_valid; i++)
            is_valid = is_valid || strcmp(child->key, valid[i]) == 0;
        if (is_valid)
            continue;
        n_unknown++;
        if (wr_settings_refuse_gone(work, child, table->name))
            continue;
        char hint[WR_NAMES_HINT_BYTES];
        wr_settings_error(work, &child->where_key, "unknown key '%.60s' in [[%s]]; %s", child->key,
                          table->name, wr_names_hint(child->key, valid, n_valid, hint));
    }
    return n_unknown;
}

int wr_settings_is_misspelt(const wr_toml *table, const char *key)
{
    for (const wr_toml *child = table->first; child; child = child->next)
        if (wr_names_nearest(child->key, &key, 1))
            return 1;
    return 0;
}

/* Returns the node of a key; NULL without the key. ret_where: see settings_work.h. */
const wr_toml *wr_settings_find(const wr_toml *root, const char *path, wr_where *ret_where)
{
    const wr_toml *node = root;
    char piece[WR_NAMES_MAX_BYTES];
    *ret_where = (wr_where){root->where.file, 0, 0};
    for (const char *rest = path; node;) {
        const size_t n_piece = strcspn(rest, ".");
        snprintf(piece, sizeof piece, "%.*s", (int)n_piece, rest);
        node = wr_settings_member(node, piece);
        if (node)
            *ret_where = node->where;
        if (rest[n_piece] == '\0')
            break;
        rest += n_piece + 1;
    }
    return node;
}

const wr_toml *wr_settings_texts(wr_settings_work *work, const wr_toml *item, const char *key,
                                 const char *item_text, int may_be_list)
{
    const wr_toml *const value = wr_settings_member(item, key);
    if (!value) {
        if (!wr_settings_is_misspelt(item, key))
            wr_settings_error(work, &item->where, "%s needs the key '%s'; add %s = \"...\"",
                              item_text, key, key);
        return NULL;
    }
    const int is_list = value->kind == WR_TOML_ARRAY && may_be_list;
    const char *const wanted = may_be_list ? "a string or a list of strings" : "a string";
    if (value->kind != WR_TOML_STRING && !is_list) {
        wr_settings_error(work, &value->where, "'%s' of %s must be %s, but is %s", key, item_text,
                          wanted, wr_settings_kind_text(value));
        return NULL;
    }
    if (is_list && value->n_children == 0) {
        wr_settings_error(work, &value->where, "'%s' of %s is an empty list; add at least one name",
                          key, item_text);
        return NULL;
    }
    for (const wr_toml *text = wr_settings_first_of(value); is_list && text; text = text->next) {
        if (text->kind != WR_TOML_STRING) {
            wr_settings_error(work, &text->where, "'%s' of %s must be %s, but contains %s", key,
                              item_text, wanted, wr_settings_kind_text(text));
            return NULL;
        }
    }
    return value;
}

const char *wr_settings_text(wr_settings_work *work, const wr_toml *item, const char *key,
                             const char *item_text, wr_where *ret_where)
{
    const wr_toml *const value = wr_settings_texts(work, item, key, item_text, 0);
    if (!value)
        return NULL;
    if (value->string[0] == '\0') {
        wr_settings_error(work, &value->where, "'%s' of %s must not be empty", key, item_text);
        return NULL;
    }
    *ret_where = value->where;
    return value->string;
}

void wr_settings_check_names(wr_settings_work *work, const char *noun, wr_set_name *items, int n)
{
    wr_named *const names = wr_heap_pool_take(work->memory, (size_t)n, sizeof *names);
    int n_names = 0;
    for (int i = 0; names && i < n; i++)
        if (items[i].name)
            names[n_names++] = (wr_named){items[i].name, i};
    if (n_names > 0)
        wr_names_sort(names, n_names);
    for (int i = 1; i < n_names; i++)
        if (strcmp(names[i].name, names[i - 1].name) == 0) {
            wr_set_name *const second = &items[names[i].number];
            second->is_refused = 1;
            wr_settings_error(work, &second->where,
                              "%s '%s' is defined twice, also at line %d; rename one of them", noun,
                              second->name, items[names[i - 1].number].where.line);
        }
}

int wr_settings_choice(wr_settings_work *work, const wr_toml *item, const char *key,
                       const char *item_text, const char *const *choices, int n_choice)
{
    wr_where where = item->where;
    const char *const text = wr_settings_text(work, item, key, item_text, &where);
    for (int i = 0; text && i < n_choice; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    char hint[WR_NAMES_HINT_BYTES];
    if (text)
        wr_settings_error(work, &where, "'%s' of %s cannot be '%.60s'; %s", key, item_text, text,
                          wr_names_hint(text, choices, n_choice, hint));
    return -1;
}

const char *wr_settings_name(wr_settings_work *work, const wr_toml *item, const char *item_text)
{
    wr_where where = item->where;
    const char *const name = wr_settings_text(work, item, "name", item_text, &where);
    if (name && !wr_names_is_identifier(name)) {
        wr_settings_error(work, &where,
                          "'%.70s' is not a valid name; use a letter or _, then letters, digits "
                          "and _, at most %d characters",
                          name, WR_NAMES_MAX_BYTES - 1);
        return NULL;
    }
    return name;
}

int wr_settings_is_quantity(wr_settings_work *work, const wr_toml *value, const char *list,
                            const char *unit)
{
    if (value->kind == WR_TOML_REAL || value->kind == WR_TOML_INTEGER)
        return 1;
    char text[WR_SETTINGS_VALUE_BYTES];
    wr_settings_error(work, &value->where, "'%s' of %s must be a number%s%s, but is %s%s",
                      value->key, list, *unit ? " in " : "", unit,
                      wr_settings_value_text(value, text), wr_settings_number_hint(value));
    return 0;
}

int wr_settings_is_number(wr_settings_work *work, const wr_toml *value, const char *list)
{
    return wr_settings_is_quantity(work, value, list, "");
}

/* Joins the folder of the config and a relative path. Without a folder, adds "./" to a path without '/', because the loader would search
 * the system's library folders otherwise. */
const char *wr_settings_path(wr_settings_work *work, const char *file)
{
    const char *folder = work->folder;
    if (file[0] == '/' || (folder[0] == '\0' && strchr(file, '/')))
        return file;
    if (folder[0] == '\0')
        folder = ".";
    const size_t n_folder = strlen(folder), n_file = strlen(file);
    const size_t n_slash = folder[n_folder - 1] != '/';
    char *const path = wr_heap_pool_take(work->memory, n_folder + n_slash + n_file + 1, 1);
    if (!path)
        return NULL;
    memcpy(path, folder, n_folder);
    if (n_slash)
        path[n_folder] = '/';
    memcpy(path + n_folder + n_slash, file, n_file);
    return path;
}

int wr_settings_is_variable(const char *text)
{
    char component[WR_NAMES_MAX_BYTES + 1];
    const char *const dot = strchr(text, '.');
    if (!dot || dot[1] == '\0' || (size_t)(dot - text) >= sizeof component)
        return 0;
    memcpy(component, text, (size_t)(dot - text));
    component[dot - text] = '\0';
    return wr_names_is_identifier(component);
}

int wr_settings_check_variable(wr_settings_work *work, const wr_toml *text, const char *key)
{
    if (wr_settings_is_variable(text->string))
        return 1;
    wr_settings_error(work, &text->where,
                      "'%s' is '%.60s', but must be component.variable, like airpath.p", key,
                      text->string);
    return 0;
}

wr_set_name *wr_settings_variables(wr_settings_work *work, const wr_toml *texts, const char *key,
                                   int *ret_is_good)
{
    const int n = wr_settings_count_of(texts);
    wr_set_name *const names = wr_heap_pool_take(work->memory, (size_t)n, sizeof *names);
    const wr_toml *text = wr_settings_first_of(texts);
    for (int i = 0; names && i < n; i++, text = text->next) {
        *ret_is_good &= wr_settings_check_variable(work, text, key);
        names[i] = (wr_set_name){.name = text->string, .where = text->where};
    }
    return names;
}
