/* Checks that models do not change the floating-point mode.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_MODE_H
#define WR_GROUP_MODE_H

#include "subsystems/group/group_layout.h"

/* Returns 1 if no callback has changed the floating-point mode since initialisation. Else restores the mode, sets the fault of the
 * component that changes the mode at the point, and returns 0. scratch_x[n_x], scratch_z[n_z]. */
int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z);

#endif
