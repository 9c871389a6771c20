/* Errors and members of tables while a config is read. See settings_work.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/config/settings_work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"

/* Replaces control characters and invalid UTF-8, because error texts quote configs of unknown origin. */
static void make_printable(char *text)
{
    for (size_t i = 0; text[i];) {
        const size_t n = wr_utf8_length(text + i);
        if (n == 0 || wr_utf8_is_control(text + i)) {
            text[i] = '?';
            i++;
        } else {
            i += n;
        }
    }
}

wrsim_status wr_settings_error(wr_settings_work *work, const wr_where *where, const char *format,
                               ...)
{
    char text[sizeof(((wrsim_error *)0)->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
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

const char *wr_settings_text(wr_settings_work *work, const wr_toml *item, const char *key,
                             const char *item_text, wr_where *ret_where)
{
    const wr_toml *const value = wr_settings_member(item, key);
    if (!value) {
        if (!wr_settings_is_misspelt(item, key))
            wr_settings_error(work, &item->where, "%s needs the key '%s'; add %s = \"...\"",
                              item_text, key, key);
        return NULL;
    }
    if (value->kind != WR_TOML_STRING) {
        wr_settings_error(work, &value->where, "'%s' of %s must be a string, but is %s", key,
                          item_text, wr_settings_kind_text(value));
        return NULL;
    }
    if (value->string[0] == '\0') {
        wr_settings_error(work, &value->where, "'%s' of %s must not be empty", key, item_text);
        return NULL;
    }
    *ret_where = value->where;
    return value->string;
}
