/* Files of models, opened by the provider that recognises them.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_MODEL_FILES_H
#define WR_MODEL_FILES_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_model_files wr_model_files;

/* Opens a file of models and checks it: ABI number and struct_size of every model, list terminated within 1024
 * entries, names present and unique. Errors go to diag at where. */
wr_model_files *wr_model_files_open(const char *path, const wr_where *where, wr_diag *diag);
/* Checks a list of models in the same way; from names its origin in messages ("plug-in 'x.so'"). Returns its length, or a
 * negative status. */
int wr_model_files_check(const char *from, const wrsim_model *const *models, const wr_where *where,
                         wr_diag *diag);
/* The models of the file, NULL-terminated; valid until close. */
const wrsim_model *const *wr_model_files_models(const wr_model_files *provided);
void wr_model_files_close(wr_model_files **provided);

#endif
