/* Lists the causes of jumps. See causes.h.
 *
 * Thread: one writer, then any number of readers, as the wave. Real-time: yes after placing.
 */
#include "subsystems/waves/causes.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Capacity of a list: one cause for four nodes, and at least LEAST_CAP causes (assumed). Few nodes are jumps, and few jumps have more than
 * two causes. */
enum { NODES_PER_CAUSE = 4, LEAST_CAP = 64 };

wr_causes *wr_causes_place(wr_arena *arena, int cap_node)
{
    wr_causes *const causes = WR_NEW(arena, wr_causes);
    const int share = cap_node / NODES_PER_CAUSE;
    const int cap = share > LEAST_CAP ? share : LEAST_CAP;
    wr_node_cause *const at = WR_NEW_ARRAY(arena, wr_node_cause, cap);
    if (!causes || !at)
        return NULL;
    *causes = (wr_causes){.cap = cap, .at = at};
    return causes;
}

void wr_cause_set_add(wr_cause_set *set, wr_cause cause)
{
    for (int k = 0; k < set->n; k++)
        if (set->at[k].i_member == cause.i_member) {
            if (set->at[k].count < cause.count)
                set->at[k].count = cause.count;
            if (cause.is_located && !(set->at[k].is_located && set->at[k].found_s >= cause.found_s))
                set->at[k].found_s = cause.found_s;
            set->at[k].is_located |= cause.is_located;
            return;
        }
    if (set->n < WR_CAUSES_MOST)
        set->at[set->n++] = cause;
}

void wr_cause_set_join(wr_cause_set *to, const wr_cause_set *from)
{
    for (int k = 0; k < from->n; k++)
        wr_cause_set_add(to, from->at[k]);
}

/* Returns the index of the first entry of node i_node or a later node. */
static int first_of(const wr_causes *causes, int i_node)
{
    int low = 0, high = causes->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (causes->at[middle].i_node < i_node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wr_cause_set_join_node(wr_cause_set *to, const wr_causes *causes, int i_node)
{
    for (int k = first_of(causes, i_node); k < causes->n && causes->at[k].i_node == i_node; k++)
        wr_cause_set_add(to, causes->at[k].cause);
}

int wr_cause_set_count(const wr_cause_set *set, int i_member)
{
    for (int k = 0; k < set->n; k++)
        if (set->at[k].i_member == i_member)
            return set->at[k].count;
    return 0;
}

void wr_causes_write(wr_causes *causes, int i_node, const wr_cause_set *set)
{
    WR_ASSERT(causes->n == 0 || causes->at[causes->n - 1].i_node < i_node);
    for (int k = 0; k < set->n && causes->n < causes->cap; k++)
        causes->at[causes->n++] = (wr_node_cause){.i_node = i_node, .cause = set->at[k]};
}

int wr_causes_count(const wr_causes *causes, int i_node, int i_member)
{
    for (int k = first_of(causes, i_node); k < causes->n && causes->at[k].i_node == i_node; k++)
        if (causes->at[k].cause.i_member == i_member)
            return causes->at[k].cause.count;
    return 0;
}

int wr_causes_is_located(const wr_causes *causes, const double *node_s, double t_s)
{
    return !causes || wr_causes_found(causes, node_s, t_s) > -(double)INFINITY;
}

double wr_causes_found(const wr_causes *causes, const double *node_s, double t_s)
{
    double found_s = -(double)INFINITY;
    for (int k = 0; causes && k < causes->n; k++) {
        const wr_node_cause *const at = &causes->at[k];
        if (at->cause.is_located && node_s[at->i_node] <= t_s && node_s[at->i_node] >= t_s &&
            at->cause.found_s > found_s)
            found_s = at->cause.found_s;
    }
    return found_s;
}

void wr_causes_copy(wr_causes *dst, const wr_causes *src)
{
    if (!dst)
        return;
    dst->n = 0;
    if (!src)
        return;
    WR_ASSERT(dst->cap >= src->n);
    memcpy(dst->at, src->at, (size_t)src->n * sizeof *src->at);
    dst->n = src->n;
}
