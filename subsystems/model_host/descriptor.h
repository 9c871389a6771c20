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

/* Returns whether the name of a variable or parameter is valid: 1 to WR_MODEL_MOST_NAME bytes of UTF-8 without control characters. */
enum { WR_MODEL_MOST_NAME = 256 };
#define WR_MODEL_NAME_RULE "a name has 1 to 256 bytes of UTF-8, without control characters"
int wr_model_is_variable_name(const char *name);

/* Least size of a wrsim_model: its size in the first version of ABI 3. Descriptors of this size lack members of later versions. */
enum { WR_MODEL_LEAST_BYTES = sizeof(wrsim_model) };

/* Returns whether wrsim may call event() of a checked model for a trial, at a point without an event. */
static inline int wr_model_may_probe(const wrsim_model *model)
{
    return !model->own_state && !(model->caps & WRSIM_CAP_NO_PROBE);
}

#endif
