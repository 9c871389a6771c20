/* Modules: shared objects of wrsim that link libraries which only some configs need.
 *
 * Preparing a run loads the modules that the run needs, opening a result file loads the module of its format, and a live view loads its
 * server in a process of its own. A loaded module stays in the process. A module contains copies of internal libraries, so its version must
 * equal the version of wrsim. The environment variable WRSIM_MODULES names the folder of the modules. Without this variable the modules are
 * in the folder of the library or program, or in the installed folder.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MODULE_H
#define WR_MODULE_H

#include <limits.h>

#include "wrsim/status.h"
#include "wrsim/version.h"

typedef enum wr_module_id {
    WR_MODULE_NONE,
    WR_MODULE_FMI,
    WR_MODULE_HDF5,
    WR_MODULE_HTTP,
    WR_MODULE_HWLOC,
    WR_MODULE_KLU,
    WR_MODULE_MAT,
    WR_MODULE_SUNDIALS,
    WR_MODULE_COUNT
} wr_module_id;

typedef struct wr_module {
    const char *version;    /* version of the module: WRSIM_VERSION_STRING */
    const void *operations; /* table of functions; its type depends on the module */
} wr_module;

/* Each module defines and exports this symbol, and no other symbol. */
extern __attribute__((visibility("default"))) const wr_module wrsim_module;

/* Loads a module and returns its operations, which are valid until the process ends. Returns NULL with a text in err (may be NULL) and
 * WRSIM_E_CONFIG if the file or a library is missing, or the version differs. */
const void *wr_module_load(wr_module_id id, wrsim_error *err);

/* Finds a file in the folder of modules, and writes its path. Returns 1, or 0 with the last searched path. */
int wr_module_find_file(const char *file, char ret_path[PATH_MAX]);

#endif
