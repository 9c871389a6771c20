/* Writes the results of a study of sparsing. See sparsing_files.h. Thread: one owner. Real-time: no. */
#include "offline/sparsing/sparsing_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/matrix_market.h"
#include "base/svg_spy.h"
#include "base/text_buffer.h"
#include "runtime/record/own_file.h"
#include "runtime/sim/simulation.h"
#include "wrsim/version.h"

wrsim_status wr_pattern_file_write(const char *path, const wr_sparsing *s,
                                   const unsigned char *keep, wrsim_error *err)
{
    WR_AUTO(wr_text_buffer_done) wr_text_buffer comments = {0};
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    wr_text_buffer_add(&comments, "wrsim pattern 1\nwrsim subsystem %s\nwrsim tau ", s->subsystem);
    wr_text_buffer_number(&comments, s->options.tau_s);
    for (int i = 0; i < s->n; i++) {
        wr_text_buffer_add(&comments, "\nwrsim state %d %s", i + 1, s->name[i]);
        for (int j = 0; j < s->n; j++)
            if (keep[(size_t)j * (size_t)s->n + (size_t)i])
                wr_entries_add(&entries, i, j, 1.0, 0);
    }
    const char *const text = wr_text_buffer_get(&comments);
    WR_AUTO(wr_matrix_destroy) wr_matrix *matrix = wr_matrix_from_entries(s->n, s->n, &entries, 0);
    return text && matrix ? wr_matrix_market_write(path, matrix, text, err)
                          : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for '%s'", path);
}

/* Data for reading a pattern file. */
typedef struct reader {
    const wr_sparsing *s; /* study with the names of the states */
    const char *path;     /* path of the file */
    int *state_of;        /* [n] state of each row of the file; -1: not read yet */
    int n_named;          /* number of rows with a state */
    wrsim_error *err;
    wrsim_status status;
} reader;

static void complain(reader *r, int line, const char *what, const char *name)
{
    if (r->status != WRSIM_OK)
        return;
    const wr_where where = {.file = r->path, .line = line};
    r->status = wr_error_set_at(r->err, WRSIM_E_IO, &where, what, name);
}

static void take_comment(void *user, int line, const char *text)
{
    reader *const r = user;
    static const char key[] = "wrsim state ";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return;
    char *name;
    const long row = strtol(text + sizeof key - 1, &name, 10);
    name += strspn(name, " ");
    int state = 0;
    while (state < r->s->n && strcmp(r->s->name[state], name) != 0)
        state++;
    if (state == r->s->n)
        complain(r, line,
                 "the subsystem has no state '%s'; give a pattern that belongs to the subsystem",
                 name);
    else if (row < 1 || row > r->s->n || r->state_of[row - 1] >= 0)
        complain(r, line,
                 "the row of state '%s' is out of range, or already has a state; correct the row",
                 name);
    if (r->status != WRSIM_OK)
        return;
    r->state_of[row - 1] = state;
    r->n_named++;
}

static void check_names(reader *r, const wr_matrix *matrix)
{
    char text[64];
    if (matrix->n_row == r->s->n && matrix->n_column == r->s->n &&
        (r->n_named == 0 || r->n_named == r->s->n)) {
        for (int i = 0; r->n_named == 0 && i < r->s->n; i++)
            r->state_of[i] = i;
        return;
    }
    snprintf(text, sizeof text, "%d x %d with names of %d states instead of %d", matrix->n_row,
             matrix->n_column, r->n_named, r->s->n);
    complain(r, 0,
             "the pattern is %s, so it does not belong to the subsystem; make the pattern again by "
             "wrsim sparse",
             text);
}

wrsim_status wr_pattern_file_read(const char *path, const wr_sparsing *s, unsigned char *ret_keep,
                                  wrsim_error *err)
{
    WR_AUTO_FREE int *const state_of = malloc(((size_t)s->n + 1) * sizeof *state_of);
    reader r = {.s = s, .path = path, .state_of = state_of, .err = err, .status = WRSIM_OK};
    if (!state_of)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for '%s'", path);
    for (int i = 0; i < s->n; i++)
        r.state_of[i] = -1;
    wrsim_error own = {.status = WRSIM_OK};
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *matrix = wr_matrix_market_read(path, take_comment, &r, &own);
    if (!matrix) {
        r.status = own.status;
        if (err)
            *err = own;
    }
    if (r.status == WRSIM_OK)
        check_names(&r, matrix);
    if (r.status == WRSIM_OK) {
        const size_t n = (size_t)r.s->n;
        memset(ret_keep, 0, n * n);
        for (int c = 0; c < matrix->n_column; c++)
            for (int k = matrix->start[c]; k < matrix->start[c + 1]; k++) {
                const int i = r.state_of[matrix->row[k]], j = r.state_of[c];
                const size_t e = (size_t)j * n + (size_t)i;
                ret_keep[e] = r.s->full.keep[e];
                if (i != j && !ret_keep[e])
                    complain(&r, 0,
                             "the file has an entry in row '%s' where the Jacobian has none; "
                             "remove the entry",
                             r.s->name[i]);
            }
    }
    return r.status;
}

double wr_sparsing_worst(const double *error, int n, int *ret_i)
{
    double worst = 0.0;
    *ret_i = -1;
    for (int i = 0; i < n; i++)
        if (error[i] > worst || *ret_i < 0) {
            worst = error[i];
            *ret_i = i;
        }
    return worst;
}

/* ---- patterns */

/* Writes a pattern file, and plots the pattern of L - tau J with dropped entries in colour. */
static wrsim_status write_pattern(const wr_sparsing *s, wr_folder *folder, const char *pattern_name,
                                  const char *plot_name, const wr_sparsing_pattern *p,
                                  const char *title, wrsim_error *err)
{
    const size_t n = (size_t)s->n;
    char note[160];
    const char *path = wr_folder_file(folder, err, "%s", pattern_name);
    if (!path)
        return WRSIM_E_IO;
    WR_TRY(wr_pattern_file_write(path, s, p->keep, err));
    path = wr_folder_file(folder, err, "%s", plot_name);
    if (!path)
        return WRSIM_E_IO;
    WR_AUTO_FREE unsigned char *const is_set = malloc(n * n + 1), *const is_marked =
                                                                      malloc(n * n + 1);
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    int n_marked = 0;
    if (is_set) {
        wr_dropping_pattern(&s->samples, s->full.keep, is_set);
        for (size_t e = 0; e < n * n; e++)
            if (is_set[e])
                wr_entries_add(&entries, (int)(e % n), (int)(e / n), 1.0, 0);
        wr_dropping_pattern(&s->samples, p->keep, is_set);
    }
    wr_matrix *matrix =
        is_set && is_marked ? wr_matrix_from_entries(s->n, s->n, &entries, 0) : NULL;
    for (int j = 0; matrix && j < s->n; j++)
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            is_marked[k] = !is_set[(size_t)j * n + (size_t)matrix->row[k]];
            n_marked += is_marked[k];
        }
    snprintf(note, sizeof note, "%d entr%s, %d of L and U%s", p->fill.nnz,
             p->fill.nnz == 1 ? "y" : "ies", p->fill.nnz_lu,
             n_marked > 0 ? "; in colour: dropped" : "");
    const wr_svg_spy spy = {.matrix = matrix,
                            .title = title,
                            .row_text = "equation of",
                            .column_text = "state",
                            .row_name = s->name,
                            .column_name = s->name,
                            .note = note,
                            .is_marked = is_marked};
    const wrsim_status status = matrix ? wr_svg_spy_write(&spy, path, err) : wr_error_memory(err);
    wr_matrix_destroy(&matrix);
    return status;
}

/* ---- spectra */

/* Draws a circle with centre 0. */
static void draw_circle(wr_svg *svg, wr_svg_chart *chart, double radius)
{
    enum { POINTS = 181 };
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        x[i] = radius * cos(2.0 * 3.14159265358979323846 * i / (POINTS - 1));
        y[i] = radius * sin(2.0 * 3.14159265358979323846 * i / (POINTS - 1));
    }
    wr_svg_curve(svg, chart, x, y, POINTS, "#888888", NULL);
}

static void draw_values(wr_svg *svg, wr_svg_chart *chart, const double complex *value, int n,
                        double *work, double radius, const char *colour, const char *name)
{
    for (int i = 0; i < n; i++) {
        work[i] = creal(value[i]);
        work[n + i] = cimag(value[i]);
    }
    wr_svg_points(svg, chart, work, work + n, n, radius, colour, name);
}

/* Plots the eigenvalues at the first and at the last linearisation. */
static wrsim_status write_spectrum(const wr_sparsing *s, wr_folder *folder, wrsim_error *err)
{
    enum { SIDE = 440, GAP = 70, LEGEND = 70 };
    const char *const path = wr_folder_file(folder, err, "spectrum.svg");
    if (!path)
        return WRSIM_E_IO;
    WR_AUTO_FREE double *const work = malloc((2 * (size_t)s->n + 1) * sizeof *work);
    if (!work)
        return wr_error_memory(err);
    wr_svg svg;
    const int shown[2] = {0, s->samples.n_sample - 1}, n_shown = s->samples.n_sample > 1 ? 2 : 1;
    wr_svg_begin(&svg, n_shown * (SIDE + GAP) + GAP + LEGEND, SIDE + 2 * GAP);
    for (int k = 0; k < n_shown; k++) {
        const wr_sample *const sample = &s->samples.sample[shown[k]];
        char title[96];
        snprintf(title, sizeof title,
                 isnan(sample->pencil->t_s) ? "step of %g s" : "step of %g s at t = %g s",
                 s->options.tau_s, sample->pencil->t_s);
        wr_svg_chart chart = {.left = GAP + k * (SIDE + GAP),
                              .top = GAP,
                              .width = SIDE,
                              .height = SIDE,
                              .x_low = -1.1,
                              .x_high = 1.1,
                              .y_low = -1.1,
                              .y_high = 1.1,
                              .title = title,
                              .x_text = "Re",
                              .y_text = "Im"};
        wr_svg_axes(&svg, &chart);
        draw_circle(&svg, &chart, 1.0);
        draw_circle(&svg, &chart, s->options.shares.stiff_radius);
        draw_values(&svg, &chart, sample->value, s->n, work, 4.0, wr_svg_colour(0),
                    k + 1 == n_shown ? "unsparsed" : NULL);
        draw_values(&svg, &chart, s->after + (size_t)shown[k] * (size_t)s->n, s->n, work, 2.0,
                    wr_svg_colour(1), k + 1 == n_shown ? "sparsed" : NULL);
    }
    return wr_svg_write(&svg, path, err);
}

/* ---- changes over the linearisations */

typedef struct column {
    const char *name, *legend;
    size_t offset;
} column;

static const column columns[] = {
    {"dS_published", "dS as published", offsetof(wr_estimates, dS_published)},
    {"dS", "dS", offsetof(wr_estimates, dS)},
    {"d1", "d1", offsetof(wr_estimates, d1)},
    {"d2", "d2", offsetof(wr_estimates, d2)},
    {"d2k", "d2, clusters apart", offsetof(wr_estimates, d2k)},
    {"dE", "dE, by eigenvalue", offsetof(wr_estimates, dE)},
    {"dr_squares", "d_r, exact", offsetof(wr_estimates, dr2)},
    {"dr_sum", NULL, offsetof(wr_estimates, dr1)},
    {"trace_square", NULL, offsetof(wr_estimates, trace_square)},
    {"radius_unsparsed", NULL, offsetof(wr_estimates, radius_before)},
    {"radius_sparsed", NULL, offsetof(wr_estimates, radius_after)},
    {"C1", NULL, offsetof(wr_estimates, c1)},
    {"C2", NULL, offsetof(wr_estimates, c2)},
    {"C1_fast", NULL, offsetof(wr_estimates, c1_fast)},
    {"C2_fast", NULL, offsetof(wr_estimates, c2_fast)},
};

static double value_of(const wr_estimates *e, const column *c)
{
    double value;
    memcpy(&value, (const char *)e + c->offset, sizeof value);
    return value;
}

static wrsim_status write_table(const wr_sparsing *s, wr_folder *folder, wrsim_error *err)
{
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text,
                       "# Written by a tool of wrsim (sparse): changes of the step's spectrum, "
                       "subsystem %s\ntime,kept",
                       s->subsystem);
    for (size_t c = 0; c < WR_COUNT_OF(columns); c++)
        wr_text_buffer_add(&text, ",%s", columns[c].name);
    for (int k = 0; k < s->samples.n_sample; k++) {
        wr_text_buffer_add(&text, "\n");
        wr_text_buffer_number(&text, s->samples.sample[k].pencil->t_s);
        wr_text_buffer_add(&text, ",%d", s->samples.sample[k].resolution != NULL);
        for (size_t c = 0; c < WR_COUNT_OF(columns); c++) {
            wr_text_buffer_add(&text, ",");
            wr_text_buffer_number(&text, value_of(&s->estimates[k], &columns[c]));
        }
    }
    wr_text_buffer_add(&text, "\n");
    return wr_folder_write(folder, "changes.csv", &text, err);
}

/* Writes a table with the eigenvalues of the full and of the sparsed step side by side. */
static wrsim_status write_values(const wr_sparsing *s, wr_folder *folder, wrsim_error *err)
{
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text,
                       WR_OWN_TOOL_MARK ", sparse: eigenvalues of the step, subsystem %s\n"
                                        "time,unsparsed_re,unsparsed_im,sparsed_re,sparsed_im\n",
                       s->subsystem);
    for (int k = 0; k < s->samples.n_sample; k++)
        for (int i = 0; i < s->n; i++) {
            const double complex before = s->samples.sample[k].value[i];
            const double complex after = s->after[(size_t)k * (size_t)s->n + (size_t)i];
            const double row[5] = {s->samples.sample[k].pencil->t_s, creal(before), cimag(before),
                                   creal(after), cimag(after)};
            for (int c = 0; c < 5; c++) {
                wr_text_buffer_number(&text, row[c]);
                wr_text_buffer_add(&text, c < 4 ? "," : "\n");
            }
        }
    return wr_folder_write(folder, "eigenvalues.csv", &text, err);
}

/* Returns the position of sample k on the time axis: its time, or its index if the matrices come from files. */
static double place_of(const wr_sparsing *s, int k)
{
    const double t_s = s->samples.sample[k].pencil->t_s;
    return isnan(t_s) ? k : t_s;
}

static wrsim_status write_changes(const wr_sparsing *s, wr_folder *folder, wrsim_error *err)
{
    const int n = s->samples.n_sample;
    const char *const path = wr_folder_file(folder, err, "changes.svg");
    WR_AUTO_FREE double *const work = malloc((2 * (size_t)n + 1) * sizeof *work);
    if (!path || !work) {
        return path ? wr_error_memory(err) : WRSIM_E_IO;
    }
    wr_svg svg;
    double low = HUGE_VAL, high = 0.0;
    for (int k = 0; k < n; k++)
        for (size_t c = 0; c < WR_COUNT_OF(columns); c++)
            if (columns[c].legend && value_of(&s->estimates[k], &columns[c]) > 0.0) {
                low = wr_min(low, value_of(&s->estimates[k], &columns[c]));
                high = wr_max(high, value_of(&s->estimates[k], &columns[c]));
            }
    wr_svg_begin(&svg, 860, 420); /* the extra width on the right is for legends */
    wr_svg_chart chart = {.left = 80,
                          .top = 40,
                          .width = 600,
                          .height = 320,
                          .x_low = place_of(s, 0),
                          .x_high = n > 1 ? place_of(s, n - 1) : place_of(s, 0) + 1.0,
                          .y_low = high > 0.0 ? 0.5 * low : 0.1,
                          .y_high = high > 0.0 ? 2.0 * high : 1.0,
                          .is_log_y = 1,
                          .title = "change of the step's spectrum",
                          .x_text = "t [s]",
                          .y_text = "change"};
    wr_svg_axes(&svg, &chart);
    for (size_t c = 0; c < WR_COUNT_OF(columns); c++) {
        for (int k = 0; k < n; k++) {
            work[k] = place_of(s, k);
            work[n + k] = value_of(&s->estimates[k], &columns[c]);
        }
        if (columns[c].legend)
            wr_svg_curve(&svg, &chart, work, work + n, n, wr_svg_colour((int)c), columns[c].legend);
    }
    return wr_svg_write(&svg, path, err);
}

wrsim_status wr_sparsing_write(const wr_sparsing *s, wr_folder *folder, wrsim_error *err)
{
    WR_TRY(write_pattern(s, folder, "pattern.mtx", "sparsed.svg", &s->sparsed, "L - tau J, sparsed",
                         err));
    WR_TRY(write_pattern(s, folder, "full.mtx", "full.svg", &s->full, "L - tau Df", err));
    if (s->n_round > 0)
        WR_TRY(write_pattern(s, folder, "mixed.mtx", "mixed.svg", &s->mixed,
                             "L - tau J, mixed mode", err));
    WR_TRY(write_spectrum(s, folder, err));
    WR_TRY(write_changes(s, folder, err));
    WR_TRY(write_values(s, folder, err));
    return write_table(s, folder, err);
}

wrsim_status wr_sparsing_write_config(const wrsim_config *config, const char *source,
                                      wr_folder *folder, wrsim_error *err)
{
    wr_text_buffer text = {0};
    WR_AUTO_FREE char *const dump = wr_settings_dump_next(config->settings, folder->path);
    if (!dump)
        return wr_error_memory(err);
    wr_text_buffer_add(&text, WR_OWN_TOOL_MARK ", sparse: %s with a pattern for its Jacobian\n%s",
                       source, dump);
    return wr_folder_write(folder, "sparsed.toml", &text, err);
}

/* ---- JSON */

static void add_pattern(wr_json *json, const char *key, const wr_sparsing *s,
                        const wr_sparsing_pattern *p)
{
    wr_json_object(json, key);
    wr_json_integer(json, "entries_of_J", p->n_kept);
    wr_json_integer(json, "entries", p->fill.nnz);
    wr_json_integer(json, "entries_of_LU", p->fill.nnz_lu);
    wr_json_number(json, "operations", p->fill.n_flop);
    wr_json_integer(json, "colours", p->n_colour);
    wr_json_bool(json, "accepted", p->is_accepted);
    wr_json_number(json, "predicted_error", p->error);
    wr_json_string(json, "predicted_error_of", p->error > 0.0 ? s->name[p->error_state] : NULL);
    wr_json_integer(json, "surprises", p->how.n_surprise);
    wr_json_end(json);
}

char *wr_sparsing_json(const wr_sparsing *s, const wr_sparsing_errors *errors, const char *of)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "tool", "wrsim sparse");
    wr_json_string(&json, "version", WRSIM_VERSION_STRING);
    wr_json_string(&json, "of", of);
    wr_json_string(&json, "subsystem", s->subsystem);
    wr_json_integer(&json, "states", s->n);
    const wr_sparsing_options *const o = &s->options;
    wr_json_object(&json, "options");
    wr_json_number(&json, "tau_s", o->tau_s);
    wr_json_number(&json, "gap", o->gap);
    wr_json_number(&json, "stiff_radius", o->shares.stiff_radius);
    wr_json_number(&json, "stiff_share", o->shares.stiff);
    wr_json_number(&json, "share", o->shares.other);
    wr_json_number(&json, "error", o->error);
    wr_json_number(&json, "slow", o->slow);
    wr_json_end(&json);
    add_pattern(&json, "full", s, &s->full);
    add_pattern(&json, "sparsed", s, &s->sparsed);
    if (s->n_round > 0) {
        add_pattern(&json, "mixed", s, &s->mixed);
        wr_json_array(&json, "explicit");
        for (int i = 0; i < s->n; i++)
            if (s->is_explicit[i])
                wr_json_string(&json, NULL, s->name[i]);
        wr_json_end(&json);
    }
    wr_json_array(&json, "linearisations");
    for (int k = 0; k < s->samples.n_sample; k++) {
        wr_json_object(&json, NULL);
        wr_json_number(&json, "time_s", s->samples.sample[k].pencil->t_s);
        wr_json_bool(&json, "kept", s->samples.sample[k].resolution != NULL);
        for (size_t c = 0; c < WR_COUNT_OF(columns); c++)
            wr_json_number(&json, columns[c].name, value_of(&s->estimates[k], &columns[c]));
        wr_json_end(&json);
    }
    wr_json_end(&json);
    if (errors) {
        wr_json_array(&json, "errors");
        for (int i = 0; i < s->n; i++) {
            wr_json_object(&json, NULL);
            wr_json_string(&json, "state", s->name[i]);
            wr_json_number(&json, "sparsed", errors->sparsed[i]);
            wr_json_number(&json, "unsparsed", errors->unsparsed[i]);
            wr_json_end(&json);
        }
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return wr_json_take(&json);
}
