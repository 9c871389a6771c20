/* Files of models, opened by the provider that recognises them.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_PROVIDED_H
#define WR_PROVIDED_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_provided wr_provided;

/* Opens a file of models and checks it: ABI number and struct_size of every model, list terminated within 1024
 * entries, names present and unique. Errors go to diag at where. */
wr_provided *wr_provided_open(const char *path, const wr_where *where, wr_diag *diag);
/* Checks a list of models in the same way; from names its origin in messages ("plug-in 'x.so'"). Returns its length, or a
 * negative status. */
int wr_provided_check(const char *from, const wrsim_model *const *models, const wr_where *where,
                      wr_diag *diag);
/* Its models, NULL-terminated; valid until close. */
const wrsim_model *const *wr_provided_models(const wr_provided *provided);
void wr_provided_close(wr_provided **provided);

#endif
