/* The output of `wrsim partition --groups`, as text and as JSON.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_GROUPING_H
#define WR_PRINT_GROUPING_H

#include <stdio.h>

#include "offline/grouping/study_grouping.h"

void wr_print_grouping(FILE *out, const wr_verify *verify, const wr_search_options *options,
                       const wr_search_result *result);
void wr_print_grouping_measured(FILE *out, const wr_grouping_study *study);
/* malloc'ed; NULL when out of memory. */
char *wr_grouping_json(const wr_grouping_study *study, const wr_search_options *options);

#endif
