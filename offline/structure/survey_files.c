/* Writes a survey as files. See survey_files.h. Thread: one owner. Real-time: no. */
#include "offline/structure/survey_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/matrix_market.h"
#include "base/svg_spy.h"
#include "runtime/record/own_file.h"

/* ---- Matrix Market ---- */

/* Writes a matrix with the names of its rows and columns as comments after the given comments, which the function frees. Returns WRSIM_OK,
 * or an error of writing. */
static wrsim_status write_matrix(const char *path, const wr_matrix *matrix,
                                 wr_text_buffer *comments, const wr_view *view, wrsim_kind row,
                                 wrsim_kind column, wrsim_error *err)
{
    for (int i = 0; i < view->n[row]; i++)
        wr_text_buffer_add(comments, "wrsim row %d %s\n", i + 1, wr_incidence_name(view, row, i));
    for (int i = 0; i < view->n[column]; i++)
        wr_text_buffer_add(comments, "wrsim column %d %s\n", i + 1,
                           wr_incidence_name(view, column, i));
    const char *const text = wr_text_buffer_get(comments);
    const wrsim_status status =
        text ? wr_matrix_market_write(path, matrix, text, err) : wr_error_memory(err);
    wr_text_buffer_done(comments);
    return status;
}

/* ---- spy plots ---- */

/* Returns the names of one kind of variables, or NULL when out of memory. The caller frees the array. */
static const char **names_of(const wr_view *view, wrsim_kind kind)
{
    const char **const name = calloc((size_t)view->n[kind] + 1, sizeof *name);
    for (int i = 0; name && i < view->n[kind]; i++)
        name[i] = wr_incidence_name(view, kind, i);
    return name;
}

static wrsim_status write_spy(const wr_survey_part *part, wr_relation relation, const char *source,
                              const wr_matrix *matrix, wr_folder *folder, wrsim_error *err)
{
    const wr_relation_text *const r = &wr_relations[relation];
    const char *const path = wr_folder_file(folder, err, "%s_%s.svg", source, r->id);
    if (!path)
        return WRSIM_E_IO;
    char title[160];
    WR_AUTO_FREE const char **const row = names_of(part->view, r->row),
                                    **const column = names_of(part->view, r->column);
    snprintf(title, sizeof title, "%s: %s (%s), %s", part->view->name, r->arrow, r->meaning,
             source);
    const wr_svg_spy spy = {.matrix = matrix,
                            .title = title,
                            .row_text = "acted on",
                            .column_text = "acts",
                            .row_name = row,
                            .column_name = column};
    return row && column ? wr_svg_spy_write(&spy, path, err) : wr_error_memory(err);
}

static wrsim_status write_set(const wr_survey_part *part, const wr_incidence_set *set,
                              const char *source, wr_folder *folder, wrsim_error *err)
{
    for (int r = 0; r < WR_N_RELATION; r++) {
        if (!set->at[r] || set->at[r]->n_nonzero == 0)
            continue;
        const wr_view *const view = part->view;
        const wr_relation_text *const relation = &wr_relations[r];
        wr_text_buffer comments = {0};
        const char *const path = wr_folder_file(folder, err, "%s_%s.mtx", source, relation->id);
        if (!path)
            return WRSIM_E_IO;
        wr_text_buffer_add(&comments, "wrsim relation %s %s\nwrsim group %s\n", relation->id,
                           source, view->name);
        WR_TRY(
            write_matrix(path, set->at[r], &comments, view, relation->row, relation->column, err));
        WR_TRY(write_spy(part, (wr_relation)r, source, set->at[r], folder, err));
    }
    return WRSIM_OK;
}

/* ---- CSV ---- */

/* Returns "1", "0", or "" for an entry of a matrix that may be NULL. */
static const char *mark(const wr_matrix *m, int row, int column)
{
    return !m ? "" : wr_matrix_find(m, row, column) >= 0 ? "1" : "0";
}

/* Adds a line for each entry of either set of a relation. Returns 0, or -1 when out of memory. */
static int add_lines(wr_text_buffer *text, const wr_survey_part *p, wr_relation relation)
{
    const wr_relation_text *const r = &wr_relations[relation];
    const wr_matrix *const a = p->declared.at[relation], *const b = p->detected.at[relation];
    WR_AUTO(wr_matrix_destroy) wr_matrix *joined = a && b ? wr_matrix_join(a, b) : NULL;
    const wr_matrix *const all = joined ? joined : a ? a : b;
    if (a && b && !joined)
        return -1;
    for (int j = 0; all && j < all->n_column; j++)
        for (int k = all->start[j]; k < all->start[j + 1]; k++) {
            const int i = all->row[k];
            wr_text_buffer_cell(text, 1, r->id);
            wr_text_buffer_cell(text, 0, wr_incidence_name(p->view, r->row, i));
            wr_text_buffer_cell(text, 0, wr_incidence_name(p->view, r->column, j));
            wr_text_buffer_add(text, ",%s,%s,", mark(a, i, j), mark(b, i, j));
            if (b && wr_matrix_find(b, i, j) >= 0)
                wr_text_buffer_number(text, wr_matrix_at(b, i, j));
            wr_text_buffer_add(text, "\n");
        }
    return 0;
}

/* ---- JSON ---- */

static void json_names(wr_json *j, const char *key, const wr_view *view, wrsim_kind kind)
{
    wr_json_array(j, key);
    for (int i = 0; i < view->n[kind]; i++)
        wr_json_string(j, NULL, wr_incidence_name(view, kind, i));
    wr_json_end(j);
}

static void json_count(wr_json *j, const char *key, const wr_matrix *m)
{
    if (m)
        wr_json_integer(j, key, m->n_nonzero);
    else
        wr_json_null(j, key);
}

/* Writes entries as [row, column, strength], or as [row, column] if the matrix has no values. */
static void json_entries(wr_json *j, const char *key, const wr_matrix *m)
{
    if (!m)
        return;
    wr_json_array(j, key);
    for (int column = 0; column < m->n_column; column++)
        for (int i = m->start[column]; i < m->start[column + 1]; i++) {
            wr_json_array(j, NULL);
            wr_json_integer(j, NULL, m->row[i]);
            wr_json_integer(j, NULL, column);
            if (m->value)
                wr_json_number(j, NULL, m->value[i]);
            wr_json_end(j);
        }
    wr_json_end(j);
}

static void json_relations(wr_json *j, const wr_survey_part *p)
{
    wr_json_array(j, "relations");
    for (int r = 0; r < WR_N_RELATION; r++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "id", wr_relations[r].id);
        wr_json_string(j, "arrow", wr_relations[r].arrow);
        wr_json_integer(j, "rows", p->view->n[wr_relations[r].row]);
        wr_json_integer(j, "columns", p->view->n[wr_relations[r].column]);
        json_count(j, "n_declared", p->declared.at[r]);
        json_count(j, "n_detected", p->detected.at[r]);
        json_entries(j, "declared", p->declared.at[r]);
        json_entries(j, "detected", p->detected.at[r]);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void json_undeclared(wr_json *j, const wr_survey_part *p)
{
    for (int r = 0; r < WR_N_DECLARABLE; r++) {
        const wr_matrix *const m = p->undeclared[r];
        for (int column = 0; m && column < m->n_column; column++)
            for (int i = m->start[column]; i < m->start[column + 1]; i++) {
                wr_json_object(j, NULL);
                wr_json_string(j, "relation", wr_relations[r].id);
                wr_json_string(j, "row",
                               wr_incidence_name(p->view, wr_relations[r].row, m->row[i]));
                wr_json_string(j, "column",
                               wr_incidence_name(p->view, wr_relations[r].column, column));
                wr_json_number(j, "strength", m->value[i]);
                wr_json_end(j);
            }
    }
}

char *wr_survey_json(const wr_survey *s, const char *config)
{
    const wr_survey_part *const p = &s->part[0];
    wr_json j = {0};
    wr_json_object(&j, NULL);
    wr_json_string(&j, "tool", "wrsim analyze");
    wr_json_string(&j, "config", config);
    wr_json_string(&j, "group", p->view->name);
    wr_json_integer(&j, "n_point", p->detected.n_point);
    wr_json_integer(&j, "n_refused", p->detected.n_refused);
    wr_json_integer(&j, "n_not_fired", p->detected.n_unfired);
    wr_json_integer(&j, "n_not_known", p->detected.n_blind);
    const wr_incidence_set *const set = p->detected.n_point > 0 ? &p->detected : &p->declared;
    wr_json_integer(&j, "n_coupled", wr_survey_coupled(set->at[WR_X_DX]));
    wr_json_integer(&j, "n_coupled_through_events", wr_survey_coupled(set->at[WR_X_DX_ALL]));
    wr_json_integer(&j, "n_active_by_states", wr_survey_active(set->at[WR_X_Z], NULL));
    wr_json_integer(&j, "n_active", wr_survey_active(set->at[WR_X_Z], set->at[WR_U_Z]));
    json_names(&j, "states", p->view, WRSIM_STATE);
    json_names(&j, "discretes", p->view, WRSIM_DISCRETE);
    json_names(&j, "inputs", p->view, WRSIM_INPUT);
    json_names(&j, "outputs", p->view, WRSIM_OUTPUT);
    json_names(&j, "indicators", p->view, WRSIM_INDICATOR);
    json_relations(&j, p);
    wr_json_array(&j, "components");
    for (int i = wr_survey_first_component(s); i < s->n_part; i++) {
        const wr_survey_part *const one = &s->part[i];
        wr_json_object(&j, NULL);
        wr_json_string(&j, "name", one->view->described[0]->name);
        wr_json_string(&j, "model", one->view->described[0]->model->name);
        wr_json_integer(&j, "n_undeclared", one->n_undeclared);
        wr_json_integer(&j, "n_unseen", one->n_unseen);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    wr_json_array(&j, "undeclared");
    for (int i = wr_survey_first_component(s); i < s->n_part; i++)
        json_undeclared(&j, &s->part[i]);
    wr_json_end(&j);
    wr_json_end(&j);
    return wr_json_take(&j);
}

wrsim_status wr_survey_write(const wr_survey *survey, const char *config, wr_folder *folder,
                             wrsim_error *err)
{
    const wr_survey_part *const part = &survey->part[0];
    WR_TRY(write_set(part, &part->declared, "declared", folder, err));
    WR_TRY(write_set(part, &part->detected, "detected", folder, err));
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text, WR_OWN_TOOL_MARK
                       ", analyze\nrelation,row,column,declared,detected,strength\n");
    for (int r = 0; r < WR_N_RELATION; r++)
        if (add_lines(&text, &survey->part[0], (wr_relation)r) < 0)
            text.is_failed = 1;
    WR_TRY(wr_folder_write(folder, "incidence.csv", &text, err));
    return wr_folder_write_text(folder, "incidence.json", wr_survey_json(survey, config), err);
}

/* ---- linearisations ---- */

wrsim_status wr_linear_write(const wr_linear *l, int i_time, wr_folder *folder, wrsim_error *err)
{
    const struct {
        const char *name;
        const wr_matrix *matrix;
        wrsim_kind row, column;
    } matrices[] = {{"A", l->a, WRSIM_STATE, WRSIM_STATE},
                    {"B", l->b, WRSIM_STATE, WRSIM_INPUT},
                    {"C", l->c, WRSIM_OUTPUT, WRSIM_STATE},
                    {"D", l->d, WRSIM_OUTPUT, WRSIM_INPUT},
                    {"L", l->l, WRSIM_STATE, WRSIM_STATE}};
    for (size_t i = 0; i < WR_COUNT_OF(matrices); i++) {
        wr_text_buffer comments = {0};
        if (!matrices[i].matrix || matrices[i].matrix->n_row == 0 ||
            matrices[i].matrix->n_column == 0)
            continue; /* Matrix Market has no matrices without rows or columns */
        const char *const path =
            wr_folder_file(folder, err, "%s_%03d_%s.mtx", l->view->name, i_time, matrices[i].name);
        if (!path)
            return WRSIM_E_IO;
        wr_text_buffer_add(&comments, "wrsim linearisation %s\nwrsim group %s\nwrsim time ",
                           matrices[i].name, l->view->name);
        wr_text_buffer_number(&comments, l->view->t_s);
        wr_text_buffer_add(&comments, "\n");
        WR_TRY(write_matrix(path, matrices[i].matrix, &comments, l->view, matrices[i].row,
                            matrices[i].column, err));
    }
    return WRSIM_OK;
}
