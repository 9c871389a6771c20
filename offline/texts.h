/* Texts, lists of texts and growing arrays of a study, in memory that wr_heap_pool_destroy() frees together.
 *
 * If the pool has no memory, a new text is "", a list lacks the added text, and wr_heap_pool_is_short() returns 1.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_TEXTS_H
#define WR_TEXTS_H

#include "base/heap_pool.h"

typedef struct wr_texts {
    int n, cap;
    const char **item;
} wr_texts;

/* Returns a formatted text; never NULL. */
const char *wr_text(wr_heap_pool *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a text. The list stores the pointer. */
void wr_texts_add(wr_heap_pool *memory, wr_texts *texts, const char *text);
void wr_texts_add_all(wr_heap_pool *memory, wr_texts *texts, const wr_texts *more);

/* Returns the index of a text in a list; -1 if absent. */
int wr_texts_find(const wr_texts *texts, const char *text);

/* Returns a longer copy of an array of n items, with room for *ret_cap items. The old array stays valid until the caller destroys the
 * memory. Returns NULL when out of memory. */
void *wr_array_grow(wr_heap_pool *memory, const void *array, int n, int *ret_cap,
                    size_t item_bytes);

#endif
