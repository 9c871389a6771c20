/* The output of `wrsim analyze`, as text.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_SURVEY_H
#define WR_PRINT_SURVEY_H

#include <stdio.h>

#include "offline/structure/survey.h"

void wr_print_survey(FILE *out, const wr_survey *survey, const char *config);

#endif
