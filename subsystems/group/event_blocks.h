/* The struct of event blocks, shared by group_blocks.c and group_blocks_place.c.
 *
 * Thread: one owner; other workers read it inside share(). Real-time: yes.
 */
#ifndef WR_EVENT_BLOCKS_H
#define WR_EVENT_BLOCKS_H

#include "subsystems/group/group_layout.h"
#include "subsystems/group/group_plan.h"

/* An event block: indicators that are evaluated together (group_blocks.c). */
typedef struct wr_event_block {
    const wr_plan *plan;  /* finds the inputs of its indicators */
    const wr_plan *event; /* finds the inputs of its events; NULL: it has none */
    int n_component, n_z;
    const int *component; /* [n_component] components with indicators, ascending */
    int is_alone; /* evaluated by one thread: its loops or repeated calls use the group's arrays */
} wr_event_block;

/* All event blocks of a group. */
typedef struct wr_group_blocks {
    int n;
    wr_group_helpers helpers; /* n_worker 1: none */
    int least;                /* fewest indicators that workers share */
    wr_event_block *block;
    int *block_of;                    /* [n_component] block; -1: none */
    const int *reader_start, *reader; /* component -> blocks that read its x, d or modes */
    int *list, *rc;                   /* workspace: blocks, ascending, and their results */
    unsigned char *is_listed;
    /* The caller's array of all indicators that wr_group_keep_indicators() keeps, and its point; NULL: none. */
    const double *z;
    double t_s, *x, *d, *external, *guess;
    unsigned char *mode;
} wr_group_blocks;

#endif
