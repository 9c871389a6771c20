/* Opening native plug-ins. See plugin.h.
 *
 * A plug-in is foreign: everything that can be checked without calling it is checked before it is
 * called, and everything it hands over is checked before it is used. What cannot be checked is
 * memory: a pointer that does not point to what the ABI says is beyond help.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/plugin.h"

#include <dlfcn.h>
#include <string.h>

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

static int recognises(const char *path)
{
    (void)path; /* dlopen() has the last word */
    return 1;
}

static void *open_plugin(const char *path, const wr_where *where, wr_diag *diag,
                         const wrsim_model *const **ret_models)
{
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *const reason = dlerror();
        wr_diag_add(diag, WRSIM_E_PLUGIN, where, "plug-in '%s' cannot be opened: %s", path,
                    reason ? reason : "unknown reason");
        return NULL;
    }
    const wrsim_plugin_models_fn entry = find_entry(handle);
    *ret_models = entry ? entry(WRSIM_MODEL_ABI) : NULL;
    if (*ret_models)
        return handle;
    if (!entry)
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "'%s' is a shared object but no wrsim plug-in: it does not export '%s'", path,
                    WRSIM_PLUGIN_SYMBOL);
    else
        wr_diag_add(
            diag, WRSIM_E_PLUGIN, where,
            "plug-in '%s' refuses model ABI %u of this wrsim: it was compiled for another one; "
            "compile it again with this wrsim's wrsim/model.h",
            path, WRSIM_MODEL_ABI);
    dlclose(handle);
    return NULL;
}

static void close_plugin(void *handle) { dlclose(handle); }

const wr_provider wr_provider_native = {"native", recognises, open_plugin, close_plugin};
