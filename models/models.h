/* The built-in models. Only runtime/sim and tests include this header. */
#ifndef WR_MODELS_H
#define WR_MODELS_H

#include "wrsim/model.h"

/* Ended by NULL. */
extern const wrsim_model *const wr_models[];

#endif
