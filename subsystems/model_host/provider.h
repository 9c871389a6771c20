/* Providers: loaders of models from files, such as native plug-ins. A new provider needs a row of WR_PROVIDER_LIST.
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
    /* Returns why a name is no parameter, such as "is a constant of the FMU; remove the value"; NULL: unknown. May be NULL. */
    const char *(*explain)(void *opened, const char *name);
    void (*close)(void *opened);
} wr_provider;

/* The providers in the order of their tests; wr_provider_NAME is in the provider's file. The last one, for native plug-ins (shared objects
 * that export models through wrsim_plugin_models), opens all files that no other provider recognises. */
#define WR_PROVIDER_LIST(X)                                                                        \
    X(linear)                                                                                      \
    X(fmi)                                                                                         \
    X(native)

#define WR_X(name) extern const wr_provider wr_provider_##name;
WR_PROVIDER_LIST(WR_X)
#undef WR_X

#endif
