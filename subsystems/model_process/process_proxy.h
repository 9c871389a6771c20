/* Callbacks that forward each call to the process of a component, over shared memory.
 *
 * Thread: as models. Real-time: a call waits for another process.
 */
#ifndef WR_PROCESS_PROXY_H
#define WR_PROCESS_PROXY_H

#include "subsystems/model_process/process_requests.h"

/* Fills the callbacks of a model. has: callbacks of the model in the process, as a sum of 1 << wr_process_call. */
void wr_process_proxy_fill(wr_process_model *model, unsigned has);

#endif
