/* A text that grows, for files written whole (text_file.h).
 *
 * Where memory is missing the text is lost and wr_text_buffer_get() gives NULL in the end.
 *
 *     wr_text_buffer text = {0};
 *     wr_text_buffer_add(&text, "%d rows\n", n);
 *     status = wr_text_buffer_write(&text, path, &err);
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_TEXT_BUFFER_H
#define WR_TEXT_BUFFER_H

#include "base/check.h"

typedef struct wr_text_buffer {
    char *text;
    size_t n_bytes, cap_bytes;
    int is_failed;
} wr_text_buffer;

/* Appends a printed text. */
void wr_text_buffer_add(wr_text_buffer *buffer, const char *format, ...) WR_PRINTF(2, 3);
/* Appends a number that reads back to the same bits, in no locale (number.h). */
void wr_text_buffer_number(wr_text_buffer *buffer, double value);
/* The text, the buffer's until wr_text_buffer_done(); NULL when out of memory. */
const char *wr_text_buffer_get(const wr_text_buffer *buffer);
void wr_text_buffer_done(wr_text_buffer *buffer);

/* Writes it as a whole file and frees it. Returns WRSIM_OK, WRSIM_E_IO or WRSIM_E_MEMORY with err (or NULL) filled,
 * also its file. */
wrsim_status wr_text_buffer_write(wr_text_buffer *buffer, const char *path, wrsim_error *err);

#endif
