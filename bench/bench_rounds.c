/* Rounds, and rows with their results. In each round the contestants run in rotating order, so that a disturbance of the machine affects
 * all contestants. Both times of a ratio are from one round. See bench_rounds.h.
 *
 * Thread: main. Real-time: no.
 */
#include "bench/bench_rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench_run.h"
#include "bench/bench_settle.h"

enum { MIN_RUN = 3 };

/* Sum of a contestant's run times, in units of the time limit, above which rounds from MIN_RUN on omit the contestant (assumed). */
static const double PATIENCE = 4.0;
/* Fraction of the rounds outside of the spread, at either end (assumed). */
static const double TAIL = 0.1;
/* Ratio above which two errors count as unequal (assumed). With a method of order 3 to 5, a ratio of 1.2 changes the time by 4 to 6 %. */
static const double EQUAL_ERROR = 1.2;

wr_bench_contestant *wr_bench_enter(wr_bench *bench, wr_bench_field *f, const char *name, int cores)
{
    if (f->n == WR_BENCH_CONTESTANTS)
        return NULL;
    wr_bench_contestant *const c = &f->contestant[f->n];
    *c = (wr_bench_contestant){.name = name, .cores = cores, .error = (double)NAN};
    c->sample =
        wr_heap_pool_take(bench->trial.memory, (size_t)bench->options.n_run, sizeof *c->sample);
    return c->sample ? c : NULL;
}

/* Takes the counts of points from one run, and all other values from a run that does not count points, because counting takes time. */
static void run_counted(wr_bench *bench, const wr_trial_setting *setting, wr_trial_sample *ret)
{
    wr_trial_setting plain = *setting;
    wr_trial_sample counted;
    plain.override = wr_bench_with(bench, &setting->override, "simulation.points=off");
    wr_bench_run(bench, setting, 1, NULL, &counted);
    wr_bench_run(bench, &plain, 1, NULL, ret);
    ret->point_s = counted.point_s;
    memcpy(ret->bound_point_s, counted.bound_point_s, sizeof ret->bound_point_s);
    memcpy(ret->points, counted.points, sizeof ret->points);
}

static void run_round(wr_bench *bench, wr_bench_field *f, int round)
{
    for (int i = 0; i < f->n; i++) {
        wr_bench_contestant *const c = &f->contestant[(i + round) % f->n];
        wr_trial_sample *const sample = &c->sample[round];
        if (round >= MIN_RUN && c->spent_s > PATIENCE * bench->options.limit_s)
            continue;
        if (bench->at->is_counted)
            run_counted(bench, &c->setting, sample);
        else
            wr_bench_run(bench, &c->setting, c->cores, NULL, sample);
        if (wr_is_over(&bench->trial.listener)) { /* an interrupt may have stopped the run early */
            *sample = (wr_trial_sample){.why = "stopped"};
            return;
        }
        if (sample->why[0]) {
            wr_tell(&bench->trial.listener, WR_NEWS_NOTE, "case '%s': %s: %s", bench->at->run.name,
                    c->name, sample->why);
            sample->wall_s = 0.0;
        } else if (c->n_sample++ == 0) {
            c->work = *sample;
        }
        c->spent_s += sample->wall_s;
    }
}

void wr_bench_rounds(wr_bench *bench, wr_bench_field *f)
{
    for (int round = 0; round < bench->options.n_run && !wr_is_over(&bench->trial.listener);
         round++) {
        wr_tell(&bench->trial.listener, WR_NEWS_PROGRESS, "%s: round %d of %d", bench->at->run.name,
                round + 1, bench->options.n_run);
        run_round(bench, f, round);
    }
}

static int compare_numbers(const void *a_at, const void *b_at)
{
    const double a = *(const double *)a_at, b = *(const double *)b_at;
    return (a > b) - (a < b);
}

/* Returns a quantile by linear interpolation between the sorted values. */
static double quantile(const double *sorted, int n, double share)
{
    const double at = share * (n - 1);
    const int low = (int)at, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

wr_bench_spread wr_bench_spread_of(const double *value, int n)
{
    double sorted[WR_BENCH_RUNS];
    wr_bench_spread s = {.n = 0};
    for (int i = 0; i < n && s.n < WR_BENCH_RUNS; i++)
        if (value[i] > 0.0)
            sorted[s.n++] = value[i];
    if (s.n == 0)
        return s;
    qsort(sorted, (size_t)s.n, sizeof sorted[0], compare_numbers);
    s.low = quantile(sorted, s.n, TAIL);
    s.middle = quantile(sorted, s.n, 0.5);
    s.high = quantile(sorted, s.n, 1.0 - TAIL);
    return s;
}

const char *wr_bench_describe(wr_bench *bench, const wr_trial_setting *setting)
{
    const char *text = setting->rtol > 0.0
                           ? wr_text(bench->trial.memory, "rtol %.3g", setting->rtol)
                           : "as configured";
    for (int i = 0; i < setting->override.n; i++)
        text = wr_text(bench->trial.memory, "%s; %s", text, setting->override.item[i]);
    return text;
}

/* Kind of time in a sample: measured, bound for a number of cores, perfect schedule, accepted integrations only. */
typedef enum time_kind { WALL, BOUND, PERFECT, ACCEPTED } time_kind;

static double bound_on(const wr_trial_sample *s, int cores)
{
    for (int k = 0; k < WRSIM_BOUND_CASES; k++)
        if (s->bound_core[k] == cores)
            return s->bound_s[k];
    return (double)NAN;
}

/* Returns the time of a sample, s; not positive if the sample has no such time. */
static double time_of(const wr_trial_sample *s, time_kind kind, int cores)
{
    if (!(s->wall_s > 0.0)) /* the contestant did not run in this round, or failed */
        return 0.0;
    switch (kind) {
    case BOUND:
        return bound_on(s, cores);
    case PERFECT: /* the larger of the work divided evenly and the chain of longest tasks */
        return wr_max(bound_on(s, 1) / cores, s->bound_s[WRSIM_BOUND_CASES - 1]);
    case ACCEPTED:
        return s->accepted_s;
    default:
        return s->wall_s;
    }
}

static int is_auto(const wr_bench_contestant *c) { return strcmp(c->name, WR_BENCH_AUTO) == 0; }

static wr_bench_row row_of(wr_bench *bench, const wr_bench_contestant *c)
{
    return (wr_bench_row){.name = bench->at->run.name,
                          .kind = is_auto(c) ? WR_BENCH_AUTO : "measured",
                          .cores = c->cores,
                          .error = c->error,
                          .error_reference =
                              bench->trial.reference ? bench->trial.reference_error : (double)NAN,
                          .work = c->work,
                          .setting = wr_bench_describe(bench, &c->setting),
                          .of = bench->at,
                          .run = &c->setting,
                          .setting_baseline = ""};
}

/* Fills in the ratio and times of n rounds and adds the row. Returns the row; NULL if no round has both times. */
static wr_bench_row *add(wr_bench *bench, wr_bench_row *row, const double *mine_s,
                         const double *other_s)
{
    const int n = bench->options.n_run;
    double ratio[WR_BENCH_RUNS];
    for (int i = 0; i < n; i++)
        ratio[i] = !(mine_s[i] > 0.0) || !(other_s[i] > 0.0) ? 0.0
                   : row->is_cost                            ? mine_s[i] / other_s[i]
                                                             : other_s[i] / mine_s[i];
    const wr_bench_spread spread = wr_bench_spread_of(ratio, n);
    if (spread.n == 0)
        return NULL;
    row->n_round = spread.n;
    row->ratio = spread.middle;
    row->ratio_low = spread.low;
    row->ratio_high = spread.high;
    row->wall_s = wr_bench_spread_of(mine_s, n).middle;
    row->wall_baseline_s = wr_bench_spread_of(other_s, n).middle;
    wr_bench_row_add(bench, row);
    return &bench->row[bench->n_row - 1];
}

static void take_times(const wr_bench *bench, const wr_bench_contestant *c, time_kind kind,
                       int cores, double *ret_s)
{
    for (int i = 0; i < bench->options.n_run; i++)
        ret_s[i] = time_of(&c->sample[i], kind, cores);
}

static wr_bench_row *add_against(wr_bench *bench, wr_bench_row row, const double *mine_s,
                                 const wr_bench_contestant *baseline, const double *other_s)
{
    row.baseline = baseline->name;
    row.error_baseline = baseline->error;
    row.work_baseline = baseline->work;
    row.setting_baseline = wr_bench_describe(bench, &baseline->setting);
    /* why: the reason why the errors make the row no fair comparison; NULL if the comparison is fair. */
    const double target = bench->at->run.error, a = row.error, b = row.error_baseline;
    const char *const why =
        bench->at->unit || !(b > 0.0) ? NULL
        : a > target || b > target    ? wr_text(bench->trial.memory, "error above %.2g", target)
        : wr_max(a, b) > EQUAL_ERROR * wr_min(a, b)
            ? wr_text(bench->trial.memory,
                      "errors differ by a factor of %.1f: %s has the smaller error",
                      wr_max(a, b) / wr_min(a, b),
                      a >= b                                 ? "the baseline"
                      : strcmp(row.kind, WR_BENCH_AUTO) == 0 ? WR_BENCH_AUTO
                                                             : "relaxed")
            : NULL;
    if (why)
        row.note = row.note ? wr_text(bench->trial.memory, "%s; %s", row.note, why) : why;
    return add(bench, &row, mine_s, other_s);
}

wr_bench_row *wr_bench_row_against(wr_bench *bench, const wr_bench_contestant *c,
                                   const wr_bench_contestant *baseline)
{
    double mine_s[WR_BENCH_RUNS], other_s[WR_BENCH_RUNS];
    take_times(bench, c, WALL, c->cores, mine_s);
    take_times(bench, baseline, WALL, 1, other_s);
    return add_against(bench, row_of(bench, c), mine_s, baseline, other_s);
}

/* Adds the rows of a case with counted costs: of the points alone, and with the time of wrsim itself. The time of wrsim itself does not
 * depend on the costs, so further rows show cheaper models. */
static void add_counted(wr_bench *bench, const wr_bench_contestant *c,
                        const wr_bench_contestant *baseline)
{
    static const struct {
        const char *kind, *note;
        double own, point; /* factors on the time of wrsim itself, and on the costs */
    } rows[] = {{"points", NULL, 0.0, 1.0},
                {"bound", NULL, 1.0, 1.0},
                {"bound", "a tenth of the costs", 1.0, 0.1},
                {"bound", "a hundredth of the costs", 1.0, 0.01},
                {"bound", "without costs", 1.0, 0.0}};
    for (size_t i = 0; i < WR_COUNT_OF(rows); i++) {
        wr_bench_row row = row_of(bench, c);
        double mine_s[WR_BENCH_RUNS], other_s[WR_BENCH_RUNS];
        row.kind = rows[i].kind;
        row.note = rows[i].note;
        row.cost_share = rows[i].point;
        for (int k = 0; k < bench->options.n_run; k++) {
            const wr_trial_sample *const a = &c->sample[k], *const b = &baseline->sample[k];
            mine_s[k] = rows[i].own * time_of(a, c->cores > 1 ? BOUND : WALL, c->cores) +
                        rows[i].point * wr_bench_point_time(a, c->cores);
            other_s[k] = rows[i].own * time_of(b, WALL, 1) + rows[i].point * b->point_s;
        }
        add_against(bench, row, mine_s, baseline, other_s);
    }
}

/* Adds schedule bounds, which come from the times of tasks, for the numbers of cores in bound_core. */
static void add_bounds(wr_bench *bench, const wr_bench_contestant *c,
                       const wr_bench_contestant *baseline)
{
    double mine_s[WR_BENCH_RUNS], other_s[WR_BENCH_RUNS];
    if (c->work.n_integration <= c->work.n_sweep) /* the run has one subsystem */
        return;
    for (int k = 0; k < WRSIM_BOUND_CASES; k++) {
        wr_bench_row row = row_of(bench, c);
        row.kind = "bound";
        row.cores = c->work.bound_core[k];
        if (row.cores == 1) /* one core has a measurement, and needs no bound */
            continue;
        row.note = wr_text(bench->trial.memory, "setting of %d core%s", c->cores,
                           c->cores == 1 ? "" : "s");
        take_times(bench, c, BOUND, row.cores, mine_s);
        take_times(bench, baseline, WALL, 1, other_s);
        add_against(bench, row, mine_s, baseline, other_s);
    }
}

/* Adds a row against a computed time instead of a contestant. */
static void add_absolute(wr_bench *bench, const wr_bench_contestant *c, const char *name,
                         int is_cost, const double *other_s)
{
    double mine_s[WR_BENCH_RUNS];
    wr_bench_row row = row_of(bench, c);
    row.baseline = name;
    row.is_cost = is_cost;
    row.error_baseline = is_cost ? c->error : (double)NAN; /* both sides of a cost are one run */
    take_times(bench, c, WALL, c->cores, mine_s);
    wr_bench_row *const added = add(bench, &row, mine_s, other_s);
    if (added && strcmp(name, "oracle") == 0) {
        added->work_baseline.n_rhs = c->work.n_rhs_accepted;
        added->note = wr_text(bench->trial.memory, "ratio of right-hand sides %.3f",
                              c->work.n_rhs / c->work.n_rhs_accepted);
    }
}

static int is_relaxed(const wr_bench_contestant *c) { return strcmp(c->name, "relaxed") == 0; }

static int is_baseline(const wr_bench_contestant *c) { return !is_relaxed(c) && !is_auto(c); }

/* Adds the rows of the run that chooses its grouping, against the baselines and against the split on one core. */
static void add_auto(wr_bench *bench, const wr_bench_field *f, const wr_bench_contestant *c)
{
    const wrsim_split_probe *const choice = &c->work.choice;
    for (int i = 0; i < f->n; i++) {
        const wr_bench_contestant *const other = &f->contestant[i];
        wr_bench_row *const row = is_baseline(other) || (is_relaxed(other) && other->cores == 1)
                                      ? wr_bench_row_against(bench, c, other)
                                      : NULL;
        if (!row)
            continue;
        const char *const why =
            isfinite(choice->work_ratio)
                ? wr_text(bench->trial.memory, "the split has %.3g x the work", choice->work_ratio)
                : "the work was not compared";
        row->note =
            wr_text(bench->trial.memory, "%s%schose %s: %s; the choice took %.3g ms",
                    row->note ? row->note : "", row->note ? "; " : "",
                    choice->is_monolithic ? "one solver" : "the split", why, 1e3 * choice->wall_s);
    }
}

void wr_bench_rows_add(wr_bench *bench, const wr_bench_field *f)
{
    const wr_bench_contestant *widest = NULL;
    for (int i = 0; i < f->n; i++) {
        const wr_bench_contestant *const c = &f->contestant[i];
        if (is_auto(c))
            add_auto(bench, f, c);
        if (!is_relaxed(c))
            continue;
        widest = c;
        const wr_bench_case *const at = bench->at;
        for (int b = 0; b < f->n; b++)
            if (is_baseline(&f->contestant[b]) && at->is_counted)
                add_counted(bench, c, &f->contestant[b]);
            else if (is_baseline(&f->contestant[b]))
                wr_bench_row_against(bench, c, &f->contestant[b]);
        if (at->is_counted)
            continue;
        double other_s[WR_BENCH_RUNS];
        for (int k = 0; k < bench->options.n_run; k++)
            other_s[k] = at->run.stop_s - at->run.start_s - at->run.warm_s;
        add_absolute(bench, c, "real-time", 0, other_s);
        take_times(bench, c, PERFECT, c->cores, other_s);
        add_absolute(bench, c, "schedule", 1, other_s);
        take_times(bench, c, ACCEPTED, 1, other_s);
        if (c->cores == 1)
            add_absolute(bench, c, "oracle", 1, other_s);
    }
    for (int b = 0; widest && !bench->at->is_counted && b < f->n; b++)
        if (is_baseline(&f->contestant[b]))
            add_bounds(bench, widest, &f->contestant[b]);
}
