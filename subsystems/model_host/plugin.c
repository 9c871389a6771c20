/* Opens native plug-ins. See provider.h.
 *
 * A plug-in is foreign code. The provider checks the plug-in as far as possible before a call, and the results of a call before their use.
 * No check covers pointers.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/model_host/provider.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "subsystems/model_host/calling.h"
#include "subsystems/model_host/shared_object.h"

static int recognises(const char *path)
{
    (void)path; /* dlopen() checks the file */
    return 1;
}

/* Closes the plug-in, and records its unload functions as a call (calling.h). */
static void close_plugin(void *handle)
{
    Dl_info about;
    void *const entry = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    const int is_known = entry && dladdr(entry, &about) != 0 && about.dli_fname;
    wr_calling_begin(is_known ? about.dli_fname : "", "closing", (double)NAN);
    dlclose(handle);
    wr_calling_end();
}

static void *open_plugin(const char *path, const wr_where *where, wr_diag *diag,
                         const wrsim_model *const **ret_models)
{
    char reason[WR_SHARED_OBJECT_BYTES];
    void *const handle = wr_shared_object_open(path, WR_SHARED_OBJECT_USUAL, reason);
    if (!handle) {
        wr_diag_add(
            diag, WRSIM_E_PLUGIN, where, "plug-in '%s' cannot be opened: %s%s", path, reason,
            wr_shared_object_is_other(path)
                ? "; compile a model by gcc -shared -fPIC; a linear model begins with 'wrsim "
                  "state space'"
                : "; correct the path, or build the plug-in again by gcc -shared -fPIC");
        return NULL;
    }
    /* POSIX promises that the conversion of the object pointer of dlsym() to a function pointer is valid. ISO C does not promise this
     * conversion, so the code copies the bytes. */
    void *const symbol = dlsym(handle, WRSIM_PLUGIN_SYMBOL);
    wrsim_plugin_models_fn entry = NULL;
    if (symbol)
        memcpy(&entry, &symbol, sizeof entry);
    wr_calling_begin(path, "opening", (double)NAN);
    *ret_models = entry ? entry(WRSIM_MODEL_ABI) : NULL;
    wr_calling_end();
    if (*ret_models)
        return handle;
    if (!entry)
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "'%s' is a shared object but not a wrsim plug-in; export '%s'", path,
                    WRSIM_PLUGIN_SYMBOL);
    else
        wr_diag_add(
            diag, WRSIM_E_PLUGIN, where,
            "plug-in '%s' refuses model ABI %u of this wrsim; compile the plug-in again with this "
            "wrsim's wrsim/model.h, and move keep() and go_back() of a stepper to wrsim_own_state",
            path, WRSIM_MODEL_ABI);
    close_plugin(handle);
    return NULL;
}

const wr_provider wr_provider_native = {"native", recognises, open_plugin, NULL, close_plugin};
