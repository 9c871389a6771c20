/* Memory of one wr_settings: everything is bumped out of chunks and freed at once.
 *
 * Once an allocation has failed all later ones fail too, so callers may stop at the first NULL and
 * the one place that reports asks wr_settings_memory_failed.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETTINGS_MEMORY_H
#define WR_SETTINGS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wr_settings_memory wr_settings_memory;

wr_settings_memory *wr_settings_memory_create(void);
void wr_settings_memory_destroy(wr_settings_memory **memory);

/* Zeroed and aligned for any type; never moves. NULL when out of memory or when the size
 * overflows. */
void *wr_settings_memory_take(wr_settings_memory *memory, size_t n_items, size_t item_bytes);

/* A copy of text[text_bytes] with a final NUL. */
char *wr_settings_memory_text(wr_settings_memory *memory, const char *text, size_t text_bytes);

/* 1 when an allocation has failed. */
int wr_settings_memory_failed(const wr_settings_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
