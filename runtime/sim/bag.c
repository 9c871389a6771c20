/* A bag of heap blocks. See bag.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/bag.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct block {
    struct block *next;
    size_t bytes;
    max_align_t data[];
} block;

struct wr_bag {
    wr_memory memory;
    block *first;
    int is_short;
};

wr_bag *wr_bag_create(const wr_memory *memory)
{
    wr_bag *const bag = wr_memory_take(memory, sizeof *bag, _Alignof(max_align_t));
    if (bag && memory)
        bag->memory = *memory;
    return bag;
}

void wr_bag_destroy(wr_bag **bag)
{
    if (!bag || !*bag)
        return;
    const wr_memory memory = (*bag)->memory;
    for (block *b = (*bag)->first; b;) {
        block *const next = b->next;
        wr_memory_give(&memory, b, b->bytes);
        b = next;
    }
    wr_memory_give(&memory, *bag, sizeof **bag);
    *bag = NULL;
}

void *wr_bag_take(wr_bag *bag, size_t count, size_t size)
{
    const int is_sane = size == 0 || count <= SIZE_MAX / 2 / size;
    const size_t bytes = is_sane ? sizeof(block) + count * size + 1 : 0;
    block *const b = is_sane ? wr_memory_take(&bag->memory, bytes, _Alignof(max_align_t)) : NULL;
    if (!b) {
        bag->is_short = 1;
        return NULL;
    }
    b->bytes = bytes;
    b->next = bag->first;
    bag->first = b;
    return b->data;
}

int wr_bag_is_short(const wr_bag *bag) { return bag->is_short; }

char *wr_bag_join(wr_bag *bag, const char *a, const char *b)
{
    const size_t bytes = strlen(a) + strlen(b) + 2;
    char *const text = wr_bag_take(bag, bytes, 1);
    if (text)
        snprintf(text, bytes, "%s.%s", a, b);
    return text;
}
