/* Prefetching of cache lines. See prefetch.h. Thread: any. Real-time: yes. */
#include "runtime/relax/prefetch.h"

#include <limits.h>

#include "base/check.h"

/* Largest prefetch, in cache lines (64 KiB, assumed). If a subsystem has more memory, a window reads only a part, or the work of the task
 * hides the waiting. */
enum { MOST_LINES = (64 << 10) / WR_CACHE_LINE };

wr_prefetch_span wr_prefetch_span_of(const void *at, size_t bytes)
{
    const size_t n = (bytes + WR_CACHE_LINE - 1) / WR_CACHE_LINE;
    return (wr_prefetch_span){.at = at, .n_line = n < INT_MAX ? (int)n : 0};
}

wr_prefetch wr_prefetch_of(const wr_prefetch_span span[WR_PREFETCH_SPANS])
{
    wr_prefetch prefetch = {.n_line = 0};
    long n_line = 0;
    for (int k = 0; k < WR_PREFETCH_SPANS; k++)
        n_line += span[k].n_line;
    if (n_line > MOST_LINES)
        return prefetch;
    prefetch.n_line = (int)n_line;
    for (int k = 0; k < WR_PREFETCH_SPANS; k++)
        prefetch.span[k] = span[k];
    return prefetch;
}

void wr_prefetch_request(const wr_prefetch *prefetch, int i_part)
{
    __asm__ volatile(""); /* GCC would remove calls of a function that only prefetches */
    int first = prefetch->n_line * i_part / WR_PREFETCH_PARTS;
    int end = prefetch->n_line * (i_part + 1) / WR_PREFETCH_PARTS;
    for (int k = 0; k < WR_PREFETCH_SPANS && end > 0; k++) {
        const wr_prefetch_span *const span = &prefetch->span[k];
        const int from = first > 0 ? first : 0, to = end < span->n_line ? end : span->n_line;
        const char *at = span->at + (size_t)from * WR_CACHE_LINE;
        int n = to - from;
        for (; n >= 4; n -= 4, at += (size_t)4 * WR_CACHE_LINE) {
            __builtin_prefetch(at);
            __builtin_prefetch(at + WR_CACHE_LINE);
            __builtin_prefetch(at + (size_t)2 * WR_CACHE_LINE);
            __builtin_prefetch(at + (size_t)3 * WR_CACHE_LINE);
        }
        for (; n > 0; n--, at += WR_CACHE_LINE)
            __builtin_prefetch(at);
        first -= span->n_line;
        end -= span->n_line;
    }
}
