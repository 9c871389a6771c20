/* Reads wr_settings from text: order of the steps, and common functions. See settings.h.
 *
 * The text becomes a tree (toml.cpp), and overrides change the tree (settings_overrides.c). Then the readers read the rows of keys.c
 * (settings_scalars.c) and the repeated tables (settings_readers.h) from the tree. Every step after the parser continues after an error,
 * so that diag gets all errors of a config at once.
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
#include "runtime/config/settings_readers.h"

static wr_settings *fail_for_memory(wr_diag *diag)
{
    wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while reading the config");
    return NULL;
}

/* Builds settings. file: value of settings->file; name: name in messages. */
static wr_settings *build(const char *text, size_t text_bytes, const char *file, const char *name,
                          const wr_override *overrides, int n_overrides, wr_diag *diag)
{
    wr_heap_pool *memory = wr_heap_pool_create(NULL);
    wr_settings *settings = memory ? wr_heap_pool_take(memory, 1, sizeof *settings) : NULL;
    if (!settings) {
        wr_heap_pool_destroy(&memory);
        return fail_for_memory(diag);
    }
    settings->memory = memory;
    settings->file = wr_heap_pool_text(memory, file, strlen(file));
    wr_settings_work work = {.settings = settings, .memory = memory, .diag = diag};
    work.file = wr_heap_pool_text(memory, name, strlen(name));
    const char *const slash = work.file ? strrchr(work.file, '/') : NULL;
    work.folder = slash ? wr_heap_pool_text(memory, work.file,
                                            slash == work.file ? 1 : (size_t)(slash - work.file))
                        : "";
    if (!settings->file || !work.file || !work.folder)
        goto fail;
    settings->root = work.root = wr_toml_parse(text, text_bytes, work.file, memory, diag);
    if (!work.root)
        goto fail;
    for (int i = 0; i < n_overrides; i++)
        wr_settings_override(&work, overrides[i].text);
    wr_settings_read_scalars(&work);
    wr_settings_read_lists(&work);
    if (!wr_heap_pool_is_short(memory))
        return settings;
fail:
    if (wr_heap_pool_is_short(memory))
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
    /* The pool contains the settings, so the pool's pointer needs a copy. */
    wr_heap_pool *memory = (*settings)->memory;
    wr_diag_done(&(*settings)->warnings);
    wr_heap_pool_destroy(&memory);
    *settings = NULL;
}

wr_where wr_settings_place(const wr_settings *settings, const char *path)
{
    wr_where where;
    wr_settings_find(settings->root, path, &where);
    return where;
}

int wr_settings_is_given(const wr_settings *settings, const char *path)
{
    wr_where where;
    return wr_settings_find(settings->root, path, &where) != NULL;
}
