/* Writes a survey as files. Every non-empty relation, declared and detected, has a Matrix Market file and a spy plot. A CSV table has all
 * entries, and a JSON file has all results. Linearisations are Matrix Market files.
 *
 *     declared_x_dx.mtx  detected_x_dx.mtx  declared_x_dx.svg  detected_x_dx.svg  ...  incidence.csv  incidence.json
 *     airpath_000_A.mtx  ..._B.mtx  ..._C.mtx  ..._D.mtx  ..._L.mtx   (000: index of the time; L: only with a mass matrix)
 *
 * Matrix Market files name their rows and columns in comments: "%wrsim row 1 cyl1.p".
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SURVEY_FILES_H
#define WR_SURVEY_FILES_H

#include "offline/structure/folder.h"
#include "offline/structure/linear.h"
#include "offline/structure/survey.h"

wrsim_status wr_survey_write(const wr_survey *survey, const char *config, wr_folder *folder,
                             wrsim_error *err);

/* Returns the survey as JSON, which the caller frees; NULL when out of memory. */
char *wr_survey_json(const wr_survey *survey, const char *config);

wrsim_status wr_linear_write(const wr_linear *linear, int i_time, wr_folder *folder,
                             wrsim_error *err);

#endif
