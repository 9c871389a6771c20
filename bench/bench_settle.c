/* Settings, and the search for the tolerance at which a setting has a given error. See bench_settle.h. Thread: main. Real-time: no. */

#include "bench/bench_settle.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench_run.h"

enum { SETTLE_RUNS = 14 };

/* Parameters of wr_bench_precision. aim: error that the search aims at, relative to the target. content: least error up to the target that
 * ends the search, relative to the target. least_gap: smallest ratio of two tolerances. least_growth: smallest factor to a looser
 * tolerance. All values are assumed. */
typedef struct precision {
    double aim, content, least_gap, least_growth;
} precision;
static const precision precisions[] = {
    [WR_BENCH_ROUGHLY] = {0.85, 0.6, 1.15, 1.5}, [WR_BENCH_FINELY] = {0.96, 0.9, 1.03, 1.05}};
/* Smallest rtol of the search (assumed); configs accept 1e-14 and more (runtime/config/keys.c). */
static const double TIGHTEST_RTOL = 1e-13;

wr_texts wr_bench_with(wr_bench *bench, const wr_texts *list, const char *texts)
{
    wr_texts copy = {0};
    for (int i = 0; list && i < list->n; i++)
        wr_texts_add(bench->trial.memory, &copy, list->item[i]);
    while (*(texts += strspn(texts, "; "))) {
        const size_t n = strcspn(texts, ";");
        const char *const text = wr_text(bench->trial.memory, "%.*s", (int)n, texts);
        int i = 0; /* the text replaces an earlier value of the key */
        while (i < copy.n && strncmp(copy.item[i], text, strcspn(text, "=") + 1) != 0)
            i++;
        if (i < copy.n)
            copy.item[i] = text;
        else
            wr_texts_add(bench->trial.memory, &copy, text);
        texts += n;
    }
    return copy;
}

wr_texts wr_bench_one_solver(wr_bench *bench, const char *monolithic, const char *kind)
{
    return wr_bench_with(bench, NULL,
                         wr_text(bench->trial.memory,
                                 "simulation.monolithic=%s; solver.kind=%s; solver.rtol=0",
                                 monolithic, kind));
}

typedef struct bracket {
    double good, good_error; /* loosest rtol with an error up to the target; NaN: none yet */
    double bad, bad_error;   /* tightest rtol above `good` with an error above the target */
} bracket;

int wr_bench_is_floor(wr_bench_descent *d, double rtol, double error)
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

/* Returns the next rtol to try; NaN: the search ends. */
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
        return b->good >= WR_BENCH_LOOSEST_RTOL
                   ? (double)NAN
                   : wr_min(WR_BENCH_LOOSEST_RTOL,
                            b->good *
                                wr_clamp(to->aim * target / b->good_error, to->least_growth, 10.0));
    const double factor = isfinite(error) ? wr_clamp(to->aim * target / error, 0.1, 0.9) : 0.3;
    return rtol * factor < TIGHTEST_RTOL ? (double)NAN : rtol * factor;
}

double wr_bench_settle(wr_bench *bench, wr_trial_setting *setting, wr_bench_precision precisely,
                       double *ret_floor)
{
    const precision *const to = &precisions[precisely];
    wr_bench_descent d = WR_BENCH_NOT_BEGUN;
    *ret_floor = (double)NAN;
    const double target = bench->at->run.error;
    bracket b = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double rtol = wr_clamp(setting->rtol, TIGHTEST_RTOL, WR_BENCH_LOOSEST_RTOL);
    for (int i = 0; i < SETTLE_RUNS && !isnan(rtol) && !wr_is_over(&bench->trial.listener); i++) {
        setting->rtol = rtol;
        const double error = wr_bench_error(bench, setting);
        const double found = isnan(error) ? (double)INFINITY : error;
        if (found <= target) {
            if (!(rtol <= b.good)) {
                b.good = rtol;
                b.good_error = found;
            }
            if (b.bad <= b.good) /* errors are not monotonic */
                b.bad = (double)NAN;
        } else if (!(rtol < b.good) && !(rtol >= b.bad)) {
            b.bad = rtol;
            b.bad_error = found;
        }
        if (error <= target && error >= to->content * target)
            break;
        if (isnan(b.good) && wr_bench_is_floor(&d, rtol, error)) {
            *ret_floor = d.error;
            break;
        }
        rtol = next_rtol(&b, to, rtol, found, target);
    }
    setting->rtol = isnan(b.good) ? setting->rtol : b.good;
    return b.good_error;
}
