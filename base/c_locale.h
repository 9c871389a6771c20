/* Numbers in text have a point and no thousands marks, whatever locale the host has set: text is made in the C locale, which
 * the calling thread alone has meanwhile.
 *
 * Thread: any. Real-time: yes (no system call).
 */
#ifndef WR_C_LOCALE_H
#define WR_C_LOCALE_H

#include <locale.h>

static inline locale_t wr_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C",
                               (locale_t)0)); /* a constant of the C library: nothing to free */
}

static inline void wr_c_locale_leave(const locale_t *before) { uselocale(*before); }

/* A declaration: to the end of the block. */
#define WR_IN_C_LOCALE                                                                             \
    __attribute__((cleanup(wr_c_locale_leave), unused)) const locale_t wr_locale_before =          \
        wr_c_locale_enter()

#endif
