/* What `wrsim partition --groups` prints, as text and as JSON.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_GROUPING_H
#define WR_PRINT_GROUPING_H

#include <stdio.h>

#include "analysis/grouping/search.h"

void wr_print_grouping(FILE *out, const wr_verify *verify, const wr_search_options *options,
                       const wr_search_result *result);
/* malloc'ed; NULL when out of memory. */
char *wr_grouping_json(const wr_verify *verify, const wr_search_options *options,
                       const wr_search_result *result);

#endif
