/* `wrsim budget`: a tolerance for every subsystem from one error asked of the outputs. See bench.h.
 *
 * 1. A tight reference, as for comparisons.
 * 2. *Uniform*: all tolerances as configured (the solvers', and relaxation.convergence for what is
 *    left between subsystems), times one factor, as large as the error allows.
 * 3. *Curves*: all at a tenth of that, then one after the other looser in steps: error at the outputs
 *    and work of that tolerance alone (budget_split.h).
 * 4. *Split*: the least work whose errors add up to a total. They add up where they are worst; in fact
 *    some cancel, so the total is not what was asked but is found by runs, as the factor was.
 * 5. Whichever is cheaper, uniform or split.
 *
 * Errors over tolerances jump by a factor of two either way (events, steps, windows), so a single run
 * may be good by chance. So what is taken has neighbours, all tolerances a step to either side, that
 * are nearly as good. Work is counted: no clock is read.
 *
 * Subsystems of which one follows the other make the same waveforms and share a tolerance. What has
 * no tolerance (fixed steps, no states) is left out.
 *
 * Thread: main. Real-time: no.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "bench/bench.h"
#include "bench/budget_split.h"
#include "cli/print.h"

static const double STEP = 1.25; /* of ladders of tolerances */
/* Errors asked for that the rungs to either side may have: a step, and the usual scatter. */
static const double NEIGHBOUR = 1.5;
static const double TIGHT = 0.1;             /* of the uniform tolerances, for all but one */
enum { DECADE = 3 };                         /* steps of a curve from there to the uniform one */
static const double CURVE_STEP = 2.15443469; /* TIGHT^(-1/DECADE) */
static const double CURVE_END = 5.0;         /* errors asked for */
/* A stretch of time that does not ask much of a subsystem says nothing about the next one. */
static const double LOOSEST = 100.0;    /* errors asked for that a tolerance may be */
static const double LOOSEST_RTOL = 0.1; /* of the key (keys.c) */
static const double LADDER_END = 3.0;   /* errors asked for */
enum { RUNGS = 80, FAR = 10 };          /* of a ladder, to either side; at once */

/* One tolerance that is looked for. */
typedef struct knob {
    const char *name, *solver; /* for people */
    wr_bench_list key;         /* of the config; all are set alike */
    int is_coupling;
    double low, high; /* limits of the key */
    double now, uniform, chosen;
} knob;

/* A run that was made: many rungs come to the same rounded tolerances. */
typedef struct known {
    const double *x; /* [n] */
    double error, n_window;
    const wr_bench_part *part; /* [n_part] */
    const char *why, *worst_signal;
    struct known *next;
} known;

typedef struct budget {
    wr_bench *bench;
    const char *grouping; /* the override that keeps what was chosen; NULL = nothing was */
    int n_part;           /* of every run */
    int n;
    knob *knob;             /* [n] */
    wr_budget_curve *curve; /* [n] */
    int *knob_of;           /* [n_part]; -1 = none */
    double *x;              /* [n] of the run at hand */
    double *uniform_passes;
    double n_window; /* of the last run */
    const char *why; /* why the last run that failed did */
    known *known;
} budget;

static double rounded(const knob *k, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", wr_clamp(x, k->low, k->high));
    return strtod(text, NULL);
}

/* ---- runs ---- */

static void set_keys(const budget *b, const double *x, wr_bench_list *list)
{
    if (b->grouping)
        wr_bench_list_add(b->bench, list, b->grouping);
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->knob[i].key.n; k++)
            wr_bench_list_add(b->bench, list,
                              wr_bench_text(b->bench, "%s=%.2g", b->knob[i].key.item[k], x[i]));
}

static double total_work(const wr_bench *bench)
{
    double work = 0.0;
    for (int i = 0; i < bench->n_part; i++)
        work += bench->part[i].work;
    return work;
}

static const known *find_known(const budget *b)
{
    for (const known *k = b->known; k; k = k->next)
        if (memcmp(k->x, b->x, (size_t)b->n * sizeof *b->x) == 0)
            return k;
    return NULL;
}

/* Where there is no memory it is run again. */
static void keep(budget *b, double error)
{
    const size_t n = (size_t)b->n, n_part = (size_t)b->n_part;
    wr_settings_memory *const memory = b->bench->memory;
    known *const k = wr_settings_memory_take(memory, 1, sizeof *k);
    double *const x = wr_settings_memory_take(memory, n, sizeof *x);
    wr_bench_part *const part = wr_settings_memory_take(memory, n_part, sizeof *part);
    if (!k || !x || !part)
        return;
    memcpy(x, b->x, n * sizeof *x);
    memcpy(part, b->bench->part, n_part * sizeof *part);
    *k = (known){.x = x,
                 .error = error,
                 .n_window = b->n_window,
                 .part = part,
                 .why = b->why,
                 .worst_signal = b->bench->worst_signal,
                 .next = b->known};
    b->known = k;
}

static double take_known(budget *b, const known *k)
{
    memcpy(b->bench->part, k->part, (size_t)b->n_part * sizeof *k->part);
    b->bench->worst_signal = k->worst_signal;
    b->n_window = k->n_window;
    b->why = k->why;
    return k->error;
}

/* Error at the outputs with tolerances b->x, which are rounded; NaN when the run fails. Leaves the
 * counts of its subsystems. Equal tolerances are run once. */
static double run(budget *b)
{
    wr_bench_setting setting = {.rtol = b->bench->at->error};
    wr_bench_sample sample;
    for (int i = 0; i < b->n; i++)
        b->x[i] = rounded(&b->knob[i], b->x[i]);
    const known *const before = find_known(b);
    if (before)
        return take_known(b, before);
    set_keys(b, b->x, &setting.override);
    const double error = wr_bench_try(b->bench, &setting, &sample);
    WR_ASSERT(sample.why[0] || b->bench->n_part == b->n_part);
    b->n_window = sample.n_window;
    if (isnan(error))
        b->why = wr_bench_text(b->bench, "%s", sample.why);
    const char *text = "";
    for (int i = 0; i < b->n; i++)
        text =
            wr_bench_text(b->bench, "%s%s%s %.2g", text, i ? ", " : "", b->knob[i].name, b->x[i]);
    wr_bench_say(b->bench, "%s: %s: %s", b->bench->at->name, text,
                 isnan(error) ? sample.why
                              : wr_bench_text(b->bench, "error %.2g, work %.3g", error,
                                              total_work(b->bench)));
    if (b->bench->n_part == b->n_part) /* else it did not begin */
        keep(b, error);
    return error;
}

static double passes(const budget *b, int i_part)
{
    return wr_max(b->bench->part[i_part].n_integration / wr_max(b->n_window, 1.0), 1e-3);
}

/* ---- ladders ---- */

/* Tolerances set from a number x = start * STEP^k. */
typedef struct ladder {
    budget *b;
    void (*set)(budget *b, double x);
    double start;
    /* [k + RUNGS] */
    double error[2 * RUNGS + 1], work[2 * RUNGS + 1]; /* error -1: not run yet; infinite: failed */
} ladder;

/* What a rung comes to. */
typedef struct outcome {
    double x, error, work;
    double error_beside; /* the worse one of its neighbours; -1 = not known */
} outcome;

static double rung_x(const ladder *l, int k) { return l->start * pow(STEP, k); }

static double rung_error(ladder *l, int k)
{
    double *const error = &l->error[k + RUNGS];
    if (*error < 0.0) {
        l->set(l->b, rung_x(l, k));
        const double found = run(l->b);
        if (isnan(found) && wr_bench_is_over(l->b->bench))
            return (double)INFINITY; /* it was not run, or cut short */
        *error = isnan(found) ? (double)INFINITY : found;
        l->work[k + RUNGS] = total_work(l->b->bench);
    }
    return *error;
}

/* Whether a rung has the error asked for, and not by chance. */
static int is_good(ladder *l, int k)
{
    const double target = l->b->bench->at->error;
    return rung_error(l, k) <= target && rung_error(l, k - 1) <= NEIGHBOUR * target &&
           rung_error(l, k + 1) <= NEIGHBOUR * target;
}

/* The cheapest of those run that have the error asked for, by chance or not; -1 = none. */
static int best_run(const ladder *l)
{
    int best = -1;
    for (int i = 1; i < 2 * RUNGS; i++)
        if (l->error[i] >= 0.0 && l->error[i] <= l->b->bench->at->error &&
            (best < 0 || l->work[i] < l->work[best]))
            best = i;
    return best;
}

static double beside(const ladder *l, int i)
{
    return l->error[i - 1] >= 0.0 && l->error[i + 1] >= 0.0
               ? wr_max(l->error[i - 1], l->error[i + 1])
               : -1.0;
}

/* The cheapest good rung. Errors over tolerances are not monotonic, so all are looked at from one that
 * will do to where errors are far too large. Sets *ret to it and returns 0; when there is none, to the
 * tightest that was run, and returns -1. Interrupted it is the best known by then. */
static int climb(ladder *l, outcome *ret)
{
    const double target = l->b->bench->at->error;
    int k = 0, best;
    for (int i = 0; i < 2 * RUNGS + 1; i++)
        l->error[i] = -1.0;
    while (rung_error(l, k) < 0.1 * target && k + FAR < RUNGS)
        k += FAR;
    while (!is_good(l, k) && k > 1 - RUNGS && !wr_bench_is_over(l->b->bench)) {
        const double error = rung_error(l, k);
        const double down = isfinite(error) ? floor(log(error / target) / log(STEP)) : 0.5 * FAR;
        k = (int)wr_max(k - wr_clamp(down, 1.0, FAR), 1 - RUNGS);
    }
    int is_found = is_good(l, k);
    for (best = k; is_found && k < RUNGS && rung_error(l, k) <= LADDER_END * target; k++)
        if (l->work[k + RUNGS] < l->work[best + RUNGS] && is_good(l, k))
            best = k;
    if (!is_found && wr_bench_is_over(l->b->bench) && best_run(l) >= 0) {
        best = best_run(l) - RUNGS;
        is_found = 1;
    }
    *ret = (outcome){.x = rung_x(l, best),
                     .error = rung_error(l, best),
                     .work = l->work[best + RUNGS],
                     .error_beside = beside(l, best + RUNGS)};
    return is_found ? 0 : -1;
}

/* ---- what there is to be chosen ---- */

static int find(const wr_bench_list *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i], name) == 0)
            return i;
    return -1;
}

/* Whether a subsystem, directly or not, follows another. */
static int follows(const wr_bench_case *c, int i, int other)
{
    for (int n = 0; n < c->subsystem.n && i >= 0 && c->follows.item[i][0]; n++) {
        i = find(&c->subsystem, c->follows.item[i]);
        if (i == other)
            return 1;
    }
    return 0;
}

/* The first part that has the tolerance of part i, which may be i itself. */
static int leader(const budget *b, int i)
{
    const wr_bench_case *const c = b->bench->at;
    const wr_bench_part *const p = &b->bench->part[i];
    const int at = find(&c->subsystem, p->name);
    for (int j = 0; j < i; j++) {
        const wr_bench_part *const q = &b->bench->part[j];
        const int at_q = find(&c->subsystem, q->name);
        if (strcmp(p->solver, q->solver) != 0 || p->rtol != q->rtol)
            continue;
        if (at < 0 && at_q < 0) /* both have what [solver] says */
            return j;
        if (at >= 0 && at_q >= 0 && (follows(c, at, at_q) || follows(c, at_q, at)))
            return j;
    }
    return i;
}

static void add_knob(budget *b, int i_part)
{
    wr_bench *const bench = b->bench;
    const wr_bench_part *const p = &bench->part[i_part];
    const int is_named = find(&bench->at->subsystem, p->name) >= 0;
    const int first = leader(b, i_part);
    if (first == i_part) {
        b->knob[b->n] = (knob){.name = p->name,
                               .solver = p->solver,
                               .low = 1e-13,
                               .high = wr_clamp(LOOSEST * bench->at->error, p->rtol, LOOSEST_RTOL),
                               .now = p->rtol};
        b->knob_of[i_part] = b->n++;
    } else {
        b->knob_of[i_part] = b->knob_of[first];
    }
    knob *const k = &b->knob[b->knob_of[i_part]];
    if (first != i_part)
        k->name = wr_bench_text(bench, "%s, %s", k->name, p->name);
    if (is_named || k->key.n == 0)
        wr_bench_list_add(bench, &k->key,
                          is_named ? wr_bench_text(bench, "subsystem.%s.solver.rtol", p->name)
                                   : "solver.rtol");
}

/* Runs the config as it is to see what it has. */
static int survey(budget *b)
{
    wr_bench *const bench = b->bench;
    wr_bench_setting as_is = {.rtol = bench->at->error};
    wr_bench_sample sample;
    wr_bench_run(bench, &as_is, 1, NULL, &sample);
    if (wr_bench_is_over(bench))
        return wrsim_status_exit_code(WRSIM_STOPPED);
    if (sample.why[0]) {
        fprintf(stderr, "wrsim: error: '%s' does not run: %s\n", bench->at->config, sample.why);
        return wrsim_status_exit_code(WRSIM_E_SOLVER);
    }
    /* Asked again at every tolerance the choice might be another, and the subsystems with it. */
    if (bench->at->is_auto)
        b->grouping = sample.choice.is_monolithic ? "simulation.monolithic=true"
                                                  : "simulation.monolithic=false";
    b->n_part = bench->n_part;
    const size_t n = (size_t)bench->n_part;
    b->knob = wr_settings_memory_take(bench->memory, n + 1, sizeof *b->knob);
    b->knob_of = wr_settings_memory_take(bench->memory, n, sizeof *b->knob_of);
    b->curve = wr_settings_memory_take(bench->memory, n + 1, sizeof *b->curve);
    b->x = wr_settings_memory_take(bench->memory, n + 1, sizeof *b->x);
    b->uniform_passes = wr_settings_memory_take(bench->memory, n, sizeof *b->uniform_passes);
    if (!b->knob || !b->curve || !b->knob_of || !b->x || !b->uniform_passes)
        return wrsim_status_exit_code(WRSIM_E_MEMORY);
    int is_coupled = 0;
    for (int i = 0; i < bench->n_part; i++) {
        const wr_bench_part *const p = &bench->part[i];
        is_coupled |= p->n_input > 0;
        b->knob_of[i] = -1;
        if (p->rtol > 0.0)
            add_knob(b, i);
        else if (p->n_state > 0)
            fprintf(stderr, "wrsim: %s has a fixed step (%s): it is left as it is\n", p->name,
                    p->solver);
    }
    if (b->n == 0) {
        fprintf(stderr, "wrsim: error: '%s' has no solver with a tolerance to choose\n",
                bench->at->config);
        return wrsim_status_exit_code(WRSIM_E_ARG);
    }
    if (is_coupled) {
        knob *const k = &b->knob[b->n++];
        *k = (knob){.name = "coupling",
                    .solver = "convergence",
                    .is_coupling = 1,
                    .low = 1e-6,
                    .high = LOOSEST,
                    .now = bench->at->convergence};
        wr_bench_list_add(bench, &k->key, "relaxation.convergence");
    }
    return 0;
}

/* ---- uniform ---- */

static void set_uniform(budget *b, double factor)
{
    for (int i = 0; i < b->n; i++)
        b->x[i] = b->knob[i].now * factor;
}

/* The config as it is, not rounded as rungs are. */
static void run_now(budget *b, outcome *ret)
{
    wr_bench_setting as_is = {.rtol = b->bench->at->error};
    wr_bench_sample sample;
    const double error = wr_bench_try(b->bench, &as_is, &sample);
    *ret = (outcome){.x = 1.0, .error = error, .work = total_work(b->bench), .error_beside = -1.0};
}

static int find_uniform(budget *b, outcome *ret_now, outcome *ret)
{
    wr_bench *const bench = b->bench;
    run_now(b, ret_now);
    ladder l = {.b = b, .set = set_uniform, .start = 1.0};
    const int found = climb(&l, ret);
    set_uniform(b, ret->x);
    const double error = run(b);
    if (found != 0 && wr_bench_is_over(bench))
        return wrsim_status_exit_code(WRSIM_STOPPED);
    if (found != 0) {
        if (isnan(error))
            fprintf(stderr, "wrsim: error: '%s' does not run at tighter tolerances: %s\n",
                    bench->at->config, b->why);
        else
            fprintf(stderr,
                    "wrsim: error: '%s': no tolerances bring the error to %.2g: with %.1g of those "
                    "it has it is %.2g, of %s (choose others with --signals; jumps and fixed steps "
                    "do not follow tolerances)\n",
                    bench->at->config, bench->at->error, ret->x, error,
                    bench->worst_signal ? bench->worst_signal : "none");
        return wrsim_status_exit_code(WRSIM_E_SOLVER);
    }
    for (int i = 0; i < b->n; i++)
        b->knob[i].uniform = b->knob[i].chosen = b->x[i];
    for (int i = 0; i < bench->n_part; i++)
        b->uniform_passes[i] = passes(b, i);
    return 0;
}

/* ---- curves ---- */

/* Work of the last run that depends on the knob: of its subsystems, were they integrated as often as
 * with the uniform tolerances; of the coupling, which windows and sweeps depend on, all. */
static double work_of(const budget *b, int i_knob)
{
    double work = 0.0;
    if (b->knob[i_knob].is_coupling)
        return total_work(b->bench);
    for (int i = 0; i < b->bench->n_part; i++)
        if (b->knob_of[i] == i_knob)
            work += b->bench->part[i].work / passes(b, i) * b->uniform_passes[i];
    return work;
}

static void set_tight(budget *b)
{
    for (int i = 0; i < b->n; i++)
        b->x[i] = TIGHT * b->knob[i].uniform;
}

/* With tight solvers all is dearer by a factor, which is known at the uniform tolerance. */
static void scale(wr_budget_curve *c, double work)
{
    const double factor = c->n > 0 ? work / c->work[c->n > DECADE ? DECADE : c->n - 1] : 1.0;
    for (int k = 0; k < c->n; k++)
        c->work[k] *= factor;
}

/* Returns -1 when the tight run itself fails. */
static int measure_curves(budget *b, const outcome *uniform)
{
    set_tight(b);
    const double floor_error = run(b);
    if (isnan(floor_error))
        return -1;
    for (int i = 0; i < b->n; i++) {
        wr_budget_curve *const c = &b->curve[i];
        *c = (wr_budget_curve){.floor = floor_error};
        double error = 0.0;
        while (c->n < WR_BUDGET_POINTS && error <= CURVE_END * b->bench->at->error) {
            set_tight(b);
            b->x[i] *= pow(CURVE_STEP, c->n);
            error = run(b);
            if (isnan(error) && wr_bench_is_over(b->bench))
                return -1;
            if (isnan(error) || (c->n > 0 && b->x[i] <= c->x[c->n - 1])) /* the key's limit */
                break;
            c->x[c->n] = b->x[i];
            c->error[c->n] = error;
            c->work[c->n++] = work_of(b, i);
        }
        if (b->knob[i].is_coupling)
            scale(c, uniform->work);
        wr_budget_fit(c);
        wr_bench_say(b->bench, "%s: %s: error %.2g x^%.2f", b->bench->at->name, b->knob[i].name,
                     c->c, c->q);
    }
    return 0;
}

/* ---- split ---- */

static void set_split(budget *b, double total) { wr_budget_split(b->curve, b->n, total, b->x); }

/* Takes the split over if it is cheaper than what was chosen before. */
static void find_split(budget *b, outcome *chosen)
{
    ladder l = {.b = b, .set = set_split, .start = b->bench->at->error};
    outcome split;
    if (climb(&l, &split) != 0 || !(split.work < chosen->work))
        return;
    *chosen = split;
    set_split(b, split.x);
    for (int i = 0; i < b->n; i++)
        b->knob[i].chosen = rounded(&b->knob[i], b->x[i]);
}

/* ---- what is said ---- */

static void print_knob(const budget *b, int i, double work, double errors)
{
    const knob *const k = &b->knob[i];
    double own = 0.0;
    for (int j = 0; j < b->bench->n_part; j++) {
        /* Once per window belongs to the subsystem, again to the coupling. */
        const double once = b->bench->part[j].work / wr_max(passes(b, j), 1.0);
        if (k->is_coupling)
            own += b->bench->part[j].work - once;
        else if (b->knob_of[j] == i)
            own += once;
    }
    printf("%-28s %-12s %9.2g %9.2g %9.2g", k->name, k->solver, k->now, k->uniform, k->chosen);
    if (errors > 0.0)
        printf(" %8.0f %%", 100.0 * wr_budget_error(&b->curve[i], k->chosen) / errors);
    else
        printf(" %10s", "-");
    printf(" %6.0f %%\n", 100.0 * own / work);
}

static void print_outcome(const char *name, const outcome *o)
{
    char beside[64] = "";
    if (o->error_beside >= 0.0)
        snprintf(beside, sizeof beside, " (%.2g a step to either side)", o->error_beside);
    printf("%-8s error %.2g%s, counted work %.3g\n", name, o->error, beside, o->work);
}

static void print_budget(budget *b, const outcome *now, const outcome *uniform,
                         const outcome *chosen, int has_curves)
{
    const wr_bench *const bench = b->bench;
    const wr_bench_case *const c = bench->at;
    double errors = 0.0;
    for (int i = 0; i < b->n && has_curves; i++)
        errors += b->curve[i].n > 0 ? wr_budget_error(&b->curve[i], b->knob[i].chosen) : 0.0;
    printf("%s: error asked for %.2g, of %d signals, t = %.9g s to %.9g s (reference good to "
           "%.1g)\n\n",
           c->name, c->error, bench->reference->n_signal, c->start_s, c->stop_s,
           bench->reference_error);
    if (wr_bench_is_over(bench))
        puts("incomplete, for it was interrupted: what is chosen is the best that was run\n");
    printf("%-28s %-12s %9s %9s %9s %10s %8s\n", "tolerance of", "solver", "now", "uniform",
           "chosen", "of error", "of work");
    for (int i = 0; i < b->n; i++)
        print_knob(b, i, chosen->work, errors);
    putchar('\n');
    print_outcome("now", now);
    print_outcome("uniform", uniform);
    print_outcome("chosen", chosen);
    printf("work saved over uniform: %.0f %%\n", 100.0 * (1.0 - chosen->work / uniform->work));
    wr_bench_list list = {0};
    double *const x = b->x;
    for (int i = 0; i < b->n; i++)
        x[i] = b->knob[i].chosen;
    set_keys(b, x, &list);
    printf("\n-D simulation.rtol=%.9g", c->error);
    for (int i = 0; i < list.n; i++)
        printf(" -D %s", list.item[i]);
    putchar('\n');
}

/* An override that only cuts short what is measured. */
static int is_stretch(const char *override)
{
    static const char key[] = "simulation.stop";
    return strncmp(override, key, sizeof key - 1) == 0 &&
           strspn(override + sizeof key - 1, " \t") == strcspn(override + sizeof key - 1, "=");
}

/* The config with the tolerances chosen; has_stretch: and with the stop that it was measured to. */
static wrsim_status tuned_config(budget *b, int has_stretch, wrsim_config **ret_config,
                                 wrsim_error *err)
{
    wr_bench *const bench = b->bench;
    wr_bench_list list = {0};
    for (int i = 0; i < bench->at->override.n; i++)
        if (has_stretch || !is_stretch(bench->at->override.item[i]))
            wr_bench_list_add(bench, &list, bench->at->override.item[i]);
    wr_bench_list_add(bench, &list,
                      wr_bench_text(bench, "simulation.rtol=%.17g", bench->at->error));
    for (int i = 0; i < b->n; i++)
        b->x[i] = b->knob[i].chosen;
    set_keys(b, b->x, &list);
    /* From its full path: what it names beside it is then found from anywhere. */
    char *const path = realpath(bench->at->config, NULL);
    const wrsim_status status = wrsim_config_from_file(path ? path : bench->at->config, list.item,
                                                       list.n, NULL, NULL, ret_config, err);
    free(path);
    return status;
}

/* The whole config. It keeps the stop that it was measured to only where it has none of its own. */
static int write_config(budget *b, const char *file)
{
    wrsim_config *config = NULL;
    wrsim_error err = {0};
    wrsim_status status = tuned_config(b, 0, &config, &err);
    if (status == WRSIM_E_CONFIG)
        status = tuned_config(b, 1, &config, &err);
    char *const text = status < 0 ? NULL : wrsim_config_dump(config);
    wrsim_config_destroy(&config);
    if (!text) {
        wr_print_error(NULL, &err);
        return wrsim_status_exit_code(status < 0 ? status : WRSIM_E_MEMORY);
    }
    const int code = wr_bench_write(file, text);
    free(text);
    return code;
}

int wr_bench_budget(wr_bench *bench, const wr_bench_case *c)
{
    budget b = {.bench = bench};
    outcome now = {0}, uniform = {0}, chosen;
    bench->at = c;
    bench->n_part = 0;
    bench->has_parts = 1;
    wr_results_destroy(&bench->reference);
    int code = survey(&b);
    code = code != 0 ? code : wr_bench_reference(bench);
    if (code == 0 && wr_bench_is_over(bench))
        code = wrsim_status_exit_code(WRSIM_STOPPED);
    code = code != 0 ? code : find_uniform(&b, &now, &uniform);
    if (code != 0)
        return code;
    chosen = uniform;
    const int has_curves = b.n > 1 && !wr_bench_is_over(bench) && measure_curves(&b, &uniform) == 0;
    if (has_curves)
        find_split(&b, &chosen);
    for (int i = 0; i < b.n; i++)
        b.x[i] = b.knob[i].chosen;
    run(&b); /* for its counts */
    print_budget(&b, &now, &uniform, &chosen, has_curves);
    if (wr_bench_is_over(bench))
        return wrsim_status_exit_code(WRSIM_STOPPED);
    return bench->options.write ? write_config(&b, bench->options.write) : 0;
}
