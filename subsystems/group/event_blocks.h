/* The struct of event blocks, shared by group_blocks.c and group_blocks_place.c.
 *
 * Thread: one owner; other workers read it inside share(). Real-time: yes.
 */
#ifndef WR_EVENT_BLOCKS_H
#define WR_EVENT_BLOCKS_H

#include "subsystems/group/group_layout.h"
#include "subsystems/group/group_plan.h"

/* Indicators that are evaluated together (group_blocks.c). */
typedef struct wr_event_block {
    const wr_plan *plan;  /* what its indicators need, */
    const wr_plan *event; /* and its events; NULL where there are none */
    int n_component, n_z;
    const int *component; /* those with indicators, ascending */
    int is_alone; /* algebraic loops, or a component called more than once: what these use is the group's */
} wr_event_block;

/* All of them. */
typedef struct wr_group_blocks {
    int n;
    wr_group_helpers helpers; /* n_worker 1: none */
    int least;                /* indicators that are worth sharing out */
    wr_event_block *block;
    int *block_of;                    /* [n_component] -1: in none */
    const int *reader_start, *reader; /* component -> blocks that read what it is */
    int *list, *rc;                   /* workspace: blocks, ascending, and how they went */
    unsigned char *is_listed;
    /* An array of all indicators, of whoever wanted them kept, and the point that it is of; NULL: none. */
    const double *z;
    double t_s, *x, *d, *external, *guess;
    unsigned char *mode;
} wr_group_blocks;

#endif
