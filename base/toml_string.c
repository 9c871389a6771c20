/* Strings of TOML. See toml_string.h. Thread: any. Real-time: no. */
#include "base/toml_string.h"

#include <stdio.h>
#include <string.h>

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

void wr_toml_string_add(wr_text_buffer *buffer, const char *text)
{
    char *const at = wr_text_buffer_room(buffer, WR_TOML_STRING_BYTES(strlen(text)));
    if (at)
        buffer->n_bytes += wr_toml_string(text, at);
}

size_t wr_toml_key_part(const char *key)
{
    const char quote = *key == '"' || *key == '\'' ? *key : '\0';
    const char *at = key + (quote != '\0');
    while (quote && *at && *at != quote)
        at += *at == '\\' && quote == '"' && at[1] ? 2 : 1;
    return (size_t)(at - key) + strcspn(at, ".=");
}

size_t wr_toml_key_bytes(const char *key)
{
    size_t n = wr_toml_key_part(key);
    while (key[n] == '.')
        n += 1 + wr_toml_key_part(key + n + 1);
    return n;
}
