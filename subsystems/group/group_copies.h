/* Copies numbers from one array to another, such as from outputs to the inputs that they drive.
 *
 * Thread: one at a time per destination. Real-time: yes.
 */
#ifndef WR_GROUP_COPIES_H
#define WR_GROUP_COPIES_H

#include <string.h>

typedef struct wr_copy {
    int to, from;
} wr_copy;

/* Copies from one array to another, in any order. Most signals of an input block are adjacent in both arrays, so the list copies adjacent
 * pairs together. */
typedef struct wr_copy_list {
    int n_pair,
        n_single; /* n_pair and n_single are even: a repeated copy makes an odd number even */
    const wr_copy *copy; /* pairs (to and to + 1), then single values */
} wr_copy_list;

static inline int wr_copy_is_empty(const wr_copy_list *list)
{
    return list->n_pair + list->n_single == 0;
}

static inline void wr_copy_all(const wr_copy_list *list, const double *from, double *to)
{
    if (wr_copy_is_empty(list))
        return;
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

#endif
