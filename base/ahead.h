/* Fetching ahead: memory that will be read soon is asked for a few lines at a time, between pieces of
 * other work, so that it is in the cache by then.
 *
 * A processor takes some ten such requests at once, and waits when there are more: a long list asked for
 * in one go costs as much as it saves. Requests change nothing and cannot fail.
 *
 * Thread: each list one at a time. Real-time: yes.
 */
#ifndef WR_AHEAD_H
#define WR_AHEAD_H

#include "base/check.h"

/* Cache lines side by side. */
typedef struct wr_span {
    const char *at; /* where a line begins, or in it */
    int n_line;
} wr_span;

typedef struct wr_ahead {
    const wr_span *span; /* the one under way, ... */
    int n_span;          /* ... and so many with those behind it; 0: nothing is wanted */
    int i_line;          /* in the one under way */
    int n_each;          /* lines to be asked for at a time */
} wr_ahead;

/* Asks for a line. GCC drops calls of functions that do nothing but this; the empty asm keeps them. */
static inline void wr_fetch_line(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/* Asks for up to n lines more. */
static inline void wr_ahead_fetch(wr_ahead *ahead, int n)
{
    while (n > 0 && ahead->n_span > 0) {
        const wr_span *const span = ahead->span;
        const char *const line = span->at + (size_t)ahead->i_line * WR_CACHE_LINE;
        const int n_left = span->n_line - ahead->i_line, n_now = n < n_left ? n : n_left;
        for (int i = 0; i < n_now; i++)
            wr_fetch_line(line + (size_t)i * WR_CACHE_LINE);
        n -= n_now;
        ahead->i_line += n_now;
        if (n_now == n_left) {
            ahead->span++;
            ahead->n_span--;
            ahead->i_line = 0;
        }
    }
}

#endif
