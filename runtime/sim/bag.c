/* A bag of heap blocks. See bag.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/bag.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

struct wr_bag {
    block *first;
};

wr_bag *wr_bag_create(void) { return calloc(1, sizeof(wr_bag)); }

void wr_bag_destroy(wr_bag **bag)
{
    if (!bag || !*bag)
        return;
    for (block *b = (*bag)->first; b;) {
        block *const next = b->next;
        free(b);
        b = next;
    }
    free(*bag);
    *bag = NULL;
}

void *wr_bag_take(wr_bag *bag, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    block *const b = calloc(1, sizeof *b + count * size + 1);
    if (!b)
        return NULL;
    b->next = bag->first;
    bag->first = b;
    return b->data;
}

char *wr_bag_join(wr_bag *bag, const char *a, const char *b)
{
    const size_t bytes = strlen(a) + strlen(b) + 2;
    char *const text = wr_bag_take(bag, bytes, 1);
    if (text)
        snprintf(text, bytes, "%s.%s", a, b);
    return text;
}
