/* Fits tables to the width of a terminal. Thread: one owner. Real-time: no. */
#ifndef WR_FIT_TABLE_H
#define WR_FIT_TABLE_H

#include "base/text_buffer.h"

/* Appends the lines of a text of n bytes. Rows of tables have two successive blanks after their first word, and fit into a width in
 * characters, at least 20. If a row is too long, blanks that all rows of its table have in common shrink to one blank. A row that is still
 * too long continues, indented, on the next line. Words longer than the width stay whole. All other lines stay as they are.
 *
 * is_end 0: the text continues. The call then leaves the last table and an incomplete line to a later call. Returns the number of bytes
 * that have been used. */
size_t wr_fit_table(const char *text, size_t n, int width, int is_end, wr_text_buffer *to);

#endif
