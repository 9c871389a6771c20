/* `wrsim analyze`. Thread: main. Real-time: no. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/structure/incidence.h"
#include "offline/structure/survey.h"
#include "offline/structure/survey_files.h"
#include "offline/structure/walk.h"

/* Maximum number of printed undeclared dependencies (assumed); the files list all dependencies. */
enum { LISTED = 40 };

static void print_sizes(FILE *out, const wr_view *view, const char *config)
{
    static const struct {
        wrsim_kind kind;
        const char *text, *letter;
    } kinds[] = {{WRSIM_STATE, "state", "X"},
                 {WRSIM_DISCRETE, "discrete state", "D"},
                 {WRSIM_INPUT, "input", "U"},
                 {WRSIM_OUTPUT, "output", "Y"},
                 {WRSIM_INDICATOR, "event indicator", "Z"}};
    fprintf(out, "%s, %s: %d component%s", config, view->name, view->n_component,
            wr_plural(view->n_component));
    for (size_t i = 0; i < WR_COUNT_OF(kinds); i++)
        fprintf(out, ", %d %s%s %s", view->n[kinds[i].kind], kinds[i].text,
                wr_plural(view->n[kinds[i].kind]), kinds[i].letter);
    fputc('\n', out);
}

static void print_points(FILE *out, const wr_survey_part *p)
{
    if (p->detected.n_point == 0)
        return;
    fprintf(out, "detected at %d point%s up to t = %.9g s", p->detected.n_point,
            wr_plural(p->detected.n_point), p->view->t_s);
    if (p->detected.n_refused > 0)
        fprintf(out,
                "; %ld perturbation%s gave no result, because a model cannot be evaluated there",
                p->detected.n_refused, wr_plural(p->detected.n_refused));
    fputc('\n', out);
    if (p->detected.n_unfired > 0)
        fprintf(out,
                "UNKNOWN: effects of the events of %d component%s, because models such as FMUs "
                "allow only events of the run\n",
                p->detected.n_unfired, wr_plural(p->detected.n_unfired));
    if (p->detected.n_blind == 0)
        return;
    fprintf(out, "UNKNOWN: dependencies on %s%s",
            p->detected.blind_kind == WRSIM_INDICATOR ? "the mode of " : "",
            wr_incidence_name(p->view, p->detected.blind_kind, p->detected.i_blind));
    if (p->detected.n_blind > 1)
        fprintf(out, " and %d other%s", p->detected.n_blind - 1,
                wr_plural(p->detected.n_blind - 1));
    fputs(": the models fail at every perturbation; choose other points by --points or --times\n",
          out);
}

static void print_count(FILE *out, const wr_matrix *m)
{
    if (m)
        fprintf(out, " %9d", m->n_nonzero);
    else
        fprintf(out, " %9s", "-");
}

static void print_relations(FILE *out, const wr_survey_part *p)
{
    fprintf(out, "\n%-14s %-40s %6s %6s %9s %9s  %10s\n", "relation", "", "rows", "cols",
            "declared", "detected", p->detected.n_point ? "strongest" : "");
    for (int r = 0; r < WR_N_RELATION; r++) {
        const wr_relation_text *const t = &wr_relations[r];
        if (p->view->n[t->row] == 0 || p->view->n[t->column] == 0)
            continue;
        fprintf(out, "%-14s %-40s %6d %6d", t->arrow, t->meaning, p->view->n[t->row],
                p->view->n[t->column]);
        print_count(out, p->declared.at[r]);
        print_count(out, p->detected.at[r]);
        const wr_matrix *const m = p->detected.at[r];
        int best = -1, column = 0;
        for (int j = 0; m && j < m->n_column; j++)
            for (int i = m->start[j]; i < m->start[j + 1]; i++)
                if (best < 0 || m->value[i] > m->value[best])
                    best = i, column = j;
        if (best >= 0)
            fprintf(out, "  %10.3g  %s <- %s", m->value[best],
                    wr_incidence_name(p->view, wr_relations[r].row, m->row[best]),
                    wr_incidence_name(p->view, wr_relations[r].column, column));
        fputc('\n', out);
    }
}

static void print_survey(FILE *out, const wr_survey *survey, const char *config)
{
    const wr_survey_part *const whole = &survey->part[0];
    print_sizes(out, whole->view, config);
    print_points(out, whole);
    print_relations(out, whole);
    const wr_incidence_set *const set =
        whole->detected.n_point > 0 ? &whole->detected : &whole->declared;
    const int n_x = whole->view->n[WRSIM_STATE], n_z = whole->view->n[WRSIM_INDICATOR];
    if (n_x > 0)
        fprintf(out,
                "\n%d of %d state%s coupled with other states directly, %d directly or through "
                "events\n",
                wr_survey_coupled(set->at[WR_X_DX]), n_x, n_x == 1 ? " is" : "s are",
                wr_survey_coupled(set->at[WR_X_DX_ALL]));
    if (n_z > 0)
        fprintf(out, "%d of %d event indicator%s on states, %d on states or inputs\n",
                wr_survey_active(set->at[WR_X_Z], NULL), n_z, n_z == 1 ? " depends" : "s depend",
                wr_survey_active(set->at[WR_X_Z], set->at[WR_U_Z]));
    if (whole->detected.n_point == 0)
        return;
    fprintf(out, "\n%-20s %-24s %9s %9s %11s %7s\n", "component", "model", "declared", "detected",
            "undeclared", "unseen");
    for (int i = wr_survey_first_component(survey); i < survey->n_part; i++) {
        const wr_survey_part *const p = &survey->part[i];
        int n_declared = 0, n_detected = 0;
        for (int r = 0; r < WR_N_DECLARABLE; r++) {
            n_declared += p->declared.at[r]->n_nonzero;
            n_detected += p->detected.at[r]->n_nonzero;
        }
        fprintf(out, "%-20s %-24s %9d %9d %11d %7d", p->view->described[0]->name,
                p->view->described[0]->model->name, n_declared, n_detected, p->n_undeclared,
                p->n_unseen);
        for (int r = 0, n = 0; r < WRSIM_PATTERN_COUNT; r++)
            if (wr_declared_is_full(p->view->described[0], (wrsim_pattern)r))
                fprintf(out, "%s%s", n++ ? ", " : "  no declared pattern, taken as full: ",
                        wr_relations[r].arrow);
        fputc('\n', out);
    }
    if (survey->n_undeclared == 0)
        return;
    int n_listed = 0;
    fprintf(out, "\n%d undeclared dependenc%s; add the declarations to the models:\n",
            survey->n_undeclared, survey->n_undeclared == 1 ? "y" : "ies");
    for (int i = wr_survey_first_component(survey); i < survey->n_part; i++) {
        const wr_survey_part *const p = &survey->part[i];
        for (int r = 0; r < WR_N_DECLARABLE; r++) {
            const wr_matrix *const m = p->undeclared[r];
            for (int j = 0; m && j < m->n_column; j++)
                for (int k = m->start[j]; k < m->start[j + 1] && n_listed++ < LISTED; k++)
                    fprintf(out,
                            "  model %s does not declare %s: %s depends on %s (strength %.3g)\n",
                            p->view->described[0]->model->name, wr_relations[r].arrow,
                            wr_incidence_name(p->view, wr_relations[r].row, m->row[k]),
                            wr_incidence_name(p->view, wr_relations[r].column, j), m->value[k]);
        }
    }
    if (n_listed > LISTED)
        fprintf(out, "  ... and %d more\n", survey->n_undeclared - LISTED);
}

enum { N_POINT = 100, MOST_POINTS = 100000 };

typedef struct analyze {
    wr_arguments line;
    const char *dir;
    wr_selection selection;
    int n_point, is_declared_only, is_linear, is_json;
    wr_option_numbers times;
    wrsim_config *config;
    double *time_s;
    int n_time;
    wr_folder folder;
    int n_linear; /* number of linearisations written */
} analyze;

#define ROW(...) WR_OPTION(analyze, __VA_ARGS__)
static const wr_option options[] = {
    ROW("subsystem", "NAME", "analyze this subsystem alone (default: all components)", TEXT,
        selection.subsystem, .excludes = "component"),
    ROW("component", "NAME", "analyze this component alone", TEXT, selection.component),
    ROW("points", "N", "detect dependencies at N points, evenly spaced over the run (default 100)",
        COUNT, n_point, .low = 1, .high = MOST_POINTS, .excludes = "times"),
    ROW("times", "T,T,...", "times at which to detect dependencies or linearise, s", LIST, times),
    ROW("declared", NULL, "show declared dependencies only, without a run", FLAG, is_declared_only,
        .excludes = "linear points times"),
    ROW("linear", NULL,
        "also write the matrices A, B, C, D of the linearised model at the points or times", FLAG,
        is_linear, .needs = "output"),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR", "write matrices, tables, spy plots and JSON to this folder", FILE, dir,
        .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static wrsim_status choose_times(analyze *a, wrsim_error *err)
{
    a->n_time = a->is_declared_only ? 0 : a->times.n > 0 ? a->times.n : a->n_point;
    a->time_s = wr_walk_times(a->config, a->n_time);
    if (!a->time_s)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d points", a->n_time);
    for (int i = 0; i < a->times.n && i < a->n_time; i++)
        a->time_s[i] = a->times.value[i];
    return WRSIM_OK;
}

static wrsim_status write_linear(void *user, const wr_linear *linear, wrsim_error *err)
{
    analyze *const a = user;
    return wr_linear_write(linear, a->n_linear++, &a->folder, err);
}

static wrsim_status linearise(analyze *a, wrsim_error *err)
{
    wr_busy_line *line = wr_busy_line_begin("analyze --linear", a->n_time);
    const wr_linear_request request = {.group = &a->selection,
                                       .n_group = 1,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .progress = wr_busy_line_point,
                                       .teller = line};
    const wrsim_status status =
        wr_linear_run(a->config, &request, write_linear, a, wr_print_error, NULL, err);
    wr_busy_line_end(&line);
    return status;
}

static wrsim_status tell(analyze *a, const wr_survey *survey, wrsim_error *err)
{
    if (a->dir)
        WR_TRY(wr_survey_write(survey, a->line.operand[0], &a->folder, err));
    if (a->is_json)
        return wr_tool_print_json(wr_survey_json(survey, a->line.operand[0]), err);
    print_survey(wr_out, survey, a->line.operand[0]);
    return WRSIM_OK;
}

static wrsim_status survey(analyze *a, wrsim_error *err)
{
    wr_survey found;
    wr_busy_line *line = wr_busy_line_begin("analyze", a->n_time);
    const wr_survey_request request = {.selection = a->selection,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .progress = wr_busy_line_point,
                                       .user = line};
    wrsim_status status = wr_survey_run(a->config, &request, &found, wr_print_error, NULL, err);
    wr_busy_line_end(&line);
    WR_TRY(status);
    status = tell(a, &found, err);
    if (status == WRSIM_OK && a->is_linear)
        status = linearise(a, err);
    if (status == WRSIM_OK && a->dir && !a->is_json) {
        fputs("\n", wr_out);
        wr_tool_print_files(&a->folder, "");
    }
    if (status == WRSIM_OK)
        status = wr_survey_judge(&found, err);
    wr_survey_done(&found);
    return status;
}

static int run(void *into)
{
    analyze *const a = into;
    wrsim_error err = {0};
    wrsim_status status = wr_tool_load(&a->line, &a->config);
    if (status >= 0)
        status = choose_times(a, &err);
    if (status >= 0 && a->dir)
        status = wr_folder_open(&a->folder, a->dir, a->line.operand[0], a->config, &err);
    if (status >= 0)
        status = survey(a, &err);
    free(a->time_s);
    wrsim_config_destroy(&a->config);
    return wr_tool_end(status < 0 ? status : WRSIM_OK, &err);
}

const wr_command wr_analyze_command = {
    WR_COMMAND("analyze", "CONFIG", 1, 1, options, run),
    .help = "show which variables depend on which, declared and detected",
    .more = "Perturbations at points of a run detect the dependencies. The exit code is 4 if a "
            "model has a dependency that it\ndoes not declare.\n",
    .into = &(analyze){.n_point = N_POINT}};
