/* Places the event blocks of a group.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_BLOCKS_PLACE_H
#define WR_GROUP_BLOCKS_PLACE_H

#include "subsystems/group/group_layout.h"

/* Event blocks (group_blocks.c) for a group of at least so many indicators: parts of them that are evaluated for
 * themselves, only where they are wanted or something has changed, by several threads where at least so many are to be. All
 * evaluations above and below give the same bits as without. 0, or -1 when out of memory. */
int wr_group_place_blocks(wr_arena *arena, wr_group *group, int least);

#endif
