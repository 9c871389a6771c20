/* `wrsim reduce`. Thread: main. Real-time: no. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text_buffer.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/reduction/linearised.h"
#include "offline/reduction/moment_matching.h"
#include "offline/reduction/reduction.h"
#include "offline/reduction/reduction_files.h"
#include "offline/structure/folder.h"
#include "wrsim/wrsim.h"

typedef struct reduce {
    wr_arguments line;
    const char *dir;
    wr_selection selection;
    wr_linear_files files;
    double time_s;
    wr_option_numbers expand, band;
    wr_reduction_options options;
    const char *name;
    int is_matching, is_json;
    /* Results: */
    wrsim_config *config;
    char source[512]; /* reduced part, as "NAME of CONFIG", or the file of G */
    wr_linearised linearised;
    wr_linear_system *own; /* system from matrix files */
    const wr_linear_system *system;
    wr_reduction *reduction;
    wr_moment_matching matching;
    wr_folder folder;
} reduce;

/* Relative nonlinearity (assumed) above which the command reports a nonlinear system; rounding and differences stay below this number. */
static const double LINEAR = 1e-6;

static int is_from_files(const reduce *r) { return r->files.B != NULL; }

static const char *column_name(const wr_linear_system *system, int i_column)
{
    return i_column < system->n_input ? system->input[i_column].name : "rate";
}

static void print_system(const reduce *r)
{
    const wr_linear_system *const s = r->system;
    fprintf(wr_out, "%s: %d unknown%s, %d input%s, %d output%s\n", r->source, s->n, wr_plural(s->n),
            s->n_input, wr_plural(s->n_input), s->n_output, wr_plural(s->n_output));
    const wr_linearised *const l = &r->linearised;
    if (is_from_files(r))
        return;
    fprintf(wr_out, "linearised at %.10g s%s", l->t_s,
            s->has_rate
                ? ", where the state is not at rest, so B has a further column with the rates"
                : "");
    if (l->nonlinearity <= LINEAR)
        fprintf(wr_out,
                "; the model is linear (nonlinearity %.1g at a distance of a tenth of the nominal "
                "values)\n",
                l->nonlinearity);
    else if (l->nonlinearity > LINEAR)
        fprintf(wr_out,
                "\nTHE MODEL IS NOT LINEAR: at a distance of a tenth of the nominal values the "
                "nonlinearity is %.2g. The results hold near this point only; choose the point by "
                "--at\n",
                l->nonlinearity);
    else
        fprintf(wr_out, "\nthe models cannot be evaluated at a distance of a tenth of the nominal "
                        "values: linearity is not checked; choose another --at\n");
    if (l->t_s > l->start_s)
        fprintf(wr_out, "a run with the reduced model starts in the state of this time\n");
    if (l->n_indicator + l->n_discrete > 0)
        fprintf(
            wr_out,
            "the modes of %d event indicator%s and the values of %d discrete state%s stay as at "
            "this time: the reduced model has no events\n",
            l->n_indicator, wr_plural(l->n_indicator), l->n_discrete, wr_plural(l->n_discrete));
    else if (l->n_unfired > 0)
        fprintf(wr_out, "the reduced model has no events, such as time events of an FMU\n");
}

static void print_chosen(const reduce *r)
{
    const wr_reduction *const d = r->reduction;
    const wr_reduction_trial *const t = &d->trial[d->i_chosen];
    fprintf(wr_out,
            "\norder %d: error %.2e at the samples, %.2e halfway between them (at %.3g Hz)\n",
            t->order, t->error.error, d->between.error, d->between.hz);
    if (fmax(t->error.error, d->between.error) > r->options.error &&
        (r->options.order == 0 || wr_arguments_given(&r->line, "error")))
        fprintf(wr_out, "the error exceeds --error %g: raise --order, or narrow --band\n",
                r->options.error);
    if (d->space->n < t->order)
        fprintf(wr_out, "%d of the reduced equations %s algebraic: %d state%s\n",
                t->order - d->space->n, t->order - d->space->n == 1 ? "is" : "are", d->space->n,
                wr_plural(d->space->n));
    double slowest = (double)INFINITY, fastest = 0.0;
    for (int i = 0; i < d->space->n; i++) {
        slowest = fmin(slowest, cabs(d->space->pole[i]));
        fastest = fmax(fastest, cabs(d->space->pole[i]));
    }
    if (d->space->n > 0)
        fprintf(wr_out, "the poles lie between %.3g and %.3g 1/s\n", slowest, fastest);
    if (!d->is_stable) {
        fprintf(wr_out, "UNSTABLE: a pole has the real part %.3g 1/s; ", t->growth);
        if (isnan(d->full_growth))
            fprintf(wr_out, "the full system is too large for its poles to be computed\n");
        else
            fprintf(wr_out, "the full system also grows, by up to %.3g 1/s\n", d->full_growth);
    }
    if (r->options.order > t->order)
        fprintf(wr_out, "order %d was requested, but the inputs excite only %d direction%s\n",
                r->options.order, t->order, wr_plural(t->order));
    if (d->basis->n_deflated > 0)
        fprintf(wr_out, "%d linearly dependent vector%s %s omitted\n", d->basis->n_deflated,
                wr_plural(d->basis->n_deflated), d->basis->n_deflated == 1 ? "was" : "were");
    const wr_passivity *const full = &d->passivity_full, *const reduced = &d->passivity_reduced;
    fprintf(wr_out, "C = C^T: %s, C >= 0: %s, G + G^T >= 0: %s",
            full->is_C_symmetric ? "yes" : "no", full->is_C_semidefinite ? "yes" : "no",
            full->is_G_semidefinite ? "yes" : "no");
    if (!wr_passivity_is_stable(full))
        fprintf(wr_out, "; stability is not guaranteed by construction: see the growth above\n");
    else if (!wr_passivity_is_stable(reduced))
        fprintf(wr_out, "; ROUNDING HAS DESTROYED STABILITY of the reduced system: choose another "
                        "order or expansion point\n");
    else
        fprintf(wr_out, ": stability%s guaranteed, because the stored energy cannot grow\n",
                full->has_ports && reduced->has_ports ? " and passivity (B = L) are" : " is");
}

static void print_part(double part)
{
    if (isnan(part))
        fprintf(wr_out, " %12s", "singular");
    else
        fprintf(wr_out, " %12.1e", part);
}

/* Prints the results on standard output. */
static void print_reduce(const reduce *r)
{
    print_system(r);
    fprintf(wr_out, "expansion point%s", r->options.n_s0 == 1 ? "" : "s");
    for (int i = 0; i < r->options.n_s0; i++)
        fprintf(wr_out, "%s %g", i ? "," : "", r->options.s0[i]);
    const int has_zero = r->reduction->full.n > 0 && !(r->reduction->full.hz[0] > 0.0);
    fprintf(wr_out,
            " 1/s; %d samples from %.3g to %.3g Hz%s, and check points halfway between them\n\n",
            r->reduction->full.n - has_zero, r->reduction->low_Hz, r->reduction->high_Hz,
            has_zero ? " and at 0" : "");
    fprintf(wr_out, "%6s %8s %10s %10s  %-28s %12s\n", "order", "moments", "error", "at Hz",
            "worst", "growth 1/s");
    for (int i = 0; i < r->reduction->n_trial; i++) {
        const wr_reduction_trial *const t = &r->reduction->trial[i];
        char worst[128];
        snprintf(worst, sizeof worst, "%s -> %s", column_name(r->system, t->error.i_column),
                 r->system->output[t->error.i_output].name);
        fprintf(wr_out, "%6d %8d %10.2e %10.3g  %-28s %12.3g\n", t->order, t->n_moment,
                t->error.error, t->error.hz, worst, t->growth);
    }
    print_chosen(r);
    if (r->is_matching) {
        fprintf(wr_out, "\n%7s %14s %12s %12s   moments at %g 1/s\n", "moment", "size", "Arnoldi",
                "explicit", r->options.s0[0]);
        for (int j = 0; j < r->matching.n; j++) {
            fprintf(wr_out, "%7d %14.6e", j, r->matching.size[j]);
            print_part(r->matching.arnoldi[j]);
            print_part(r->matching.explicit_basis[j]);
            fputs("\n", wr_out);
        }
        fprintf(wr_out, "explicit moment matching: condition number of the basis %.1e; response",
                r->matching.condition);
        if (isnan(r->matching.error))
            fprintf(wr_out, " not computed, the system is singular\n");
        else
            fprintf(wr_out, " error %.1e\n", r->matching.error);
    }
}

static void put_error(wr_json *json, const char *key, const reduce *r,
                      const wr_response_error *error)
{
    wr_json_object(json, key);
    wr_json_number(json, "error", error->error);
    wr_json_number(json, "hz", error->hz);
    wr_json_string(json, "input", column_name(r->system, error->i_column));
    wr_json_string(json, "output", r->system->output[error->i_output].name);
    wr_json_end(json);
}

static void put_numbers(wr_json *json, const char *key, const double *value, int n)
{
    wr_json_array(json, key);
    for (int i = 0; i < n; i++)
        wr_json_number(json, NULL, value[i]);
    wr_json_end(json);
}

static void put_signals(wr_json *json, const char *key, const wr_linear_signal *signal, int n)
{
    wr_json_array(json, key);
    for (int i = 0; i < n; i++)
        wr_json_string(json, NULL, signal[i].name);
    wr_json_end(json);
}

static void put_system(wr_json *json, const reduce *r)
{
    wr_json_string(json, "source", r->source);
    wr_json_integer(json, "unknowns", r->system->n);
    put_signals(json, "inputs", r->system->input, r->system->n_input);
    put_signals(json, "outputs", r->system->output, r->system->n_output);
    if (is_from_files(r))
        return;
    wr_json_number(json, "time_s", r->linearised.t_s);
    wr_json_number(json, "nonlinearity", r->linearised.nonlinearity);
    wr_json_bool(json, "moves_by_itself", r->system->has_rate);
    wr_json_integer(json, "indicators", r->linearised.n_indicator);
    wr_json_integer(json, "discrete_states", r->linearised.n_discrete);
}

static void put_passivity(wr_json *json, const char *key, const wr_passivity *p)
{
    wr_json_object(json, key);
    wr_json_bool(json, "C_symmetric", p->is_C_symmetric);
    wr_json_bool(json, "C_semidefinite", p->is_C_semidefinite);
    wr_json_bool(json, "G_semidefinite", p->is_G_semidefinite);
    wr_json_bool(json, "same_ports", p->has_ports);
    wr_json_end(json);
}

/* Returns JSON that the caller frees; NULL when out of memory. */
static char *reduce_json(const reduce *r)
{
    wr_json json = {0};
    wr_json_object(&json, NULL);
    wr_json_string(&json, "tool", "wrsim reduce");
    wr_json_string(&json, "version", wrsim_version());
    put_system(&json, r);
    put_numbers(&json, "expansion_points", r->options.s0, r->options.n_s0);
    const double band[2] = {r->reduction->low_Hz, r->reduction->high_Hz};
    put_numbers(&json, "band_hz", band, 2);
    wr_json_array(&json, "tried");
    for (int i = 0; i < r->reduction->n_trial; i++) {
        const wr_reduction_trial *const t = &r->reduction->trial[i];
        wr_json_object(&json, NULL);
        wr_json_integer(&json, "order", t->order);
        wr_json_integer(&json, "moments", t->n_moment);
        put_error(&json, "response", r, &t->error);
        wr_json_number(&json, "growth", t->growth);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    const wr_reduction *const d = r->reduction;
    wr_json_integer(&json, "order", d->reduced->q);
    wr_json_integer(&json, "states", d->space->n);
    wr_json_integer(&json, "moments", d->trial[d->i_chosen].n_moment);
    wr_json_integer(&json, "deflated", d->basis->n_deflated);
    wr_json_bool(&json, "stable", d->is_stable);
    if (!d->is_stable)
        wr_json_number(&json, "full_growth", d->full_growth);
    put_error(&json, "at_samples", r, &d->trial[d->i_chosen].error);
    put_error(&json, "between_samples", r, &d->between);
    put_passivity(&json, "full", &d->passivity_full);
    put_passivity(&json, "reduced", &d->passivity_reduced);
    wr_json_array(&json, "poles");
    for (int i = 0; i < d->space->n; i++) {
        const double pole[2] = {creal(d->space->pole[i]), cimag(d->space->pole[i])};
        put_numbers(&json, NULL, pole, 2);
    }
    wr_json_end(&json);
    if (r->is_matching) {
        const wr_moment_matching *const m = &r->matching;
        wr_json_object(&json, "matching");
        put_numbers(&json, "size", m->size, m->n);
        put_numbers(&json, "arnoldi", m->arnoldi, m->n);
        put_numbers(&json, "explicit", m->explicit_basis, m->n);
        wr_json_number(&json, "explicit_condition", m->condition);
        wr_json_number(&json, "explicit_response_error", m->error);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return wr_json_take(&json);
}

enum {
    MAX_ORDER = 60,
    MOST_STATES = 2000,
    N_SAMPLE = 61,
    MOST_SAMPLES = 10000,
    MOST_NAME_BYTES = 100
};
static const char name_characters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
#define ERROR 1e-3 /* error of the response if --error is absent */

static const char summary[] =
    "Replaces a linear part of a config by a model with few states. The method is block Arnoldi; "
    "the error of the\nfrequency response decides the order. CONFIG with --component or "
    "--subsystem is linearised at its\nstart or at --at. Matrices of G x + C x' = B u, y = L^T x + "
    "D u are Matrix Market files; the operand is G.\n";

#define ROW(...) WR_OPTION(reduce, __VA_ARGS__)
static const wr_option options[] = {
    ROW("component", "NAME", "reduce this component", TEXT, selection.component,
        .excludes = "B subsystem"),
    ROW("subsystem", "NAME", "reduce all components of this subsystem to one model", TEXT,
        selection.subsystem, .excludes = "B"),
    ROW("at", "T", "linearise at this time of the run, s (default: the run's start)", NUMBER,
        time_s, .low = -1e300, .high = 1e300),
    ROW("B", "FILE", "input matrix", FILE, files.B, .needs = "L", .excludes = "define"),
    ROW("C", "FILE", "matrix of x' (default: the unit matrix)", FILE, files.C, .needs = "B"),
    ROW("L", "FILE", "output matrix, one column per output", FILE, files.L, .needs = "B"),
    ROW("D", "FILE", "feed-through matrix, from inputs to outputs (default: 0)", FILE, files.D,
        .needs = "B"),
    ROW("order", "N", "use this order (default: the smallest order that meets --error)", COUNT,
        options.order, .low = 1, .high = MOST_STATES),
    ROW("error", "E", "allowed error of the response, relative to its peak (default 1e-3)", NUMBER,
        options.error, .low = 1e-14, .high = 1),
    ROW("max-order", "N", "largest order to try (default 60)", COUNT, options.max_order, .low = 1,
        .high = MOST_STATES),
    ROW("expand", "S,S,...", "expansion points s0 >= 0, 1/s (default 0)", LIST, expand),
    ROW("band", "LOW,HIGH", "frequency range, Hz (default: the range that the run resolves)", LIST,
        band),
    ROW("samples", "N", "number of compared frequencies (default 61)", COUNT, options.n_sample,
        .low = 2, .high = MOST_SAMPLES),
    ROW("moments", NULL, "list moments, and compare with explicit moment matching", FLAG,
        is_matching),
    ROW("name", "NAME", "name of the new model (default: NAME_reduced of the reduced part)", TEXT,
        name),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR", "write the model, configs, Bode diagrams and JSON to this folder", FILE,
        dir, .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int check_options(reduce *r)
{
    if (!is_from_files(r) && !r->selection.subsystem && !r->selection.component)
        return wr_command_line_refuse(
            r,
            "'reduce' needs --component or --subsystem for a config, or --B and --L for matrices");
    for (int i = 0; i < r->expand.n; i++)
        if (!(r->expand.value[i] >= 0.0))
            return wr_command_line_refuse(r, "--expand takes numbers of at least 0 (1/s), not %g",
                                          r->expand.value[i]);
    if (r->name && (!isalpha((unsigned char)r->name[0]) || strlen(r->name) > MOST_NAME_BYTES ||
                    r->name[strspn(r->name, name_characters)]))
        return wr_command_line_refuse(
            r,
            "--name takes a letter, then letters, digits and '_', at most %d characters, not '%s'",
            MOST_NAME_BYTES, r->name);
    if (r->band.n > 0 &&
        (r->band.n != 2 || !(r->band.value[0] > 0.0) || !(r->band.value[0] < r->band.value[1])))
        return wr_command_line_refuse(
            r, "--band takes two frequencies LOW,HIGH in Hz, 0 < LOW < HIGH");
    return 0;
}

static wrsim_status load(reduce *r, wrsim_error *err)
{
    if (is_from_files(r)) {
        r->files.G = r->line.operand[0];
        snprintf(r->source, sizeof r->source, "%s", r->files.G);
        WR_TRY(wr_linear_system_read(&r->files, &r->own, err));
        r->system = r->own;
        return WRSIM_OK;
    }
    const char *const part =
        r->selection.component ? r->selection.component : r->selection.subsystem;
    snprintf(r->source, sizeof r->source, "%s of %s", part, r->line.operand[0]);
    WR_TRY(wr_tool_load(&r->line, &r->config));
    WR_TRY(wr_linearised_make(r->config, &r->selection, r->time_s, wr_print_error, NULL,
                              &r->linearised, err));
    r->system = r->linearised.system;
    return WRSIM_OK;
}

static wrsim_status compute(reduce *r, wrsim_error *err)
{
    static const double zero = 0.0;
    r->options.s0 = r->expand.n ? r->expand.value : &zero;
    r->options.n_s0 = r->expand.n ? r->expand.n : 1;
    if (r->band.n == 2) {
        r->options.low_Hz = r->band.value[0];
        r->options.high_Hz = r->band.value[1];
    } else if (!is_from_files(r)) {
        const wr_linearised *const l = &r->linearised;
        r->options.low_Hz = 1.0 / l->span_s;
        r->options.high_Hz = fmax(0.5 / l->step_s, 10.0 / l->span_s);
    }
    WR_TRY(wr_reduction_create(r->system, &r->options, &r->reduction, err));
    if (!r->is_matching)
        return WRSIM_OK;
    const wrsim_status status =
        wr_moment_matching_make(r->system, r->reduction, r->options.s0[0], &r->matching);
    return status < 0 ? wr_error_set(err, status,
                                     "the moments cannot be computed: %s; omit the list of "
                                     "moments, or choose another --expand",
                                     wrsim_status_text(status))
                      : WRSIM_OK;
}

/* Characters of the name of an input that the name of a file keeps, and their largest number (assumed). At the first other character the
 * name of the file continues with the number of the input. */
static const char FILE_LETTERS[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[].";
enum { MOST_FILE_BYTES = 100 };

static wrsim_status write_all(reduce *r, const char *json, wrsim_error *err)
{
    char file[160];
    snprintf(file, sizeof file, "%s.ss", r->name);
    char about[1024];
    const wr_reduction *const d = r->reduction;
    snprintf(about, sizeof about,
             "# %s, order %d of %d: response off by %.2e from %.3g to %.3g Hz\n", r->source,
             d->reduced->q, r->system->n, fmax(d->trial[d->i_chosen].error.error, d->between.error),
             d->low_Hz, d->high_Hz);
    const char *path = wr_folder_file(&r->folder, err, "%s", file);
    if (!path)
        return err->status;
    WR_TRY(wr_model_file_write(path, r->name, r->system, d->space, about, err));
    if (!(path = wr_folder_file(&r->folder, err, "fragment.toml")))
        return err->status;
    WR_TRY(wr_model_fragment_write(path, r->name, file, r->system,
                                   is_from_files(r) ? NULL : &r->linearised, err));
    if (!is_from_files(r)) {
        char full[WR_FOLDER_PATH_BYTES];
        snprintf(full, sizeof full, "%s/%s", r->dir, file);
        const wr_replacement how = {.config = r->line.operand[0],
                                    .override = r->line.override,
                                    .n_override = r->line.n_override,
                                    .selection = &r->selection,
                                    .linearised = &r->linearised,
                                    .model = r->name,
                                    .file = full,
                                    .folder = r->dir};
        if (!(path = wr_folder_file(&r->folder, err, "reduced.toml")))
            return err->status;
        WR_TRY(wr_replaced_write(&how, path, err));
        wrsim_config *config = NULL;
        wrsim_status status =
            wrsim_config_from_file(path, NULL, 0, wr_print_error, NULL, &config, NULL);
        if (status >= 0 && !wrsim_config_is_undecided(config))
            status = wr_tool_check(config);
        wrsim_config_destroy(&config);
        WR_TRY(status);
    }
    for (int j = 0; j < wr_linear_columns(r->system); j++) {
        const char *const input = j < r->system->n_input ? r->system->input[j].name : "rate";
        char title[256];
        snprintf(title, sizeof title, "%s from %s: order %d of %d", r->name, input,
                 r->reduction->reduced->q, r->system->n);
        const size_t n = strspn(input, FILE_LETTERS);
        path = input[n] == '\0' && n < MOST_FILE_BYTES
                   ? wr_folder_file(&r->folder, err, "bode_%s.svg", input)
                   : wr_folder_file(&r->folder, err, "bode_%.*s_%d.svg",
                                    (int)(n < MOST_FILE_BYTES ? n : MOST_FILE_BYTES), input, j + 1);
        if (!path)
            return err->status;
        WR_TRY(wr_bode_write(path, title, r->system, r->reduction, j, err));
    }
    return wr_tool_write_json(&r->folder, "reduction.json", json, err);
}

static wrsim_status tell(reduce *r, wrsim_error *err)
{
    char *const json = reduce_json(r);
    if (!json)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    wrsim_status status = WRSIM_OK;
    if (r->is_json)
        fputs(json, wr_out);
    else
        print_reduce(r);
    if (r->dir)
        status = write_all(r, json, err);
    if (status == WRSIM_OK && r->dir && !r->is_json) {
        fputs("\n", wr_out);
        wr_tool_print_files(&r->folder, is_from_files(r) ? "; fragment.toml goes into a config"
                                                         : "; reduced.toml runs as it is");
    }
    free(json);
    return status;
}

static int run(void *into)
{
    reduce *const r = into;
    char name[128];
    const int code = check_options(r);
    if (code != 0)
        return code;
    wrsim_error err = {0};
    if (!r->name) {
        snprintf(name, sizeof name, "%s_reduced",
                 r->selection.component   ? r->selection.component
                 : r->selection.subsystem ? r->selection.subsystem
                                          : "system");
        r->name = name;
    }
    wr_busy_line *line = wr_busy_line_begin("reduce", 1);
    wrsim_status status = load(r, &err);
    if (status >= 0)
        status = compute(r, &err);
    wr_busy_line_end(&line);
    if (status >= 0 && r->dir)
        status = wr_folder_open(&r->folder, r->dir, r->line.operand[0], r->config, &err);
    if (status >= 0)
        status = tell(r, &err);
    wr_moment_matching_done(&r->matching);
    wr_reduction_destroy(&r->reduction);
    wr_linearised_done(&r->linearised);
    wr_linear_system_destroy(&r->own);
    wrsim_config_destroy(&r->config);
    return wr_tool_end(status < 0 ? status : WRSIM_OK, &err);
}

const wr_command wr_reduce_command = {
    WR_COMMAND("reduce", "CONFIG|G.mtx", 1, 1, options, run),
    .help = "replace a linear part by a model with few states", .more = summary,
    .into = &(reduce){.time_s = (double)NAN,
                      .options = {.max_order = MAX_ORDER, .error = ERROR, .n_sample = N_SAMPLE}}};
