/* Makes the calling thread use the C locale. So numbers in text have a decimal point and no thousands separators, with any locale of the
 * host.
 *
 * Thread: any. Real-time: yes (no system call). */
#ifndef WR_C_LOCALE_H
#define WR_C_LOCALE_H

#include <locale.h>

static inline locale_t wr_c_locale_enter(void)
{
    /* "C" is a constant locale of the C library, so no call frees the locale */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void wr_c_locale_leave(const locale_t *before) { uselocale(*before); }

/* Declares a variable that selects the C locale until the end of the enclosing block. */
#define WR_IN_C_LOCALE                                                                             \
    __attribute__((cleanup(wr_c_locale_leave), unused)) const locale_t wr_locale_before =          \
        wr_c_locale_enter()

#endif
