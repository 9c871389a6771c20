/* Event blocks: indicators of a large group in parts that are evaluated independently.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_GROUP_BLOCKS_H
#define WR_GROUP_BLOCKS_H

#include "subsystems/group/group_plan.h"

/* Number of blocks, 0: none were placed; and of workers that evaluate them. */
int wr_group_n_block(const wr_group *group);
int wr_group_n_thread(const wr_group *group);
/* From now on the workers of helpers evaluate event blocks together. For the only group of a run. */
void wr_group_use_helpers(wr_group *group, const wr_group_helpers *helpers);
/* z[n_z] are all indicators at a point, as evaluated there, and stay so until it is written again: evaluated into it at the same
 * time and inputs are only those then that read something else. Nothing without blocks. Forget: not any more. */
void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z);
void wr_group_forget_indicators(wr_group *group);

/* With blocks: all indicators into the array that was kept, as far as they are not what they were at the point of that
 * (WR_BLOCKS_UNKNOWN: it is another one, or of another time); the blocks of those listed; all at the point prepared by
 * several threads (non-zero: one has failed, or they are not worth it; no fault is set); the plan of the events of c's block. With or without: an array
 * that is going to be written is not kept. */
enum { WR_BLOCKS_UNKNOWN = 2 };
int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z);
int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z);
int wr_group_blocks_prepared(wr_group *group, double *ret_z);
const wr_plan *wr_group_block_event(const wr_group *group, int c);
void wr_group_blocks_overwrite(wr_group *group, const double *z);

#endif
