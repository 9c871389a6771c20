/* Providers: loaders of models from files, such as native plug-ins. A new provider needs a row of the table in model_files.c.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_PROVIDER_H
#define WR_PROVIDER_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_provider {
    const char *name; /* kind of file */
    /* Returns whether the provider recognises the file, by its name or its first bytes. */
    int (*recognises)(const char *path);
    /* Opens the file. *ret_models: NULL-terminated, valid until close; the models are unchecked. Returns NULL with the reason in diag. */
    void *(*open)(const char *path, const wr_where *where, wr_diag *diag,
                  const wrsim_model *const **ret_models);
    void (*close)(void *opened);
} wr_provider;

/* Native plug-ins: shared objects that export models through wrsim_plugin_models (plugin.c). */
extern const wr_provider wr_provider_native;

#endif
