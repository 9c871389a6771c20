/* Prefetching: a worker that knows its next task has its memory fetched into the caches while the present
 * one runs, where a model is larger than they are.
 *
 * A processor takes some ten requests at once and waits when there are more, so memory is asked for in a few
 * parts: when a task is claimed, when it has integrated, when its wave is judged, and at its end. All at once when it is claimed costs
 * an eighth of the time of 10,000 gas pipes; more parts, or the waves that the next task reads as well, gain 2 %
 * (docs/PERFORMANCE.md). Requests change nothing and cannot fail.
 *
 * Thread: placing by one owner; the rest any. Real-time: yes.
 */
#ifndef WR_PREFETCH_H
#define WR_PREFETCH_H

#include <stddef.h>

enum { WR_PREFETCH_PARTS = 4, WR_PREFETCH_SPANS = 3 };

/* Cache lines side by side. */
typedef struct wr_prefetch_span {
    const char *at; /* where a line begins, or in it */
    int n_line;
} wr_prefetch_span;

/* What a task reads. */
typedef struct wr_prefetch {
    wr_prefetch_span span[WR_PREFETCH_SPANS];
    int n_line; /* of all of them */
} wr_prefetch;

wr_prefetch_span wr_prefetch_span_of(const void *at, size_t bytes);

/* Nothing, where it is so much that windows cannot read all of it, or that fetching is no matter. */
wr_prefetch wr_prefetch_of(const wr_prefetch_span span[WR_PREFETCH_SPANS]);

/* Asks for one part of WR_PREFETCH_PARTS. NULL: of nothing. */
void wr_prefetch_part(const wr_prefetch *prefetch, int i_part);

#endif
