/* Memory of settings: a pool (base/heap_pool.h) of the system's memory.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SETTINGS_MEMORY_H
#define WR_SETTINGS_MEMORY_H

#include "base/heap_pool.h"

typedef wr_heap_pool wr_settings_memory;

#define wr_settings_memory_create() wr_heap_pool_create(NULL)
#define wr_settings_memory_destroy wr_heap_pool_destroy
#define wr_settings_memory_take wr_heap_pool_take
#define wr_settings_memory_text wr_heap_pool_text
#define wr_settings_memory_failed wr_heap_pool_is_short

#endif
