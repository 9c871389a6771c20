/* Modules: parts of wrsim in shared objects of their own, because they link libraries that only
 * some configs need.
 *
 * A module is loaded when a run that needs it is prepared, or when a result file is opened, and
 * stays in the process. It holds copies of the internal libraries that it uses, so it fits the
 * wrsim of its own version only. Modules lie in the folder that WRSIM_MODULES names; without that
 * variable beside the object that holds this code, or in the installed folder.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MODULE_H
#define WR_MODULE_H

#include "wrsim/status.h"
#include "wrsim/version.h"

typedef enum wr_module_id {
    WR_MODULE_NONE,
    WR_MODULE_HDF5,
    WR_MODULE_HWLOC,
    WR_MODULE_KLU,
    WR_MODULE_SUNDIALS,
    WR_MODULE_COUNT
} wr_module_id;

typedef struct wr_module {
    const char *version;    /* WRSIM_VERSION_STRING */
    const void *operations; /* a table whose type its users know */
} wr_module;

/* The one symbol that a module exports; each module defines its own. */
extern __attribute__((visibility("default"))) const wr_module wrsim_module;

/* The module's operations, which are valid until the process ends. NULL with a sentence in err
 * (may be NULL) if its file or a library is missing, or if its version differs: WRSIM_E_CONFIG. */
const void *wr_module_load(wr_module_id id, wrsim_error *err);

#endif
