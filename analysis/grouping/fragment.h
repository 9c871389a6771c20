/* What a search found as text: [[subsystem]] tables with why, and a whole config that runs unchanged.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_FRAGMENT_H
#define WR_FRAGMENT_H

#include "analysis/grouping/search.h"
#include "base/text_buffer.h"

/* The tables alone, in TOML; with the keys of [relaxation] and [solver] that go with them, as comments say. */
void wr_fragment_tables(const wr_grouping_of *of, const wr_search_row *row,
                        wr_settings_memory *memory, wr_text_buffer *to);
/* The config with them, to be written into that folder (wr_settings_dump_next()). */
wrsim_status wr_fragment_config(const wr_grouping_of *of, const wr_search_row *row,
                                const char *folder, wr_settings_memory *memory, wr_text_buffer *to);

#endif
