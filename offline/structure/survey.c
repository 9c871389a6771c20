/* Incidence along a run. See survey.h. Thread: one owner. Real-time: no. */
#include "offline/structure/survey.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "offline/structure/detect.h"
#include "offline/structure/incidence.h"
#include "offline/structure/walk.h"

static wrsim_status detect(wr_survey *s, const wr_survey_request *request, wr_detector **detector,
                           wrsim_error *err)
{
    for (int i = 0; i < s->n_part; i++)
        if (!(detector[i] = wr_detector_create(s->part[i].view)))
            return wr_error_memory(err);
    for (int k = 0; k < request->n_time; k++) {
        if (request->progress)
            request->progress(request->user, k, request->time_s[k]);
        WR_TRY(wr_walk_to(s->sim, request->time_s[k], err));
        /* With n components the survey of the whole needs about n^2 evaluations of components, and examines no single model. */
        const int first = request->scope == WR_DETECT_ALL ? 0 : wr_survey_first_component(s);
        for (int i = first; i < s->n_part; i++) {
            WR_TRY(wr_view_take(s->part[i].view, err));
            WR_TRY(wr_detector_look(detector[i], request->scope, err));
        }
    }
    for (int i = 0; i < s->n_part; i++)
        if (wr_detector_get(detector[i], &s->part[i].detected) < 0)
            return wr_error_memory(err);
    return WRSIM_OK;
}

static wrsim_status fill(wr_survey *s, const wr_survey_request *request, wrsim_error *err)
{
    wr_view *whole = NULL;
    WR_TRY(wr_view_create(s->sim, &request->selection, &whole, err));
    const int n = whole->n_component > 1 ? whole->n_component : 0;
    s->part = calloc((size_t)n + 1, sizeof *s->part);
    if (!s->part) {
        wr_view_destroy(&whole);
        return wr_error_memory(err);
    }
    s->part[s->n_part++].view = whole;
    for (int i = 0; i < n; i++) {
        const wr_selection one = {.component = whole->group->component[i]->name};
        WR_TRY(wr_view_create(s->sim, &one, &s->part[s->n_part].view, err));
        s->n_part++;
    }
    for (int i = 0; i < s->n_part; i++)
        if (wr_declared_make(s->part[i].view, &s->part[i].declared) < 0)
            return wr_error_memory(err);
    if (request->n_time == 0)
        return WRSIM_OK;
    WR_AUTO_FREE wr_detector **const detector =
        calloc((size_t)s->n_part + 1, sizeof(wr_detector *));
    wrsim_status status = detector ? detect(s, request, detector, err) : wr_error_memory(err);
    for (int i = 0; detector && i < s->n_part; i++)
        wr_detector_destroy(&detector[i]);
    for (int i = 0; i < s->n_part && status == WRSIM_OK; i++) {
        wr_survey_part *const p = &s->part[i];
        for (int r = 0; r < WR_N_DECLARABLE && p->detected.n_point > 0; r++) {
            p->undeclared[r] = wr_matrix_without(p->detected.at[r], p->declared.at[r]);
            if (!p->undeclared[r])
                return wr_error_memory(err);
            p->n_undeclared += p->undeclared[r]->n_nonzero;
            p->n_unseen += p->declared.at[r]->n_nonzero -
                           (p->detected.at[r]->n_nonzero - p->undeclared[r]->n_nonzero);
        }
        s->n_undeclared += i >= wr_survey_first_component(s) ? p->n_undeclared : 0;
    }
    return status;
}

wrsim_status wr_survey_run(const wrsim_config *config, const wr_survey_request *request,
                           wr_survey *ret_survey, wrsim_report_fn report, void *reporter,
                           wrsim_error *err)
{
    wr_survey survey = {0};
    WR_TRY(wr_walk_check_times(config, request->time_s, request->n_time, err));
    WR_TRY(request->n_time > 0
               ? wr_walk_begin(config, report, reporter, &survey.sim, err)
               : wrsim_create(config, report, reporter, &survey.sim, report ? NULL : err));
    const wrsim_status status = fill(&survey, request, err);
    if (status < 0)
        wr_survey_done(&survey);
    else
        *ret_survey = survey;
    return status;
}

int wr_survey_coupled(const wr_matrix *x_dx)
{
    WR_AUTO_FREE unsigned char *const is_coupled = calloc((size_t)x_dx->n_row + 1, 1);
    int n = 0;
    for (int j = 0; is_coupled && j < x_dx->n_column; j++)
        for (int i = x_dx->start[j]; i < x_dx->start[j + 1]; i++)
            if (x_dx->row[i] != j)
                is_coupled[x_dx->row[i]] = is_coupled[j] = 1;
    for (int i = 0; is_coupled && i < x_dx->n_row; i++)
        n += is_coupled[i];
    return n;
}

int wr_survey_active(const wr_matrix *a, const wr_matrix *b)
{
    WR_AUTO_FREE unsigned char *const is_active = calloc((size_t)a->n_row + 1, 1);
    int n = 0;
    for (const wr_matrix *m = a; is_active && m; m = m == a ? b : NULL)
        for (int i = 0; i < m->n_nonzero; i++)
            is_active[m->row[i]] = 1;
    for (int i = 0; is_active && i < a->n_row; i++)
        n += is_active[i];
    return n;
}

void wr_survey_done(wr_survey *survey)
{
    for (int i = 0; i < survey->n_part; i++) {
        wr_survey_part *const p = &survey->part[i];
        wr_view_destroy(&p->view);
        wr_incidence_done(&p->declared);
        wr_incidence_done(&p->detected);
        for (int r = 0; r < WR_N_DECLARABLE; r++)
            wr_matrix_destroy(&p->undeclared[r]);
    }
    free(survey->part);
    wrsim_destroy(&survey->sim);
    *survey = (wr_survey){0};
}

/* Returns the first undeclared dependence as text, such as "U -> Y of driveline: left.T depends on left.u". */
static const char *first_undeclared(const wr_survey *survey, char *text, size_t n_text)
{
    for (int i = wr_survey_first_component(survey); i < survey->n_part; i++) {
        const wr_survey_part *const p = &survey->part[i];
        for (int r = 0; r < WR_N_DECLARABLE; r++) {
            const wr_matrix *const m = p->undeclared[r];
            if (!m || m->n_nonzero == 0)
                continue;
            int column = 0;
            while (m->start[column + 1] == 0)
                column++;
            snprintf(text, n_text, "%s of %s: %s depends on %s", wr_relations[r].arrow,
                     p->view->described[0]->model->name,
                     wr_incidence_name(p->view, wr_relations[r].row, m->row[0]),
                     wr_incidence_name(p->view, wr_relations[r].column, column));
            return text;
        }
    }
    return "";
}

wrsim_status wr_survey_judge(const wr_survey *survey, wrsim_error *err)
{
    char text[384];
    if (survey->n_undeclared == 0)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_MODEL,
                        "the models do not declare %d detected dependenc%s, so results would be "
                        "wrong (%s); correct the patterns in describe(), or remove the patterns",
                        survey->n_undeclared, survey->n_undeclared == 1 ? "y" : "ies",
                        first_undeclared(survey, text, sizeof text));
}
