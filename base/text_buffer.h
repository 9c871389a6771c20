/* A growing text. wr_text_buffer_write() writes the text as a complete file (text_file.h).
 *
 * If memory is exhausted, the text is lost and wr_text_buffer_get() returns NULL.
 *
 *     wr_text_buffer text = {0};
 *     wr_text_buffer_add(&text, "%d rows\n", n);
 *     status = wr_text_buffer_write(&text, path, &err);
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_TEXT_BUFFER_H
#define WR_TEXT_BUFFER_H

#include "base/check.h"

typedef struct wr_text_buffer {
    char *text;
    size_t n_bytes, cap_bytes;
    int is_failed;
} wr_text_buffer;

/* Appends a formatted text. */
void wr_text_buffer_add(wr_text_buffer *buffer, const char *format, ...) WR_PRINTF(2, 3);
/* Appends n bytes. */
void wr_text_buffer_put(wr_text_buffer *buffer, const char *bytes, size_t n);
/* Reserves n more bytes and a final 0. Returns the address of the bytes, or NULL when memory is exhausted. The caller adds the number of
 * written bytes to n_bytes. */
char *wr_text_buffer_room(wr_text_buffer *buffer, size_t n);
/* Appends a number that reads back to the same bits, independent of the locale (number.h). */
void wr_text_buffer_number(wr_text_buffer *buffer, double value);
/* Appends a cell, in quotes if necessary. Writes '?' instead of control characters, because a row is a line. */
void wr_text_buffer_cell(wr_text_buffer *text, int is_first, const char *cell);
/* Gives the text up, because memory for a part of the text is exhausted. */
void wr_text_buffer_fail(wr_text_buffer *buffer);
/* Returns the text, valid until the next change of the buffer, or NULL when memory is exhausted. */
const char *wr_text_buffer_get(const wr_text_buffer *buffer);
void wr_text_buffer_done(wr_text_buffer *buffer);
/* Returns the text, which the caller frees, or NULL when memory is exhausted. The buffer is empty again. */
char *wr_text_buffer_take(wr_text_buffer *buffer);

/* Writes the text as a file and frees the text. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. On failure err (may be NULL)
 * has the message and the file. */
wrsim_status wr_text_buffer_write(wr_text_buffer *buffer, const char *path, wrsim_error *err);

#endif
