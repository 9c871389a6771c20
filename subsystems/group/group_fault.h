/* Faults of evaluations. If an evaluation fails, these functions record the fault in group->fault. Each function returns the result of the
 * evaluation.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_GROUP_FAULT_H
#define WR_GROUP_FAULT_H

#include "subsystems/group/group_layout.h"

int wr_group_set_fault(wr_group *group, wrsim_status status, double t_s, int i_component,
                       wrsim_kind kind, int i_variable, const char *message, int rc);

/* Records the instance's message after a callback returns rc != 0. Returns 1 for rc > 0, else -1. */
int wr_group_callback_fault(wr_group *group, int i_component, double t_s, wrsim_kind kind, int rc);

/* Records the fault of the first value that is not finite. start[n_component + 1]: offsets of the components. Returns 0 if all values are
 * finite, else 1. */
int wr_group_nan_fault(wr_group *group, double t_s, wrsim_kind kind, const int *start,
                       const double *value, const char *message);

#endif
