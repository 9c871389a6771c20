/* From text to wr_settings: order of the steps, and common functions. See settings.h.
 *
 * The text becomes a tree (toml.cpp), and overrides change the tree (settings_overrides.c). Then the rows of keys.c
 * (settings_scalars.c) and the lists (settings_lists.c, settings_connections.c) are read from it. Every step
 * continues after an error, so that a user sees all errors of a config at once.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"
#include "runtime/config/config_file.h"
#include "runtime/config/settings_work.h"

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

/* Returns the part before the last '/'; "" without one, "/" for a file in the root. */
static const char *folder_of(wr_settings_memory *memory, const char *file)
{
    const char *const slash = strrchr(file, '/');
    if (!slash)
        return "";
    return wr_settings_memory_text(memory, file, slash == file ? 1 : (size_t)(slash - file));
}

static wr_settings *fail_for_memory(wr_diag *diag)
{
    wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while reading the config");
    return NULL;
}

/* Builds settings. file: value of settings->file; name: name in messages. */
static wr_settings *build(const char *text, size_t text_bytes, const char *file, const char *name,
                          const wr_override *overrides, int n_overrides, wr_diag *diag)
{
    wr_settings_memory *memory = wr_settings_memory_create();
    wr_settings *settings = memory ? wr_settings_memory_take(memory, 1, sizeof *settings) : NULL;
    if (!settings) {
        wr_settings_memory_destroy(&memory);
        return fail_for_memory(diag);
    }
    settings->memory = memory;
    settings->file = wr_settings_memory_text(memory, file, strlen(file));
    wr_settings_work work = {.settings = settings, .memory = memory, .diag = diag};
    work.file = wr_settings_memory_text(memory, name, strlen(name));
    work.folder = work.file ? folder_of(memory, work.file) : NULL;
    if (!settings->file || !work.file || !work.folder)
        goto fail;
    settings->root = work.root = wr_toml_parse(text, text_bytes, work.file, memory, diag);
    if (!work.root)
        goto fail;
    for (int i = 0; i < n_overrides; i++)
        wr_settings_override(&work, &overrides[i]);
    wr_settings_read_scalars(&work);
    wr_settings_read_lists(&work);
    if (!wr_settings_memory_failed(memory))
        return settings;
fail:
    if (wr_settings_memory_failed(memory))
        fail_for_memory(diag);
    wr_settings_destroy(&settings);
    return NULL;
}

wr_settings *wr_settings_load(const char *file, const wr_override *overrides, int n_overrides,
                              wr_diag *diag)
{
    size_t text_bytes = 0;
    char *const text = wr_config_file_read(file, WR_TOML_MAX_BYTES, &text_bytes, diag);
    if (!text)
        return NULL;
    wr_settings *const settings = build(text, text_bytes, file, file, overrides, n_overrides, diag);
    free(text);
    return settings;
}

wr_settings *wr_settings_parse(const char *text, size_t text_bytes, const char *name,
                               const wr_override *overrides, int n_overrides, wr_diag *diag)
{
    return build(text, text_bytes, "", name ? name : "", overrides, n_overrides, diag);
}

void wr_settings_destroy(wr_settings **settings)
{
    if (!settings || !*settings)
        return;
    /* The settings are in their own memory. */
    wr_settings_memory *memory = (*settings)->memory;
    wr_settings_memory_destroy(&memory);
    *settings = NULL;
}
