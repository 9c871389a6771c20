/* A bit pattern that marks values without a write of the model: in arrays before a call, and behind arrays.
 *
 * The pattern is a quiet NaN without a byte 0 or 255, which a model writes only by chance.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_GUARD_H
#define WR_GUARD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t WR_GUARD_PATTERN = 0x7ffa5c93a639c56bu;

/* Writes the pattern to n words, also without alignment. */
static inline void wr_guard_set(void *at, size_t n)
{
    unsigned char *to = at;
    for (size_t i = 0; i < n; i++, to += sizeof WR_GUARD_PATTERN)
        memcpy(to, &WR_GUARD_PATTERN, sizeof WR_GUARD_PATTERN);
}

/* Returns the number of the first n words that still have the pattern, up to the first other word. */
static inline int wr_guard_count(const void *at, int n)
{
    const unsigned char *from = at;
    int i = 0;
    while (i < n && memcmp(from + (size_t)i * sizeof WR_GUARD_PATTERN, &WR_GUARD_PATTERN,
                           sizeof WR_GUARD_PATTERN) == 0)
        i++;
    return i;
}

#endif
