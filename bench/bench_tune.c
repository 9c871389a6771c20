/* Tunes both sides of a comparison to equal error. See bench.h. The tuning of a side has two steps. bench_settle.c finds the tolerance at
 * which a setting has the requested error. The search brackets the error and interpolates the error over rtol in log-log scale, with a run
 * for each value. The result is the loosest tolerance whose error is not above the target. Between settings (method, window, sweep order)
 * the cheaper setting wins. Relaxed runs try the case's lists of alternatives one after the other (coordinate search), separately for every
 * number of cores.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "bench/bench_rounds.h"
#include "bench/bench_run.h"
#include "bench/bench_settle.h"

/* Error at which curves end (assumed): about ten times the error of references. */
static const double FINEST_ERROR = 1e-7;
/* Points of curves that take at most BRIEF_S, CPU s, run CURVE_ROUNDS times more (assumed). */
static const double BRIEF_S = 0.2;
enum { CURVE_ROUNDS = 5 };

/* Returns the setting with rtol, and with the solvers' own tolerances multiplied by the ratio of new and old rtol. */
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
                                           wr_min(value, WR_BENCH_LOOSEST_RTOL))
                                 : item);
    }
    return to;
}

/* Adds a curve from loose to tight tolerances, down to FINEST_ERROR, a floor of the error, or rtol_last of the case. A curve without
 * points, because the measurement ends, is not added. */
static void add_curve(wr_bench *bench, const char *name, const wr_trial_setting *setting)
{
    const wr_bench_case *const at = bench->at;
    wr_bench_curve *const curve = wr_bench_curve_add(bench, at->run.name, name);
    const double step = sqrt(10.0);
    double error = (double)INFINITY;
    if (curve) {
        curve->setting = *setting;
        curve->is_counted = at->is_counted;
    }
    wr_bench_descent d = WR_BENCH_NOT_BEGUN;
    for (int i = 0; curve && curve->n < WR_BENCH_POINTS && !(error <= FINEST_ERROR) &&
                    isnan(curve->floor) && !wr_is_over(&bench->trial.listener);
         i++) {
        const wr_trial_setting s = moved_to(bench, setting, at->rtol_first * pow(step, -i));
        if (s.rtol < 0.99 * at->rtol_last)
            break;
        error = wr_bench_error(bench, &s);
        wr_trial_sample work = {.wall_s = 0.0};
        const double cost_s = isfinite(error) ? wr_bench_cost(bench, &s, 1, &work) : (double)NAN;
        if (wr_bench_is_floor(&d, s.rtol, error))
            curve->floor = d.error;
        wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS,
                "%s: curve of %s: rtol %.2g: error %.2g, %.4g ms", at->run.name, name, s.rtol,
                error, cost_s * 1e3);
        if (isfinite(cost_s))
            curve->point[curve->n++] = (wr_bench_point){s.rtol, error, cost_s, work};
    }
    if (curve && curve->n == 0 && wr_is_over(&bench->trial.listener))
        wr_bench_curve_drop(bench);
}

/* Repeats brief runs of all curves in turn, because the speed of the machine may change between two curves. */
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

/* Adds the curve of auto. If auto has chosen one solver, also adds a curve for each solver. */
static void add_auto_curves(wr_bench *bench, const wr_bench_contestant *c)
{
    const wr_texts *const solvers = &bench->at->solver;
    add_curve(bench, c->name, &c->setting);
    for (int i = 0; i < solvers->n && c->work.choice.is_monolithic; i++) {
        wr_trial_setting s = {0};
        s.override = wr_bench_one_solver(bench, WR_BENCH_AUTO, solvers->item[i]);
        add_curve(bench, wr_text(bench->trial.memory, WR_BENCH_AUTO " %s", solvers->item[i]), &s);
    }
}

/* CLEARLY: largest ratio of costs at which the tuning prefers the cheaper setting (assumed); smaller gains are below the spread of timings.
 * NEAR: ratio of costs within which two settings run in turn (assumed), and the median of the ratios decides. The speed of a shared machine
 * changes by NEAR within minutes, so the least time would favour a setting that ran in a fast minute. */
static const double CLEARLY = 0.98, NEAR = 2.0;
/* Number of runs in turn: DUEL_RUNS, up to MOST_DUEL_RUNS while all runs together take less than DUEL_S, wall s (assumed). */
enum { DUEL_RUNS = 7, MOST_DUEL_RUNS = 41 };
static const double DUEL_S = 0.5;

/* Returns whether the candidate is cheaper than the best setting, by runs in turn if the costs are near and not counted. */
static int is_cheaper(wr_bench *bench, const wr_trial_setting *candidate, double cost_s,
                      const wr_bench_contestant *best, double best_cost, int n_worker)
{
    if (isnan(best_cost) || cost_s >= NEAR * best_cost || best_cost >= NEAR * cost_s ||
        bench->at->is_counted)
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

/* Finds the tolerance and cost of one candidate, which becomes *best if it is the cheapest candidate so far. */
static void challenge(wr_bench *bench, const char *contestant, wr_trial_setting candidate,
                      int n_worker, wr_bench_contestant *best, double *best_cost)
{
    double floor;
    const double error = wr_bench_settle(bench, &candidate, WR_BENCH_ROUGHLY, &floor);
    double cost_s = isnan(error) ? (double)NAN : wr_bench_cost(bench, &candidate, n_worker, NULL);
    const int is_better =
        !isnan(cost_s) && is_cheaper(bench, &candidate, cost_s, best, *best_cost, n_worker);
    if (wr_is_over(&bench->trial.listener)) /* an interrupt ended the search */
        return;
    const char *const failure = isnan(cost_s) ? wr_bench_failure(bench, &candidate) : "";
    wr_tell(
        &bench->trial.listener, WR_NEWS_PROGRESS, "%s: %s on %d: %s: %s", bench->at->run.name,
        contestant, n_worker, wr_bench_describe(bench, &candidate),
        !isnan(floor)   ? wr_text(bench->trial.memory, "the error does not fall below %.2g", floor)
        : failure[0]    ? wr_text(bench->trial.memory, "the run fails: %s", failure)
        : isnan(cost_s) ? "the run does not reach the error"
                        : wr_text(bench->trial.memory, "error %.2g, %.4g ms", error, cost_s * 1e3));
    if (is_better) {
        *best_cost = cost_s;
        best->setting = candidate;
        best->error = error;
    }
}

static double first_guess(const wr_bench *bench) { return 0.1 * bench->at->run.error; }

/* Searches the winner's tolerance with fine precision. If the search fails, or counted costs rise, keeps the rough tolerance. Returns 0. */
static int finish(wr_bench *bench, wr_bench_contestant *best)
{
    wr_trial_setting fine = best->setting;
    double floor;
    const double error = wr_bench_settle(bench, &fine, WR_BENCH_FINELY, &floor);
    /* A looser tolerance may cost more points, because longer steps need more evaluations inside of steps. */
    const int is_dearer =
        bench->at->is_counted && wr_bench_cost(bench, &fine, best->cores, NULL) >
                                     wr_bench_cost(bench, &best->setting, best->cores, NULL);
    if (!isnan(error) && !is_dearer) {
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
        candidate.override = wr_bench_one_solver(bench, "true", solvers->item[i]);
        challenge(bench, "monolithic", candidate, 1, best, &cost_s);
    }
    return isnan(cost_s) ? -1 : finish(bench, best);
}

/* Tunes the relaxed run on n_worker cores. start: the best setting on fewer cores; NULL: the settings of the config. Returns 0, or -1 on
 * failure. */
static int tune_relaxed(wr_bench *bench, int n_worker, const wr_bench_contestant *start,
                        wr_bench_contestant *best)
{
    double cost_s = (double)NAN;
    const double guess = bench->at->rtol_guess;
    wr_trial_setting as_is = {.rtol = guess > 0.0 ? guess : first_guess(bench)};
    challenge(bench, "relaxed", start ? start->setting : as_is, n_worker, best, &cost_s);
    if (bench->at->is_kind_fixed && n_worker == 1)
        wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS,
                "%s: solver.kind is not tuned, because every subsystem names its own solver",
                bench->at->run.name);
    for (int i = 0; i < bench->at->n_tune; i++) {
        const wr_trial_setting from = isnan(cost_s) ? as_is : best->setting;
        const wr_texts *const list = &bench->at->tune[i];
        for (int k = 0; k < list->n; k++) {
            wr_trial_setting candidate = from;
            if (bench->at->is_kind_fixed &&
                (strncmp(list->item[k], "solver.kind=", strlen("solver.kind=")) == 0 &&
                 !strchr(list->item[k], ';')))
                continue;
            candidate.override = wr_bench_with(bench, &from.override, list->item[k]);
            challenge(bench, "relaxed", candidate, n_worker, best, &cost_s);
        }
    }
    return isnan(cost_s) ? -1 : finish(bench, best);
}

/* Enters the run on one core that chooses its grouping, with the better of the settings of the split run and of one solver (NULL: none).
 * Enters nothing if the run makes no choice. */
static void enter_auto(wr_bench *bench, wr_bench_field *f, const wr_bench_contestant *relaxed,
                       const wr_bench_contestant *monolithic)
{
    const wr_bench_contestant *const from[] = {relaxed, monolithic};
    wr_bench_contestant *const c = wr_bench_enter(bench, f, WR_BENCH_AUTO, 1);
    wr_trial_sample work = {.wall_s = 0.0};
    double cost_s = (double)NAN;
    for (size_t i = 0; c && i < WR_COUNT_OF(from) && from[i]; i++) {
        wr_trial_setting candidate = from[i]->setting;
        candidate.override =
            wr_bench_with(bench, &candidate.override, "simulation.monolithic=auto");
        challenge(bench, WR_BENCH_AUTO, candidate, 1, c, &cost_s);
    }
    if (isnan(cost_s) || finish(bench, c) != 0)
        return;
    wr_bench_cost(bench, &c->setting, 1, &work);
    f->n += work.choice.has_answer;
}

/* Enters the baselines first, then relaxed runs on 1, 2, ... cores, and the run that chooses its grouping. A case with counted costs has
 * relaxed runs on 1, 2 and 5 cores, and no run that chooses. Returns 0, or -1 if a relaxed run cannot be tuned. */
static int enter_all(wr_bench *bench, wr_bench_field *f)
{
    const wr_bench_case *const at = bench->at;
    for (int i = 0; i < at->baseline.n; i++) {
        if (strcmp(at->baseline.item[i], "monolithic") != 0) {
            if (at->is_counted) /* other programs count no points */
                continue;
            const char *const name = at->baseline.item[i];
            const char *const missing = wr_bench_peer_missing(bench, name);
            wr_bench_contestant *const c = missing ? NULL : wr_bench_enter(bench, f, name, 1);
            double cost_s = (double)NAN;
            if (c)
                challenge(bench, name, (wr_trial_setting){.peer = name, .rtol = first_guess(bench)},
                          1, c, &cost_s);
            if (!isnan(cost_s) && finish(bench, c) == 0)
                f->n++;
            else if (!wr_is_over(&bench->trial.listener))
                wr_tell(&bench->trial.listener, WR_NEWS_NOTE, "case '%s': %s is omitted: %s",
                        bench->at->run.name, name,
                        missing ? missing
                                : "the baseline does not reach the requested error; request a "
                                  "larger error");
            continue;
        }
        wr_bench_contestant *const c = wr_bench_enter(bench, f, "monolithic", 1);
        if (c && tune_monolithic(bench, c) == 0)
            f->n++;
    }
    const wr_bench_contestant *monolithic = NULL;
    for (int i = 0; i < f->n && !monolithic; i++)
        if (strcmp(f->contestant[i].name, "monolithic") == 0)
            monolithic = &f->contestant[i];
    const wr_bench_contestant *fewer = NULL;
    /* Bounds need no cores of the machine. */
    static const int counted[] = {1, 2, 5};
    const int n_width = at->is_counted ? (int)WR_COUNT_OF(counted) : bench->options.max_core;
    for (int i = 0; i < n_width; i++) {
        const int cores = at->is_counted ? counted[i] : i + 1;
        wr_bench_contestant *const c = wr_bench_enter(bench, f, "relaxed", cores);
        if (!c || tune_relaxed(bench, cores, fewer, c) != 0)
            return -1;
        fewer = c;
        f->n++;
        if (cores == 1 && !at->is_counted)
            enter_auto(bench, f, c, monolithic);
    }
    return 0;
}

/* Measures the cost of a window or sweep on 1 ... max_core cores without tuning. */
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
        wr_bench_row *const row = wr_bench_row_against(bench, &f->contestant[i], &f->contestant[0]);
        const double n_unit =
            is_sweep ? f->contestant[i].work.n_sweep : f->contestant[i].work.n_window;
        if (!row || !(n_unit > 0.0))
            continue;
        row->unit_ns = 1e9 * row->wall_s / n_unit;
        row->note =
            wr_text(bench->trial.memory, "%.3f us per %s", 1e-3 * row->unit_ns, bench->at->unit);
    }
}

/* Returns a relaxed run with the given initial window length. control: relaxation.window.control; NULL: the value of the config. */
static wr_trial_setting window_setting(wr_bench *bench, const char *control, double length_s)
{
    const wr_bench_case *const at = bench->at;
    wr_trial_setting setting = {.rtol = first_guess(bench)};
    const char *const texts = wr_text(
        bench->trial.memory,
        "relaxation.window.initial=%.12g; relaxation.window.max=%.12g; relaxation.window.min=%.12g",
        length_s, wr_max(length_s, at->run.window_max_s), wr_min(length_s, at->run.window_min_s));
    setting.override = wr_bench_with(
        bench, NULL,
        control ? wr_text(bench->trial.memory, "relaxation.window.control=%s; %s", control, texts)
                : texts);
    return setting;
}

/* Compares the window controller with the best fixed length of a ladder with factors of sqrt(2). The controller runs with the config's
 * initial length, and with initial lengths 20 times shorter and longer. */
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
        wr_bench_row *const row = wr_bench_row_against(bench, &f->contestant[i], &f->contestant[0]);
        if (row)
            row->name = f->contestant[i].name;
    }
    return f->n > 1 ? 0 : -1;
}

/* Adds a curve for each solver of the whole model. */
static void add_solver_curves(wr_bench *bench)
{
    const wr_texts *const solvers = &bench->at->solver;
    for (int i = 0; i < solvers->n; i++) {
        wr_trial_setting s = {0};
        s.override = wr_bench_one_solver(bench, "true", solvers->item[i]);
        add_curve(bench, wr_text(bench->trial.memory, "monolithic %s", solvers->item[i]), &s);
    }
}

/* Adds the curves of the split run and of the peers, with their tuned settings. */
static void add_tuned_curves(wr_bench *bench, const wr_bench_field *f)
{
    for (int i = 0; i < f->n; i++) {
        const wr_bench_contestant *const c = &f->contestant[i];
        if (c->setting.peer || (strcmp(c->name, "relaxed") == 0 && c->cores == 1))
            add_curve(bench, c->name, &c->setting);
    }
}

wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c)
{
    wr_bench_field *const f = wr_heap_pool_take(bench->trial.memory, 1, sizeof *f);
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
    const int has_curve = bench->options.has_curve && !c->is_windows;
    if (has_curve)
        add_solver_curves(bench);
    if ((c->is_windows ? measure_windows : enter_all)(bench, f) != 0) {
        if (wr_is_over(&bench->trial.listener))
            return 0; /* the command reports the interruption */
        wr_tell(&bench->trial.listener, WR_NEWS_ERROR,
                "case '%s': no relaxed run has an error of %.2g or less against its reference; "
                "request a larger error",
                c->run.name, c->run.error);
        code = WRSIM_E_SOLVER;
    }
    if (c->is_windows)
        return code;
    /* Curves precede tuning and rounds, which take most of the time, because a signal may end the measurement. */
    if (code == 0 && has_curve)
        add_tuned_curves(bench, f);
    if (code == 0) {
        wr_bench_rounds(bench, f);
        wr_bench_rows_add(bench, f);
    }
    for (int i = 0; i < f->n && code == 0 && has_curve; i++) /* a round tells the choice of auto */
        if (strcmp(f->contestant[i].name, WR_BENCH_AUTO) == 0)
            add_auto_curves(bench, &f->contestant[i]);
    if (code == 0 && has_curve)
        settle_curves(bench);
    return code;
}
