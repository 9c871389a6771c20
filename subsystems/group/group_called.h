/* The last model call of a thread, from the thread's record (calling.h) and the group that the thread entered last.
 *
 * Thread: the calling thread, also in a signal handler. Real-time: yes.
 */
#ifndef WR_GROUP_CALLED_H
#define WR_GROUP_CALLED_H

#include "subsystems/model_host/calling.h"

/* Fills the last model call of the calling thread. ret->callback is the name of a callback of wrsim_model or wrsim_stepper, or "opening" or
 * "closing"; ret->owner is the component, or the file of the plug-in. Returns ret, or NULL if the record has no call. */
const wr_calling *wr_group_called(wr_calling *ret);

#endif
