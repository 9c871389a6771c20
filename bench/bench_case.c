/* Cases of `wrsim bench`: a suite file, or one config. See bench.h.
 *
 *     [[case]]
 *     name = "engine"
 *     config = "../models/engine/engine.toml"   # relative to this file
 *     overrides = ["simulation.stop=0.24"]      # as -D
 *     signals = ["cyl*.p"]                      # whose errors count; [] = those that are recorded
 *     warm = 0.048                              # s, run before the clock starts
 *     error = 1e-4
 *     baselines = ["monolithic", "cvode-bdf-klu"]
 *
 * The other keys are in the table below.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/bench.h"
#include "cli/print.h"
#include "runtime/config/config_file.h"
#include "runtime/config/toml.h"

typedef enum value_kind { TEXT, TEXTS, BASELINES, TEXT_LISTS, REAL, FLAG } value_kind;

#define AT(field) offsetof(wr_bench_case, field)
static const struct {
    const char *key;
    value_kind kind;
    size_t offset;
} keys[] = {
    {"name", TEXT, AT(name)},
    {"config", TEXT, AT(config)},
    {"overrides", TEXTS, AT(override)},
    {"signals", TEXTS, AT(signal)},
    {"solvers", TEXTS, AT(solver)},         /* tried for the best monolithic run */
    {"baselines", BASELINES, AT(baseline)}, /* "monolithic" and peers */
    {"tune", TEXT_LISTS, AT(tune)},         /* lists of alternatives for relaxed runs */
    {"warm", REAL, AT(warm_s)},
    {"grid", REAL, AT(grid_s)}, /* s, where errors are looked at */
    {"error", REAL, AT(error)}, /* both sides are tuned to it */
    {"rtol_first", REAL, AT(rtol_first)},
    {"rtol_last", REAL, AT(rtol_last)},
    {"reference_solver", TEXT, AT(reference_solver)},
    {"reference_rtol", REAL, AT(reference_rtol)},
    {"reference_event_tolerance", REAL, AT(reference_event_s)},
    {"unit", TEXT, AT(unit)}, /* "window" or "sweep": nothing is tuned, what one costs */
    {"windows", FLAG, AT(is_windows)},
};
enum { N_KEY = sizeof keys / sizeof keys[0], N_POINT_DEFAULT = 2000 };

static int print_at(const wr_where *where, const char *text)
{
    wrsim_error error;
    wr_error_set(&error, WRSIM_E_CONFIG, "%s", text);
    snprintf(error.file, sizeof error.file, "%s", where->file ? where->file : "");
    error.line = where->line;
    error.column = where->column;
    wr_print_error(NULL, &error);
    return wrsim_status_exit_code(WRSIM_E_CONFIG);
}

static int print_all(wr_diag *diag)
{
    for (int i = 0; i < diag->n_items; i++)
        wr_print_error(NULL, &diag->items[i]);
    const int code = wrsim_status_exit_code(wr_diag_status(diag));
    wr_diag_done(diag);
    return code;
}

static const wr_toml *child(const wr_toml *table, const char *key)
{
    const wr_toml *value = table && table->kind == WR_TOML_TABLE ? table->first : NULL;
    while (value && strcmp(value->key, key) != 0)
        value = value->next;
    return value;
}

static int add_texts(wr_bench *bench, wr_bench_list *list, const wr_toml *array)
{
    if (array->kind != WR_TOML_ARRAY)
        return print_at(&array->where, "a list of texts is expected here");
    for (const wr_toml *v = array->first; v; v = v->next) {
        if (v->kind != WR_TOML_STRING)
            return print_at(&v->where, "a text is expected here");
        wr_bench_list_add(bench, list, v->string);
    }
    return 0;
}

static int add_baselines(wr_bench *bench, wr_bench_list *list, const wr_toml *array)
{
    const int code = add_texts(bench, list, array);
    const wr_toml *v = array->first;
    for (int i = 0; i < list->n && code == 0; i++, v = v->next)
        if (!wr_bench_is_baseline(list->item[i]))
            return print_at(&v->where,
                            wr_bench_text(bench, "there is no baseline '%s'; known are %s",
                                          list->item[i], wr_bench_baselines_text(bench)));
    return code;
}

static int add_lists(wr_bench *bench, wr_bench_case *c, const wr_toml *array)
{
    if (array->kind != WR_TOML_ARRAY)
        return print_at(&array->where, "a list of lists is expected here");
    int n = 0, code = 0;
    for (const wr_toml *v = array->first; v; v = v->next)
        n++;
    c->tune = wr_settings_memory_take(bench->memory, (size_t)n + 1, sizeof *c->tune);
    for (const wr_toml *v = array->first; v && code == 0 && c->tune; v = v->next)
        code = add_texts(bench, &c->tune[c->n_tune++], v);
    return code;
}

static int set_value(wr_bench *bench, wr_bench_case *c, const wr_toml *v)
{
    const char *names[N_KEY];
    int i = 0;
    for (int k = 0; k < N_KEY; k++)
        names[k] = keys[k].key;
    while (i < N_KEY && strcmp(keys[i].key, v->key) != 0)
        i++;
    if (i == N_KEY) {
        char hint[WR_NAMES_HINT_BYTES];
        return print_at(&v->where_key, wr_bench_text(bench, "a case has no key '%s'; %s", v->key,
                                                     wr_names_hint(v->key, names, N_KEY, hint)));
    }
    void *const to = (char *)c + keys[i].offset;
    switch (keys[i].kind) {
    case TEXT:
        if (v->kind != WR_TOML_STRING)
            return print_at(&v->where, "a text is expected here");
        *(const char **)to = v->string;
        return 0;
    case TEXTS:
        return add_texts(bench, to, v);
    case BASELINES:
        return add_baselines(bench, to, v);
    case TEXT_LISTS:
        return add_lists(bench, c, v);
    case REAL:
        if (v->kind != WR_TOML_REAL && v->kind != WR_TOML_INTEGER)
            return print_at(&v->where, "a number is expected here");
        *(double *)to = v->real;
        return 0;
    default:
        if (v->kind != WR_TOML_FLAG)
            return print_at(&v->where, "true or false is expected here");
        *(int *)to = v->integer != 0;
        return 0;
    }
}

static wr_bench_case empty_case(void)
{
    return (wr_bench_case){.rtol_first = 0.1, .rtol_last = 1e-11, .reference_event_s = 1e-12};
}

/* A path relative to the folder of the file that names it. */
static const char *beside(wr_bench *bench, const char *file, const char *path)
{
    const char *const slash = strrchr(file, '/');
    if (path[0] == '/' || !slash)
        return path;
    return wr_bench_text(bench, "%.*s/%s", (int)(slash - file), file, path);
}

static int read_case(wr_bench *bench, const char *file, const wr_toml *table, wr_bench_case *c)
{
    *c = empty_case();
    int code = 0;
    if (table->kind != WR_TOML_TABLE)
        return print_at(&table->where, "write a case as [[case]]");
    for (const wr_toml *v = table->first; v; v = v->next) {
        const int wrong = set_value(bench, c, v);
        code = code != 0 ? code : wrong;
    }
    if (code == 0 && (!c->name || !c->config))
        return print_at(&table->where, "a case needs a name and a config");
    if (code == 0 && c->unit && strcmp(c->unit, "window") != 0 && strcmp(c->unit, "sweep") != 0)
        return print_at(&table->where, "a case's unit is \"window\" or \"sweep\"");
    if (code != 0)
        return code;
    c->config = beside(bench, file, c->config);
    return wr_bench_spare(bench, "the config", c->config);
}

/* ---- what the config itself says ---- */

static double real_of(const wr_toml *table, const char *key, double otherwise)
{
    const wr_toml *const v = child(table, key);
    return v && (v->kind == WR_TOML_REAL || v->kind == WR_TOML_INTEGER) ? v->real : otherwise;
}

/* Alternatives for relaxed runs that suit any config: order of a sweep, window fixed or not and how
 * long, how well windows must agree, method. */
static void default_tuning(wr_bench *bench, wr_bench_case *c)
{
    static const double lengths[] = {0.25, 0.5, 1.0, 2.0, 4.0},
                        agreements[] = {0.1, 1.0, 10.0, 100.0};
    const double initial_s = c->window_initial_s;
    const double convergence = c->convergence;
    c->n_tune = 4;
    c->tune = wr_settings_memory_take(bench->memory, (size_t)c->n_tune, sizeof *c->tune);
    if (!c->tune)
        return;
    wr_bench_list *list = &c->tune[0];
    wr_bench_list_add(bench, list, "relaxation.scheme=jacobi");
    wr_bench_list_add(bench, list, "relaxation.scheme=gauss_seidel");
    list++;
    for (size_t i = 0; i < WR_COUNT_OF(lengths); i++) {
        const double length_s = initial_s * lengths[i];
        wr_bench_list_add(bench, list,
                          wr_bench_text(bench,
                                        "relaxation.window.control=fixed; "
                                        "relaxation.window.initial=%.12g; "
                                        "relaxation.window.max=%.12g; relaxation.window.min=%.12g",
                                        length_s, wr_max(c->window_max_s, length_s),
                                        wr_min(c->window_min_s, length_s)));
    }
    wr_bench_list_add(bench, list, "relaxation.window.control=work");
    list++;
    for (size_t i = 0; i < WR_COUNT_OF(agreements); i++)
        wr_bench_list_add(
            bench, list,
            wr_bench_text(bench, "relaxation.convergence=%.12g", convergence * agreements[i]));
    list++;
    for (int i = 0; i < c->solver.n; i++)
        wr_bench_list_add(bench, list, wr_bench_text(bench, "solver.kind=%s", c->solver.item[i]));
}

static void take_subsystems(wr_bench *bench, wr_bench_case *c, const wr_toml *root)
{
    const wr_toml *const monolithic = child(child(root, "simulation"), "monolithic");
    const wr_toml *const list = child(root, "subsystem");
    c->is_auto = monolithic && monolithic->string && strcmp(monolithic->string, "auto") == 0;
    if (monolithic && monolithic->integer != 0)
        return;
    for (const wr_toml *v = list ? list->first : NULL; v; v = v->next) {
        const wr_toml *const name = child(v, "name"), *const follows = child(v, "follows");
        wr_bench_list_add(bench, &c->subsystem, name ? name->string : "");
        wr_bench_list_add(bench, &c->follows, follows ? follows->string : "");
    }
}

static void take_facts(wr_bench *bench, wr_bench_case *c, const wr_toml *root)
{
    const wr_toml *const simulation = child(root, "simulation");
    const wr_toml *const signals = child(child(root, "output"), "signals");
    const wr_toml *const window = child(child(root, "relaxation"), "window");
    c->window_initial_s = real_of(window, "initial", 1e-3);
    c->window_min_s = real_of(window, "min", 1e-6);
    c->window_max_s = real_of(window, "max", 1.0);
    c->rtol = real_of(simulation, "rtol", 1e-6);
    c->convergence = real_of(child(root, "relaxation"), "convergence", 0.3);
    take_subsystems(bench, c, root);
    c->start_s = real_of(simulation, "start", 0.0);
    c->stop_s = real_of(simulation, "stop", 0.0);
    if (!(c->grid_s > 0.0))
        c->grid_s = wr_min(real_of(simulation, "communication_step", 500e-6),
                           (c->stop_s - c->start_s) / N_POINT_DEFAULT);
    if (c->signal.n == 0)
        for (const wr_toml *v = signals ? signals->first : NULL; v; v = v->next)
            wr_bench_list_add(bench, &c->signal, v->string);
    if (c->n_tune == 0 && !c->unit)
        default_tuning(bench, c);
}

/* With one or two overrides more. */
static wrsim_status create(wr_bench *bench, const wr_bench_case *c, const char *one,
                           const char *other, wrsim_report_fn report, wrsim **ret_sim)
{
    wr_bench_list overrides = {0};
    wrsim_config *config = NULL;
    for (int i = 0; i < c->override.n; i++)
        wr_bench_list_add(bench, &overrides, c->override.item[i]);
    wr_bench_list_add(bench, &overrides, one);
    if (other)
        wr_bench_list_add(bench, &overrides, other);
    wrsim_status status =
        wrsim_config_from_file(c->config, overrides.item, overrides.n, report, NULL, &config, NULL);
    if (status >= 0)
        status = wrsim_create(config, report, NULL, ret_sim, NULL);
    wrsim_config_destroy(&config);
    return status;
}

/* Signals that fit nothing would show after the reference only. */
static int try_signals(wr_bench *bench, const wr_bench_case *c)
{
    wrsim *sim = NULL;
    const wrsim_status status =
        create(bench, c, wr_bench_signals_text(bench, c),
               "simulation.monolithic=true" /* nothing is to be probed */, wr_print_error, &sim);
    wrsim_destroy(&sim);
    return wrsim_status_exit_code(status);
}

/* Whether as many subsystems have one solver whatever solver.kind is. */
static int is_kind_fixed(wr_bench *bench, const wr_bench_case *c)
{
    static const char *const kinds[] = {"solver.kind=bs32", "solver.kind=rk43"};
    int n[WR_COUNT_OF(kinds)] = {0};
    for (size_t k = 0; k < WR_COUNT_OF(kinds); k++) {
        wrsim *sim = NULL;
        wrsim_subsystem_stats s;
        if (create(bench, c, kinds[k], NULL, NULL, &sim) < 0)
            return 0;
        for (int i = 0; wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++)
            n[k] += strcmp(s.solver, "bs32") == 0;
        wrsim_destroy(&sim);
    }
    return n[0] == n[1];
}

/* The resolved config is read through its own text: the public interface has no other way in. */
static int look_into_config(wr_bench *bench, wr_bench_case *c)
{
    wrsim_config *config = NULL;
    const wrsim_status status = wrsim_config_from_file(c->config, c->override.item, c->override.n,
                                                       wr_print_error, NULL, &config, NULL);
    char *const text = status < 0 ? NULL : wrsim_config_dump(config);
    wrsim_config_destroy(&config);
    if (!text)
        return wrsim_status_exit_code(status < 0 ? status : WRSIM_E_MEMORY);
    wr_diag diag = {0};
    const wr_toml *const root = wr_toml_parse(text, strlen(text), c->config, bench->memory, &diag);
    free(text);
    if (!root)
        return print_all(&diag);
    take_facts(bench, c, root);
    wr_diag_done(&diag);
    c->is_kind_fixed = !c->is_auto && is_kind_fixed(bench, c);
    return try_signals(bench, c);
}

/* The command line comes after the file. */
static int complete(wr_bench *bench, wr_bench_case *c)
{
    static const char *const solvers[] = {"bs32",       "rk43",         "dopri54",
                                          "rosenbrock", "rosenbrock_w", "auto"};
    const wr_bench_options *const o = &bench->options;
    for (int i = 0; i < o->override.n; i++)
        wr_bench_list_add(bench, &c->override, o->override.item[i]);
    if (o->signal.n > 0)
        c->signal = o->signal;
    if (o->baseline.n > 0)
        c->baseline = o->baseline;
    if (c->baseline.n == 0)
        wr_bench_list_add(bench, &c->baseline, "monolithic");
    if (c->solver.n == 0)
        for (size_t i = 0; i < WR_COUNT_OF(solvers); i++)
            wr_bench_list_add(bench, &c->solver, solvers[i]);
    if (o->warm_s >= 0.0)
        c->warm_s = o->warm_s;
    const int code = look_into_config(bench, c);
    if (code != 0)
        return code;
    if (o->error > 0.0)
        c->error = o->error;
    else if (!(c->error > 0.0))
        c->error = o->is_budget ? c->rtol : 1e-4;
    /* auto knows stiff from not; comparisons keep to what their rows were made with. */
    if (!c->reference_solver)
        c->reference_solver = o->is_budget ? "auto" : "dopri54";
    if (!(c->reference_rtol > 0.0))
        c->reference_rtol = o->is_budget ? wr_max(1e-4 * c->error, 1e-13) : 1e-11;
    if (!(c->warm_s >= 0.0) || !(c->start_s + c->warm_s < c->stop_s))
        return wr_bench_usage("case '%s': the warm-up of %g s leaves nothing of the run", c->name,
                              c->warm_s);
    return 0;
}

static const char *stem(wr_bench *bench, const char *file)
{
    const char *const slash = strrchr(file, '/'), *const name = slash ? slash + 1 : file;
    const char *const dot = strrchr(name, '.');
    return wr_bench_text(bench, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

int wr_bench_cases_load(wr_bench *bench, const char *file, wr_bench_case **ret_case, int *ret_n)
{
    wr_diag diag = {0};
    size_t bytes;
    char *const text = wr_config_file_read(file, WR_TOML_MAX_BYTES, &bytes, &diag);
    const wr_toml *const root =
        text ? wr_toml_parse(text, bytes, file, bench->memory, &diag) : NULL;
    free(text);
    if (!root)
        return print_all(&diag);
    wr_diag_done(&diag);
    const wr_toml *const cases = child(root, "case");
    int n = 0, code = wr_bench_spare(bench, cases ? "the suite" : "the config", file);
    if (code != 0)
        return code;
    for (const wr_toml *v = cases ? cases->first : NULL; v; v = v->next)
        n++;
    n = cases ? n : 1;
    if (!cases && bench->options.only)
        return wr_bench_usage("--case %s: '%s' is no suite, it has no [[case]]",
                              bench->options.only, file);
    wr_bench_case *const list = wr_settings_memory_take(bench->memory, (size_t)n, sizeof *list);
    if (!list)
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    if (!cases) {
        list[0] = empty_case();
        list[0].name = stem(bench, file);
        list[0].config = file;
        code = complete(bench, &list[0]);
    }
    n = cases ? 0 : 1;
    for (const wr_toml *v = cases ? cases->first : NULL; v && code == 0; v = v->next) {
        code = read_case(bench, file, v, &list[n]);
        if (code == 0 && bench->options.only && strcmp(bench->options.only, list[n].name) != 0)
            continue;
        if (code == 0)
            code = complete(bench, &list[n++]);
    }
    if (code == 0 && n == 0)
        return wr_bench_usage("'%s' has no case '%s'", file, bench->options.only);
    *ret_case = list;
    *ret_n = n;
    return code;
}
