/* What a thread has called of a model last, read from its record (calling.h) and what the group it was in knows.
 *
 * Thread: the one that is asked about, also in a signal handler. Real-time: yes.
 */
#ifndef WR_GROUP_CALLED_H
#define WR_GROUP_CALLED_H

#include "subsystems/calling.h"

/* The last call of the calling thread, or NULL, with callback a name of wrsim_model, or "opening", and who its component or plug-in. */
const wr_calling *wr_group_called(wr_calling *ret);

#endif
