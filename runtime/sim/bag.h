/* A bag of heap blocks that are freed together: the small arrays and names of the setup phase.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_BAG_H
#define WR_BAG_H

#include <stddef.h>

#include "base/memory.h"

typedef struct wr_bag wr_bag;

wr_bag *wr_bag_create(const wr_memory *memory);
void wr_bag_destroy(wr_bag **bag);

/* Zeroed memory for count elements of size bytes, never NULL for count 0; NULL when out of memory.
 */
void *wr_bag_take(wr_bag *bag, size_t count, size_t size);

/* Was there no memory for anything so far? So one look at the end is enough where what is missing is only left out. */
int wr_bag_is_short(const wr_bag *bag);

/* "a.b" */
char *wr_bag_join(wr_bag *bag, const char *a, const char *b);

#define WR_TAKE(bag, type, count) ((type *)wr_bag_take((bag), (size_t)(count), sizeof(type)))

#endif
