/* Algebraic loops of a group, solved by Newton's method. Thread: one at a time. Real-time: solving yes, placing no. */
#ifndef WR_GROUP_LOOP_H
#define WR_GROUP_LOOP_H

#include "base/loop_newton.h"
#include "subsystems/group/group_copies.h"
#include "subsystems/group/group_layout.h"

/* Arrays for the solution of an algebraic loop. */
typedef struct wr_loop_parts {
    int n_component, n_copy;
    const int *component;
    const wr_copy *copy; /* copies from outputs of the loop to inputs of its components */
    int guess_start;     /* index of the loop's first value in guess and solution */
    wr_loop_newton newton;
} wr_loop_parts;

typedef struct wr_group_loops {
    wr_loop_parts *parts; /* [group->n_loop] */
    const int *loop_of;   /* [n_y] loop of an output; -1: none */
    int n_guess;
    double *guess, *solution; /* [n_guess] */
} wr_group_loops;

/* Returns the loop of an output; -1: none. */
WR_GROUP_GET_AT(int, loop_of, loops->loop_of)

/* Finds the loops from the strong components; fills group->loop and group->loops. Returns 0 or a negative status. */
wrsim_status wr_group_loops_place(wr_arena *arena, wr_group *group, int n_scc);

/* Solves a loop, and writes the solution to the loop's outputs and to solution[]. Returns as an evaluation (group.h). */
int wr_group_solve_loop(wr_group *group, const wr_group_point *point, int i_loop);

/* Copies the last solutions of the algebraic loops to their start values. */
void wr_group_keep_loops(wr_group *group);
/* Returns the start values of all loops, [n_guess]. The owner of the group saves and restores the start values with the states. */
static inline double *wr_group_guess(const wr_group *group, int *ret_n_guess)
{
    *ret_n_guess = group->loops->n_guess;
    return group->loops->guess;
}

#endif
