/* Results of a search as text: [[subsystem]] tables with comments, and a complete config.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_FRAGMENT_H
#define WR_FRAGMENT_H

#include "base/text_buffer.h"
#include "offline/grouping/search.h"

/* Writes the tables alone in TOML, with the necessary keys of [relaxation] and [solver] in comments. */
void wr_fragment_tables(const wr_grouping_of *of, const wr_search_row *row,
                        wr_settings_memory *memory, wr_text_buffer *to);
/* Writes the config with these tables, for a file in `folder` (wr_settings_dump_next()). */
wrsim_status wr_fragment_config(const wr_grouping_of *of, const wr_search_row *row,
                                const char *folder, wr_settings_memory *memory, wr_text_buffer *to);

#endif
