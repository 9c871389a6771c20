/* The built-in models: one row each. Only runtime/sim and tests include this. */
#ifndef WR_MODELS_H
#define WR_MODELS_H

#include "wrsim/model.h"

/* NULL-terminated. */
extern const wrsim_model *const wr_models[];

#endif
