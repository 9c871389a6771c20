/* Stale outputs: outputs of a model with WRSIM_CAP_OWN_MODES whose event is due, if the outputs read inputs directly. Also outputs that
 * read stale outputs directly.
 *
 * The model has the new inputs, but shows its old branch until its event. A value of the old branch at the new inputs exists at no time, so
 * the value must trigger no event.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#ifndef WR_GROUP_STALE_H
#define WR_GROUP_STALE_H

#include "subsystems/group/group_graph.h"

typedef struct wr_group_stale {
    unsigned char
        *is_due; /* [n_component] 1: an event of the model with WRSIM_CAP_OWN_MODES is due */
    unsigned char *is_held; /* [n_component] 1: the due event waits for an event of another model */
    unsigned char *mode;    /* [n_z] modes before an update */
    unsigned char *output;  /* [n_y] 1: the output is stale */
    /* [n_z] 1: the indicator has held its mode at this instant, although no stale output has changed its value */
    unsigned char *has_held;
    /* [n_y] outputs before this instant; outputs that no indicator reads are unspecified */
    double *left;
    int *queue; /* [n_y] stale outputs, in the order in which they are found */
    /* Constant after placing. */
    const int *zy_start; /* [n_z + 1] first output of each indicator in zy */
    const int *zy;       /* computed outputs of the group that each indicator reads directly */
} wr_group_stale;

/* Places group->stale if the group has a model with WRSIM_CAP_OWN_MODES and indicators. Setup only. Returns 0, or -1 when out of memory. */
int wr_group_stale_place(wr_arena *arena, wr_group *group);

/* Returns whether the component keeps its own modes. The group then has group->stale. */
static inline int wr_group_has_own_modes(const wr_group *group, int i_component)
{
    return (group->component[i_component]->model->caps & WRSIM_CAP_OWN_MODES) != 0;
}

/* Marks outputs as stale: outputs of the marked components that read an input directly, and all outputs that read these outputs directly. A
 * jump of an input leaves other outputs unchanged until the event. Returns the number of stale outputs. */
int wr_group_mark_stale(wr_group *group, const unsigned char *is_marked);
/* Begins an instant: stores the outputs of the last evaluation, and clears has_held. */
void wr_group_stale_begin(wr_group *group);
/* Notes that indicator i has a changed sign, and holds its mode because of a stale output. */
void wr_group_stale_hold(wr_group *group, int i);
/* Returns whether one of the indicators from i_first to i_end - 1 reads a stale output. */
int wr_group_reads_stale(const wr_group *group, int i_first, int i_end);

#endif
