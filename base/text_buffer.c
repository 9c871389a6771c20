/* A text that grows. See text_buffer.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "base/text_file.h"

/* Makes room for n_bytes more bytes and a final 0. Returns 0 or -1. */
static int make_room(wr_text_buffer *buffer, size_t n_bytes)
{
    if (buffer->is_failed)
        return -1;
    if (buffer->n_bytes + n_bytes < buffer->cap_bytes)
        return 0;
    const size_t cap = 2 * (buffer->n_bytes + n_bytes) + 256;
    char *const grown = realloc(buffer->text, cap);
    if (!grown) {
        buffer->is_failed = 1;
        return -1;
    }
    buffer->text = grown;
    buffer->cap_bytes = cap;
    return 0;
}

void wr_text_buffer_add(wr_text_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n < 0 || make_room(buffer, (size_t)n) < 0) {
        buffer->is_failed = 1;
        return;
    }
    va_start(arguments, format);
    vsnprintf(buffer->text + buffer->n_bytes, (size_t)n + 1, format, arguments);
    va_end(arguments);
    buffer->n_bytes += (size_t)n;
}

void wr_text_buffer_number(wr_text_buffer *buffer, double value)
{
    char text[WR_NUMBER_CAP];
    const size_t n = (size_t)wr_number_print(value, text);
    if (make_room(buffer, n) < 0)
        return;
    memcpy(buffer->text + buffer->n_bytes, text, n + 1);
    buffer->n_bytes += n;
}

const char *wr_text_buffer_get(const wr_text_buffer *buffer)
{
    return buffer->is_failed ? NULL : buffer->text ? buffer->text : "";
}

void wr_text_buffer_done(wr_text_buffer *buffer)
{
    free(buffer->text);
    *buffer = (wr_text_buffer){0};
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
