/* Texts made while a study runs, and lists of them, in memory that goes at once (settings_memory.h).
 *
 * Where there is no memory a text is "" and a list stays as it is; wr_settings_memory_failed() tells in the end.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_TEXTS_H
#define WR_TEXTS_H

#include "runtime/config/settings_memory.h"

typedef struct wr_texts {
    int n, cap;
    const char **item;
} wr_texts;

/* A printed text; never NULL. */
const char *wr_text(wr_settings_memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The list keeps the pointer. */
void wr_texts_add(wr_settings_memory *memory, wr_texts *texts, const char *text);
void wr_texts_add_all(wr_settings_memory *memory, wr_texts *texts, const wr_texts *more);

/* Where a text is in a list; -1 = nowhere. */
int wr_texts_find(const wr_texts *texts, const char *text);

/* A longer copy of an array of n items, with room for *ret_cap; the old one stays until the end. NULL: no memory. */
void *wr_array_grow(wr_settings_memory *memory, const void *array, int n, int *ret_cap,
                    size_t item_bytes);

#endif
