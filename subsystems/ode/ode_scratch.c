/* Places the work arrays of a subsystem. See ode_scratch.h. Thread: setup only. */
#include "subsystems/ode/ode_scratch.h"

#include "subsystems/ode/ode_parts.h"

int wr_ode_scratch_place(const wr_subsystem *s, wr_arena *arena, int has_looks)
{
    wr_ode_scratch *const scratch = wr_ode_of(s)->scratch;
    const wr_group *const group = wr_ode_of(s)->group;
    int is_y_cold = 1, n_failed = 0;
    for (int i = 0; i < group->n_y; i++)
        is_y_cold &= group->state_of_output[i] >= 0;
    const int length[] = {
#define LENGTH(name, length, is_cold) length,
        WR_SCRATCH_ARRAYS(LENGTH)};
    const int is_cold[] = {
#define IS_COLD(name, length, is_cold) is_cold,
        WR_SCRATCH_ARRAYS(IS_COLD)};
    for (int i = 0; i < WR_SCRATCH_COUNT; i++) {
        wr_arena_cold(arena, is_cold[i]);
        scratch->array[i] = WR_NEW_ARRAY(arena, double, length[i]);
        n_failed += !scratch->array[i];
    }
    wr_arena_cold(arena, 0);
    scratch->index = WR_NEW_ARRAY(arena, int, group->n_z);
    scratch->mode = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    return n_failed > 0 || !scratch->index || !scratch->mode ? -1 : 0;
}
