/* A text that grows. See text_buffer.h. Thread: one owner. Real-time: no. */
#include "base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "base/text_file.h"

char *wr_text_buffer_room(wr_text_buffer *buffer, size_t n)
{
    if (buffer->is_failed)
        return NULL;
    if (buffer->cap_bytes - buffer->n_bytes <= n) {
        const size_t cap = 2 * (buffer->n_bytes + n) + 256;
        char *const grown = cap > n ? realloc(buffer->text, cap) : NULL;
        buffer->is_failed = !grown;
        if (!grown)
            return NULL;
        buffer->text = grown;
        buffer->cap_bytes = cap;
    }
    return buffer->text + buffer->n_bytes;
}

void wr_text_buffer_put(wr_text_buffer *buffer, const char *bytes, size_t n)
{
    char *const at = wr_text_buffer_room(buffer, n);
    if (!at)
        return;
    memcpy(at, bytes, n);
    at[n] = '\0';
    buffer->n_bytes += n;
}

void wr_text_buffer_add(wr_text_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *const at = n < 0 ? NULL : wr_text_buffer_room(buffer, (size_t)n);
    if (!at) {
        buffer->is_failed = 1;
        return;
    }
    va_start(arguments, format);
    vsnprintf(at, (size_t)n + 1, format, arguments);
    va_end(arguments);
    buffer->n_bytes += (size_t)n;
}

void wr_text_buffer_cell(wr_text_buffer *text, int is_first, const char *cell)
{
    const size_t n = strlen(cell);
    /* Quotes prevent an empty line, and a first cell that begins like a byte order mark. */
    const int is_odd = is_first && (n == 0 || cell[0] == '\xef');
    const int is_quoted =
        is_odd || strpbrk(cell, ",\"") || (n > 0 && (cell[0] == ' ' || cell[n - 1] == ' '));
    wr_text_buffer_add(text, "%s%s", is_first ? "" : ",", is_quoted ? "\"" : "");
    for (const char *c = cell; *c; c++)
        wr_text_buffer_add(text, "%s%c", *c == '"' ? "\"" : "",
                           (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    if (is_quoted)
        wr_text_buffer_add(text, "\"");
}

void wr_text_buffer_number(wr_text_buffer *buffer, double value)
{
    char text[WR_NUMBER_CAP];
    wr_text_buffer_put(buffer, text, (size_t)wr_number_print(value, text));
}

void wr_text_buffer_fail(wr_text_buffer *buffer) { buffer->is_failed = 1; }

const char *wr_text_buffer_get(const wr_text_buffer *buffer)
{
    return buffer->is_failed ? NULL : buffer->text ? buffer->text : "";
}

void wr_text_buffer_done(wr_text_buffer *buffer)
{
    free(buffer->text);
    *buffer = (wr_text_buffer){0};
}

char *wr_text_buffer_take(wr_text_buffer *buffer)
{
    wr_text_buffer_put(buffer, "", 0); /* the call allocates memory even for an empty text */
    char *const text = buffer->is_failed ? NULL : buffer->text;
    if (!text)
        free(buffer->text);
    *buffer = (wr_text_buffer){0};
    return text;
}

wrsim_status wr_text_buffer_write(wr_text_buffer *buffer, const char *path, wrsim_error *err)
{
    const char *const text = wr_text_buffer_get(buffer);
    const int error_number = text ? wr_text_file_write(path, text) : 0;
    wr_text_buffer_done(buffer);
    if (text && error_number == 0)
        return WRSIM_OK;
    if (text)
        return wr_text_file_fail(path, error_number, err);
    wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the content of the file");
    if (err)
        snprintf(err->file, sizeof err->file, "%s", path);
    return WRSIM_E_MEMORY;
}
