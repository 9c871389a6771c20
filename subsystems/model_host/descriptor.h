/* Checks the descriptor of a model before its first use.
 *
 * Thread: any. Real-time: no (setup).
 */
#ifndef WR_DESCRIPTOR_H
#define WR_DESCRIPTOR_H

#include <stddef.h>

#include "base/diag.h"
#include "wrsim/model.h"

/* Checks ABI, size, name, required callbacks and parameter table. 0, or negative with the reason in ret_text[text_bytes]. */
int wr_model_check(const wrsim_model *model, char *ret_text, size_t text_bytes);

#endif
