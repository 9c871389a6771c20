/* Texts, lists of texts and arrays. See texts.h. Thread: one owner. Real-time: no. */
#include "offline/texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wr_text(wr_heap_pool *memory, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    const char *const copy = n < 0 ? NULL : wr_heap_pool_text(memory, text, (size_t)n);
    if (n >= 0)
        free(text);
    return copy ? copy : "";
}

void *wr_array_grow(wr_heap_pool *memory, const void *array, int n, int *ret_cap, size_t item_bytes)
{
    const int wanted = 2 * (n + 4);
    void *const longer = wr_heap_pool_take(memory, (size_t)wanted, item_bytes);
    if (longer && n > 0)
        memcpy(longer, array, (size_t)n * item_bytes);
    if (longer)
        *ret_cap = wanted;
    return longer;
}

void wr_texts_add(wr_heap_pool *memory, wr_texts *texts, const char *text)
{
    if (texts->n == texts->cap) {
        const char **const longer =
            wr_array_grow(memory, texts->item, texts->n, &texts->cap, sizeof *texts->item);
        if (!longer)
            return;
        texts->item = longer;
    }
    texts->item[texts->n++] = text;
}

void wr_texts_add_all(wr_heap_pool *memory, wr_texts *texts, const wr_texts *more)
{
    for (int i = 0; i < more->n; i++)
        wr_texts_add(memory, texts, more->item[i]);
}

int wr_texts_find(const wr_texts *texts, const char *text)
{
    for (int i = 0; i < texts->n; i++)
        if (strcmp(texts->item[i], text) == 0)
            return i;
    return -1;
}
