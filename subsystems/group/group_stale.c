/* Finds stale outputs and their readers. See group_stale.h. Thread: one at a time. Real-time: yes after placing. */
#include "subsystems/group/group_stale.h"

#include <string.h>

#include "subsystems/group/group.h"

/* Lists the computed outputs of the group that each indicator reads directly. Returns 0, or -1 when out of memory. */
static int readers_place(wr_arena *arena, const wr_group *group, wr_group_stale *stale)
{
    wr_rows rows;
    if (wr_group_rows_init(&rows, group, WRSIM_U_Z, WRSIM_INDICATOR, group->z_start, WRSIM_INPUT,
                           group->u_start) < 0)
        return -1;
    int *const start = WR_NEW_ARRAY(arena, int, group->n_z + 1);
    int *const output = WR_NEW_ARRAY(arena, int, rows.start[group->n_z]);
    int n = 0;
    for (int i = 0; start && output && i < group->n_z; i++) {
        for (int k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const int y = wr_group_computed_driver(group, rows.item[k]);
            if (y >= 0)
                output[n++] = y;
        }
        start[i + 1] = n;
    }
    stale->zy_start = start;
    stale->zy = output;
    wr_group_rows_done(&rows);
    return start && output ? 0 : -1;
}

int wr_group_stale_place(wr_arena *arena, wr_group *group)
{
    int has_any = 0;
    for (int c = 0; c < group->n_component; c++)
        has_any |= wr_group_has_own_modes(group, c) && group->z_start[c + 1] > group->z_start[c];
    if (!has_any)
        return 0;
    wr_group_stale *const stale = WR_NEW(arena, wr_group_stale);
    if (!stale)
        return -1;
    stale->is_due = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    stale->is_held = WR_NEW_ARRAY(arena, unsigned char, group->n_component);
    stale->mode = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    stale->output = WR_NEW_ARRAY(arena, unsigned char, group->n_y);
    stale->has_held = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    stale->left = WR_NEW_ARRAY(arena, double, group->n_y);
    stale->queue = WR_NEW_ARRAY(arena, int, group->n_y);
    group->stale = stale;
    return stale->is_due && stale->is_held && stale->mode && stale->output && stale->has_held &&
                   stale->left && stale->queue
               ? readers_place(arena, group, stale)
               : -1;
}

void wr_group_stale_begin(wr_group *group)
{
    memset(group->stale->has_held, 0, (size_t)group->n_z);
    if (group->n_y > 0)
        memcpy(group->stale->left, wr_group_evaluated(group), (size_t)group->n_y * sizeof(double));
}

void wr_group_stale_hold(wr_group *group, int i)
{
    wr_group_stale *const stale = group->stale;
    const double *const y = wr_group_evaluated(group);
    int is_same = 1;
    for (int k = stale->zy_start[i]; k < stale->zy_start[i + 1] && is_same; k++) {
        const int j = stale->zy[k];
        is_same = !stale->output[j] || memcmp(&y[j], &stale->left[j], sizeof *y) == 0;
    }
    stale->has_held[i] = (unsigned char)is_same;
}

int wr_group_mark_stale(wr_group *group, const unsigned char *is_marked)
{
    wr_group_stale *const stale = group->stale;
    const wr_group_arcs *const arcs = wr_group_arcs_of(group);
    int n = 0;
    memset(stale->output, 0, (size_t)group->n_y);
    for (int y = 0; y < group->n_y; y++)
        if (is_marked[wr_group_owner_of_output(group, y)] && wr_group_is_computed(group, y) &&
            wr_group_first_input(group, y) < wr_group_first_input(group, y + 1)) {
            stale->output[y] = 1;
            stale->queue[n++] = y;
        }
    for (int i = 0; i < n; i++)
        for (int k = arcs->start[stale->queue[i]]; k < arcs->start[stale->queue[i] + 1]; k++)
            if (!stale->output[arcs->to[k]]) {
                stale->output[arcs->to[k]] = 1;
                stale->queue[n++] = arcs->to[k];
            }
    return n;
}

int wr_group_reads_stale(const wr_group *group, int i_first, int i_end)
{
    const wr_group_stale *const stale = group->stale;
    int reads = 0;
    for (int k = stale->zy_start[i_first]; k < stale->zy_start[i_end] && !reads; k++)
        reads = stale->output[stale->zy[k]];
    return reads;
}
