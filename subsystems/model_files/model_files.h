/* Files of models. The provider that recognises a file opens the file. Thread: one owner. Real-time: no (setup only). */
#ifndef WR_MODEL_FILES_H
#define WR_MODEL_FILES_H

#include "base/diag.h"
#include "wrsim/model.h"

typedef struct wr_model_files wr_model_files;

/* Opens a file of models. Checks every model by wr_model_check(), the end of the list within 1024 entries, and that names are unique. Adds
 * errors to diag, with the place `where` or the line of the file. Returns NULL on failure. */
wr_model_files *wr_model_files_open(const char *path, const wr_where *where, wr_diag *diag);
/* Returns an object for a list of models that another object owns and outlives this object. Returns NULL when out of memory. */
wr_model_files *wr_model_files_of_list(const wrsim_model *const *models);
/* Checks a list of models as wr_model_files_open(). from: origin in messages, such as "plug-in 'x.so'". Returns the length of the list, or
 * a negative status. */
int wr_model_files_check(const char *from, const wrsim_model *const *models, const wr_where *where,
                         wr_diag *diag);
/* Returns the models of the file, NULL-terminated and valid until close. */
const wrsim_model *const *wr_model_files_models(const wr_model_files *provided);
/* Returns why a name is no parameter of the models, such as "is a constant of the FMU; remove the value"; NULL: unknown. */
const char *wr_model_files_explain(const wr_model_files *provided, const char *name);
void wr_model_files_close(wr_model_files **provided);

#endif
