/* Checks that models leave the floating-point mode as it was.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_MODE_H
#define WR_GROUP_MODE_H

#include "subsystems/group/group_layout.h"

/* Whether all callbacks since the group was initialised have left the floating-point mode that they found. If not, it is set back,
 * and 0 with the fault of who leaves another one at that point. Scratch: [n_x] and [n_z]. */
int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z);

#endif
