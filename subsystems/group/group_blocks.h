/* Event blocks: disjoint sets of a large group's indicators that are evaluated independently.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_GROUP_BLOCKS_H
#define WR_GROUP_BLOCKS_H

#include "subsystems/group/group_plan.h"

/* Number of blocks, 0 if none were placed; number of workers that evaluate them. */
int wr_group_n_block(const wr_group *group);
int wr_group_n_thread(const wr_group *group);
/* Lets the workers of helpers share the evaluation of event blocks. Only for a run with one group. */
void wr_group_use_helpers(wr_group *group, const wr_group_helpers *helpers);
/* Keeps z[n_z], all indicators at a point, which the caller leaves unchanged. A later evaluation into z at the same time and inputs
 * evaluates only the blocks that read changed values. Without blocks it does nothing. Forget ends the keeping. */
void wr_group_keep_indicators(wr_group *group, const wr_group_point *point, const double *z);
void wr_group_forget_indicators(wr_group *group);

/* Evaluates into the kept array the indicators that changed since its point. WR_BLOCKS_UNKNOWN: ret_z is not the kept array, or the
 * time differs. Needs blocks, as the next three functions do. */
enum { WR_BLOCKS_UNKNOWN = 2 };
int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluates the blocks of the listed indicators. */
int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z);
/* Evaluates all indicators at the prepared point by several threads. Non-zero, without a fault: a block failed, or they are too few. */
int wr_group_blocks_prepared(wr_group *group, double *ret_z);
/* The plan for the events of component c's block. */
const wr_plan *wr_group_block_event(const wr_group *group, int c);
/* Call this before writing to z: a kept array is forgotten. */
void wr_group_blocks_overwrite(wr_group *group, const double *z);

#endif
