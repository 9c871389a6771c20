/* A name or description with its unit, as "cyl1.p [Pa]". Thread: any. Real-time: no. */
#ifndef WR_TITLE_H
#define WR_TITLE_H

#include "base/text_buffer.h"

/* Appends a text with its unit. If there is no unit (NULL or ""), and the text ends like a unit, empty brackets follow. Line breaks become
 * spaces. */
void wr_title_put(wr_text_buffer *title, const char *text, const char *unit);

/* Removes the unit from a title. Returns the unit, or "". */
const char *wr_title_split(char *title);

#endif
