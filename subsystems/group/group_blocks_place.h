/* Places the event blocks of a group.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_BLOCKS_PLACE_H
#define WR_GROUP_BLOCKS_PLACE_H

#include "subsystems/group/group_layout.h"

/* Places event blocks (group_blocks.c) if the group has at least `least` indicators; several threads share evaluations of at least
 * so many. Results have the same bits as without blocks. 0, or -1 when out of memory. */
int wr_group_place_blocks(wr_arena *arena, wr_group *group, int least);

#endif
