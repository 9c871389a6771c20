/* Prefetching. If a model is larger than the caches, a worker fetches the memory of its next task into the caches
 * during the present task.
 *
 * A processor handles some ten requests at once, so the worker fetches the memory in four parts during a task. Without the prefetch a model
 * of 10,000 gas pipes takes 1.4 times as long. More parts and the waves that the next task reads gain 2 %
 * (docs/lab/2026-11-23-prefetch.md).
 *
 * Thread: any. Real-time: yes. */
#ifndef WR_PREFETCH_H
#define WR_PREFETCH_H

#include <stddef.h>

enum { WR_PREFETCH_PARTS = 4, WR_PREFETCH_SPANS = 5 };

/* Adjacent cache lines. */
typedef struct wr_prefetch_span {
    const char *at; /* an address in the first line */
    int n_line;
} wr_prefetch_span;

/* Memory that a task reads. */
typedef struct wr_prefetch {
    wr_prefetch_span span[WR_PREFETCH_SPANS];
    int n_line; /* sum over the spans */
} wr_prefetch;

wr_prefetch_span wr_prefetch_span_of(const void *at, size_t bytes);

/* Returns the prefetch of the spans `span`. If the spans are together larger than 64 KiB, the result is empty, because prefetching then
 * gains nothing. */
wr_prefetch wr_prefetch_of(const wr_prefetch_span span[WR_PREFETCH_SPANS]);

/* Requests part i_part of WR_PREFETCH_PARTS. */
void wr_prefetch_request(const wr_prefetch *prefetch, int i_part);

/* Requests a part like wr_prefetch_request(). prefetch NULL: does nothing. */
static inline void wr_prefetch_part(const wr_prefetch *prefetch, int i_part)
{
    if (prefetch)
        wr_prefetch_request(prefetch, i_part);
}

#endif
