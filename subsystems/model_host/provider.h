/* Providers: loaders that make models from files, such as native plug-ins. A new one is a file pair and a row of the
 * table in model_files.c.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_PROVIDER_H
#define WR_PROVIDER_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_provider {
    const char *name; /* for people */
    /* Is that file one of its own, by its name or its first bytes? */
    int (*recognises)(const char *path);
    /* Opens it; *ret_models: NULL-terminated, valid until close. NULL with the reason in diag. What it hands over is
     * checked afterwards. */
    void *(*open)(const char *path, const wr_where *where, wr_diag *diag,
                  const wrsim_model *const **ret_models);
    void (*close)(void *opened);
} wr_provider;

#endif
