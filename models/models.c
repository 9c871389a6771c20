/* The table of built-in models. See models.h. Thread: any (constant). Real-time: no. */
#include "models/models.h"

#define WR_MODEL_ROW(descriptor) &descriptor,
const wrsim_model *const wr_models[] = {WR_MODEL_LIST(WR_MODEL_ROW) NULL};
