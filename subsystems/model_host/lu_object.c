/* Opens generated factorisations in shared objects. See lu_object.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/lu_object.h"

#include <dlfcn.h>

#include "subsystems/model_host/shared_object.h"

/* Returns whether the code passes all checks that need no call. */
static int is_sound(const wr_lu_code *code)
{
    if (code->version != WR_LU_CODE_VERSION || code->bytes < sizeof *code)
        return 0;
    if (code->n < 1 || code->n > WR_LU_PLAN_MOST || code->n_nonzero < code->n ||
        code->n_value < code->n || !code->column_start || !code->row)
        return 0;
    return code->column_start[0] == 0 && code->column_start[code->n] == code->n_nonzero &&
           code->factor && code->solve;
}

const wr_lu_code *wr_lu_object_open(const char *path, const wr_where *where, wr_diag *diag,
                                    void **ret_handle)
{
    char reason[WR_SHARED_OBJECT_BYTES];
    void *handle = wr_shared_object_open(path, WR_SHARED_OBJECT_USUAL, reason);
    if (!handle) {
        wr_diag_add(diag, WRSIM_E_PLUGIN, where,
                    "solver.code '%s' cannot be opened: %s; compile the C file of wrsim codegen "
                    "to a shared object, and name this object",
                    path, reason);
        return NULL;
    }
    const wr_lu_code *const code = dlsym(handle, WR_LU_CODE_SYMBOL);
    if (code && is_sound(code)) {
        *ret_handle = handle;
        return code;
    }
    wr_diag_add(
        diag, WRSIM_E_PLUGIN, where,
        code ? "'%s' has a factorisation of another version; generate the code with this wrsim"
             : "'%s' does not export '" WR_LU_CODE_SYMBOL "'; name a generated factorisation",
        path);
    wr_lu_object_close(&handle);
    return NULL;
}

void wr_lu_object_close(void **handle)
{
    if (*handle)
        dlclose(*handle);
    *handle = NULL;
}
