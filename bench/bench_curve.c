/* Curves of work over precision: a setting from loose to tight tolerances. See bench_curve.h.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench_rounds.h"
#include "bench/bench_run.h"
#include "bench/bench_settle.h"

/* Error at which curves end: about ten times the error of references. */
static const double FINEST_ERROR = 1e-7;
/* Points of curves that take less than BRIEF_S (CPU s) are run CURVE_ROUNDS times more. */
static const double BRIEF_S = 0.2;
enum { CURVE_ROUNDS = 5 };

/* Returns the setting with rtol; the solvers' own tolerances are scaled by the same factor. */
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

/* Adds a curve from loose to tight tolerances, until FINEST_ERROR is reached. */
static void add_curve(wr_bench *bench, const char *name, const wr_trial_setting *setting)
{
    const wr_bench_case *const at = bench->at;
    wr_bench_curve *const curve = wr_bench_curve_add(bench, at->run.name, name);
    const double step = sqrt(10.0);
    double error = (double)INFINITY;
    if (curve)
        curve->setting = *setting;
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
}

/* Repeats brief runs of all curves in turn, because the machine's speed may change between two curves. */
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

/* Adds one curve for each solver of the monolithic run, if auto has chosen one solver. */
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

void wr_bench_curves_add(wr_bench *bench, const wr_bench_field *f)
{
    const wr_texts *const solvers = &bench->at->solver;
    for (int i = 0; i < solvers->n; i++) {
        wr_trial_setting s = {0};
        s.override = wr_bench_one_solver(bench, "true", solvers->item[i]);
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
