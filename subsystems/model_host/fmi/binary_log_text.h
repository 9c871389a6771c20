/* Text of a log of FMI 2.0, whose format and arguments come from the FMU.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_BINARY_LOG_TEXT_H
#define WR_BINARY_LOG_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Writes the text with its numbers and strings, cut to n_bytes with the terminating zero. Missing arguments are harmless: the numbers are
 * then arbitrary, and a string that cannot be read stays "%s". "%n" stays as it is. A specifier with "*", with a width or precision of
 * more than three digits, or of another kind ends the expansion. The rest of the format then stays as it is. */
void wr_binary_log_text(char *to, size_t n_bytes, const char *format, va_list arguments);

#endif
