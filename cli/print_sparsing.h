/* The output of `wrsim sparse`, as text.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_SPARSING_H
#define WR_PRINT_SPARSING_H

#include <stdio.h>

#include "offline/sparsing/sparsing_files.h"

void wr_print_sparsing(FILE *to, const wr_sparsing *s);

/* Prints the errors of the runs against the tight run, at the worst states. is_inaccurate: the sparsed run exceeds
 * --error. */
void wr_print_sparsing_errors(FILE *to, const wr_sparsing *s, const wr_sparsing_errors *errors,
                              int is_inaccurate);

#endif
