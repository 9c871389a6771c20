/* Both sides of a comparison at equal error, and curves of work over precision. See bench.h.
 *
 * A side is tuned in two steps. settle() finds the tolerance at which a setting has the error asked
 * for: it brackets and interpolates error over rtol in log-log, always by runs, and keeps the
 * loosest whose measured error is not above. Between settings (method, window, order of a sweep)
 * the cheaper one wins; relaxed runs go through the case's lists of alternatives one after the other
 * (coordinate search), for every number of cores by itself.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "bench/bench.h"

enum { SETTLE_RUNS = 14 };

/* How near to the error asked for a search ends: aim, content from where on, and how close two
 * tolerances may come. Roughly while settings are compared, finely for the one that is measured: the
 * cost of a method of order p goes with error^(-1/p). */
typedef struct precision {
    double aim, content, least_gap, least_growth;
} precision;
static const precision ROUGHLY = {0.85, 0.6, 1.15, 1.5}, FINELY = {0.96, 0.9, 1.03, 1.05};
/* rtol of the config is limited to this (keys.c). */
static const double LOOSEST_RTOL = 0.1, TIGHTEST_RTOL = 1e-13;
/* Curves end there: references are good to about a tenth of it. */
static const double FINEST_ERROR = 1e-7;
/* A setting must be this much cheaper to be preferred: less is noise. Two that are nearer to each
 * other than NEAR are run in turn, and the median of the ratios decides: the speed of a machine
 * that others use moves by as much within minutes, so the least of all runs would favour whoever
 * ran in a fast one. */
static const double CLEARLY = 0.98, NEAR = 2.0;
/* In turn so often, and more often as long as it takes less than so long altogether. */
enum { DUEL_RUNS = 7, MOST_DUEL_RUNS = 41 };
static const double DUEL_S = 0.5;
/* Points of curves that take less are run again, so often. */
static const double BRIEF_S = 0.2;
enum { CURVE_ROUNDS = 5 };

/* ---- tuning ---- */

typedef struct bracket {
    double good, good_error; /* loosest rtol whose error is not above; NaN = none yet */
    double bad, bad_error;   /* tightest rtol above it whose error is */
} bracket;

static void note(bracket *b, double rtol, double error, double target)
{
    if (error <= target) {
        if (!(rtol <= b->good)) {
            b->good = rtol;
            b->good_error = error;
        }
        if (b->bad <= b->good) /* errors are not monotonic */
            b->bad = (double)NAN;
    } else if (!(rtol < b->good) && !(rtol >= b->bad)) {
        b->bad = rtol;
        b->bad_error = error;
    }
}

/* Errors met while the tolerance falls. */
typedef struct descent {
    double error, rtol; /* that the later ones have been like; where it was first met */
} descent;

static const descent NOT_BEGUN = {(double)INFINITY, (double)INFINITY};

/* All errors down to a hundredth of a tolerance are alike: what is left is of another origin. They may
 * rise, where an error at a loose tolerance was small by chance. Runs that fail say nothing. */
static int is_floor(descent *d, double rtol, double error)
{
    static const double FALLS = 0.9, RISES = 2.0, FAR = 0.01;
    if (!isfinite(error))
        return 0;
    if (!(error >= FALLS * d->error && error <= RISES * d->error)) {
        d->error = error;
        d->rtol = rtol;
    }
    return rtol < 1.001 * FAR * d->rtol;
}

/* Where to try next; NaN when there is nothing left to try. */
static double next_rtol(const bracket *b, const precision *to, double rtol, double error,
                        double target)
{
    if (!isnan(b->good) && !isnan(b->bad)) {
        if (b->bad < to->least_gap * b->good)
            return (double)NAN;
        double share = 0.5;
        if (isfinite(b->bad_error) && b->good_error > 0.0 && b->bad_error > b->good_error)
            share = log(to->aim * target / b->good_error) / log(b->bad_error / b->good_error);
        return b->good * pow(b->bad / b->good, wr_clamp(share, 0.15, 0.85));
    }
    if (!isnan(b->good))
        return b->good >= LOOSEST_RTOL
                   ? (double)NAN
                   : wr_min(LOOSEST_RTOL, b->good * wr_clamp(to->aim * target / b->good_error,
                                                             to->least_growth, 10.0));
    const double factor = isfinite(error) ? wr_clamp(to->aim * target / error, 0.1, 0.9) : 0.3;
    return rtol * factor < TIGHTEST_RTOL ? (double)NAN : rtol * factor;
}

/* The rtol at which the setting has the error asked for, or a little less, starting at its rtol; sets
 * it. Returns the error, NaN if there is no such rtol; ret_floor: the least error if it stopped falling
 * above the one asked for, else NaN. */
static double settle(wr_bench *bench, wr_trial_setting *setting, const precision *to,
                     double *ret_floor)
{
    descent d = NOT_BEGUN;
    *ret_floor = (double)NAN;
    const double target = bench->at->run.error;
    bracket b = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double rtol = wr_clamp(setting->rtol, TIGHTEST_RTOL, LOOSEST_RTOL);
    for (int i = 0; i < SETTLE_RUNS && !isnan(rtol) && !wr_is_over(&bench->trial.listener); i++) {
        setting->rtol = rtol;
        const double error = wr_bench_error(bench, setting);
        note(&b, rtol, isnan(error) ? (double)INFINITY : error, target);
        if (error <= target && error >= to->content * target)
            break;
        if (isnan(b.good) && is_floor(&d, rtol, error)) {
            *ret_floor = d.error;
            break;
        }
        rtol = next_rtol(&b, to, rtol, isnan(error) ? (double)INFINITY : error, target);
    }
    setting->rtol = isnan(b.good) ? setting->rtol : b.good;
    return b.good_error;
}

/* Sets a key, also where it was set before. */
static void set_override(wr_bench *bench, wr_texts *list, const char *text)
{
    const size_t n_key = strcspn(text, "=") + 1;
    for (int i = 0; i < list->n; i++)
        if (strncmp(list->item[i], text, n_key) == 0) {
            list->item[i] = text;
            return;
        }
    wr_texts_add(bench->trial.memory, list, text);
}

/* A copy of the list with "a=1; b=2" set. */
static wr_texts with(wr_bench *bench, const wr_texts *list, const char *texts)
{
    wr_texts copy = {0};
    for (int i = 0; list && i < list->n; i++)
        wr_texts_add(bench->trial.memory, &copy, list->item[i]);
    while (*(texts += strspn(texts, "; "))) {
        const size_t n = strcspn(texts, ";");
        set_override(bench, &copy, wr_text(bench->trial.memory, "%.*s", (int)n, texts));
        texts += n;
    }
    return copy;
}

/* One solver for all, "true" or "auto". Its tolerance is the one that is swept, simulation.rtol, also
 * where the config gives the solvers their own. */
static wr_texts one_solver(wr_bench *bench, const char *monolithic, const char *kind)
{
    return with(bench, NULL,
                wr_text(bench->trial.memory,
                        "simulation.monolithic=%s; solver.kind=%s; solver.rtol=0", monolithic,
                        kind));
}

/* Is the candidate cheaper? */
static int is_cheaper(wr_bench *bench, const wr_trial_setting *candidate, double cost_s,
                      const wr_bench_contestant *best, double best_cost, int n_worker)
{
    if (isnan(best_cost) || cost_s >= NEAR * best_cost || best_cost >= NEAR * cost_s)
        return !(cost_s >= best_cost);
    double ratio[MOST_DUEL_RUNS];
    const int64_t start_ns = wr_clock_monotonic_ns();
    int n_run = 0;
    while (n_run < DUEL_RUNS || (n_run < MOST_DUEL_RUNS &&
                                 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns) < DUEL_S)) {
        const double one_s = wr_bench_cost_again(bench, &best->setting, n_worker);
        ratio[n_run++] = wr_bench_cost_again(bench, candidate, n_worker) / one_s;
        if (wr_is_over(&bench->trial.listener))
            return 0;
    }
    const wr_bench_spread spread = wr_bench_spread_of(ratio, n_run);
    return spread.n > 0 && spread.middle < CLEARLY;
}

/* Settles and costs one candidate; takes it over if it is the cheapest so far. */
static void challenge(wr_bench *bench, const char *who, wr_trial_setting candidate, int n_worker,
                      wr_bench_contestant *best, double *best_cost)
{
    double floor;
    const double error = settle(bench, &candidate, &ROUGHLY, &floor);
    double cost_s = isnan(error) ? (double)NAN : wr_bench_cost(bench, &candidate, n_worker, NULL);
    const int is_better =
        !isnan(cost_s) && is_cheaper(bench, &candidate, cost_s, best, *best_cost, n_worker);
    if (wr_is_over(&bench->trial.listener)) /* who did not get that far is not worse */
        return;
    wr_tell(
        &bench->trial.listener, WR_NEWS_PROGRESS, "%s: %s on %d: %s: %s", bench->at->run.name, who,
        n_worker, wr_bench_describe(bench, &candidate),
        !isnan(floor) ? wr_text(bench->trial.memory, "its error falls no further than %.2g", floor)
        : isnan(cost_s) ? "does not reach the error"
                        : wr_text(bench->trial.memory, "error %.2g, %.4g ms", error, cost_s * 1e3));
    if (is_better) {
        *best_cost = cost_s;
        best->setting = candidate;
        best->error = error;
    }
}

static double first_guess(const wr_bench *bench) { return 0.1 * bench->at->run.error; }

/* The winner's last few per cent. */
static int finish(wr_bench *bench, wr_bench_contestant *best)
{
    wr_trial_setting fine = best->setting;
    double floor;
    const double error = settle(bench, &fine, &FINELY, &floor);
    if (!isnan(error)) {
        best->setting = fine;
        best->error = error;
    }
    wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS, "%s: chosen: %s: error %.3g",
            bench->at->run.name, wr_bench_describe(bench, &best->setting), best->error);
    return 0;
}

static int tune_monolithic(wr_bench *bench, wr_bench_contestant *best)
{
    double cost_s = (double)NAN;
    const wr_texts *const solvers = &bench->at->solver;
    for (int i = 0; i < solvers->n; i++) {
        wr_trial_setting candidate = {.rtol = first_guess(bench)};
        candidate.override = one_solver(bench, "true", solvers->item[i]);
        challenge(bench, "monolithic", candidate, 1, best, &cost_s);
    }
    return isnan(cost_s) ? -1 : finish(bench, best);
}

/* "solver.kind=bs32" and nothing else. */
static int is_kind_alone(const char *texts)
{
    return strncmp(texts, "solver.kind=", strlen("solver.kind=")) == 0 && !strchr(texts, ';');
}

/* start: what was best on fewer cores, NULL = the config as it is. */
static int tune_relaxed(wr_bench *bench, int n_worker, const wr_bench_contestant *start,
                        wr_bench_contestant *best)
{
    double cost_s = (double)NAN;
    wr_trial_setting as_is = {.rtol = first_guess(bench)};
    challenge(bench, "relaxed", start ? start->setting : as_is, n_worker, best, &cost_s);
    if (bench->at->is_kind_fixed && n_worker == 1)
        wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS,
                "%s: solver.kind is not tuned: every subsystem has a solver of its own",
                bench->at->run.name);
    for (int i = 0; i < bench->at->n_tune; i++) {
        const wr_trial_setting from = isnan(cost_s) ? as_is : best->setting;
        const wr_texts *const list = &bench->at->tune[i];
        for (int k = 0; k < list->n; k++) {
            wr_trial_setting candidate = from;
            if (bench->at->is_kind_fixed && is_kind_alone(list->item[k]))
                continue;
            candidate.override = with(bench, &from.override, list->item[k]);
            challenge(bench, "relaxed", candidate, n_worker, best, &cost_s);
        }
    }
    return isnan(cost_s) ? -1 : finish(bench, best);
}

static void enter_peer(wr_bench *bench, wr_bench_field *f, const char *name)
{
    const char *const missing = wr_bench_peer_missing(bench, name);
    wr_bench_contestant *const c = missing ? NULL : wr_bench_enter(bench, f, name, 1);
    double cost_s = (double)NAN;
    if (c)
        challenge(bench, name, (wr_trial_setting){.peer = name, .rtol = first_guess(bench)}, 1, c,
                  &cost_s);
    if (!isnan(cost_s) && finish(bench, c) == 0)
        f->n++;
    else if (!wr_is_over(&bench->trial.listener))
        wr_tell(&bench->trial.listener, WR_NEWS_NOTE, "case '%s': %s is left out: %s",
                bench->at->run.name, name,
                missing ? missing : "it does not reach the error asked for");
}

/* One core, and the program chooses the grouping; offered are the best setting of the split and that of
 * one solver. Not entered where there is nothing to choose. */
static void enter_auto(wr_bench *bench, wr_bench_field *f, const wr_bench_contestant *relaxed,
                       const wr_bench_contestant *monolithic)
{
    const wr_bench_contestant *const from[] = {relaxed, monolithic};
    wr_bench_contestant *const c = wr_bench_enter(bench, f, WR_BENCH_AUTO, 1);
    wr_trial_sample work = {.wall_s = 0.0};
    double cost_s = (double)NAN;
    for (size_t i = 0; c && i < WR_COUNT_OF(from) && from[i]; i++) {
        wr_trial_setting candidate = from[i]->setting;
        candidate.override = with(bench, &candidate.override, "simulation.monolithic=auto");
        challenge(bench, WR_BENCH_AUTO, candidate, 1, c, &cost_s);
    }
    if (isnan(cost_s) || finish(bench, c) != 0)
        return;
    wr_bench_cost(bench, &c->setting, 1, &work);
    f->n += work.choice.has_answer;
}

static const wr_bench_contestant *find_monolithic(const wr_bench_field *f)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->who[i].name, "monolithic") == 0)
            return &f->who[i];
    return NULL;
}

/* The baselines first, then relaxed runs on 1, 2, ... cores. */
static int enter_all(wr_bench *bench, wr_bench_field *f)
{
    const wr_bench_case *const at = bench->at;
    for (int i = 0; i < at->baseline.n; i++) {
        if (strcmp(at->baseline.item[i], "monolithic") != 0) {
            enter_peer(bench, f, at->baseline.item[i]);
            continue;
        }
        wr_bench_contestant *const c = wr_bench_enter(bench, f, "monolithic", 1);
        if (c && tune_monolithic(bench, c) == 0)
            f->n++;
    }
    const wr_bench_contestant *const monolithic = find_monolithic(f);
    const wr_bench_contestant *fewer = NULL;
    for (int cores = 1; cores <= bench->options.max_core; cores++) {
        wr_bench_contestant *const c = wr_bench_enter(bench, f, "relaxed", cores);
        if (!c || tune_relaxed(bench, cores, fewer, c) != 0)
            return -1;
        fewer = c;
        f->n++;
        if (cores == 1)
            enter_auto(bench, f, c, monolithic);
    }
    return 0;
}

/* ---- curves ---- */

/* The setting with rtol, and the solvers' own tolerances in it moved by as much. */
static wr_trial_setting moved_to(wr_bench *bench, const wr_trial_setting *from, double rtol)
{
    static const char own[] = "solver.rtol";
    wr_trial_setting to = {.peer = from->peer, .rtol = rtol};
    for (int i = 0; i < from->override.n; i++) {
        const char *const item = from->override.item[i], *const equals = strchr(item, '=');
        const size_t n_key = equals ? (size_t)(equals - item) : 0;
        const int is_own = n_key >= sizeof own - 1 && from->rtol > 0.0 &&
                           memcmp(equals - (sizeof own - 1), own, sizeof own - 1) == 0;
        const double value = is_own ? strtod(equals + 1, NULL) * rtol / from->rtol : 0.0;
        wr_texts_add(bench->trial.memory, &to.override,
                     value > 0.0 ? wr_text(bench->trial.memory, "%.*s=%.9g", (int)n_key, item,
                                           wr_min(value, LOOSEST_RTOL))
                                 : item);
    }
    return to;
}

/* From loose to tight, until the finest error that is asked about is reached. */
static void add_curve(wr_bench *bench, const char *name, const wr_trial_setting *setting)
{
    const wr_bench_case *const at = bench->at;
    wr_bench_curve *const curve = wr_bench_curve_add(bench, at->run.name, name);
    const double step = sqrt(10.0);
    double error = (double)INFINITY;
    if (curve)
        curve->setting = *setting;
    descent d = NOT_BEGUN;
    for (int i = 0; curve && curve->n < WR_BENCH_POINTS && !(error <= FINEST_ERROR) &&
                    isnan(curve->floor) && !wr_is_over(&bench->trial.listener);
         i++) {
        const wr_trial_setting s = moved_to(bench, setting, at->rtol_first * pow(step, -i));
        if (s.rtol < 0.99 * at->rtol_last)
            break;
        error = wr_bench_error(bench, &s);
        wr_trial_sample work = {.wall_s = 0.0};
        const double cost_s = isfinite(error) ? wr_bench_cost(bench, &s, 1, &work) : (double)NAN;
        if (is_floor(&d, s.rtol, error))
            curve->floor = d.error;
        wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS,
                "%s: curve of %s: rtol %.2g: error %.2g, %.4g ms", at->run.name, name, s.rtol,
                error, cost_s * 1e3);
        if (isfinite(cost_s))
            curve->point[curve->n++] = (wr_bench_point){s.rtol, error, cost_s, work};
    }
}

/* Brief runs once more, all curves in turn: between two curves the machine may have changed its speed. */
static void settle_curves(wr_bench *bench)
{
    for (int round = 0; round < CURVE_ROUNDS; round++)
        for (int k = 0; k < WR_BENCH_POINTS; k++)
            for (int i = 0; i < bench->n_curve; i++) {
                wr_bench_curve *const curve = &bench->curve[i];
                wr_bench_point *const point = &curve->point[k];
                if (strcmp(bench->curve_case[i], bench->at->run.name) != 0 || k >= curve->n ||
                    point->cost_s > BRIEF_S)
                    continue;
                if (wr_is_over(&bench->trial.listener))
                    return;
                const wr_trial_setting s = moved_to(bench, &curve->setting, point->rtol);
                wr_bench_cost_again(bench, &s, 1);
                point->cost_s = wr_bench_cost(bench, &s, 1, NULL);
            }
}

/* As there is one of every solver of the monolithic run, where one solver is chosen. */
static void add_auto_curves(wr_bench *bench, const wr_bench_contestant *c)
{
    const wr_texts *const solvers = &bench->at->solver;
    add_curve(bench, c->name, &c->setting);
    for (int i = 0; i < solvers->n && c->work.choice.is_monolithic; i++) {
        wr_trial_setting s = {0};
        s.override = one_solver(bench, WR_BENCH_AUTO, solvers->item[i]);
        add_curve(bench, wr_text(bench->trial.memory, WR_BENCH_AUTO " %s", solvers->item[i]), &s);
    }
}

static void add_curves(wr_bench *bench, const wr_bench_field *f)
{
    const wr_texts *const solvers = &bench->at->solver;
    for (int i = 0; i < solvers->n; i++) {
        wr_trial_setting s = {0};
        s.override = one_solver(bench, "true", solvers->item[i]);
        add_curve(bench, wr_text(bench->trial.memory, "monolithic %s", solvers->item[i]), &s);
    }
    for (int i = 0; i < f->n; i++) {
        const wr_bench_contestant *const c = &f->who[i];
        const int is_relaxed = strcmp(c->name, "relaxed") == 0;
        if (strcmp(c->name, WR_BENCH_AUTO) == 0)
            add_auto_curves(bench, c);
        else if (c->setting.peer || (is_relaxed && c->cores == 1))
            add_curve(bench, c->name, &c->setting);
    }
    settle_curves(bench);
}

/* ---- all of a case ---- */

/* What a window or a sweep costs on 1, 2, ... cores: nothing is tuned. */
static void measure_unit(wr_bench *bench, wr_bench_field *f)
{
    for (int cores = 1; cores <= bench->options.max_core; cores++) {
        wr_bench_contestant *const c =
            wr_bench_enter(bench, f, cores == 1 ? "serial" : "parallel", cores);
        if (!c)
            return;
        f->n++;
    }
    wr_bench_rounds(bench, f);
    const int is_sweep = strcmp(bench->at->unit, "sweep") == 0;
    for (int i = 0; i < f->n; i++) {
        wr_bench_row *const row = wr_bench_row_against(bench, &f->who[i], &f->who[0]);
        const double n_unit = is_sweep ? f->who[i].work.n_sweep : f->who[i].work.n_window;
        if (!row || !(n_unit > 0.0))
            continue;
        row->unit_ns = 1e9 * row->wall_s / n_unit;
        row->note =
            wr_text(bench->trial.memory, "%.3f us per %s", 1e-3 * row->unit_ns, bench->at->unit);
    }
}

/* ---- windows ---- */

/* A relaxed run whose windows start at a length; fixed or left to the controller. */
static wr_trial_setting window_setting(wr_bench *bench, const char *control, double length_s)
{
    const wr_bench_case *const at = bench->at;
    wr_trial_setting setting = {.rtol = first_guess(bench)};
    const char *const texts = wr_text(
        bench->trial.memory,
        "relaxation.window.initial=%.12g; relaxation.window.max=%.12g; relaxation.window.min=%.12g",
        length_s, wr_max(length_s, at->run.window_max_s), wr_min(length_s, at->run.window_min_s));
    setting.override = with(
        bench, NULL,
        control ? wr_text(bench->trial.memory, "relaxation.window.control=%s; %s", control, texts)
                : texts);
    return setting;
}

/* The controller as configured, started right and a factor of 20 off, against the best fixed length
 * of a ladder of factors sqrt(2). */
static int measure_windows(wr_bench *bench, wr_bench_field *f)
{
    enum { HALF_LADDER = 8 };
    static const struct {
        const char *name;
        double factor;
    } starts[] = {{"", 1.0}, {"-short", 0.05}, {"-long", 20.0}};
    const double initial_s = bench->at->run.window_initial_s;
    wr_bench_contestant *const fixed = wr_bench_enter(bench, f, "best-fixed", 1);
    double cost_s = (double)NAN;
    for (int k = -HALF_LADDER; k <= HALF_LADDER && fixed; k++)
        challenge(bench, "fixed", window_setting(bench, "fixed", initial_s * pow(2.0, 0.5 * k)), 1,
                  fixed, &cost_s);
    if (isnan(cost_s) || finish(bench, fixed) != 0)
        return -1;
    f->n++;
    for (size_t i = 0; i < WR_COUNT_OF(starts); i++) {
        wr_bench_contestant *const c = wr_bench_enter(
            bench, f, wr_text(bench->trial.memory, "%s%s", bench->at->run.name, starts[i].name), 1);
        cost_s = (double)NAN;
        if (c)
            challenge(bench, "adaptive", window_setting(bench, NULL, initial_s * starts[i].factor),
                      1, c, &cost_s);
        if (!isnan(cost_s) && finish(bench, c) == 0)
            f->n++;
    }
    wr_bench_rounds(bench, f);
    for (int i = 1; i < f->n; i++) {
        wr_bench_row *const row = wr_bench_row_against(bench, &f->who[i], &f->who[0]);
        if (row)
            row->name = f->who[i].name;
    }
    return f->n > 1 ? 0 : -1;
}

wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c)
{
    wr_bench_field *const f = wr_settings_memory_take(bench->trial.memory, 1, sizeof *f);
    if (!f)
        return WRSIM_E_MEMORY;
    wr_bench_forget(bench);
    wr_results_destroy(&bench->trial.reference);
    if (c->unit) {
        measure_unit(bench, f);
        return 0;
    }
    wrsim_status code = wr_trial_reference(&bench->trial);
    if (code != 0 || wr_is_over(&bench->trial.listener))
        return code;
    if ((c->is_windows ? measure_windows : enter_all)(bench, f) != 0) {
        if (wr_is_over(&bench->trial.listener))
            return 0; /* said once, for all */
        wr_tell(&bench->trial.listener, WR_NEWS_ERROR,
                "case '%s': no relaxed run has an error of %.2g or less against its "
                "reference",
                c->run.name, c->run.error);
        code = WRSIM_E_SOLVER;
    }
    if (c->is_windows)
        return code;
    if (code == 0) {
        wr_bench_rounds(bench, f);
        wr_bench_rows_add(bench, f);
    }
    if (code == 0 && bench->options.has_curve)
        add_curves(bench, f);
    return code;
}
