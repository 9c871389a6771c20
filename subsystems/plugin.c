/* Opening native plug-ins and checking model descriptors. See plugin.h.
 *
 * A plug-in is foreign: everything that can be checked without calling it is checked before it is
 * called, and everything it hands over is checked before it is used. What cannot be checked is
 * memory: a pointer that does not point to what the ABI says is beyond help.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/plugin.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_MODELS = 1024,
    MAX_PARAMS = 10000,
    MAX_NAME_BYTES = 128,
    KNOWN_PARAM_FLAGS = WRSIM_REQUIRED | WRSIM_INTEGER
};

struct wr_plugin {
    void *handle;
    const wrsim_model *const *models;
};

static int refuse(char *ret_text, size_t text_bytes, const char *format, ...) WR_PRINTF(3, 4);

static int refuse(char *ret_text, size_t text_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ret_text, text_bytes, format, args);
    va_end(args);
    return WRSIM_E_MODEL;
}

/* A name that can be printed and typed; extra lists characters allowed beside letters, digits and
 * '_'. */
static int is_name(const char *name, const char *extra)
{
    size_t i = 0;
    for (; i < MAX_NAME_BYTES && name[i]; i++) {
        const char c = name[i];
        const int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const int is_digit = c >= '0' && c <= '9';
        if (!is_letter && (i == 0 || (!is_digit && !strchr(extra, c))))
            return 0;
    }
    return i > 0 && i < MAX_NAME_BYTES;
}

static int check_param(const wrsim_model *model, int i, char *ret_text, size_t text_bytes)
{
    const wrsim_variable *const p = &model->params[i];
    if (!p->name || !is_name(p->name, "[]"))
        return refuse(ret_text, text_bytes, "parameter %d of model '%s' has no valid name", i,
                      model->name);
    for (int j = 0; j < i; j++)
        if (strcmp(model->params[j].name, p->name) == 0)
            return refuse(ret_text, text_bytes, "parameter '%s' of model '%s' is declared twice",
                          p->name, model->name);
    if (p->flags & ~(unsigned)KNOWN_PARAM_FLAGS)
        return refuse(ret_text, text_bytes, "parameter '%s' of model '%s' has unknown flags 0x%x",
                      p->name, model->name, p->flags);
    if (!isfinite(p->start) || !isfinite(p->min) || !isfinite(p->max) || p->min > p->max)
        return refuse(ret_text, text_bytes,
                      "parameter '%s' of model '%s' has a default or limits that are not valid",
                      p->name, model->name);
    const int is_required = (p->flags & WRSIM_REQUIRED) != 0;
    const int is_limited = p->min < 0 || p->min > 0 || p->max < 0 || p->max > 0;
    if (!is_required && is_limited && (p->start < p->min || p->start > p->max))
        return refuse(ret_text, text_bytes,
                      "parameter '%s' of model '%s' has a default outside its own limits", p->name,
                      model->name);
    return WRSIM_OK;
}

int wr_model_check(const wrsim_model *model, char *ret_text, size_t text_bytes)
{
    if (!model)
        return refuse(ret_text, text_bytes, "the model's descriptor is missing");
    if (model->abi != WRSIM_MODEL_ABI)
        return refuse(ret_text, text_bytes,
                      "a model was compiled for model ABI %u, this wrsim has %u: compile it again",
                      (unsigned)model->abi, WRSIM_MODEL_ABI);
    if (model->struct_size < sizeof(wrsim_model))
        return refuse(ret_text, text_bytes,
                      "a model's descriptor has %u bytes instead of %u: compile it again",
                      (unsigned)model->struct_size, (unsigned)sizeof(wrsim_model));
    if (!model->name || !is_name(model->name, "."))
        return refuse(ret_text, text_bytes, "a model has no valid name");
    if (model->caps & ~(uint32_t)WRSIM_CAP_RT_SAFE)
        return refuse(ret_text, text_bytes, "model '%s' claims unknown capabilities 0x%x",
                      model->name, (unsigned)model->caps);
    if (!model->describe)
        return refuse(ret_text, text_bytes, "model '%s' has no describe callback", model->name);
    if (model->n_param < 0 || model->n_param > MAX_PARAMS)
        return refuse(ret_text, text_bytes, "model '%s' has %d parameters (0 to %d are allowed)",
                      model->name, model->n_param, MAX_PARAMS);
    if (model->n_param > 0 && !model->params)
        return refuse(ret_text, text_bytes, "model '%s' has parameters but no parameter table",
                      model->name);
    for (int i = 0; i < model->n_param; i++) {
        const int rc = check_param(model, i, ret_text, text_bytes);
        if (rc < 0)
            return rc;
    }
    return WRSIM_OK;
}

/* The list's length, or a negative status when it or one of its models is not valid. */
static int check_list(const char *path, const wrsim_model *const *models, const wr_where *where,
                      wr_diag *diag)
{
    int n = 0;
    while (n < MAX_MODELS && models[n])
        n++;
    if (n == MAX_MODELS)
        return wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                           "plug-in '%s': its list of models does not end within %d entries", path,
                           MAX_MODELS);
    if (n == 0)
        return wr_diag_add(diag, WRSIM_E_PLUGIN, where, "plug-in '%s' has no models", path);
    for (int i = 0; i < n; i++) {
        char text[256];
        if (wr_model_check(models[i], text, sizeof text) < 0)
            return wr_diag_add(diag, WRSIM_E_PLUGIN, where, "plug-in '%s': %s", path, text);
        for (int j = 0; j < i; j++)
            if (strcmp(models[i]->name, models[j]->name) == 0)
                return wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                                   "plug-in '%s' has two models named '%s'", path, models[i]->name);
    }
    return n;
}

/* POSIX promises that dlsym's object pointer can be made a function pointer; ISO C does not, hence
 * the copy of bytes. */
static wrsim_plugin_models_fn find_entry(void *handle)
{
    void *const symbol = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    wrsim_plugin_models_fn entry = NULL;
    if (symbol)
        memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

wr_plugin *wr_plugin_open(const char *path, const wr_where *where, wr_diag *diag)
{
    wr_plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin) {
        wr_diag_add(diag, WRSIM_E_MEMORY, where, "out of memory opening plug-in '%s'", path);
        return NULL;
    }
    plugin->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->handle) {
        const char *const reason = dlerror();
        wr_diag_add(diag, WRSIM_E_PLUGIN, where, "plug-in '%s' cannot be opened: %s", path,
                    reason ? reason : "unknown reason");
        goto fail;
    }
    const wrsim_plugin_models_fn entry = find_entry(plugin->handle);
    if (!entry) {
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "'%s' is a shared object but no wrsim plug-in: it does not export '%s'", path,
                    WRSIM_PLUGIN_SYMBOL);
        goto fail;
    }
    plugin->models = entry(WRSIM_MODEL_ABI);
    if (!plugin->models) {
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "plug-in '%s' refuses model ABI %u of this wrsim: compile it again", path,
                    WRSIM_MODEL_ABI);
        goto fail;
    }
    if (check_list(path, plugin->models, where, diag) < 0)
        goto fail;
    return plugin;
fail:
    wr_plugin_close(&plugin);
    return NULL;
}

const wrsim_model *const *wr_plugin_models(const wr_plugin *plugin) { return plugin->models; }

void wr_plugin_close(wr_plugin **plugin)
{
    if (!plugin || !*plugin)
        return;
    if ((*plugin)->handle)
        dlclose((*plugin)->handle);
    free(*plugin);
    *plugin = NULL;
}
