/* Event blocks: disjoint sets of a large group's indicators that are evaluated independently. Thread: one owner. Real-time: yes. */
#ifndef WR_GROUP_BLOCKS_H
#define WR_GROUP_BLOCKS_H

#include "subsystems/group/group_plan.h"

/* Indicators that the group evaluates together (group_blocks.c). */
typedef struct wr_event_block {
    const wr_plan *plan;  /* finds the inputs of the block's indicators */
    const wr_plan *event; /* finds the inputs of the block's events; NULL: the block has no event */
    int n_component, n_z;
    const int *component; /* [n_component] components with indicators, ascending */
    int is_alone; /* one thread evaluates the block: its loops or repeated calls use the group's arrays */
} wr_event_block;

/* All event blocks of a group. */
typedef struct wr_group_blocks {
    int n;
    wr_group_helpers helpers; /* n_worker 1: no helpers */
    int least;                /* fewest indicators that workers share */
    wr_event_block *block;
    int *block_of;                    /* [n_component] block; -1: none */
    const int *reader_start, *reader; /* component -> blocks that read its x, d or modes */
    int *list, *rc;                   /* workspace: blocks, ascending, and their results */
    unsigned char *is_listed;
    /* The caller's array of all indicators (wr_group_keep_indicators()), and the point of the array; NULL: none. */
    const double *z;
    double t_s, *x, *d, *external, *guess;
    unsigned char *mode;
} wr_group_blocks;

/* Evaluates again, into the stored array, the blocks that read values changed since the point of the array. Returns WR_BLOCKS_UNKNOWN if
 * ret_z is not the stored array, or if time, inputs or start values of loops differ from the stored values. This function and the next
 * three functions need blocks. */
enum { WR_BLOCKS_UNKNOWN = 2 };
int wr_group_blocks_again(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluates the blocks of the listed indicators. */
int wr_group_blocks_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                           int n, double *ret_z);
/* Evaluates all indicators at the prepared point by several threads. Returns non-zero, without a fault, if a call has failed, or if the
 * workers do not share an evaluation of this size. */
int wr_group_blocks_prepared(wr_group *group, double *ret_z);
/* Returns the plan for the events of component c's block. */
const wr_plan *wr_group_block_event(const wr_group *group, int c);
/* Clears the stored address if the address is z. The caller calls the function before writing to z. */
void wr_group_blocks_overwrite(wr_group *group, const double *z);

#endif
