/* What `wrsim sparse` found, as text.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_SPARSING_H
#define WR_PRINT_SPARSING_H

#include <stdio.h>

#include "analysis/sparsing/sparsing_files.h"

void wr_print_sparsing(FILE *to, const wr_sparsing *s);

/* Errors of runs against a tight one, the worst states; is_inaccurate: more than was asked for. */
void wr_print_sparsing_errors(FILE *to, const wr_sparsing *s, const wr_sparsing_errors *errors,
                              int is_inaccurate);

#endif
