/* Finds and loads modules. See module.h. Thread: any. Real-time: no. */
#include "base/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/diag.h"

/* Installed folder of modules, relative to the folder of an installed program. meson sets the name. */
#ifndef WR_MODULES_INSTALLED
#define WR_MODULES_INSTALLED "wrsim"
#endif

typedef struct module_row {
    const char *name;
    /* subject of the error message, in the plural: features that need the module */
    const char *purpose;
    const char *instead; /* change of a config that avoids the module */
} module_row;

static const module_row rows[WR_MODULE_COUNT] = {
    [WR_MODULE_FMI] = {"fmi", "FMUs", "use a model in place of the FMU"},
    [WR_MODULE_HDF5] = {"hdf5", "result files in HDF5 format", "choose a file that ends in .csv"},
    [WR_MODULE_HTTP] = {"http", "live views", "omit --live"},
    [WR_MODULE_HWLOC] = {"hwloc", "descriptions of other machines",
                         "remove the description (scheduler.topology)"},
    [WR_MODULE_KLU] = {"klu", "sparse linear systems",
                       "set solver.linear_solver = \"dense\", or choose an explicit solver"},
    [WR_MODULE_MAT] = {"mat", "result files in MAT format", "choose a file that ends in .csv"},
    [WR_MODULE_SUNDIALS] = {"sundials", "the solvers cvode_bdf and cvode_adams",
                            "choose another solver"},
};

/* Writes the folder of the program or library that contains this code, or "" if unknown. Returns 1 for the program. */
static int find_own_folder(char ret_folder[PATH_MAX])
{
    static const char here = 0;
    Dl_info about;
    ret_folder[0] = '\0';
    if (dladdr(&here, &about) == 0 || !about.dli_fname)
        return 0;
    /* The name of a program may be relative to an earlier working folder or to a folder in PATH, so the code reads /proc/self/exe. */
    const int is_program = strcmp(about.dli_fname, program_invocation_name) == 0;
    if (!realpath(is_program ? "/proc/self/exe" : about.dli_fname, ret_folder))
        ret_folder[0] = '\0';
    char *const slash = strrchr(ret_folder, '/');
    if (slash)
        *slash = '\0';
    return is_program;
}

/* Writes the path of a file in folder/place. Returns 1 if the file is readable. */
static int is_there(const char *folder, const char *place, const char *file,
                    char ret_path[PATH_MAX])
{
    const int n = snprintf(ret_path, PATH_MAX, "%s/%s%s%s", folder, place, *place ? "/" : "", file);
    return n > 0 && n < PATH_MAX && access(ret_path, R_OK) == 0;
}

int wr_module_find_file(const char *file, char ret_path[PATH_MAX])
{
    const char *const given = secure_getenv("WRSIM_MODULES");
    if (given && *given)
        return is_there(given, "", file, ret_path);
    char own[PATH_MAX];
    const char *const installed = find_own_folder(own) ? WR_MODULES_INSTALLED : "wrsim";
    /* In a build folder, and if this code is part of a module, the modules are in the folder of this code. */
    return is_there(own, "", file, ret_path) || is_there(own, installed, file, ret_path);
}

static const void *fail(const module_row *row, const char *reason, wrsim_error *err)
{
    wr_error_set(err, WRSIM_E_CONFIG,
                 "%s need the module '%s', which cannot be loaded: %s. Install the module, name "
                 "its folder in WRSIM_MODULES, or %s",
                 row->purpose, row->name, reason, row->instead);
    return NULL;
}

const void *wr_module_load(wr_module_id id, wrsim_error *err)
{
    WR_ASSERT(id > WR_MODULE_NONE && id < WR_MODULE_COUNT);
    const module_row *const row = &rows[id];
    char path[PATH_MAX], reason[PATH_MAX + 64];
    char file[64];
    snprintf(file, sizeof file, "wrsim_%s.so", row->name);
    if (!wr_module_find_file(file, path)) {
        snprintf(reason, sizeof reason, "the file '%s' does not exist", path);
        return fail(row, reason, err);
    }
    void *const object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object) {
        const char *const text = dlerror();
        return fail(row, text ? text : "unknown reason", err);
    }
    const wr_module *const module = dlsym(object, "wrsim_module");
    if (!module || strcmp(module->version, WRSIM_VERSION_STRING) != 0) {
        snprintf(reason, sizeof reason, "'%s' belongs to wrsim %s, but this program is wrsim %s",
                 path, module ? module->version : "?", WRSIM_VERSION_STRING);
        (void)dlclose(object); /* RTLD_NODELETE keeps the object loaded */
        return fail(row, reason, err);
    }
    return module->operations;
}
