/* Modules of an exported FMU. This file replaces base/module.c in the binary of an FMU. See module.h. Thread: any. Real-time: no. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/module.h"

typedef struct row {
    const char *file;    /* file beside the binary; NULL: an FMU does not contain the module */
    const char *purpose; /* features that need the module, in the plural */
    const char *key;     /* key of the config, and the change that avoids the module */
} row;

static const row rows[WR_MODULE_COUNT] = {
    [WR_MODULE_FMI] = {"wrsim_fmi.so", "FMUs", "component.fmu: use a model in place of the FMU"},
    [WR_MODULE_HDF5] = {NULL, "files in HDF5 format",
                        "subsystem.file or scenario.file: convert the recording to CSV"},
    [WR_MODULE_HTTP] = {NULL, "live views", "omit --live"},
    [WR_MODULE_HWLOC] = {NULL, "descriptions of other machines",
                         "scheduler.topology: remove the key"},
    [WR_MODULE_KLU] = {NULL, "sparse linear systems",
                       "solver.linear_solver: set \"dense\", or set solver.kind to an explicit "
                       "solver"},
    [WR_MODULE_MAT] = {NULL, "files in MAT format",
                       "subsystem.file or scenario.file: convert the recording to CSV"},
    [WR_MODULE_SUNDIALS] = {"wrsim_sundials.so", "the solvers cvode_bdf and cvode_adams",
                            "solver.kind: choose another solver"},
};

/* Writes the path of a file in the folder of this binary. Returns 1, or 0 if the folder is unknown. */
static int find_beside(const char *file, char ret_path[PATH_MAX])
{
    static const char here = 0;
    Dl_info about;
    if (dladdr(&here, &about) == 0 || !about.dli_fname)
        return 0;
    const char *const slash = strrchr(about.dli_fname, '/');
    const int n_folder = slash ? (int)(slash - about.dli_fname) : 1;
    const int n =
        snprintf(ret_path, PATH_MAX, "%.*s/%s", n_folder, slash ? about.dli_fname : ".", file);
    return n > 0 && n < PATH_MAX;
}

int wr_module_find_file(const char *file, char ret_path[PATH_MAX])
{
    (void)find_beside(
        file,
        ret_path); /* an FMU contains no program for a component; see refuse_processes() in cosim_export.c */
    return 0;
}

const void *wr_module_load(wr_module_id id, wrsim_error *err)
{
    WR_ASSERT(id > WR_MODULE_NONE && id < WR_MODULE_COUNT);
    const row *const r = &rows[id];
    char path[PATH_MAX];
    const char *why = "which an exported FMU does not contain";
    if (r->file && find_beside(r->file, path)) {
        void *const object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        const char *const text = object ? NULL : dlerror();
        const wr_module *const module = object ? dlsym(object, "wrsim_module") : NULL;
        if (module && strcmp(module->version, WRSIM_VERSION_STRING) == 0)
            return module->operations;
        why = text ? text : "whose file has another version";
    }
    wr_error_set(err, WRSIM_E_CONFIG, "%s need a module, %s (key %s)", r->purpose, why, r->key);
    return NULL;
}
