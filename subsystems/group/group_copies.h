/* Copies numbers from one array to another, such as from outputs to the inputs that they drive.
 *
 * Thread: one at a time per destination. Real-time: yes.
 */
#ifndef WR_GROUP_COPIES_H
#define WR_GROUP_COPIES_H

#include <string.h>

#include "base/unit.h"

typedef struct wr_copy {
    int to, from;
} wr_copy;

/* A copy that converts the value to another unit. */
typedef struct wr_copy_scaled {
    wr_copy copy;
    wr_unit_scale scale;
} wr_copy_scaled;

/* Copies from one array to another, in any order. Most signals of an input block are adjacent in both arrays, so the list copies adjacent
 * pairs together. */
typedef struct wr_copy_list {
    int n_pair,
        n_single; /* n_pair and n_single are even: a repeated copy makes an odd number even */
    int n_scaled;
    const wr_copy *copy; /* pairs (to and to + 1), then single values */
    const wr_copy_scaled *scaled;
} wr_copy_list;

static inline int wr_copy_is_empty(const wr_copy_list *list)
{
    return list->n_pair + list->n_single + list->n_scaled == 0;
}

/* Copies the values that need no conversion. */
static inline void wr_copy_plain(const wr_copy_list *list, const double *from, double *to)
{
    const wr_copy *const pair = list->copy, *const single = pair + list->n_pair;
    for (int i = 0; i < list->n_pair; i += 2) {
        memcpy(to + pair[i].to, from + pair[i].from, 2 * sizeof *to);
        memcpy(to + pair[i + 1].to, from + pair[i + 1].from, 2 * sizeof *to);
    }
    for (int i = 0; i < list->n_single; i += 2) {
        to[single[i].to] = from[single[i].from];
        to[single[i + 1].to] = from[single[i + 1].from];
    }
}

static inline void wr_copy_all(const wr_copy_list *list, const double *from, double *to)
{
    if (wr_copy_is_empty(list))
        return;
    wr_copy_plain(list, from, to);
    for (const wr_copy_scaled *s = list->scaled; s < list->scaled + list->n_scaled; s++)
        to[s->copy.to] = s->scale.factor * from[s->copy.from] + s->scale.offset;
}

/* Copies changes of values, such as directional derivatives. */
static inline void wr_copy_changes(const wr_copy_list *list, const double *from, double *to)
{
    if (wr_copy_is_empty(list))
        return;
    wr_copy_plain(list, from, to);
    for (const wr_copy_scaled *s = list->scaled; s < list->scaled + list->n_scaled; s++)
        to[s->copy.to] = s->scale.factor * from[s->copy.from];
}

#endif
