/* TOML strings and keys, for configs and overrides: file names and names of variables may contain any character. Thread: any. Real-time:
 * no. */
#ifndef WR_TOML_STRING_H
#define WR_TOML_STRING_H

#include <stddef.h>

#include "base/text_buffer.h"

/* Returns the largest size of the quoted form of a string of n bytes, with its final 0. */
#define WR_TOML_STRING_BYTES(n) (6 * (n) + 3)

/* Writes text as a quoted TOML string (toml.io 1.0, "basic strings"), with control characters as \uXXXX. The text must be UTF-8. Returns
 * the length of the result. */
size_t wr_toml_string(const char *text, char *ret_string);

/* Appends text as wr_toml_string(). */
void wr_toml_string_add(wr_text_buffer *buffer, const char *text);

/* Returns the length of the first part of a dotted key, up to a dot, an equals sign, or the end. A part in quotes may contain these
 * characters. */
size_t wr_toml_key_part(const char *key);

/* Returns the length of a dotted key, up to the equals sign or the end. */
size_t wr_toml_key_bytes(const char *key);

#endif
