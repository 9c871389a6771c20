/* UTF-8: what is text, and of one line.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_UTF8_H
#define WR_UTF8_H

#include <stddef.h>

/* Bytes of the character that text, which ends with a 0, begins with; 0 if that is no valid UTF-8 (RFC 3629, section 4). */
size_t wr_utf8_length(const char *text);

/* 1 if all of a text is valid UTF-8. */
int wr_utf8_is_valid(const char *text);

/* Whether a character of valid UTF-8 is a control character: below U+0020, or U+007F to U+009F. */
int wr_utf8_is_control(const char *text);

#endif
