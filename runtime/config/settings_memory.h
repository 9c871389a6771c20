/* Memory of one wr_settings: blocks are taken from chunks and freed together.
 *
 * After a failed allocation all later allocations fail, too. So a reader may stop at the first NULL, and the caller of
 * the readers checks wr_settings_memory_failed() once.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_MEMORY_H
#define WR_SETTINGS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wr_settings_memory wr_settings_memory;

wr_settings_memory *wr_settings_memory_create(void);
void wr_settings_memory_destroy(wr_settings_memory **memory);

/* Returns zeroed memory, aligned for any type; it never moves. NULL when out of memory or if the size overflows. */
void *wr_settings_memory_take(wr_settings_memory *memory, size_t n_items, size_t item_bytes);

/* Returns a copy of text[text_bytes] with a final NUL. */
char *wr_settings_memory_text(wr_settings_memory *memory, const char *text, size_t text_bytes);

/* Returns 1 if an allocation has failed. */
int wr_settings_memory_failed(const wr_settings_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
