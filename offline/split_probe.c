/* Decides whether a split is cheaper than one solver. See wrsim/study.h.
 *
 * Both runs use the same solver tolerance. Then equal_error.h corrects the work of the single solver to the error of the split. The
 * simulated time doubles until the counted work of one run is at least BUDGET, or BUDGET_OF_POINTS for points with a cost. The comparison
 * uses the last sample, about the second half, except in a short run. The reason is that a run begins with short windows and without a
 * history. With a history, the last sample begins after the first period.
 *
 * Thread: one owner. Real-time: no (setup). */
#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"
#include "offline/equal_error.h"
#include "offline/point_cost.h"
#include "offline/scheme_study.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/report.h"
#include "runtime/sim/run.h"
#include "wrsim/study.h"

/* Work of the costlier run, in counted instructions, from which on a comparison is possible (assumed). */
static const double BUDGET = 1e8;
/* The same for the work of points with a cost: two seconds (assumed), so that a study of expensive models ends before LIMIT_NS. */
static const double BUDGET_OF_POINTS = 2.0 * WR_RUN_PER_SECOND;
/* Work of one run, in counted instructions without points that have a cost, after which every study ends (assumed). The work takes a
 * second or two. */
static const double MOST_WORK = 2e9;
/* A study that has not reached the end of the run goes on if its ratio of work lies within this factor of the deciding ratio (assumed).
 * docs/lab/2026-11-29-whole-studies.md has the ratios of whole runs. */
static const double UNSURE = 1.6;
/* Limit of the thread's CPU time, ns, for models whose calls cost more than the count assumes (assumed: 10 s). The thread is the only
 * worker, so other load has no influence. */
static const int64_t LIMIT_NS = 10000000000;
/* The first sample is 2^-DOUBLINGS of the run (assumed). Each further sample at most doubles the simulated time. */
enum { DOUBLINGS = 14 };
/* Work per sweep and worker, in counted instructions, below which another worker gains nothing (assumed). The value is about 50 us, twenty
 * times the cost of a barrier and the transfer of data. */
static const double SHARE_LEAST = 1.5e5;
/* End of the sample that contains the end of the first period, in units of the estimated period (assumed). Phases grow unevenly. */
static const double PAST_PERIOD = 1.02;
/* Counted work of all runs for equal errors with simulation.monolithic = "auto", from which on no further run begins (assumed). The runs of
 * cheap models take a second or two, but points with a cost (BUDGET_OF_POINTS) take up to half a minute. */
static const double BUDGET_OF_ERRORS = 1e11;
/* CPU time for equal errors, ns (assumed: twice the time of BUDGET_OF_ERRORS). The same limit holds for a study that goes on. */
static const int64_t ERRORS_LIMIT_NS = 60000000000;
/* Ratio of the larger work to the smaller work at equal tolerance, from which on the study does not compare errors (assumed). An error
 * changes by a factor of a thousand or less. This factor changes the work of a method of order 3 by a factor of ten. */
static const double CLEAR = 10.0;
/* Share of the ideal speed-up that counts (assumed). Counted work has errors up to a third (docs/lab/2026-11-29-counted-work.md), and
 * workers wait at the end of a sweep. The study does not recommend a split that is cheaper only with perfect sharing. */
static const double SHARED_SURELY = 1.0 / 1.5;

/* Counts of a run: the work of all subsystems, of windows and waves, and of each subsystem. */
typedef struct counts {
    double work, point_work; /* point_work: work of the points with a cost (component.cost) */
    double coupling_work, n_window, n_sweep;
    double work_of[WR_SECOND_RUN_SUBSYSTEMS];
} counts;

typedef struct probe {
    wrsim *sim;
    counts before, now; /* counts at the start of the last sample, and at its end */
    /* work of all subsystems, and of the subsystem with most work, in the last sample */
    double work, costliest;
} probe;

/* The run as subsystems, the run with one solver, and the interval in which the study compares the runs. */
typedef struct probes {
    probe split, monolith;
    int n_worker;
    double rtol;                 /* tolerance of the single solver; 0 = as in the config */
    const wr_settings *settings; /* of the split */
    int is_auto;                 /* simulation.monolithic = "auto": the answer decides */
    wr_equal_error equal;        /* error 0: the comparison is at equal tolerance */
    double start_s, stop_s, from_s, to_s;
    double pause_s; /* the split stops after the window that contains this time */
    /* work of the split per work of one solver in the last sample and in the sample before it; 0: no sample */
    double ratio, ratio_before;
    double period;                /* period of the history; 0 = no history */
    int i_phase;                  /* index of the phase; -1 = the phase is time */
    double phase_start, n_period; /* phase at the start, and number of periods until from_s */
    int64_t until_ns;
    int is_late;
} probes;

static void stop(void *user, const wrsim_progress *progress)
{
    probes *const p = user;
    if (progress->time_s >= p->pause_s)
        wrsim_stop(p->split.sim);
    if (wr_clock_thread_cpu_ns() < p->until_ns)
        return;
    p->is_late = 1;
    wrsim_stop(p->split.sim);
    wrsim_stop(p->monolith.sim);
}

/* Counts the work of the last sample, which begins at the counts `before`. */
static void count(probe *p, const counts *before)
{
    wrsim_stats stats;
    wrsim_stats_get(p->sim, &stats);
    counts now = {.n_window = (double)stats.n_window, .n_sweep = (double)stats.n_sweep};
    p->costliest = 0.0;
    for (int i = 0; i < stats.n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(p->sim, i, &s);
        double coupling;
        now.work_of[i] = wr_run_work(&s, &coupling);
        now.work += now.work_of[i];
        now.point_work += WR_RUN_PER_SECOND * s.point_s;
        now.coupling_work += coupling;
        p->costliest = wr_max(p->costliest, now.work_of[i] - before->work_of[i]);
    }
    p->work = now.work - before->work;
    p->before = *before;
    p->now = now;
}

/* Returns the work of the run so far without points that have a cost. These points have their own budget (BUDGET_OF_POINTS). */
static double own_work(const probe *p) { return p->now.work - p->now.point_work; }

/* Returns 1 if the own work of one run is at least `own`, or its work of points at least `points`. */
static int has_work(const probes *p, double own, double points)
{
    return wr_max(own_work(&p->split), own_work(&p->monolith)) >= own ||
           wr_max(p->split.now.point_work, p->monolith.now.point_work) >= points;
}

/* ---- answers ---- */

static wrsim_split_probe answer_of(const probes *p)
{
    return (wrsim_split_probe){.has_answer = 1,
                               .n_worker = p->n_worker,
                               .start_s = p->from_s,
                               .span_s = p->to_s - p->from_s,
                               .rtol = p->rtol,
                               .work_ratio = (double)NAN,
                               .error = (double)NAN,
                               .sweeps_per_window = (double)NAN,
                               .window_share = (double)NAN,
                               .shared_by = 1.0};
}

/* Returns 1 if the rest of the run may move the ratio of work across the deciding ratio. A change between the last two samples adds to
 * UNSURE. */
static int is_open(const probes *p, double ratio, double deciding)
{
    return p->to_s < p->stop_s &&
           !(fabs(log(ratio / deciding)) > log(UNSURE) + fabs(log(p->ratio / p->ratio_before)));
}

static void judge(const probes *p, wrsim_split_probe *ret)
{
    const probe *const split = &p->split;
    const counts *const from = &split->before, *const to = &split->now;
    const double sweeps = wr_max(to->n_sweep - from->n_sweep, 1.0);
    const int n_worker = p->n_worker;
    wrsim_split_probe r = answer_of(p);
    r.work_ratio = split->work / p->monolith.work;
    /* The samples cut the steps of one solver, which changes its work. The whole run has no cut. */
    if (p->equal.error > 0.0 && p->from_s <= p->start_s)
        r.work_ratio = p->equal.ratio;
    /* A run without the user's decision must not be less accurate than the split in a later part of the run. So "auto" decides at the same
     * tolerance if the same error needs a looser tolerance. */
    const int has_error = p->equal.error > 0.0, is_tighter = has_error && p->equal.rtol <= p->rtol;
    const double auto_ratio = is_tighter ? r.work_ratio / p->equal.work : r.work_ratio;
    if (has_error && (is_tighter || !p->is_auto)) {
        r.error = p->equal.error;
        r.rtol = p->equal.rtol;
        r.work_ratio /= p->equal.work;
    }
    r.sweeps_per_window = sweeps / wr_max(to->n_window - from->n_window, 1.0);
    r.window_share = (to->coupling_work - from->coupling_work) / split->work;
    r.shared_by = wr_min((double)n_worker, split->work / split->costliest);
    r.shared_by = wr_clamp(wr_min(r.shared_by, split->work / sweeps / SHARE_LEAST), 1.0, n_worker);
    const double deciding = wr_max(1.0, SHARED_SURELY * r.shared_by);
    r.is_monolithic = r.work_ratio > deciding;
    r.is_undecided = !p->is_auto && is_open(p, r.work_ratio, deciding);
    char shared[160] = "";
    if (n_worker > 1 && r.shared_by > 1.0)
        snprintf(shared, sizeof shared, ", and %d workers make the split up to %.2g times as fast",
                 n_worker, r.shared_by);
    else if (n_worker > 1)
        snprintf(shared, sizeof shared, ", in windows too small for %d workers", n_worker);
    char part[96] = "";
    if (r.is_undecided)
        snprintf(
            part, sizeof part,
            "; the study ended after %.2g %% of the run, and the rest may reverse the comparison",
            100.0 * (p->to_s - p->start_s) / (p->stop_s - p->start_s));
    char rtol[WR_NUMBER_CAP] = "", error[128] = "with the same tolerance";
    if (r.rtol > 0.0)
        snprintf(rtol, sizeof rtol, "%.6g", r.rtol);
    if (r.error > 0.0)
        snprintf(error, sizeof error, "with the same error, %.2g of the largest value", r.error);
    snprintf(
        r.text, sizeof r.text,
        "%s: from t = %.6g s to %.6g s the split took %.3g times the work of one solver %s "
        "(--monolithic%s%s)%s%s%s",
        r.is_undecided    ? "undecided"
        : r.is_monolithic ? "monolithic"
                          : "the split as it is",
        p->from_s, p->to_s, r.work_ratio, error, rtol[0] ? " -D solver.rtol=" : "", rtol, shared,
        part,
        !r.is_monolithic && auto_ratio > 1.0
            ? "; simulation.monolithic = \"auto\", which decides for one worker, chooses one solver"
        : r.is_monolithic && !(auto_ratio > 1.0)
            ? "; simulation.monolithic = \"auto\", which loosens no tolerance, keeps the split"
            : "");
    *ret = r;
}

/* Fills the result for a split that fails while one solver continues. */
static void judge_failure(const probes *p, const wrsim_error *why, wrsim_split_probe *ret)
{
    *ret = answer_of(p);
    ret->is_monolithic = 1;
    ret->work_ratio = ret->sweeps_per_window = (double)INFINITY;
    ret->window_share = 1.0;
    snprintf(ret->text, sizeof ret->text,
             "monolithic: one solver succeeds, but the split fails: %s", why->text);
}

/* Fills the result for a run without a comparison. */
static void cannot_tell(const probes *p, const char *why, wrsim_split_probe *ret)
{
    *ret = answer_of(p);
    snprintf(ret->text, sizeof ret->text, "the split as it is, without a comparison: %s", why);
}

/* Returns the reason why one solver does not start while the split run exists. */
static const char *why_no_second(const wrsim *split)
{
    const wr_assembly *const a = split->assembly;
    for (int i = 0; i < a->n_component; i++)
        if (a->component[i]->model->caps & WRSIM_CAP_ONE_INSTANCE)
            return "a model, such as an FMU, allows one instance per process, but a comparison "
                   "needs two";
        else if (a->component[i]->model->stepper)
            return "a model advances itself, as an FMU of co-simulation does, so one solver cannot "
                   "run";
    return "one solver does not start";
}

/* ---- length of the study ---- */

static double phase_at(const probes *p)
{
    return p->i_phase < 0 ? wrsim_time(p->split.sim) : wrsim_get(p->split.sim, p->i_phase);
}

/* Returns the end of the next sample. From the second sample on, a sample at most doubles the simulated time. A history begins after the
 * first period, so the sample that contains the end of this period ends shortly after the period. */
static double next_s(const probes *p)
{
    const double done_s = p->from_s - p->start_s;
    if (!(done_s > 0.0))
        return p->start_s + ldexp(p->stop_s - p->start_s, -DOUBLINGS);
    double to_s = p->from_s + done_s;
    if (p->n_period > 0.0 && p->n_period < 1.0)
        to_s = wr_min(to_s, p->start_s + done_s * PAST_PERIOD / p->n_period);
    return wr_min(to_s, p->stop_s);
}

/* Advances the split to the end of the window that contains the end of the next sample, and sets to_s. The end of an advance would cut this
 * window, and the lengths of later windows depend on the cut length. After a failure of the split, to_s is later than the failure, so that
 * one solver meets the same fault. */
static wrsim_status advance_split(probes *p, wrsim_error *why)
{
    p->pause_s = next_s(p);
    const wrsim_status status = wrsim_advance(p->split.sim, p->stop_s, why);
    const double t_s = wrsim_time(p->split.sim);
    const double failed_s = isfinite(why->time_s) ? wr_max(why->time_s, t_s) : t_s;
    if (status < 0)
        p->to_s = wr_clamp(2.0 * failed_s - p->start_s, p->pause_s, p->stop_s);
    else
        p->to_s = status == WRSIM_STOPPED ? t_s : p->stop_s;
    p->pause_s = (double)INFINITY;
    return status;
}

/* Fills the result after one solver fails with the error of_one. If the split fails as well, of_split is the result's error (or NULL).
 * Returns 0, or -1 without an answer. */
static int judge_one_solver(const probes *p, const wrsim_error *of_split, const wrsim_error *of_one,
                            wrsim_split_probe *ret)
{
    char why[sizeof of_one->text + 32];
    if (of_split) {
        ret->failure = *of_split;
        return -1;
    }
    snprintf(why, sizeof why, "one solver fails: %s", of_one->text);
    cannot_tell(p, why, ret);
    return 0;
}

/* Advances both runs until one of them has the work (has_work()) and the last sample is in a later period of the history, or until the end
 * of the run. The caller then compares the last sample, or the whole run after its end. Returns 1, 0 with an answer in *ret, or -1 without
 * an answer. */
static int take_samples(probes *p, double own, double points, wrsim_split_probe *ret)
{
    probe *const split = &p->split, *const monolith = &p->monolith;
    wrsim_error why = {0}, of_one = {0};
    do {
        p->from_s = p->to_s;
        p->n_period = p->period > 0.0 ? fabs(phase_at(p) - p->phase_start) / p->period : 1.0;
        if (p->n_period < 1.0 && has_work(p, MOST_WORK, (double)INFINITY)) {
            cannot_tell(p, "the study is too short for a period of relaxation.history", ret);
            return 0;
        }
        const wrsim_status of_split = advance_split(p, &why);
        if (!p->is_late && wrsim_advance(monolith->sim, p->to_s, &of_one) < 0)
            return judge_one_solver(p, of_split < 0 ? &why : NULL, &of_one, ret);
        if (!p->is_late && of_split < 0) {
            p->to_s = wrsim_time(split->sim);
            judge_failure(p, &why, ret);
            return 0;
        }
        if (p->is_late) {
            cannot_tell(p, "the models take too much time for a study", ret);
            return 0;
        }
        count(split, &split->now);
        count(monolith, &monolith->now);
        p->ratio_before = p->ratio;
        p->ratio = split->work / monolith->work;
    } while (p->to_s < p->stop_s && (p->n_period < 1.0 || !has_work(p, own, points)));
    if (p->to_s >= p->stop_s) {
        const counts none = {0}; /* the whole run is the sample */
        count(split, &none);
        count(monolith, &none);
        p->from_s = p->start_s;
    }
    return split->work > 0.0 && monolith->work > 0.0 ? 1 : -1;
}

/* Finds the tolerance of one solver with the error of the split. Sets p->equal. Returns a result of wr_equal_error_find(). */
static int find_equal(probes *p, int64_t until_ns)
{
    const double ratio = p->split.work / p->monolith.work;
    /* Errors are relative to the largest values since the start: after a transient that decays, later values are too small for a scale. */
    const wr_equal_error_request request = {.split = p->settings,
                                            .rtol = p->rtol,
                                            .from_s = p->start_s,
                                            .to_s = p->to_s,
                                            .most_work =
                                                p->is_auto ? BUDGET_OF_ERRORS : (double)INFINITY,
                                            .until_ns = until_ns};
    const int is_close = ratio < CLEAR && 1.0 < CLEAR * ratio;
    const int code = is_close ? wr_equal_error_find(&request, &p->equal) : WR_EQUAL_ERROR_NONE;
    if (code < 0)
        p->equal.error = 0.0;
    return code;
}

/* Goes on with the study to the end of the run, or to MOST_WORK. If the expected CPU time exceeds ERRORS_LIMIT_NS, or the study reaches
 * this limit, *ret stays undecided. used_ns: CPU time of the study so far. Returns 0, or -1 with only the error of the split in *ret if
 * both runs fail. */
static int go_on(probes *p, int64_t used_ns, wrsim_split_probe *ret)
{
    const double growth = wr_min((p->stop_s - p->start_s) / (p->to_s - p->start_s),
                                 MOST_WORK / wr_max(own_work(&p->split), own_work(&p->monolith)));
    if ((double)used_ns * growth > (double)ERRORS_LIMIT_NS || growth < 1.0)
        return 0;
    wrsim_split_probe found = *ret;
    p->until_ns = wr_clock_thread_cpu_ns() + ERRORS_LIMIT_NS;
    int code = take_samples(p, MOST_WORK, (double)INFINITY, &found);
    if (code > 0 && find_equal(p, p->until_ns) == WR_EQUAL_ERROR_LATE)
        p->is_late = 1;
    if (code > 0)
        judge(p, &found);
    if (code < 0)
        *ret = (wrsim_split_probe){.n_worker = ret->n_worker, .failure = found.failure};
    else if (!p->is_late)
        *ret = found;
    p->is_late = 0;
    return code < 0 ? -1 : 0;
}

/* Compares the runs. Returns 0, or -1 without an answer. */
static int compare(probes *p, wrsim_split_probe *ret)
{
    const int64_t start_ns = wr_clock_thread_cpu_ns();
    const int code = take_samples(p, BUDGET, BUDGET_OF_POINTS, ret);
    if (code <= 0)
        return code;
    const int equal = find_equal(p, wr_clock_thread_cpu_ns() + ERRORS_LIMIT_NS);
    if (equal == WR_EQUAL_ERROR_LATE && p->is_auto) {
        cannot_tell(p, "the models take too much time for a study of errors", ret);
        return 0;
    }
    judge(p, ret);
    return ret->is_undecided ? go_on(p, wr_clock_thread_cpu_ns() - start_ns, ret) : 0;
}

/* Writes the choices of relaxation.scheme = "auto" in runs up to to_s to ret->scheme. */
static void find_schemes(const probes *p, const wr_settings *settings, wrsim_split_probe *ret)
{
    wrsim_stats stats;
    if (p->is_late || !(p->to_s > p->start_s) || settings->relaxation.scheme != WR_SCHEME_AUTO)
        return;
    wrsim_stats_get(p->split.sim, &stats);
    const int n_most = p->is_auto ? 0 : stats.n_subsystem;
    wr_scheme_study(settings, p->to_s, n_most, LIMIT_NS, ret->scheme, sizeof ret->scheme);
}

/* Compares the runs and fills *ret. Returns 0, or -1 without an answer: a run has no work, or both runs fail, with the error in
 * ret->failure. */
static int find(const wr_settings *settings, int n_worker, wrsim_split_probe *ret)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    probes p = {.n_worker = n_worker,
                .start_s = settings->simulation.start_s,
                .stop_s = settings->simulation.stop_s,
                .from_s = settings->simulation.start_s,
                .to_s = settings->simulation.start_s,
                .period = settings->relaxation.history_period,
                .i_phase = -1,
                .until_ns = wr_clock_thread_cpu_ns() + LIMIT_NS};
    const char *const phase = settings->relaxation.history_phase;
    wr_settings set = *settings;
    int code = -1;
    /* The choice of "auto" changes results, so it must not depend on measured times. */
    WR_AUTO_FREE wr_set_component *components = NULL;
    wr_point_cost_prepare(&set, set.simulation.monolithic != WR_GROUPING_AUTO, &components);
    p.is_auto = set.simulation.monolithic == WR_GROUPING_AUTO;
    set.simulation.monolithic = WR_GROUPING_SPLIT;
    const wr_settings split = set;
    p.settings = &split;
    wrsim_error why = {0};
    const int has_started = wr_run_open_second(&set, NULL, &p.split.sim, &why) >= 0;
    if (p.split.sim) {
        p.rtol = wr_run_tightest_rtol(p.split.sim);
        wr_run_make_monolithic(&set, p.rtol);
        const int is_monolith_fit = wr_run_open_second(&set, NULL, &p.monolith.sim, NULL) >= 0;
        if (is_monolith_fit && !has_started) {
            judge_failure(&p, &why, ret);
            code = 0;
        } else if (is_monolith_fit) {
            if (phase[0])
                p.i_phase = wrsim_find(p.split.sim, phase);
            p.phase_start = phase_at(&p);
            wrsim_set_progress(p.split.sim, stop, &p);
            wrsim_set_progress(p.monolith.sim, stop, &p);
            code = compare(&p, ret);
        } else if (has_started) {
            cannot_tell(&p, why_no_second(p.split.sim), ret);
            code = 0;
        } else
            ret->failure = why;
    }
    if (code == 0)
        find_schemes(&p, settings, ret);
    if (code == 0)
        ret->wall_s = (double)(wr_clock_monotonic_ns() - start_ns) * 1e-9;
    wrsim_destroy(&p.split.sim);
    wrsim_destroy(&p.monolith.sim);
    return code;
}

/* Returns 1 if the config has several subsystems, the model is small enough, and the run is not slackened. Otherwise writes the reason to
 * *ret, except if the config is wrong or has one subsystem. Replaces 0 workers by 1 with simulation.monolithic = "auto", else by the number
 * of the config. wrsim_create() reports errors of the config. */
static int is_comparable(const wr_settings *settings, int n_worker, wrsim_split_probe *ret)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_stats stats;
    char why[96] = "a slackened run has errors that one solver does not have";
    if (wr_build_simulation_create(settings, NULL, &sim, NULL) < 0)
        return 0;
    const int is_auto = settings->simulation.monolithic == WR_GROUPING_AUTO;
    const int n = n_worker > 0 ? n_worker : is_auto ? 1 : sim->n_worker;
    const int relaxes = wr_settings_relaxes(settings);
    const int is_fit = wr_run_is_small(sim) && relaxes;
    wrsim_stats_get(sim, &stats);
    const double start_s = settings->simulation.start_s;
    const probes none = {.n_worker = n, .start_s = start_s, .from_s = start_s, .to_s = start_s};
    if (relaxes)
        snprintf(why, sizeof why,
                 "%d subsystems with %d states exceed the limit of the study, %d with %d",
                 stats.n_subsystem, stats.n_state, WR_SECOND_RUN_SUBSYSTEMS, WR_SECOND_RUN_STATES);
    ret->n_worker = n;
    if (!is_fit && stats.n_subsystem > 1)
        cannot_tell(&none, why, ret);
    return is_fit;
}

wrsim_status wrsim_study_split(const wrsim_config *config, int n_worker, wrsim_split_probe *ret,
                               wrsim_error *err)
{
    WR_IN_C_LOCALE;
    if (!config || n_worker < 0 || !ret)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_study_split needs a config, a number of workers that is not "
                            "negative, and a place for the answer");
    wrsim_split_probe found = {.n_worker = n_worker};
    if (is_comparable(config->settings, n_worker, &found))
        find(config->settings, found.n_worker, &found);
    *ret = found;
    return WRSIM_OK;
}

wrsim_status wrsim_config_keep_split(wrsim_config *config, const wrsim_split_probe *found,
                                     wrsim_error *err)
{
    const int is_auto = wrsim_config_is_undecided(config);
    if (!config || !found)
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_config_keep_split needs a config and a result of "
                            "wrsim_study_split");
    if (is_auto && found->has_answer && found->n_worker != 1)
        return wr_error_set(err, WRSIM_E_ARG,
                            "simulation.monolithic = \"auto\" is decided for one worker, but the"
                            " study was made for %d: call wrsim_study_split with 1 worker",
                            found->n_worker);
    config->split = *found;
    config->is_split_chosen = is_auto && found->has_answer;
    if (is_auto && found->is_monolithic)
        wr_run_make_monolithic(config->settings, found->rtol);
    else if (is_auto)
        config->settings->simulation.monolithic = WR_GROUPING_SPLIT;
    return WRSIM_OK;
}
