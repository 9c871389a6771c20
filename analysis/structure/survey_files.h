/* What a survey has found, as files: of every relation that is not empty a Matrix Market file and a spy plot, declared and
 * detected; a table of all entries as CSV; all as JSON. Linearisations as Matrix Market.
 *
 *     declared_x_dx.mtx  detected_x_dx.mtx  declared_x_dx.svg  detected_x_dx.svg  ...  incidence.csv  incidence.json
 *     airpath_000_A.mtx  ..._B.mtx  ..._C.mtx  ..._D.mtx          (number: which time)
 *
 * Matrix Market files name their rows and columns in comment lines: "%wrsim row 1 cyl1.p".
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SURVEY_FILES_H
#define WR_SURVEY_FILES_H

#include "analysis/structure/folder.h"
#include "analysis/structure/linear.h"
#include "analysis/structure/survey.h"

wrsim_status wr_survey_write(const wr_survey *survey, const char *config, wr_folder *folder,
                             wrsim_error *err);

/* The survey as JSON; the caller frees it. NULL when out of memory. */
char *wr_survey_json(const wr_survey *survey, const char *config);

wrsim_status wr_linear_write(const wr_linear *linear, int i_time, wr_folder *folder,
                             wrsim_error *err);

#endif
