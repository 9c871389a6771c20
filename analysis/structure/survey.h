/* The incidence of a config's components along a run of it: declared, detected, and where the two differ.
 *
 * What is selected is looked at as a whole, and each of its components by itself: there a model's patterns are held against
 * what it does. Detected but not declared is an error of the model: results of whoever trusts the pattern are wrong. Declared but
 * never detected may be right: the run may not have come there.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SURVEY_H
#define WR_SURVEY_H

#include "analysis/structure/detect.h"
#include "analysis/structure/incidence.h"
#include "analysis/structure/walk.h"

typedef struct wr_survey_part {
    wr_view *view; /* at the last point */
    wr_incidence_set declared, detected;
    wr_matrix *undeclared[WR_N_DECLARABLE]; /* detected and not declared */
    int n_undeclared;                       /* entries in all */
    int n_unseen; /* declared and not detected; of what is detected at all */
} wr_survey_part;

typedef struct wr_survey {
    wrsim *sim; /* at the last point */
    int n_part; /* the first is what was selected, then come its components, unless it is one */
    wr_survey_part *part;
    int n_undeclared; /* of the components */
} wr_survey;

typedef struct wr_survey_request {
    wr_selection selection;
    const double
        *time_s; /* [n_time] points at which to detect, ascending; none: only what is declared */
    int n_time;
    wr_detect_scope scope; /* WR_DETECT_VALUES: and of each component by itself, not of the whole */
    wr_walk_progress_fn progress; /* NULL: nobody is told */
    void *user;
} wr_survey_request;

/* Runs the config as wr_linear_run() does. The survey is the caller's, freed by wr_survey_done(). */
wrsim_status wr_survey_run(const wrsim_config *config, const wr_survey_request *request,
                           wr_survey *ret_survey, wrsim_report_fn report, void *reporter,
                           wrsim_error *err);
void wr_survey_done(wr_survey *survey);

/* WRSIM_OK, or WRSIM_E_MODEL with a text: models do what they do not declare. */
wrsim_status wr_survey_judge(const wr_survey *survey, wrsim_error *err);

/* States that act on another one's derivative, or are acted on, by a relation of X -> X'. */
int wr_survey_coupled(const wr_matrix *x_dx);
/* Rows that have an entry in either; b may be NULL. */
int wr_survey_active(const wr_matrix *a, const wr_matrix *b);

/* The parts whose models are held against their patterns: components. */
static inline int wr_survey_first_component(const wr_survey *survey)
{
    return survey->n_part > 1 ? 1 : 0;
}

#endif
