/* `wrsim sparse`. Thread: main. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "base/utf8.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/sparsing/sparsing_files.h"
#include "offline/sparsing/sparsing_run.h"
#include "offline/structure/walk.h"

/* maximum number of printed rows of a table (assumed); the files have all rows */
enum { SHOWN = 12 };

static void print_clusters(FILE *to, const wr_sparsing *s)
{
    const wr_sample *const first = &s->samples.sample[0];
    if (!first->resolution)
        return;
    fprintf(to, "\nclusters of the first linearisation:\n%8s  %-24s %12s %12s\n", "values",
            "one of them", "may change by", "projector");
    for (int c = 0; c < first->resolution->n_cluster && c < SHOWN; c++) {
        const wr_spectral_cluster *const k = &first->resolution->cluster[c];
        char value[48];
        /* An imaginary part up to 1e-9 (assumed) is a rounding error of a real eigenvalue. */
        const double im = fabs(cimag(k->value[0])) > 1e-9 ? cimag(k->value[0]) : 0.0;
        snprintf(value, sizeof value, "%.5g%+.5gi%s", creal(k->value[0]), im,
                 k->has_conjugate ? ", conj." : "");
        fprintf(to, "%8d  %-24s %12.3g %12.3g\n", k->n, value,
                wr_verdict_limit(&s->options.shares, k->value[0]), k->projector);
    }
    if (first->resolution->n_cluster > SHOWN)
        fprintf(to, "%8s  %d more\n", "", first->resolution->n_cluster - SHOWN);
}

static void print_pattern(FILE *to, const wr_sparsing *s, const char *name,
                          const wr_sparsing_pattern *p)
{
    char error[32] = "-";
    if (s->samples.lag)
        snprintf(error, sizeof error, "%.2g %%", 100.0 * p->error);
    fprintf(to, "%-10s %12d %12d %8d %12.0f %8d %10s %10s\n", name, p->n_kept, p->fill.nnz,
            p->fill.nnz_lu, p->fill.n_flop, p->n_colour, error, p->is_accepted ? "yes" : "no");
}

static void print_bounds(FILE *to, const wr_sparsing *s)
{
    double c1 = HUGE_VAL, fast = HUGE_VAL, before = 0.0, after = 0.0;
    int has_defect = 0, has_negative = 0;
    for (int k = 0; k < s->samples.n_sample; k++) {
        const wr_estimates *const e = &s->estimates[k];
        c1 = fmin(c1, e->c1);
        fast = fmin(fast, e->c1_fast);
        before = fmax(before, e->radius_before);
        after = fmax(after, e->radius_after);
        has_defect |= isnan(e->dE);
        has_negative |= e->trace_square < 0.0;
    }
    if (has_negative)
        fprintf(to, "d2 is undefined where tr(M^2) is negative.\n");
    if (has_defect)
        fprintf(to, "dE is undefined where eigenvectors are parallel: the pencil is defective "
                    "within a cluster.\n");
    fprintf(to, "bounds: C1 = %.3g, C2 = %.3g; without slow modes: ", c1, c1 * c1);
    if (isfinite(fast))
        fprintf(to, "C1 = %.3g, C2 = %.3g\n", fast, fast * fast);
    else
        fprintf(to, "no mode is left\n");
    fprintf(to, "largest magnitude of an eigenvalue of the step: %.9f unsparsed, %.9f sparsed\n",
            before, after);
}

static void print_sparsing(FILE *to, const wr_sparsing *s)
{
    const int is_searched = s->n_round > 0;
    fprintf(to, "%s: %d state%s, step %g s, %d linearisation%s, %d distinct\n", s->subsystem, s->n,
            wr_plural(s->n), s->options.tau_s, s->samples.n_sample, wr_plural(s->samples.n_sample),
            wr_samples_n_kept(&s->samples));
    print_clusters(to, s);
    fprintf(to, "\n%-10s %12s %12s %8s %12s %8s %10s %10s\n", "pattern", "entries of J",
            "of L - tau J", "of LU", "operations", "colours", "error", "accepted");
    print_pattern(to, s, "full", &s->full);
    print_pattern(to, s, is_searched ? "sparsed" : "given", &s->sparsed);
    if (is_searched)
        print_pattern(to, s, "mixed", &s->mixed);
    if (s->samples.lag && s->sparsed.error > 0.0)
        fprintf(to,
                "column error: predicted effect of the dropped entries, which act one step late, "
                "as a fraction of a state's range; largest at %s\n",
                s->name[s->sparsed.error_state]);
    const wr_dropping *const how = &s->sparsed.how;
    if (how->n_surprise > 0)
        fprintf(
            to,
            "\nthe exact check refused %d candidate%s that met the criterion, because effects on a "
            "cluster\ncancel or are large; strongest case: %s",
            how->n_surprise, wr_plural(how->n_surprise), s->name[how->surprise.i]);
    if (how->n_surprise > 0 && how->surprise.j >= 0)
        fprintf(to, " by %s, %.3g of the allowed change\n", s->name[how->surprise.j],
                how->surprise.score);
    else if (how->n_surprise > 0)
        fputc('\n', to);
    if (is_searched) {
        int n_explicit = 0;
        for (int i = 0; i < s->n; i++)
            n_explicit += s->is_explicit[i];
        fprintf(to, "\nmixed mode: %d of %d state%s can be integrated explicitly", n_explicit, s->n,
                wr_plural(s->n));
        for (int i = 0, n_shown = 0; i < s->n && n_shown <= SHOWN; i++)
            if (s->is_explicit[i]) {
                fprintf(to, "%s%s", n_shown == 0 ? ":\n    " : ", ",
                        n_shown == SHOWN ? "..." : s->name[i]);
                n_shown++;
            }
        fprintf(to, "\n");
    }
    const int n = s->samples.n_sample, n_shown = n < SHOWN ? n : SHOWN;
    fprintf(to,
            "\nchange of the spectrum (dS; d1 of sums; d2, d2k, dE, d_r of roots of sums of "
            "squares):\n%10s %10s %10s %10s %10s %10s %10s %10s %10s\n",
            "t [s]", "dS (eq. 2)", "dS", "d1", "d2", "d2k", "dE", "d_r exact", "radius");
    for (int k = 0; k < n_shown; k++) {
        const int i = n_shown > 1 ? k * (n - 1) / (n_shown - 1) : 0;
        const wr_estimates *const e = &s->estimates[i];
        fprintf(to, "%10.4g %10.3g %10.3g %10.3g %10.3g %10.3g %10.3g %10.3g %10.6f\n",
                s->samples.sample[i].pencil->t_s, e->dS_published, e->dS, e->d1, e->d2, e->d2k,
                e->dE, e->dr2, e->radius_after);
    }
    print_bounds(to, s);
}

enum {
    N_SAMPLE = 100,
    MOST_SAMPLES = 10000,
    OWN_OVERRIDES = 8,
    TRIES = 6, /* maximum number of searches (assumed) if runs are less accurate than predicted */
    MOST_OVERRIDES = WR_OPTION_OVERRIDES + 32 + OWN_OVERRIDES
};

static const char *const linimp[] = {"kind=\"linimp\"", "pattern=\"\"", "code=\"\"", NULL};
/* Solver of the tight run. The tolerance is far below the default of --error. */
static const char *const tight[] = {"kind=\"rosenbrock\"", "rtol=1e-7", "step=0",
                                    "pattern=\"\"",        "code=\"\"", NULL};
/* A model with a mass matrix runs with linimp only, whose order is 1. The tight run divides the step by this number (assumed). */
enum { TIGHT_STEPS = 50 };

typedef struct sparse {
    wr_arguments line;
    const char *dir;
    wr_sparsing_options options;
    const char *subsystem, *mass, *pattern;
    int n_sample, is_json, has_no_run, n_try, is_inaccurate;
    wr_option_numbers times;
    wrsim_config *config; /* NULL: the operand is a matrix */
    wr_sparsing_target target;
    double *time_s; /* [n_time] times of linearisations, s */
    int n_time;
    double *
        /* [n_run_time] times at which the command compares runs, s. The times are communication points of the whole run, because other
         * times would shorten fixed steps. */
        run_time_s;
    int n_run_time;
    wr_sparsing_study study;
    wr_folder folder;
    wr_sparsing_errors errors;
    double *error; /* [2 n] errors of the run with the pattern, then of the run without */
    wr_status_line status_line;
} sparse;

static int is_matrix(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".mtx") == 0;
}

#define ROW(...) WR_OPTION(sparse, __VA_ARGS__)
static const wr_option options[] = {
    ROW("subsystem", "NAME", "use this subsystem (needed if the config has several)", TEXT,
        subsystem),
    ROW("tau", "SECONDS", "step size, s (default: the subsystem's solver.step)", NUMBER,
        options.tau_s, .low = 1e-12, .high = 1e12),
    ROW("samples", "N", "linearise at N points, evenly over the run (default 100)", COUNT, n_sample,
        .low = 1, .high = MOST_SAMPLES, .excludes = "times"),
    ROW("times", "T,T,...", "linearise at these times, s", LIST, times),
    ROW("error", "PART", "allowed error of states, relative to their range (default 0.02)", NUMBER,
        options.error, .low = 0, .high = 1e12),
    ROW("share", "PART",
        "allowed change of eigenvalues, relative to their distance from the unit circle (default "
        "0.2)",
        NUMBER, options.shares.other, .low = 0, .high = 1),
    ROW("stiff-share", "PART",
        "allowed change of stiff eigenvalues, relative to their distance from the unit circle "
        "(default 0.8)",
        NUMBER, options.shares.stiff, .low = 0, .high = 1),
    ROW("stiff-radius", "R",
        "magnitude up to which an eigenvalue of a step counts as stiff (default 0.5)", NUMBER,
        options.shares.stiff_radius, .low = 0, .high = 1),
    ROW("gap", "PART",
        "distance within which eigenvalues form one cluster, relative to their distance from 1 "
        "(default 0.1)",
        NUMBER, options.gap, .low = 0, .high = 100),
    ROW("slow", "PART", "tau |lambda| below which the bounds C1 and C2 ignore a mode (default 0.1)",
        NUMBER, options.slow, .low = 0, .high = 1e12),
    ROW("pattern", "FILE", "check this pattern instead of searching for one", FILE, pattern),
    ROW("mass", "FILE.mtx", "mass matrix L, if CONFIG is a Jacobian (default: the identity)", FILE,
        mass),
    ROW("no-run", NULL, "do not compare the result with a run of tight tolerances", FLAG,
        has_no_run),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR",
        "write pattern, config, spy plots, spectra and JSON to this folder, and run the config",
        FILE, dir, .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static int check_options(const sparse *a)
{
    const char *const file = a->line.operand[0];
    const char *const of_config = wr_arguments_given(&a->line, "subsystem samples times define");
    if (is_matrix(file) && !(a->options.tau_s > 0.0))
        return wr_command_line_refuse(a, "a matrix has no step; add --tau SECONDS");
    if (is_matrix(file) && of_config)
        return wr_command_line_refuse(a, "'%s' is a matrix, which takes no --%s; remove the option",
                                      file, of_config);
    /* The written config contains names of files in the folder, and a config is UTF-8. */
    if (a->dir && !wr_utf8_is_valid(a->dir))
        return wr_command_line_refuse(
            a, "the folder's name, -o '%s', is not UTF-8; choose another name", a->dir);
    if (!is_matrix(file) && a->mass)
        return wr_command_line_refuse(a, "--mass needs a Jacobian from a file, because models "
                                         "declare their mass matrix; remove --mass");
    return 0;
}

static wrsim_status find_pattern(sparse *a, double error, wrsim_error *err)
{
    wr_sparsing *const s = &a->study.sparsing;
    if (!a->pattern)
        return wr_sparsing_search(s, error, err);
    unsigned char *const given = malloc((size_t)s->n * (size_t)s->n + 1);
    wrsim_status status = given ? wr_pattern_file_read(a->pattern, s, given, err)
                                : wr_error_set(err, WRSIM_E_MEMORY, "out of memory");
    if (status == WRSIM_OK)
        status = wr_sparsing_check(s, given, err);
    free(given);
    return status;
}

/* Overrides of a run: of the command line, of the tools, and solver keys of the subsystem. */
typedef struct overrides {
    const char *text[MOST_OVERRIDES];
    char own[OWN_OVERRIDES][WR_TOML_STRING_BYTES(WR_FOLDER_PATH_BYTES) + 512];
    int n, n_own;
} overrides;

static void add_key(overrides *o, const wr_sparsing_target *target, const char *key_and_value)
{
    if (o->n_own == OWN_OVERRIDES)
        return;
    char *const text = o->own[o->n_own++];
    snprintf(text, sizeof o->own[0], "%s%s%ssolver.%s", target->has_table ? "subsystem." : "",
             target->has_table ? target->name : "", target->has_table ? "." : "", key_and_value);
    o->text[o->n++] = text;
}

static const char *const no_more[] = {NULL};

/* Loads the config again with another solver, step (0: no override) and pattern (NULL: none) of the subsystem, and further overrides.
 * Returns WRSIM_OK, or an error of loading. */
static wrsim_status load_with(const sparse *a, const char *const *solver, double step_s,
                              const char *pattern, const char *const *more,
                              wrsim_config **ret_config)
{
    overrides *const o = calloc(1, sizeof *o);
    char text[WR_TOML_STRING_BYTES(WR_FOLDER_PATH_BYTES) + 32] = "pattern=";
    if (!o)
        return WRSIM_E_MEMORY;
    for (int i = 0; i < a->line.n_override; i++)
        o->text[o->n++] = a->line.override[i];
    for (int i = 0; more[i]; i++)
        o->text[o->n++] = more[i];
    for (int i = 0; solver[i]; i++)
        add_key(o, &a->target, solver[i]);
    if (pattern) {
        wr_toml_string(pattern, text + strlen(text));
        add_key(o, &a->target, text);
    }
    if (step_s > 0.0) {
        snprintf(text, sizeof text, "step=%.17g", step_s);
        add_key(o, &a->target, text);
    }
    const wrsim_status status = wrsim_config_from_file(a->line.operand[0], o->text, o->n,
                                                       wr_print_error, NULL, ret_config, NULL);
    free(o);
    return status;
}

static wrsim_status run_with(const sparse *a, const char *const *solver, double step_s,
                             const char *pattern, wr_trajectory *ret_trajectory, wrsim_error *err)
{
    wrsim_config *config = NULL;
    wr_tell(&a->options.listener, WR_NEWS_PROGRESS, "running %s",
            pattern ? "with the pattern"
            : solver == linimp && !(step_s < a->study.sparsing.options.tau_s)
                ? "with the full Jacobian"
                : "with tight tolerances, as reference");
    wrsim_status status = load_with(a, solver, step_s, pattern, wr_walk_overrides, &config);
    *ret_trajectory = (wr_trajectory){.n = 0};
    if (status >= 0)
        status = wr_trajectory_run(config, a->study.sparsing.subsystem, a->run_time_s,
                                   a->n_run_time, wr_print_error, NULL, ret_trajectory, err);
    wrsim_config_destroy(&config);
    return status;
}

/* Returns the absolute path of the pattern's file, which the caller frees; NULL with err if the file is missing. */
static char *pattern_path(const sparse *a, wrsim_error *err)
{
    char path[WR_FOLDER_PATH_BYTES];
    snprintf(path, sizeof path, "%s/pattern.mtx", a->dir);
    char *const found = realpath(path, NULL);
    if (!found)
        wr_error_set(err, WRSIM_E_IO, "the pattern's file '%s' is missing; repeat the command",
                     path);
    return found;
}

static wrsim_status compare_runs(sparse *a, const char *pattern, wrsim_error *err)
{
    wr_sparsing *const s = &a->study.sparsing;
    const size_t n = (size_t)s->n;
    const double tau_s = s->options.tau_s;
    wr_trajectory of[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
    wrsim_status status = a->study.has_mass
                              ? run_with(a, linimp, tau_s / TIGHT_STEPS, NULL, &of[0], err)
                              : run_with(a, tight, 0.0, NULL, &of[0], err);
    if (status == WRSIM_OK)
        status = run_with(a, linimp, tau_s, pattern, &of[1], err);
    if (status == WRSIM_OK)
        status = run_with(a, linimp, tau_s, NULL, &of[2], err);
    free(a->error);
    a->error = status == WRSIM_OK ? calloc(2 * n + 1, sizeof *a->error) : NULL;
    if (status == WRSIM_OK && !a->error)
        status = wr_error_set(err, WRSIM_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n && status == WRSIM_OK; i++) {
        a->error[i] = wr_trajectory_error(&of[1], &of[0], (int)i, s->samples.nominal);
        a->error[n + i] = wr_trajectory_error(&of[2], &of[0], (int)i, s->samples.nominal);
    }
    a->errors =
        (wr_sparsing_errors){.sparsed = a->error, .unsparsed = a->error ? a->error + n : NULL};
    for (int k = 0; k < 3; k++)
        wr_trajectory_done(&of[k]);
    return status;
}

/* Returns the largest increase of a state's error by sparsing, relative to the state's range. */
static double worsened_by(const sparse *a)
{
    double worst = 0.0;
    for (int i = 0; i < a->study.sparsing.n; i++)
        worst = fmax(worst, a->errors.sparsed[i] - a->errors.unsparsed[i]);
    return worst;
}

/* Returns the path of the pattern's file; NULL with err if the command must not write the file. */
static const char *find_pattern_file(sparse *a, wrsim_error *err)
{
    const char *const path = wr_folder_file(&a->folder, err, "pattern.mtx");
    /* write_all() writes and counts the file again */
    a->folder.n_file -= path != NULL;
    return path;
}

/* Searches for a pattern, or checks the given pattern. With -o and without --no-run, runs the config with an accepted pattern. The
 * predicted error is of first order, at samples of the run. If a found pattern adds more than --error to the error of the run, repeats the
 * search with a lower limit for the predicted error. */
static wrsim_status find_and_try(sparse *a, wrsim_error *err)
{
    const double allowed = a->options.error;
    const wr_sparsing *const s = &a->study.sparsing;
    double error = allowed;
    for (a->n_try = 0; a->n_try < TRIES; a->n_try++) {
        WR_TRY(find_pattern(a, error, err));
        WR_TRY(wr_sparsing_judge(&a->study.sparsing, err));
        if (!a->config || !a->dir || a->has_no_run || !s->sparsed.is_accepted)
            return WRSIM_OK;
        const char *const path = find_pattern_file(a, err);
        if (!path)
            return WRSIM_E_IO;
        WR_TRY(
            wr_pattern_file_write(path, &a->study.sparsing, a->study.sparsing.sparsed.keep, err));
        char *const pattern = pattern_path(a, err);
        if (!pattern)
            return err->status;
        const wrsim_status status = compare_runs(a, pattern, err);
        free(pattern);
        WR_TRY(status);
        a->is_inaccurate = !(worsened_by(a) <= allowed);
        if (!a->is_inaccurate || a->pattern)
            return WRSIM_OK;
        error *= fmax(0.05, 0.8 * allowed / worsened_by(a));
    }
    return WRSIM_OK;
}

static wrsim_status write_all(sparse *a, wrsim_error *err)
{
    WR_TRY(wr_sparsing_write(&a->study.sparsing, &a->folder, err));
    if (!a->config)
        return WRSIM_OK;
    char *const pattern = pattern_path(a, err);
    if (!pattern)
        return err->status;
    wrsim_config *config = NULL;
    wrsim_status status =
        load_with(a, linimp, a->study.sparsing.options.tau_s, pattern, no_more, &config);
    if (status >= 0)
        status = wr_sparsing_write_config(config, a->line.operand[0], &a->folder, err);
    wrsim_config_destroy(&config);
    free(pattern);
    return status;
}

static wrsim_status tell(sparse *a, wrsim_error *err)
{
    const wr_sparsing *const s = &a->study.sparsing;
    wr_status_line_end(&a->status_line);
    char *const json = wr_sparsing_json(s, a->error ? &a->errors : NULL, a->line.operand[0]);
    wrsim_status status =
        json ? WRSIM_OK : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    if (status == WRSIM_OK && a->dir)
        status = wr_tool_write_json(&a->folder, "sparse.json", json, err);
    if (status == WRSIM_OK && a->is_json)
        fputs(json, wr_out);
    free(json);
    if (status != WRSIM_OK || a->is_json)
        return status;
    print_sparsing(wr_out, s);
    if (a->error) {
        int i, worst;
        const double unsparsed = wr_sparsing_worst(a->errors.unsparsed, s->n, &i);
        const double sparsed = wr_sparsing_worst(a->errors.sparsed, s->n, &worst);
        fprintf(
            wr_out,
            "\nlargest error of any state, compared with a run of tight tolerances, in per cent of "
            "the state's range:\n  unsparsed %.3g %% (%s), sparsed %.3g %% (%s)%s\n",
            100.0 * unsparsed, s->name[i], 100.0 * sparsed, s->name[worst],
            a->is_inaccurate ? ": more than --error allows" : "");
    }
    if (a->dir) {
        fputs("\n", wr_out);
        wr_tool_print_files(&a->folder,
                            a->config ? "; sparsed.toml is the config of the result" : "");
    }
    return WRSIM_OK;
}

static void draw_progress(void *user, wr_news news, const char *text)
{
    if (news == WR_NEWS_PROGRESS)
        wr_status_line_draw(user, text);
}

static wrsim_status study(sparse *a, wrsim_error *err)
{
    WR_TRY(wr_tool_check_file(a->pattern, err));
    if (!is_matrix(a->line.operand[0])) {
        WR_TRY(wr_tool_load(&a->line, &a->config));
        WR_TRY(wr_sparsing_find_target(a->config, a->subsystem, wr_print_error, NULL, &a->target,
                                       err));
        const int n = a->times.n > 0 ? a->times.n : a->n_sample;
        a->time_s = wr_sparsing_times(a->config, n, &a->n_time);
        a->run_time_s = wr_sparsing_times(a->config, n > N_SAMPLE ? n : N_SAMPLE, &a->n_run_time);
        if (!a->time_s || !a->run_time_s)
            return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d points", n);
        for (int i = 0; i < a->times.n; i++)
            a->time_s[i] = a->times.value[i];
        if (a->times.n > 0)
            a->n_time = a->times.n;
    }
    if (a->dir) { /* the command tests the folder first, because the search takes minutes */
        WR_TRY(wr_folder_open(&a->folder, a->dir, a->line.operand[0], a->config, err));
        a->folder.more_input = a->pattern;
        if (!find_pattern_file(a, err))
            return WRSIM_E_IO;
    }
    const char *const file = a->line.operand[0];
    const wr_sparsing_source source = {.config = a->config,
                                       .target = &a->target,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .jacobian = &file,
                                       .n_jacobian = 1,
                                       .mass = a->mass};
    WR_TRY(wr_sparsing_collect(&a->study, &source, &a->options, wr_print_error, NULL, err));
    WR_TRY(find_and_try(a, err));
    if (a->dir)
        WR_TRY(write_all(a, err));
    WR_TRY(tell(a, err));
    return a->study.sparsing.sparsed.is_accepted && !a->is_inaccurate ? WRSIM_OK : WRSIM_DIFFERENT;
}

static int run(void *into)
{
    sparse *const a = into;
    const int code = check_options(a);
    if (code != 0)
        return code;
    wrsim_error err = {0};
    if (!a->is_json) {
        a->status_line = wr_status_line_begin();
        a->options.listener = (wr_listener){.tell = draw_progress, .user = &a->status_line};
    }
    const wrsim_status status = study(a, &err);
    wr_status_line_end(&a->status_line);
    free(a->error);
    free(a->time_s);
    free(a->run_time_s);
    wr_sparsing_study_done(&a->study);
    wrsim_config_destroy(&a->config);
    return wr_tool_end(status, &err);
}

const wr_command wr_sparse_command = {
    WR_COMMAND("sparse", "CONFIG|JACOBIAN.mtx", 1, 1, options, run),
    .help = "find Jacobian entries that linimp can omit",
    .more = "linimp, the linearly implicit Euler method, runs without these entries at its step "
            "size. The result is stable at\nevery linearisation of a run, by exact eigenvalues, "
            "and meets --error. The exit code is 1 if a given pattern is\nrefused, or if a run "
            "with the result is less accurate than --error.\n",
    .into = &(sparse){.options = WR_SPARSING_DEFAULTS, .n_sample = N_SAMPLE}};
