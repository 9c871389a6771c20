/* `wrsim sparse`. See sparse_command.h.
 *
 * Thread: main. Real-time: no.
 */
#include "cli/sparse_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/text_buffer.h"
#include "base/toml_string.h"
#include "base/utf8.h"
#include "cli/print.h"
#include "cli/print_sparsing.h"
#include "cli/program_output.h"
#include "cli/tool_config.h"
#include "cli/tool_options.h"
#include "offline/sparsing/pattern_file.h"
#include "offline/sparsing/sparsing_files.h"
#include "offline/sparsing/sparsing_run.h"
#include "offline/sparsing/trajectory.h"
#include "offline/structure/walk.h"

enum {
    N_SAMPLE = 100,
    MOST_SAMPLES = 10000,
    OWN_OVERRIDES = 8,
    TRIES = 6, /* maximum number of searches if runs are less accurate than predicted */
    MOST_OVERRIDES = WR_TOOL_OVERRIDES + 32 + OWN_OVERRIDES
};

static const char *const linimp[] = {"kind=\"linimp\"", "pattern=\"\"", "code=\"\"", NULL};
/* Solver of the tight run. Its tolerance is at least a hundred times below the errors that sparsing allows. */
static const char *const tight[] = {"kind=\"rosenbrock\"", "rtol=1e-7", "step=0",
                                    "pattern=\"\"",        "code=\"\"", NULL};
/* A model with a mass matrix runs with linimp only, whose order is 1. Its tight run has steps shorter by this
 * factor. */
enum { TIGHT_STEPS = 50 };

typedef struct sparse {
    wr_tool tool;
    wr_sparsing_options options;
    const char *subsystem, *mass, *pattern;
    int n_sample, is_json, has_no_run, n_try, is_inaccurate;
    wr_tool_numbers times;
    wrsim_config *config; /* NULL: the operand is a matrix */
    wr_sparsing_target target;
    double *time_s; /* [n_time] times of linearisations, s */
    int n_time;
    double *
        /* [n_run_time] times at which runs are compared, s. They are communication points of the whole run, because
         * other times would cut fixed steps. */
        run_time_s;
    int n_run_time;
    wr_sparsing_study study;
    wr_folder folder;
    wr_sparsing_errors errors;
    double *error; /* [2 n] errors of the run without and with the pattern */
    wr_status_line line;
} sparse;

static int is_matrix(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".mtx") == 0;
}

static int parse(sparse *a, int argc, char **argv)
{
    wr_sparsing_options *const o = &a->options;
    const wr_tool_option options[] = {
        {"subsystem", "NAME", "use this subsystem (needed if the config has several)", WR_TOOL_TEXT,
         &a->subsystem, 0, 0},
        {"tau", "SECONDS", "step size, s (default: the subsystem's solver.step)", WR_TOOL_NUMBER,
         &o->tau_s, 1e-12, 1e12},
        {"samples", "N", "linearise at N points, evenly over the run (default 100)", WR_TOOL_COUNT,
         &a->n_sample, 1, MOST_SAMPLES},
        {"times", "T,T,...", "linearise at these times, s", WR_TOOL_NUMBERS_LIST, &a->times, 0, 0},
        {"error", "PART", "allowed error of states, relative to their range (default 0.02)",
         WR_TOOL_NUMBER, &o->error, 0, 1e12},
        {"share", "PART",
         "allowed move of eigenvalues, relative to their distance from the unit circle (default "
         "0.2)",
         WR_TOOL_NUMBER, &o->shares.other, 0, 1},
        {"stiff-share", "PART", "the same for stiff eigenvalues (default 0.8)", WR_TOOL_NUMBER,
         &o->shares.stiff, 0, 1},
        {"stiff-radius", "R",
         "magnitude of a step's eigenvalue up to which it counts as stiff (default 0.5)",
         WR_TOOL_NUMBER, &o->shares.stiff_radius, 0, 1},
        {"gap", "PART",
         "distance within which eigenvalues form one cluster, relative to their distance from 1 "
         "(default 0.1)",
         WR_TOOL_NUMBER, &o->gap, 0, 100},
        {"slow", "PART", "tau |lambda| below which C1 and C2 ignore a mode (default 0.1)",
         WR_TOOL_NUMBER, &o->slow, 0, 1e12},
        {"pattern", "FILE", "check this pattern instead of searching for one", WR_TOOL_TEXT,
         &a->pattern, 0, 0},
        {"mass", "FILE.mtx", "mass matrix L, if CONFIG is a Jacobian (default: the identity)",
         WR_TOOL_TEXT, &a->mass, 0, 0},
        {"no-run", NULL, "do not compare the result with a tight run", WR_TOOL_FLAG, &a->has_no_run,
         0, 0},
        {"json", NULL, "print JSON instead of text", WR_TOOL_FLAG, &a->is_json, 0, 0},
        {NULL, NULL, NULL, WR_TOOL_FLAG, NULL, 0, 0}};
    a->tool.option = options;
    const int code = wr_tool_parse(&a->tool, argc, argv);
    a->tool.option = NULL;
    if (code != 0)
        return code;
    if (is_matrix(a->tool.operand[0]) && !(o->tau_s > 0.0))
        return 1 + wr_print_misuse("sparse", "a matrix has no step; add --tau SECONDS");
    if (is_matrix(a->tool.operand[0]) &&
        (a->subsystem || a->n_sample || a->times.n > 0 || a->tool.n_override > 0))
        return 1 + wr_print_misuse(
                       "sparse",
                       "'%s' is a matrix, which takes no --subsystem, --samples, --times or -D",
                       a->tool.operand[0]);
    /* the written config names files in the folder */
    if (a->tool.folder && !wr_utf8_is_valid(a->tool.folder))
        return 1 + wr_print_misuse("sparse",
                                   "the folder's name, -o '%s', is not UTF-8; choose another",
                                   a->tool.folder);
    if (a->n_sample && a->times.n > 0)
        return 1 + wr_print_misuse("sparse", "--samples and --times exclude one another");
    if (!a->n_sample)
        a->n_sample = N_SAMPLE;
    if (!is_matrix(a->tool.operand[0]) && a->mass)
        return 1 + wr_print_misuse(
                       "sparse",
                       "--mass needs a Jacobian from a file; models declare their own mass matrix");
    return 0;
}

static wrsim_status choose_times(sparse *a, wrsim_error *err)
{
    const int n = a->times.n > 0 ? a->times.n : a->n_sample;
    a->time_s = wr_sparsing_times(a->config, n, &a->n_time);
    a->run_time_s = wr_sparsing_times(a->config, n > N_SAMPLE ? n : N_SAMPLE, &a->n_run_time);
    if (!a->time_s || !a->run_time_s)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d points", n);
    for (int i = 0; i < a->times.n; i++)
        a->time_s[i] = a->times.value[i];
    if (a->times.n > 0)
        a->n_time = a->times.n;
    return WRSIM_OK;
}

static wrsim_status collect(sparse *a, wrsim_error *err)
{
    const char *const file = a->tool.operand[0];
    const wr_sparsing_source source = {.config = a->config,
                                       .target = &a->target,
                                       .time_s = a->time_s,
                                       .n_time = a->n_time,
                                       .jacobian = &file,
                                       .n_jacobian = 1,
                                       .mass = a->mass};
    return wr_sparsing_collect(&a->study, &source, &a->options, wr_print_error, NULL, err);
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

/* Loads the config again with another solver of the subsystem, its step, a pattern (NULL: none), and further
 * overrides. */
static wrsim_status load_with(const sparse *a, const char *const *solver, double step_s,
                              const char *pattern, const char *const *more,
                              wrsim_config **ret_config)
{
    overrides *const o = calloc(1, sizeof *o);
    char text[WR_TOML_STRING_BYTES(WR_FOLDER_PATH_BYTES) + 32] = "pattern=";
    if (!o)
        return WRSIM_E_MEMORY;
    for (int i = 0; i < a->tool.n_override; i++)
        o->text[o->n++] = a->tool.override[i];
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
    const wrsim_status status = wrsim_config_from_file(a->tool.operand[0], o->text, o->n,
                                                       wr_print_error, NULL, ret_config, NULL);
    free(o);
    return status;
}

static wrsim_status run_with(const sparse *a, const char *const *solver, double step_s,
                             const char *pattern, wr_trajectory *ret_trajectory, wrsim_error *err)
{
    wrsim_config *config = NULL;
    wr_listener_tell(&a->options.listener, "running %s",
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

/* Returns the absolute path of the pattern's file. */
static char *pattern_path(const sparse *a)
{
    char path[WR_FOLDER_PATH_BYTES];
    snprintf(path, sizeof path, "%s/pattern.mtx", a->tool.folder);
    return realpath(path, NULL);
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

static wrsim_status write_config(sparse *a, const char *pattern, wrsim_error *err)
{
    wrsim_config *config = NULL;
    wrsim_status status =
        load_with(a, linimp, a->study.sparsing.options.tau_s, pattern, no_more, &config);
    if (status >= 0)
        status = wr_sparsing_write_config(config, a->tool.operand[0], &a->folder, err);
    wrsim_config_destroy(&config);
    return status;
}

/* Returns the path of the pattern's file; NULL if the folder may not be written. */
static const char *find_pattern_file(sparse *a, wrsim_error *err)
{
    const char *const path = wr_folder_file(&a->folder, err, "pattern.mtx");
    a->folder.n_file -= path != NULL; /* the file is written again at the end, with all others */
    return path;
}

/* Writes the pattern and runs the config with it. */
static wrsim_status try_pattern(sparse *a, wrsim_error *err)
{
    const char *const path = find_pattern_file(a, err);
    if (!path)
        return WRSIM_E_IO;
    WR_TRY(wr_pattern_file_write(path, &a->study.sparsing, a->study.sparsing.sparsed.keep, err));
    char *const pattern = pattern_path(a);
    if (!pattern)
        return wr_error_set(err, WRSIM_E_IO, "the pattern's file is missing");
    const wrsim_status status = compare_runs(a, pattern, err);
    free(pattern);
    return status;
}

/* The predicted error is of first order, at samples of the run. If the error of the run is larger, the search is
 * repeated with a lower limit for the predicted error. */
static wrsim_status find_and_try(sparse *a, wrsim_error *err)
{
    const double allowed = a->options.error;
    const wr_sparsing *const s = &a->study.sparsing;
    double error = allowed;
    for (a->n_try = 0; a->n_try < TRIES; a->n_try++) {
        WR_TRY(find_pattern(a, error, err));
        WR_TRY(wr_sparsing_judge(&a->study.sparsing, err));
        if (!a->config || !a->tool.folder || a->has_no_run || !s->sparsed.is_accepted)
            return WRSIM_OK;
        WR_TRY(try_pattern(a, err));
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
    char *const pattern = pattern_path(a);
    const wrsim_status status =
        pattern ? write_config(a, pattern, err)
                : wr_error_set(err, WRSIM_E_IO, "the pattern's file is missing");
    free(pattern);
    return status;
}

static wrsim_status write_json(sparse *a, const char *json, wrsim_error *err)
{
    wr_text_buffer text = {0};
    const char *const path = wr_folder_file(&a->folder, err, "sparse.json");
    if (!path)
        return WRSIM_E_IO;
    wr_text_buffer_add(&text, "%s", json);
    return wr_text_buffer_write(&text, path, err);
}

static wrsim_status tell(sparse *a, wrsim_error *err)
{
    const wr_sparsing *const s = &a->study.sparsing;
    wr_status_line_end(&a->line);
    char *const json = wr_sparsing_json(s, a->error ? &a->errors : NULL, a->tool.operand[0]);
    wrsim_status status =
        json ? WRSIM_OK : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for JSON");
    if (status == WRSIM_OK && a->tool.folder)
        status = write_json(a, json, err);
    if (status == WRSIM_OK && a->is_json)
        fputs(json, wr_out);
    free(json);
    if (status != WRSIM_OK || a->is_json)
        return status;
    wr_print_sparsing(wr_out, s);
    if (a->error)
        wr_print_sparsing_errors(wr_out, s, &a->errors, a->is_inaccurate);
    if (a->tool.folder)
        fprintf(wr_out, "\n%d file%s in %s%s\n", a->folder.n_file, wr_plural(a->folder.n_file),
                a->tool.folder, a->config ? "; run it with wrsim sparsed.toml in that folder" : "");
    return WRSIM_OK;
}

static wrsim_status study(sparse *a, wrsim_error *err)
{
    if (!is_matrix(a->tool.operand[0])) {
        WR_TRY(wr_tool_load(&a->tool, &a->config, err));
        WR_TRY(wr_sparsing_find_target(a->config, a->subsystem, wr_print_error, NULL, &a->target,
                                       err));
        WR_TRY(choose_times(a, err));
    }
    if (a->tool.folder) { /* called before the search, which takes minutes */
        WR_TRY(wr_folder_open(&a->folder, a->tool.folder, a->tool.operand[0], a->config, err));
        a->folder.more_input = a->pattern;
        if (!find_pattern_file(a, err))
            return WRSIM_E_IO;
    }
    WR_TRY(collect(a, err));
    WR_TRY(find_and_try(a, err));
    if (a->tool.folder)
        WR_TRY(write_all(a, err));
    WR_TRY(tell(a, err));
    return a->study.sparsing.sparsed.is_accepted && !a->is_inaccurate ? WRSIM_OK : WRSIM_DIFFERENT;
}

int wr_sparse_main(int argc, char **argv)
{
    static sparse a; /* static: too large for the stack */
    a = (sparse){
        .options = wr_sparsing_defaults,
        .tool = {.name = "sparse",
                 .operands = "CONFIG|JACOBIAN.mtx",
                 .n_operand = 1,
                 .output = "write pattern, config, spy plots, spectra and JSON to this folder, and "
                           "run the config",
                 .summary = "Finds Jacobian entries of a subsystem that the linearly implicit "
                            "Euler method (linimp) can omit at its step\nsize. The result is "
                            "stable at every linearisation of a run, by exact eigenvalues, and "
                            "meets --error. The exit\ncode is 1 if a given pattern is refused, or "
                            "if a run with the result is less accurate than --error.\n"}};
    const int code = parse(&a, argc, argv);
    if (code != 0)
        return code - 1;
    wrsim_error err = {0};
    if (!a.is_json) {
        a.line = wr_status_line_begin();
        a.options.listener = (wr_listener){.tell = wr_status_line_draw, .user = &a.line};
    }
    const wrsim_status status = study(&a, &err);
    wr_status_line_end(&a.line);
    if (status < 0 && err.text[0])
        wr_print_error(NULL, &err);
    free(a.error);
    free(a.time_s);
    free(a.run_time_s);
    wr_sparsing_study_done(&a.study);
    wrsim_config_destroy(&a.config);
    return wrsim_status_exit_code(status);
}
