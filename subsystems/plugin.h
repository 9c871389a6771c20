/* Native plug-ins: shared objects that export models through wrsim_plugin_models.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_PLUGIN_H
#define WR_PLUGIN_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_plugin wr_plugin;

/* Opens a plug-in and checks it: symbol present, ABI number and struct_size of every model, list
 * terminated within 1024 entries, names present and unique. Errors go to diag at where. */
wr_plugin *wr_plugin_open(const char *path, const wr_where *where, wr_diag *diag);
/* Its models, NULL-terminated; valid until close. */
const wrsim_model *const *wr_plugin_models(const wr_plugin *plugin);
void wr_plugin_close(wr_plugin **plugin);

/* Checks one descriptor: ABI, size, name, required callbacks, parameter table. 0 or negative with
 * the reason in ret_text[text_bytes]. Used for built-in models too. */
int wr_model_check(const wrsim_model *model, char *ret_text, size_t text_bytes);

#endif
