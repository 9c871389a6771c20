/* Finds missing writes of a model, and writes beyond an array.
 *
 * Before a call each value is a NaN of one pattern, which a model writes only by chance. Behind an array is a guard of finite values near
 * 114. An addition to a value of the guard therefore changes the value, too.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_GUARD_H
#define WR_GUARD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Length of a guard (assumed: most writes beyond an array are near its end). */
enum { WR_GUARD_WORDS = 16, WR_GUARD_BYTES = WR_GUARD_WORDS * sizeof(uint64_t) };

static const uint64_t WR_GUARD_PATTERN = 0x405c93a639c56b5au;
static const uint64_t WR_UNWRITTEN_PATTERN = 0x7ffa5c93a639c56bu;

static inline void wr_unwritten_set(double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(&value[i], &WR_UNWRITTEN_PATTERN, sizeof value[i]);
}

static inline int wr_is_unwritten(const double *value)
{
    return memcmp(value, &WR_UNWRITTEN_PATTERN, sizeof *value) == 0;
}

/* Places a guard, also without alignment. */
static inline void wr_guard_set(void *guard)
{
    unsigned char *to = guard;
    for (int i = 0; i < WR_GUARD_WORDS; i++, to += sizeof WR_GUARD_PATTERN)
        memcpy(to, &WR_GUARD_PATTERN, sizeof WR_GUARD_PATTERN);
}

/* Returns whether a guard is unchanged. */
static inline int wr_guard_is_kept(const void *guard)
{
    const unsigned char *from = guard;
    int n_other = 0;
    for (int i = 0; i < WR_GUARD_WORDS; i++, from += sizeof WR_GUARD_PATTERN)
        n_other += memcmp(from, &WR_GUARD_PATTERN, sizeof WR_GUARD_PATTERN) != 0;
    return n_other == 0;
}

/* Returns the guard of instance->memory or instance->data; NULL without bytes. */
static inline void *wr_guard_behind(void *bytes, size_t n_bytes)
{
    return bytes ? (unsigned char *)bytes + n_bytes : NULL;
}

/* Sets bytes to 0, and places the guard behind the bytes. bytes NULL: no effect. */
static inline void wr_guard_clear(void *bytes, size_t n_bytes)
{
    if (!bytes)
        return;
    memset(bytes, 0, n_bytes);
    wr_guard_set(wr_guard_behind(bytes, n_bytes));
}

/* Messages of writes beyond an array. callback and array are literals. */
#define WR_GUARD_TEXT(callback, array, remedy)                                                     \
    callback " of its model writes beyond " array "; " remedy
#define WR_GUARD_MEMORY(callback)                                                                  \
    WR_GUARD_TEXT(callback, "instance->memory", "raise memory_bytes in describe()")
#define WR_GUARD_DATA(callback)                                                                    \
    WR_GUARD_TEXT(callback, "instance->data", "raise data_bytes in describe()")

#endif
