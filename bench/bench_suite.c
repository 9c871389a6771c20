/* Cases of a suite file, or of one config. See bench.h.
 *
 *     [[case]]
 *     name = "engine"
 *     config = "../models/engine/engine.toml"   # relative to this file
 *     overrides = ["simulation.stop=0.24"]      # as -D
 *     signals = ["cyl*.p"]                      # signals of the error; []: all recorded signals
 *     warm = 0.048                              # s, run before the clock starts
 *     error = 1e-4
 *     baselines = ["monolithic", "cvode-bdf-klu"]
 *
 * The other keys are in the table below.
 *
 * Thread: main. Real-time: no.
 */

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/names.h"
#include "base/same_file.h"
#include "base/text_file.h"
#include "bench/bench.h"
#include "bench/bench_run.h"
#include "offline/budget.h"
#include "offline/point_cost.h"
#include "runtime/config/config_file.h"
#include "runtime/config/toml.h"
#include "runtime/record/own_file.h"

typedef enum value_kind { TEXT, TEXTS, BASELINES, TEXT_LISTS, REAL, FLAG } value_kind;

#define AT(field) offsetof(wr_bench_case, field)
static const struct {
    const char *key;
    value_kind kind;
    size_t offset;
} keys[] = {
    {"name", TEXT, AT(run.name)},
    {"config", TEXT, AT(run.config)},
    {"overrides", TEXTS, AT(run.override)},
    {"signals", TEXTS, AT(run.signal)},
    {"solvers", TEXTS, AT(solver)},         /* solvers to try for the best monolithic run */
    {"baselines", BASELINES, AT(baseline)}, /* "monolithic" and peers */
    {"tune", TEXT_LISTS, AT(tune)},         /* lists of alternatives for relaxed runs */
    {"warm", REAL, AT(run.warm_s)},
    {"grid", REAL, AT(run.grid_s)}, /* distance of the points of the error computation, s */
    {"error", REAL, AT(run.error)}, /* target error of both sides */
    {"rtol_first", REAL, AT(rtol_first)},
    {"rtol_last", REAL, AT(rtol_last)},
    {"rtol_guess", REAL, AT(rtol_guess)},
    {"reference_solver", TEXT, AT(run.reference_solver)},
    {"reference_rtol", REAL, AT(run.reference_rtol)},
    {"reference_event_tolerance", REAL, AT(run.reference_event_s)},
    /* "window" or "sweep": measure the cost of one window or sweep, without tuning */
    {"unit", TEXT, AT(unit)},
    {"windows", FLAG, AT(is_windows)},
    {"costs", TEXTS, AT(cost)}, /* costs of points, PATTERN=TIME */
};
enum { N_KEY = sizeof keys / sizeof keys[0] };

static wrsim_status refuse_at(const wr_bench *bench, const wr_where *where, const char *text)
{
    wrsim_error error;
    wr_error_set(&error, WRSIM_E_CONFIG, "%s", text);
    snprintf(error.file, sizeof error.file, "%s", where->file ? where->file : "");
    error.line = where->line;
    error.column = where->column;
    const wr_listener *const l = &bench->trial.listener;
    l->report(l->user, &error);
    return WRSIM_E_CONFIG;
}

static wrsim_status refuse_value(const wr_bench *bench, const wr_toml *v, const char *key,
                                 const char *expected)
{
    return refuse_at(bench, &v->where,
                     wr_text(bench->trial.memory, "'%s' of a case must be %s", key, expected));
}

static wrsim_status add_texts(wr_bench *bench, wr_texts *list, const wr_toml *array,
                              const char *key)
{
    static const char EXPECTED[] = "a list of strings in quotes";
    if (array->kind != WR_TOML_ARRAY)
        return refuse_value(bench, array, key, EXPECTED);
    for (const wr_toml *v = array->first; v; v = v->next) {
        if (v->kind != WR_TOML_STRING)
            return refuse_value(bench, v, key, EXPECTED);
        wr_texts_add(bench->trial.memory, list, v->string);
    }
    return 0;
}

static wrsim_status add_baselines(wr_bench *bench, wr_texts *list, const wr_toml *array)
{
    const int code = add_texts(bench, list, array, array->key);
    const wr_toml *v = array->first;
    for (int i = 0; i < list->n && code == 0; i++, v = v->next)
        if (!wr_bench_is_baseline(list->item[i]))
            return refuse_at(bench, &v->where,
                             wr_text(bench->trial.memory,
                                     "unknown baseline '%s'; choose one of: %s", list->item[i],
                                     wr_bench_baselines_text(bench)));
    return code;
}

static wrsim_status set_value(wr_bench *bench, wr_bench_case *c, const wr_toml *v)
{
    const char *names[N_KEY];
    int i = 0;
    for (int k = 0; k < N_KEY; k++)
        names[k] = keys[k].key;
    while (i < N_KEY && strcmp(keys[i].key, v->key) != 0)
        i++;
    if (i == N_KEY) {
        char hint[WR_NAMES_HINT_BYTES];
        return refuse_at(bench, &v->where_key,
                         wr_text(bench->trial.memory, "unknown key '%s' of a case; %s", v->key,
                                 wr_names_hint(v->key, names, N_KEY, hint)));
    }
    void *const to = (char *)c + keys[i].offset;
    switch (keys[i].kind) {
    case TEXT:
        if (v->kind != WR_TOML_STRING)
            return refuse_value(bench, v, v->key, "a string in quotes");
        *(const char **)to = v->string;
        return 0;
    case TEXTS:
        return add_texts(bench, to, v, v->key);
    case BASELINES:
        return add_baselines(bench, to, v);
    case TEXT_LISTS: {
        if (v->kind != WR_TOML_ARRAY)
            return refuse_value(bench, v, v->key,
                                "a list of lists, such as [[\"solver.kind=rk43\"]]");
        int n = 0, code = 0;
        for (const wr_toml *list = v->first; list; list = list->next)
            n++;
        c->tune = wr_heap_pool_take(bench->trial.memory, (size_t)n + 1, sizeof *c->tune);
        for (const wr_toml *list = v->first; list && code == 0 && c->tune; list = list->next)
            code = add_texts(bench, &c->tune[c->n_tune++], list, v->key);
        return code;
    }
    case REAL:
        if (v->kind != WR_TOML_REAL && v->kind != WR_TOML_INTEGER)
            return refuse_value(bench, v, v->key, "a number");
        if (!(v->real > 0.0 || (v->real >= 0.0 && to == &c->run.warm_s)) || isinf(v->real))
            return refuse_value(bench, v, v->key,
                                to == &c->run.warm_s ? "at least 0, and finite"
                                                     : "above 0, and finite");
        *(double *)to = v->real;
        return 0;
    default:
        if (v->kind != WR_TOML_FLAG)
            return refuse_value(bench, v, v->key, "true or false");
        *(int *)to = v->integer != 0;
        return 0;
    }
}

static wr_bench_case empty_case(void)
{
    return (wr_bench_case){.rtol_first = 0.1, .rtol_last = 1e-11, .run.reference_event_s = 1e-12};
}

static wrsim_status read_case(wr_bench *bench, const char *file, const wr_toml *table,
                              wr_bench_case *c)
{
    *c = empty_case();
    int code = 0;
    if (table->kind != WR_TOML_TABLE)
        return refuse_at(bench, &table->where,
                         "'case' is not a list of tables; write each case as [[case]]");
    for (const wr_toml *v = table->first; v; v = v->next) {
        const int wrong = set_value(bench, c, v);
        code = code != 0 ? code : wrong;
    }
    if (code == 0 && (!c->run.name || !c->run.config))
        return refuse_at(bench, &table->where,
                         "a case needs a name and a config; add the missing key");
    if (code == 0 && c->unit && strcmp(c->unit, "window") != 0 && strcmp(c->unit, "sweep") != 0)
        return refuse_at(bench, &table->where,
                         "the unit of a case must be \"window\" or \"sweep\"");
    if (code != 0)
        return code;
    /* The path of a config is relative to the folder of the file that names it. */
    const char *const slash = strrchr(file, '/');
    c->run.config =
        c->run.config[0] == '/' || !slash
            ? c->run.config
            : wr_text(bench->trial.memory, "%.*s/%s", (int)(slash - file), file, c->run.config);
    return wr_bench_spare(bench, "the config", c->run.config);
}

/* Sets the lists of alternatives for relaxed runs, which suit any config: sweep order, window control and length, convergence limit,
 * method. */
static void default_tuning(wr_bench *bench, wr_bench_case *c)
{
    static const double lengths[] = {0.25, 0.5, 1.0, 2.0, 4.0},
                        agreements[] = {0.1, 1.0, 10.0, 100.0};
    const double initial_s = c->run.window_initial_s;
    const double convergence = c->run.convergence;
    c->n_tune = 4;
    c->tune = wr_heap_pool_take(bench->trial.memory, (size_t)c->n_tune, sizeof *c->tune);
    if (!c->tune)
        return;
    wr_texts *list = &c->tune[0];
    wr_texts_add(bench->trial.memory, list, "relaxation.scheme=jacobi");
    wr_texts_add(bench->trial.memory, list, "relaxation.scheme=gauss_seidel");
    list++;
    for (size_t i = 0; i < WR_COUNT_OF(lengths); i++) {
        const double length_s = initial_s * lengths[i];
        wr_texts_add(bench->trial.memory, list,
                     wr_text(bench->trial.memory,
                             "relaxation.window.control=fixed; "
                             "relaxation.window.initial=%.12g; "
                             "relaxation.window.max=%.12g; relaxation.window.min=%.12g",
                             length_s, wr_max(c->run.window_max_s, length_s),
                             wr_min(c->run.window_min_s, length_s)));
    }
    wr_texts_add(bench->trial.memory, list, "relaxation.window.control=work");
    list++;
    for (size_t i = 0; i < WR_COUNT_OF(agreements); i++)
        wr_texts_add(bench->trial.memory, list,
                     wr_text(bench->trial.memory, "relaxation.convergence=%.12g",
                             convergence * agreements[i]));
    list++;
    for (int i = 0; i < c->solver.n; i++)
        wr_texts_add(bench->trial.memory, list,
                     wr_text(bench->trial.memory, "solver.kind=%s", c->solver.item[i]));
}

/* Returns whether solver.kind has no effect, because every subsystem names its own solver. */
static int is_kind_fixed(wr_bench *bench, const wr_bench_case *c)
{
    static const char *const kinds[] = {"solver.kind=bs32", "solver.kind=rk43"};
    int n[WR_COUNT_OF(kinds)] = {0};
    for (size_t k = 0; k < WR_COUNT_OF(kinds); k++) {
        wrsim *sim = NULL;
        wrsim_subsystem_stats s;
        wr_texts more = {0};
        wr_texts_add(bench->trial.memory, &more, kinds[k]);
        if (wr_trial_create(&bench->trial, &c->run, &more, NULL, &sim, NULL, NULL) < 0)
            return 0;
        for (int i = 0; wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++)
            n[k] += strcmp(s.solver, "bs32") == 0;
        wrsim_destroy(&sim);
    }
    return n[0] == n[1];
}

/* Adds overrides with the costs of points, in order. Returns the status. */
static wrsim_status add_costs(wr_bench *bench, wr_bench_case *c, const wr_texts *cost)
{
    wr_heap_pool *const memory = bench->trial.memory;
    for (int i = 0; i < cost->n; i++) {
        char override[WR_POINT_COST_BYTES];
        const char *const why = wr_point_cost_override(cost->item[i], override);
        if (why)
            return wr_bench_refuse(bench, "the cost '%s' %s", cost->item[i], why);
        wr_texts_add(memory, &c->run.override, wr_text(memory, "%s", override));
    }
    return WRSIM_OK;
}

/* Decides whether runs count or spend the costs of a case that wr_trial_look() has read. Returns the status. */
static wrsim_status choose_points(wr_bench *bench, wr_bench_case *c)
{
    const wr_bench_options *const o = &bench->options;
    const int is_spent = o->is_spent || c->run.is_spent;
    if (c->run.n_costly == 0 && (o->cost.n > 0 || c->cost.n > 0))
        return wr_bench_refuse(bench,
                               "case '%s': all costs are 0, so points cannot be compared; give one "
                               "component a TIME above 0",
                               c->run.name);
    if (c->run.n_costly == 0 && o->is_spent)
        return wr_bench_refuse(bench,
                               "--burn has no costs to wait for in case '%s'; add --cost "
                               "PATTERN=TIME",
                               c->run.name);
    if (c->run.n_costly == 0 || o->is_budget)
        return WRSIM_OK;
    c->is_counted = !is_spent;
    c->run.is_spent = is_spent;
    wr_texts_add(bench->trial.memory, &c->run.override,
                 is_spent ? "simulation.points=spend" : "simulation.points=count");
    return WRSIM_OK;
}

/* Completes a case. The command line overrides the suite. Returns the status. */
static wrsim_status complete(wr_bench *bench, wr_bench_case *c)
{
    static const char *const solvers[] = {"bs32",       "rk43",         "dopri54",
                                          "rosenbrock", "rosenbrock_w", "auto"};
    const wr_bench_options *const o = &bench->options;
    if (o->cost.n == 0)
        WR_TRY(add_costs(bench, c, &c->cost));
    wr_texts_add_all(bench->trial.memory, &c->run.override, &o->override);
    WR_TRY(add_costs(bench, c, &o->cost));
    if (o->signal.n > 0)
        c->run.signal = o->signal;
    if (o->baseline.n > 0)
        c->baseline = o->baseline;
    if (c->baseline.n == 0)
        wr_texts_add(bench->trial.memory, &c->baseline, "monolithic");
    if (c->solver.n == 0)
        for (size_t i = 0; i < WR_COUNT_OF(solvers); i++)
            wr_texts_add(bench->trial.memory, &c->solver, solvers[i]);
    if (o->warm_s >= 0.0)
        c->run.warm_s = o->warm_s;
    const wrsim_status code = wr_trial_look(&bench->trial, &c->run);
    if (code != WRSIM_OK)
        return code;
    WR_TRY(choose_points(bench, c));
    c->is_kind_fixed = !o->is_budget && !c->run.is_auto && is_kind_fixed(bench, c);
    if (c->n_tune == 0 && !c->unit)
        default_tuning(bench, c);
    if (o->error > 0.0)
        c->run.error = o->error;
    if (o->is_budget)
        wr_budget_defaults(&c->run);
    /* Default target error of comparisons: 1e-4, the error of published rows. */
    if (!(c->run.error > 0.0))
        c->run.error = 1e-4;
    if (c->run.error > 0.1) /* as simulation.rtol and --error */
        return wr_bench_refuse(bench, "case '%s': error = %g is above 0.1; lower error",
                               c->run.name, c->run.error);
    if (!c->run.reference_solver)
        c->run.reference_solver = "dopri54";
    if (!(c->run.reference_rtol > 0.0))
        c->run.reference_rtol = 1e-11;
    if (!(c->run.warm_s >= 0.0) || !(c->run.start_s + c->run.warm_s < c->run.stop_s))
        return wr_bench_refuse(
            bench,
            "case '%s': warm = %g s is negative or not less than the run; correct warm, or "
            "raise simulation.stop",
            c->run.name, c->run.warm_s);
    return 0;
}

/* Reads a suite (.toml with [[case]]), or makes one case of a config. Reports errors. Returns the status. */
static wrsim_status load_cases(wr_bench *bench, const char *file, wr_bench_case **ret_case,
                               int *ret_n)
{
    wr_diag diag = {0};
    size_t bytes;
    char *const text = wr_config_file_read(file, WR_TOML_MAX_BYTES, &bytes, &diag);
    const wr_toml *const root =
        text ? wr_toml_parse(text, bytes, file, bench->trial.memory, &diag) : NULL;
    free(text);
    if (!root) {
        for (int i = 0; i < diag.n_items; i++)
            bench->trial.listener.report(bench->trial.listener.user, &diag.items[i]);
        const wrsim_status code = wr_diag_status(&diag);
        wr_diag_done(&diag);
        return code;
    }
    wr_diag_done(&diag);
    const wr_toml *cases = root && root->kind == WR_TOML_TABLE ? root->first : NULL;
    while (cases && strcmp(cases->key, "case") != 0)
        cases = cases->next;
    int n = 0;
    wrsim_status code = wr_bench_spare(bench, cases ? "the suite" : "the config", file);
    if (code != 0)
        return code;
    for (const wr_toml *v = cases ? root->first : NULL; v; v = v->next)
        if (v != cases)
            return refuse_at(bench, &v->where_key,
                             wr_text(bench->trial.memory,
                                     "'%s' is outside of a case; write the key below [[case]]",
                                     v->key));
    if (cases && !cases->first)
        return refuse_at(bench, &cases->where,
                         "the suite has no case; write each case as [[case]]");
    for (const wr_toml *v = cases ? cases->first : NULL; v; v = v->next)
        n++;
    n = cases ? n : 1;
    if (!cases && bench->options.only)
        return wr_bench_refuse(
            bench, "--case %s: '%s' is not a suite, because [[case]] is missing; name a suite",
            bench->options.only, file);
    wr_bench_case *const list = wr_heap_pool_take(bench->trial.memory, (size_t)n, sizeof *list);
    if (!list)
        return WRSIM_E_MEMORY;
    if (!cases) {
        list[0] = empty_case();
        const char *const slash = strrchr(file, '/'), *const name = slash ? slash + 1 : file;
        const char *const dot = strrchr(name, '.');
        list[0].run.name =
            wr_text(bench->trial.memory, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
        list[0].run.config = file;
        code = complete(bench, &list[0]);
    }
    n = cases ? 0 : 1;
    for (const wr_toml *v = cases ? cases->first : NULL; v && code == 0; v = v->next) {
        code = read_case(bench, file, v, &list[n]);
        if (code == 0 && bench->options.only && strcmp(bench->options.only, list[n].run.name) != 0)
            continue;
        if (code == 0)
            code = complete(bench, &list[n++]);
    }
    if (code == 0 && n == 0)
        return wr_bench_refuse(bench, "'%s' has no case '%s'; name a case of this file", file,
                               bench->options.only);
    *ret_case = list;
    *ret_n = n;
    return code;
}

/* Refuses to replace a file that wrsim did not write, and one file for --json and --svg. Returns the status. */
static wrsim_status check_replaced(const wr_bench *bench)
{
    const wr_bench_options *const o = &bench->options;
    const struct {
        const char *path;
        wr_own_kind kind;
    } written[] = {{o->json, WR_OWN_BENCH}, {o->svg, WR_OWN_DRAWING}, {o->write, WR_OWN_CONFIG}};
    for (size_t i = 0; i < WR_COUNT_OF(written); i++) {
        const char *const refusal =
            written[i].path
                ? wr_own_file_refusal(wr_bench_place(bench, written[i].path), written[i].kind)
                : NULL;
        if (refusal)
            return wr_bench_refuse(
                bench, "'%s' exists and is not %s; choose another file, or remove this file",
                written[i].path, refusal);
    }
    if (o->json && o->svg &&
        wr_same_file(wr_bench_place(bench, o->json), wr_bench_place(bench, o->svg)))
        return wr_bench_refuse(bench, "--json and --svg both name '%s'; choose another file",
                               o->json);
    return WRSIM_OK;
}

static wrsim_status do_cases(wr_bench *bench, const char *file, wr_bench_case_fn fn)
{
    wr_bench_case *list = NULL;
    int n = 0;
    wrsim_status worst = WRSIM_OK, status = load_cases(bench, file, &list, &n);
    if (status == WRSIM_OK && n > 1 && bench->options.write)
        status = wr_bench_refuse(bench, "--write takes one case; choose the case by --case");
    if (status == WRSIM_OK) /* load_cases() is first, because its errors name the config */
        status = check_replaced(bench);
    if (status != WRSIM_OK)
        return status;
    for (int i = 0; i < n && !wr_bench_is_over(bench); i++) {
        bench->at = &list[i];
        wr_trial_choose(&bench->trial, &list[i].run);
        status = fn(bench, &list[i]);
        worst = status != WRSIM_OK ? status : worst;
    }
    wr_bench_forget(bench);
    return worst;
}

wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn)
{
    const wr_bench_options *const o = &bench->options;
    const char *const written[] = {o->json, o->svg, o->write};
    /* A program of --peers that cannot run is an error before the first case, because each case would only note the omitted rows. */
    wrsim_status status =
        !o->peers || access(o->peers, X_OK) == 0
            ? WRSIM_OK
            : wr_bench_refuse(bench, "--peers '%s' cannot be run: %s; name an executable program",
                              o->peers, strerror(errno));
    for (size_t i = 0; i < WR_COUNT_OF(written) && status == WRSIM_OK; i++)
        status = written[i]
                     ? wr_bench_unwritten(bench, written[i],
                                          wr_text_file_try(wr_bench_place(bench, written[i])))
                     : WRSIM_OK;
    if (status == WRSIM_OK)
        status = wr_trial_open(&bench->trial);
    if (status != WRSIM_OK)
        return status;
    if (o->max_core == 0)
        bench->options.max_core = wr_bench_count_cores();
    bench->trial.limit_s =
        o->limit_s; /* a command may change the options after wr_bench_create() */
    bench->start_ns = wr_clock_monotonic_ns();
    wr_bench_catch_signals();
    if (file)
        status = do_cases(bench, file, fn);
    else if ((status = check_replaced(bench)) == WRSIM_OK)
        status = wr_bench_growth(bench);
    wr_trial_close(&bench->trial);
    if (wr_bench_is_interrupted())
        return WRSIM_STOPPED;
    return wr_heap_pool_is_short(bench->trial.memory) ? WRSIM_E_MEMORY : status;
}
