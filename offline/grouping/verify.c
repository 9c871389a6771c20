/* Short runs of groupings. See verify.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/diag.h"
#include "offline/trial.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/driver_ops.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"
#include "scheduler/placement.h"

/* Largest work of a candidate, in units of the work of one solver (assumed). */
static const double MOST_WORK = 6.0;

/* ---- counting ---- */

/* Shortest time of each task in all runs, in the order of tasks, which is equal in all runs. The minimum excludes delays by other load. */
typedef struct times {
    int n, cap, at; /* number of tasks, capacity, and index of the next task of the present run */
    int is_failed;
    float *ns;
    /* 1: first task of a measured batch; 2: first task of a batch before the measurement */
    unsigned char *is_first;
    /* with one solver, which has no fixed tasks: least CPU time of a run without warm-up, ns */
    int64_t one_ns;
} times;

typedef struct counter {
    wr_verify *verify;
    wrsim *sim;
    wr_verify_result *result;
    double done[WR_GROUPING_GROUPS + 1]; /* work so far, by subsystem */
    double events[WR_GROUPING_GROUPS + 1];
    double total, limit;
    times *times;         /* destination of measured times; NULL: count work */
    int is_warm;          /* with one solver only; 1: the warm-up is over */
    int64_t cpu_ns;       /* CPU time of the run, with one solver without warm-up, ns */
    wr_observer observer; /* in the list of sim */
} counter;

/* Returns 1 if the present batch is after the warm-up. */
static int is_warm(const counter *c)
{
    return c->sim->assembly->n_subsystem == 1
               ? c->is_warm
               : c->sim->driver->time(c->sim) >=
                     c->sim->settings->simulation.start_s + c->verify->warm_s;
}

static void add_batch(void *context, int n, const int *subsystem, const int64_t *task_ns)
{
    (void)task_ns;
    counter *const c = context;
    double task[WR_GROUPING_GROUPS + 1], busy[64];
    int order[WR_GROUPING_GROUPS + 1];
    for (int k = 0; k < n; k++) {
        const int i = subsystem[k];
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(c->sim, i, &s);
        const double work = wr_run_work(&s, NULL);
        task[k] = work - c->done[i];
        c->done[i] = work;
        c->total += task[k];
    }
    if (c->limit > 0.0 && c->total > c->limit)
        wrsim_stop(c->sim);
    if (!is_warm(c))
        return;
    wr_placement_order(task, n, 0.0, order);
    for (int k = 0; k < WR_VERIFY_CORES; k++)
        c->result->work[k] += wr_placement_assign(task, order, n, c->verify->core[k], NULL, busy);
    for (int k = 0; k < n; k++)
        if (subsystem[k] < WR_GROUPING_GROUPS)
            c->result->group_work[subsystem[k]] += task[k];
}

static void add_times(void *context, int n, const int *subsystem, const int64_t *task_ns)
{
    counter *const c = context;
    times *const t = c->times;
    (void)subsystem;
    if (c->sim->assembly->n_subsystem == 1)
        return;
    if (t->at + n > t->cap) {
        const int cap = 2 * (t->cap + n) + 4096;
        float *const ns = realloc(t->ns, (size_t)cap * sizeof *ns);
        t->ns = ns ? ns : t->ns;
        unsigned char *const first = realloc(t->is_first, (size_t)cap);
        t->is_first = first ? first : t->is_first;
        if (!ns || !first) {
            t->is_failed = 1;
            return;
        }
        t->cap = cap;
    }
    for (int k = 0; k < n; k++, t->at++) {
        if (t->at == t->n) {
            t->ns[t->n] = INFINITY;
            t->is_first[t->n++] = (unsigned char)(k > 0 ? 0 : is_warm(c) ? 1 : 2);
        }
        if (task_ns)
            t->ns[t->at] = fminf(t->ns[t->at], (float)task_ns[k]);
    }
}

/* ---- one run ---- */

static wrsim_status drive(counter *c, const wr_settings *settings, wrsim_error *err)
{
    wr_settings set = *settings;
    wrsim_status status = WRSIM_OK;
    set.scheduler = (wr_set_scheduler){.workers = 1, .topology = "core:1 pu:1"};
    set.realtime.rate = 0.0;
    set.realtime.priority = set.realtime.lock_memory = set.realtime.jitter = 0;
    set.output.json = set.slack.log = "";
    set.output.events = set.output.waves = set.output.log = 0;
    set.output.decimation = set.output.points = 1;
    set.output.start_s = -(double)INFINITY;
    if (wr_build_simulation_create(&set, NULL, &c->sim, NULL) < 0)
        status = wr_error_set(
            err, WRSIM_E_CONFIG,
            "the grouping is not valid for the config (algebraic loops or history sources)");
    if (status >= 0) {
        c->observer = (wr_observer){.context = c,
                                    .batch = c->times    ? add_times
                                             : c->result ? add_batch
                                                         : NULL};
        wr_observer_append(&c->sim->observers, &c->observer);
        status = wrsim_prepare(c->sim, err);
        if (status >= 0 && c->sim->assembly->n_subsystem == 1) {
            const wr_set_simulation *const s = &c->sim->settings->simulation;
            const double warm_s = wr_min(s->start_s + c->verify->warm_s, s->stop_s);
            if (warm_s > s->start_s)
                status = wrsim_advance(c->sim, warm_s, err);
            c->is_warm = 1;
        }
        const int64_t begin_ns = wr_clock_thread_cpu_ns(); /* this thread is the only worker */
        if (status >= 0 && status != WRSIM_STOPPED)
            status = wrsim_run(c->sim, err);
        c->cpu_ns = wr_clock_thread_cpu_ns() - begin_ns;
        /* With one solver the clock decides how soon a stop has an effect, so the condition also compares the counts. */
        if (status >= 0 && (status == WRSIM_STOPPED || (c->limit > 0.0 && c->total > c->limit)))
            status = wr_error_set(err, WRSIM_E_LIMIT,
                                  "the grouping takes more than %g times the work of one solver",
                                  MOST_WORK);
        if (status >= 0 && c->result) {
            wrsim_stats stats;
            wrsim_stats_get(c->sim, &stats);
            c->result->sweeps = (double)stats.n_sweep / wr_max(1.0, (double)stats.n_window);
            c->result->contraction = stats.contraction_mean;
            c->result->n_rhs = 0.0;
            for (int i = 0; i < stats.n_subsystem && i < WR_GROUPING_GROUPS; i++) {
                wrsim_subsystem_stats s;
                wrsim_stats_subsystem(c->sim, i, &s);
                c->result->n_rhs += (double)s.n_rhs;
                c->result->group_events[i] = (double)(s.n_state_event + s.n_time_event);
            }
        }
        if (status >= 0 && set.output.file[0])
            status = wrsim_finish(c->sim, err) < 0 ? WRSIM_E_IO : WRSIM_OK;
    }
    wrsim_destroy(&c->sim);
    return status < 0 ? status : WRSIM_OK;
}

/* Runs settings and reads the results. Returns WRSIM_OK, or an error of the run. */
static wrsim_status record(wr_verify *v, counter *c, const wr_settings *settings,
                           wr_results **ret_results, wrsim_error *err)
{
    char file[96];
    wr_settings set = *settings;
    snprintf(file, sizeof file, "%s/run.csv", v->folder);
    set.output.file = file;
    v->n_run++;
    wrsim_status status = drive(c, &set, err);
    *ret_results = status < 0 ? NULL : wr_results_load(file, err);
    wr_results_remove(file);
    return status < 0 ? status : *ret_results ? WRSIM_OK : err->status;
}

static wr_settings whole(const wr_verify *v, double rtol, double event_s)
{
    wr_settings set = *v->of.settings;
    set.n_subsystems = 0;
    set.simulation.monolithic = WR_GROUPING_MONOLITHIC;
    if (rtol > 0.0) {
        set.solver.kind = "auto"; /* "auto" suits stiff and nonstiff models */
        set.solver.step_s = 0.0;
        set.solver.rtol = 0.0;
        set.simulation.rtol = rtol;
        set.simulation.event_tolerance_s = event_s;
    }
    return set;
}

/* Finds the cheapest method and the loosest tolerance with which one solver has the requested error. The candidates are the methods of
 * wr_grouping_solvers and of the config, with at most MOST tolerances from LOOSEST downwards in ratios of STEP (assumed). */
static wrsim_status tune_whole(wr_verify *v, double error, wrsim_error *err)
{
    static const double LOOSEST = 1e-2, STEP = 0.75;
    enum { MOST = 40 };
    v->monolithic_work = (double)INFINITY;
    for (int i = 0; i == 0 || wr_grouping_solvers[i]; i++)
        for (int k = 0; k < MOST; k++) {
            wr_settings set = whole(v, 0.0, 0.0);
            wr_results *results = NULL;
            const char *worst;
            wr_verify_result mono = {0};
            counter c = {.verify = v, .result = &mono};
            if (isfinite(v->monolithic_work)) /* an unsuitable method may take any time */
                c.limit = MOST_WORK * v->monolithic_total;
            if (i > 0)
                set.solver.kind = wr_grouping_solvers[i];
            set.solver.rtol = LOOSEST * pow(STEP, k);
            if (record(v, &c, &set, &results, err) < 0)
                continue; /* the run fails, for example because the tolerance is too loose */
            const double off = wr_trial_difference(results, v->reference, &worst);
            wr_results_destroy(&results);
            if (!(off <= error))
                continue;
            if (mono.work[0] < v->monolithic_work) {
                v->monolithic_work = mono.work[0];
                v->monolithic_total = c.total;
                v->monolithic_error = off;
                v->monolithic_rtol = set.solver.rtol;
                v->monolithic_solver = set.solver.kind;
            }
            break;
        }
    if (isfinite(v->monolithic_work))
        return WRSIM_OK;
    return err->status < 0
               ? err->status
               : wr_error_set(err, WRSIM_E_SOLVER,
                              "no tolerance of one solver reaches an error of %.3g; raise --error",
                              error);
}

wrsim_status wr_verify_open(wr_verify *v, double error, wrsim_error *err)
{
    WR_TRY(wr_trial_folder(v->folder, err));
    const double rtol = wr_max(1e-4 * error, 1e-13);
    WR_AUTO(wr_results_destroy) wr_results *other = NULL;
    const char *worst;
    counter none = {.verify = v};
    wr_settings set = whole(v, rtol, 1e-12);
    WR_TRY(record(v, &none, &set, &v->reference, err));
    set = whole(v, 10.0 * rtol, 1e-12);
    WR_TRY(record(v, &none, &set, &other, err));
    v->reference_error = wr_trial_difference(other, v->reference, &worst);
    v->is_reference_poor = !(v->reference_error < 0.1 * error);
    return tune_whole(v, error, err);
}

void wr_verify_close(wr_verify *v)
{
    wr_results_destroy(&v->reference);
    if (v->folder[0])
        rmdir(v->folder);
    v->folder[0] = '\0';
}

void wr_verify_run(wr_verify *v, const wr_grouping_set *set, wr_verify_result *ret)
{
    WR_AUTO(wr_heap_pool_destroy) wr_heap_pool *memory = wr_heap_pool_create(NULL);
    WR_AUTO(wr_results_destroy) wr_results *results = NULL;
    const char *worst;
    wrsim_error err = {0};
    *ret = (wr_verify_result){.error = (double)INFINITY};
    if (!memory) {
        snprintf(ret->why, sizeof ret->why, "out of memory");
        return;
    }
    counter c = {.verify = v, .result = ret, .limit = MOST_WORK * v->monolithic_total};
    wr_settings settings = wr_grouping_settings(&v->of, set, memory);
    const wrsim_status status = record(v, &c, &settings, &results, &err);
    if (status >= 0) {
        ret->error = wr_trial_difference(results, v->reference, &worst);
        ret->is_right = isfinite(ret->error);
    }
    snprintf(ret->why, sizeof ret->why, "%.150s", ret->is_right ? "" : err.text);
}

/* Adds up the schedule bounds of the measured batches for each number of cores, in seconds. */
static void find_bounds(const times *t, const int *core, double *ret_s)
{
    double task[WR_GROUPING_GROUPS + 1], busy[64];
    int order[WR_GROUPING_GROUPS + 1];
    for (int i = 0, n; i < t->n; i += n) {
        n = 0;
        while (i + n < t->n && n <= WR_GROUPING_GROUPS && (n == 0 || !t->is_first[i + n])) {
            task[n] = isfinite(t->ns[i + n]) ? (double)t->ns[i + n] : 0.0;
            n++;
        }
        wr_placement_order(task, n, 0.0, order);
        for (int k = 0; k < WR_VERIFY_CORES && t->is_first[i] == 1; k++)
            ret_s[k] += 1e-9 * wr_placement_assign(task, order, n, core[k], NULL, busy);
    }
}

wrsim_status wr_verify_measure(wr_verify *v, const wr_grouping_set *const *sets, int n_set,
                               int n_round, double (*ret_s)[WR_VERIFY_CORES], wrsim_error *err)
{
    WR_AUTO(wr_heap_pool_destroy) wr_heap_pool *memory = wr_heap_pool_create(NULL);
    WR_AUTO_FREE times *const t = calloc((size_t)n_set + 1, sizeof *t);
    wrsim_status status = memory && t ? WRSIM_OK : wr_error_memory(err);
    for (int round = 0; round < n_round; round++)
        for (int i = 0; i < n_set && status >= 0; i++) {
            wr_settings set =
                sets[i] ? wr_grouping_settings(&v->of, sets[i], memory) : whole(v, 0.0, 0.0);
            if (!sets[i]) {
                set.solver.kind = v->monolithic_solver;
                set.solver.rtol = v->monolithic_rtol;
            }
            set.output.file = "";
            counter c = {.verify = v, .times = &t[i]};
            t[i].at = 0;
            status = drive(&c, &set, err);
            if (!sets[i] && (round == 0 || c.cpu_ns < t[i].one_ns))
                t[i].one_ns = c.cpu_ns;
        }
    for (int i = 0; i < n_set; i++) {
        memset(ret_s[i], 0, sizeof ret_s[i]);
        if (status >= 0 && sets[i])
            find_bounds(&t[i], v->core, ret_s[i]);
        for (int k = 0; k < WR_VERIFY_CORES && !sets[i]; k++)
            ret_s[i][k] = 1e-9 * (double)t[i].one_ns;
        if (t[i].is_failed)
            status = wr_error_memory(err);
        free(t[i].ns);
        free(t[i].is_first);
    }
    return status;
}
