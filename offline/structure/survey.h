/* Incidence of a config's components along a run: declared, detected, and their differences.
 *
 * The survey examines each component of the selection alone, to compare a model's patterns with its behaviour. With WR_DETECT_ALL the
 * survey also examines the selection as a whole. A detected dependence that is not declared is an error of the model and makes results
 * wrong. A declared dependence without a detection may be correct, because the run may not show the dependence.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SURVEY_H
#define WR_SURVEY_H

#include "offline/structure/detect.h"
#include "offline/structure/incidence.h"
#include "offline/structure/walk.h"

typedef struct wr_survey_part {
    wr_view *view; /* view at the last point */
    wr_incidence_set declared, detected;
    wr_matrix *undeclared[WR_N_DECLARABLE]; /* detected but undeclared dependences */
    int n_undeclared;                       /* number of entries of `undeclared` */
    int n_unseen;                           /* number of declared entries without a detection */
} wr_survey_part;

typedef struct wr_survey {
    wrsim *sim; /* simulation at the last point */
    int n_part; /* number of parts: the selection, then its components, if several */
    wr_survey_part *part;
    int n_undeclared; /* number of undeclared entries of all components */
} wr_survey;

typedef struct wr_survey_request {
    wr_selection selection;
    /* [n_time] points of detection, ascending, s; if n_time is 0, the survey has only declared incidence */
    const double *time_s;
    int n_time;
    /* WR_DETECT_VALUES: the survey examines components alone, not the whole */
    wr_detect_scope scope;
    wr_walk_progress_fn progress; /* NULL: none */
    void *user;
} wr_survey_request;

/* Examines a run of the config, which runs as in wr_linear_run(). The caller owns the survey (wr_survey_done()). Returns WRSIM_OK, or an
 * error of the request or of the run. */
wrsim_status wr_survey_run(const wrsim_config *config, const wr_survey_request *request,
                           wr_survey *ret_survey, wrsim_report_fn report, void *reporter,
                           wrsim_error *err);
void wr_survey_done(wr_survey *survey);

/* Returns WRSIM_OK, or WRSIM_E_MODEL with a text if models have undeclared dependences. */
wrsim_status wr_survey_judge(const wr_survey *survey, wrsim_error *err);

/* Returns the number of states that are coupled with another state by a relation X -> X', as row or as column. */
int wr_survey_coupled(const wr_matrix *x_dx);
/* Returns the number of rows with an entry in a or b; b may be NULL. */
int wr_survey_active(const wr_matrix *a, const wr_matrix *b);

/* Returns the index of the first member of part[] that is a single component. */
static inline int wr_survey_first_component(const wr_survey *survey)
{
    return survey->n_part > 1 ? 1 : 0;
}

#endif
