/* UTF-8: length, validity and kind of characters. Thread: any. Real-time: no. */
#ifndef WR_UTF8_H
#define WR_UTF8_H

#include <stddef.h>

/* Returns the number of bytes of the first character of a text, or 0 if the character is not valid UTF-8 (RFC 3629, section 4). */
size_t wr_utf8_length(const char *text);

/* Returns 1 if the whole text is valid UTF-8. */
int wr_utf8_is_valid(const char *text);

/* Returns 1 for a control character: below U+0020, or U+007F to U+009F. The text must be valid UTF-8. */
int wr_utf8_is_control(const char *text);

#endif
