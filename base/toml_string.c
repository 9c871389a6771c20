/* Strings of TOML. See toml_string.h. Thread: any. Real-time: no. */
#include "base/toml_string.h"

#include <stdio.h>

size_t wr_toml_string(const char *text, char *ret_string)
{
    char *at = ret_string;
    *at++ = '"';
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < ' ' || byte == 0x7f) {
            at += sprintf(at, "\\u%04x", (unsigned)byte);
            continue;
        }
        if (byte == '"' || byte == '\\')
            *at++ = '\\';
        *at++ = *text;
    }
    *at++ = '"';
    *at = '\0';
    return (size_t)(at - ret_string);
}
