/* Checks the descriptor of a model before its first use. Thread: any. Real-time: no (setup). */
#ifndef WR_DESCRIPTOR_H
#define WR_DESCRIPTOR_H

#include <stddef.h>

#include "base/diag.h"
#include "wrsim/model.h"

/* Checks ABI, size, name, capabilities, Jacobians, stepper, describe() and the parameter table. Returns 0, or a negative value with the
 * reason in ret_text. */
int wr_model_check(const wrsim_model *model, char *ret_text, size_t text_bytes);

/* Returns whether the name is valid. A valid name has at most 127 bytes and begins with a letter or '_'. extra: allowed characters after
 * the first, besides letters, digits and '_'. */
int wr_model_is_name(const char *name, const char *extra);

/* Size of a wrsim_model in the first version of ABI 3. Later members are missing in smaller descriptors. */
enum { WR_MODEL_LEAST_BYTES = sizeof(wrsim_model) };

/* Returns whether wrsim may call event() of a checked model for a trial, at a point without an event. */
static inline int wr_model_may_probe(const wrsim_model *model)
{
    return !model->own_state && !(model->caps & WRSIM_CAP_NO_PROBE);
}

#endif
