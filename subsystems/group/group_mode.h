/* Checks that models leave the floating-point mode as it was.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_MODE_H
#define WR_GROUP_MODE_H

#include "subsystems/group/group_layout.h"

/* Checks whether a callback since initialisation has changed the floating-point mode. Returns 1 if not, else 0 with the mode restored
 * and the fault of the component that changes it at the point. scratch_x[n_x], scratch_z[n_z]. */
int wr_group_keeps_mode(wr_group *group, const wr_group_point *point, double *scratch_x,
                        double *scratch_z);

#endif
