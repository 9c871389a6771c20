/* Chunks of bump memory. See settings_memory.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/config/settings_memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A chunk holds the settings of a usual config; a larger block gets a chunk of its own. */
enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = alignof(max_align_t) };

typedef struct chunk {
    struct chunk *next;
    size_t used_bytes, cap_bytes;
    alignas(max_align_t) unsigned char bytes[];
} chunk;

struct wr_settings_memory {
    chunk *first; /* the chunk in use; the others are full */
    int has_failed;
};

wr_settings_memory *wr_settings_memory_create(void)
{
    return calloc(1, sizeof(wr_settings_memory));
}

void wr_settings_memory_destroy(wr_settings_memory **memory)
{
    if (!memory || !*memory)
        return;
    for (chunk *c = (*memory)->first; c;) {
        chunk *const next = c->next;
        free(c);
        c = next;
    }
    free(*memory);
    *memory = NULL;
}

static chunk *add_chunk(wr_settings_memory *memory, size_t needed_bytes)
{
    const size_t cap_bytes = needed_bytes > CHUNK_BYTES ? needed_bytes : CHUNK_BYTES;
    chunk *const added = calloc(1, sizeof(chunk) + cap_bytes);
    if (!added)
        return NULL;
    added->cap_bytes = cap_bytes;
    /* A large block fills its chunk, so the chunk in use stays first. */
    if (memory->first && needed_bytes > CHUNK_BYTES) {
        added->next = memory->first->next;
        memory->first->next = added;
    } else {
        added->next = memory->first;
        memory->first = added;
    }
    return added;
}

void *wr_settings_memory_take(wr_settings_memory *memory, size_t n_items, size_t item_bytes)
{
    if (memory->has_failed)
        return NULL;
    if (item_bytes > 0 && n_items > (SIZE_MAX / 2) / item_bytes) {
        memory->has_failed = 1;
        return NULL;
    }
    const size_t wanted = n_items * item_bytes;
    const size_t bytes = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    chunk *c = memory->first;
    if (!c || c->cap_bytes - c->used_bytes < bytes)
        c = add_chunk(memory, bytes);
    if (!c) {
        memory->has_failed = 1;
        return NULL;
    }
    void *const taken = c->bytes + c->used_bytes;
    c->used_bytes += bytes;
    return taken;
}

char *wr_settings_memory_text(wr_settings_memory *memory, const char *text, size_t text_bytes)
{
    char *const copy = wr_settings_memory_take(memory, text_bytes + 1, 1);
    if (copy && text_bytes > 0)
        memcpy(copy, text, text_bytes);
    return copy;
}

int wr_settings_memory_failed(const wr_settings_memory *memory) { return memory->has_failed; }
