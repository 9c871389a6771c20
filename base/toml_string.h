/* Strings of TOML, as the values of overrides: names of files may hold anything.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_TOML_STRING_H
#define WR_TOML_STRING_H

#include <stddef.h>

/* So many bytes take any string of n. */
#define WR_TOML_STRING_BYTES(n) (6 * (n) + 3)

/* Writes text as a TOML string (toml.io 1.0, "basic strings"), in quotes, what steers as \uXXXX. It is to be UTF-8: TOML has no
 * other. Returns its length. */
size_t wr_toml_string(const char *text, char *ret_string);

#endif
