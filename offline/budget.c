/* Chooses the tolerances of solvers and coupling from a requested error of the outputs. See budget.h.
 *
 * 1. A tight run is the reference.
 * 2. *Uniform*: the study multiplies all configured tolerances (rtol of the solvers, and relaxation.convergence if subsystems have inputs)
 *    by one factor. Runs find the factor with the least work whose error is at most the requested error.
 * 3. *Curves*: the study sets all tolerances to a tenth of the uniform tolerances, and then raises each tolerance in turn. The runs show
 *    the error at the outputs and the work as functions of each tolerance alone (budget_split.h).
 * 4. *Split*: the study finds the tolerances with the least work whose errors add up to a total. The sum overestimates the error, because
 *    some errors cancel. So runs also find the total.
 * 5. The study chooses the cheaper of uniform and split.
 *
 * The error as a function of tolerances scatters (events, steps, windows), so a single run may be good by chance. Therefore the neighbours
 * of a choice, with a factor or a total one step smaller or larger, must be nearly as good. Work is a count, which needs no clock.
 *
 * A subsystem has the same waveforms as its history source. So both share a tolerance if their solvers and tolerances are equal. Subsystems
 * without a [[subsystem]] table share the tolerance of [solver]. Subsystems without a tolerance (fixed steps, no states) keep their
 * settings.
 *
 * Thread: one owner. Real-time: no. */
#include "offline/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "offline/budget_split.h"

/* ratio of neighbouring tolerances in a ladder (assumed) */
static const double STEP = 1.25;
/* largest error of the neighbouring rungs, in units of the requested error (docs/lab/2026-11-21-error-budget.md) */
static const double NEIGHBOUR = 1.5;
/* factor on all other uniform tolerances while a curve raises one tolerance (assumed) */
static const double TIGHT = 0.1;
enum { DECADE = 3 }; /* number of steps of a curve from TIGHT to the uniform tolerance (assumed) */
/* ratio of neighbouring points of a curve: TIGHT^(-1/DECADE) */
static const double CURVE_STEP = 2.15443469;
/* error above which a curve ends, in units of the requested error (assumed) */
static const double CURVE_END = 5.0;
/* LOOSEST: largest rtol in units of the requested error, except a larger rtol of the config; also largest relaxation.convergence (assumed).
 * LOOSEST_RTOL: limit of the keys for rtol (runtime/config/keys.c). */
static const double LOOSEST = 100.0, LOOSEST_RTOL = 0.1;
/* error above which a ladder ends, in units of the requested error (assumed) */
static const double LADDER_END = 3.0;
/* number of rungs of a ladder in either direction, and number of rungs of a large step (assumed) */
enum { RUNGS = 80, FAR = 10 };

/* A tolerance that the study chooses. */
typedef struct knob {
    const char *name, *solver; /* names for messages */
    wr_texts key;              /* keys of the config whose value is the tolerance */
    int is_coupling;
    double low, high; /* limits of the tolerance */
    double now, uniform, chosen;
} knob;

/* The result of a run, also of a failed run, kept because rungs often round to equal tolerances. */
typedef struct known {
    const double *x; /* [n] tolerances */
    double error, n_window;
    const wr_trial_subsystem *subsystem; /* [n_subsystem] results of each subsystem */
    const char *why, *worst_signal;
    struct known *next;
} known;

typedef struct search {
    wr_trial *trial;
    const char *grouping; /* override that fixes the grouping of "auto"; NULL = none */
    int n_subsystem;      /* number of subsystems in every run */
    int n;
    knob *knob;             /* [n] tolerances to choose */
    wr_budget_curve *curve; /* [n] error and work against each tolerance */
    int *knob_of;           /* [n_subsystem] index of the subsystem's tolerance; -1 = none */
    double *x;              /* [n] tolerances of the present run */
    double *uniform_passes; /* [n_subsystem] integrations per window of the uniform run */
    double n_window;        /* number of windows of the last run */
    const char *why;        /* reason of the last failure */
    known *known;
} search;

static double rounded(const knob *k, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", wr_clamp(x, k->low, k->high));
    return strtod(text, NULL);
}

/* ---- runs ---- */

static void set_keys(const search *b, const double *x, wr_texts *list)
{
    if (b->grouping)
        wr_texts_add(b->trial->memory, list, b->grouping);
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->knob[i].key.n; k++)
            wr_texts_add(b->trial->memory, list,
                         wr_text(b->trial->memory, "%s=%.2g", b->knob[i].key.item[k], x[i]));
}

static double total_work(const wr_trial *trial)
{
    double work = 0.0;
    for (int i = 0; i < trial->n_subsystem; i++)
        work += trial->subsystem[i].work;
    return work;
}

/* Stores the result of a run. If memory is exhausted, stores nothing, and all later runs fail. */
static void keep(search *b, double error)
{
    const size_t n = (size_t)b->n, n_subsystem = (size_t)b->n_subsystem;
    wr_heap_pool *const memory = b->trial->memory;
    known *const k = wr_heap_pool_take(memory, 1, sizeof *k);
    double *const x = wr_heap_pool_take(memory, n, sizeof *x);
    wr_trial_subsystem *const subsystem = wr_heap_pool_take(memory, n_subsystem, sizeof *subsystem);
    if (!k || !x || !subsystem)
        return;
    memcpy(x, b->x, n * sizeof *x);
    memcpy(subsystem, b->trial->subsystem, n_subsystem * sizeof *subsystem);
    *k = (known){.x = x,
                 .error = error,
                 .n_window = b->n_window,
                 .subsystem = subsystem,
                 .why = b->why,
                 .worst_signal = b->trial->worst_signal,
                 .next = b->known};
    b->known = k;
}

/* Rounds the tolerances b->x, performs a run, and returns the error at the outputs; NaN if the run fails. The trial receives the counts
 * of the subsystems. If a stored run has equal tolerances, the stored results replace a new run. */
static double run(search *b)
{
    wr_trial_setting setting = {.rtol = b->trial->at->error};
    wr_trial_sample sample;
    for (int i = 0; i < b->n; i++)
        b->x[i] = rounded(&b->knob[i], b->x[i]);
    const known *before = b->known;
    while (before && memcmp(before->x, b->x, (size_t)b->n * sizeof *b->x) != 0)
        before = before->next;
    if (before) {
        memcpy(b->trial->subsystem, before->subsystem,
               (size_t)b->n_subsystem * sizeof *before->subsystem);
        b->trial->worst_signal = before->worst_signal;
        b->n_window = before->n_window;
        b->why = before->why;
        return before->error;
    }
    set_keys(b, b->x, &setting.override);
    const double error = wr_trial_try(b->trial, &setting, &sample);
    WR_ASSERT(sample.why[0] || b->trial->n_subsystem == b->n_subsystem);
    b->n_window = sample.n_window;
    if (isnan(error))
        b->why = wr_text(b->trial->memory, "%s", sample.why);
    const char *text = "";
    for (int i = 0; i < b->n; i++)
        text =
            wr_text(b->trial->memory, "%s%s%s %.2g", text, i ? ", " : "", b->knob[i].name, b->x[i]);
    wr_tell(&b->trial->listener, WR_NEWS_PROGRESS, "%s: %s: %s", b->trial->at->name, text,
            isnan(error)
                ? sample.why
                : wr_text(b->trial->memory, "error %.2g, work %.3g", error, total_work(b->trial)));
    if (b->trial->n_subsystem == b->n_subsystem) /* else the run has not begun */
        keep(b, error);
    return error;
}

static double passes(const search *b, int i_subsystem)
{
    return wr_max(b->trial->subsystem[i_subsystem].n_integration / wr_max(b->n_window, 1.0), 1e-3);
}

/* ---- ladders ---- */

/* A ladder: tolerances made from a number x = start * STEP^k, for each rung k. */
typedef struct ladder {
    search *b;
    void (*set)(search *b, double x);
    double start;
    /* results of rung k at index k + RUNGS; the error is -1 before the run, and infinite after a failure */
    double error[2 * RUNGS + 1], work[2 * RUNGS + 1];
} ladder;

/* Result of a rung. */
typedef struct outcome {
    double x, error, work;
    double error_beside; /* larger error of the neighbouring rungs; -1 = unknown */
} outcome;

static double rung_x(const ladder *l, int k) { return l->start * pow(STEP, k); }

static double rung_error(ladder *l, int k)
{
    double *const error = &l->error[k + RUNGS];
    if (*error < 0.0) {
        l->set(l->b, rung_x(l, k));
        const double found = run(l->b);
        if (isnan(found) && wr_is_over(&l->b->trial->listener))
            return (double)INFINITY; /* the study has ended, so the run is missing or incomplete */
        *error = isnan(found) ? (double)INFINITY : found;
        l->work[k + RUNGS] = total_work(l->b->trial);
    }
    return *error;
}

/* Returns 1 if the rung has at most the requested error, and its neighbours at most NEIGHBOUR times the requested error. A single good
 * rung may be chance. */
static int is_good(ladder *l, int k)
{
    const double target = l->b->trial->at->error;
    return rung_error(l, k) <= target && rung_error(l, k - 1) <= NEIGHBOUR * target &&
           rung_error(l, k + 1) <= NEIGHBOUR * target;
}

/* Returns the index of the cheapest finished run with at most the requested error, even if its neighbours are worse; -1: no such run. */
static int best_run(const ladder *l)
{
    int best = -1;
    for (int i = 1; i < 2 * RUNGS; i++)
        if (l->error[i] >= 0.0 && l->error[i] <= l->b->trial->at->error &&
            (best < 0 || l->work[i] < l->work[best]))
            best = i;
    return best;
}

/* Finds the cheapest good rung, and returns 0. The error is not monotonic, so the search tries all rungs from a good rung to errors above
 * LADDER_END times the request. If the search finds no good rung, writes the last rung to *ret and returns -1. After a stop returns 0 with
 * the best run so far, if any run has at most the requested error. */
static int climb(ladder *l, outcome *ret)
{
    const double target = l->b->trial->at->error;
    int k = 0, best;
    for (int i = 0; i < 2 * RUNGS + 1; i++)
        l->error[i] = -1.0;
    while (rung_error(l, k) < 0.1 * target && k + FAR < RUNGS)
        k += FAR;
    while (!is_good(l, k) && k > 1 - RUNGS && !wr_is_over(&l->b->trial->listener)) {
        const double error = rung_error(l, k);
        const double down = isfinite(error) ? floor(log(error / target) / log(STEP)) : 0.5 * FAR;
        k = (int)wr_max(k - wr_clamp(down, 1.0, FAR), 1 - RUNGS);
    }
    int is_found = is_good(l, k);
    for (best = k; is_found && k < RUNGS && rung_error(l, k) <= LADDER_END * target; k++)
        if (l->work[k + RUNGS] < l->work[best + RUNGS] && is_good(l, k))
            best = k;
    if (!is_found && wr_is_over(&l->b->trial->listener) && best_run(l) >= 0) {
        best = best_run(l) - RUNGS;
        is_found = 1;
    }
    const double error = rung_error(l, best), *const at = &l->error[best + RUNGS];
    *ret = (outcome){.x = rung_x(l, best),
                     .error = error,
                     .work = l->work[best + RUNGS],
                     .error_beside = at[-1] >= 0.0 && at[1] >= 0.0 ? wr_max(at[-1], at[1]) : -1.0};
    return is_found ? 0 : -1;
}

/* ---- tolerances to choose ---- */

/* Returns 1 if `other` is a history source of subsystem i, directly or through other sources. */
static int repeats(const wr_trial_case *c, int i, int other)
{
    for (int n = 0; n < c->subsystem.n && i >= 0 && c->history_source.item[i][0]; n++) {
        i = wr_texts_find(&c->subsystem, c->history_source.item[i]);
        if (i == other)
            return 1;
    }
    return 0;
}

/* Returns the first subsystem that shares the tolerance of subsystem i, possibly i itself. */
static int leader(const search *b, int i)
{
    const wr_trial_case *const c = b->trial->at;
    const wr_trial_subsystem *const p = &b->trial->subsystem[i];
    const int at = wr_texts_find(&c->subsystem, p->name);
    for (int j = 0; j < i; j++) {
        const wr_trial_subsystem *const q = &b->trial->subsystem[j];
        const int at_q = wr_texts_find(&c->subsystem, q->name);
        if (strcmp(p->solver, q->solver) != 0 || p->rtol != q->rtol)
            continue;
        if (at < 0 && at_q < 0) /* both subsystems have the tolerance of [solver] */
            return j;
        if (at >= 0 && at_q >= 0 && (repeats(c, at, at_q) || repeats(c, at_q, at)))
            return j;
    }
    return i;
}

static void add_knob(search *b, int i_subsystem)
{
    wr_trial *const trial = b->trial;
    const wr_trial_subsystem *const p = &trial->subsystem[i_subsystem];
    const int is_named = wr_texts_find(&trial->at->subsystem, p->name) >= 0;
    const int first = leader(b, i_subsystem);
    if (first == i_subsystem) {
        b->knob[b->n] = (knob){.name = p->name,
                               .solver = p->solver,
                               .low = 1e-13,
                               .high = wr_clamp(LOOSEST * trial->at->error, p->rtol, LOOSEST_RTOL),
                               .now = p->rtol};
        b->knob_of[i_subsystem] = b->n++;
    } else {
        b->knob_of[i_subsystem] = b->knob_of[first];
    }
    knob *const k = &b->knob[b->knob_of[i_subsystem]];
    if (first != i_subsystem)
        k->name = wr_text(trial->memory, "%s, %s", k->name, p->name);
    if (is_named || k->key.n == 0)
        wr_texts_add(trial->memory, &k->key,
                     is_named ? wr_text(trial->memory, "subsystem.%s.solver.rtol", p->name)
                              : "solver.rtol");
}

/* Runs the config with simulation.rtol = requested error, to find its subsystems and tolerances. Returns WRSIM_OK; WRSIM_STOPPED if the
 * study has ended; or an error if the run fails, memory is exhausted, or no solver has a tolerance. */
static wrsim_status survey(search *b)
{
    wr_trial *const trial = b->trial;
    wr_trial_setting as_is = {.rtol = trial->at->error};
    wr_trial_sample sample;
    wr_trial_run(trial, &as_is, 1, NULL, &sample);
    if (wr_is_over(&trial->listener))
        return WRSIM_STOPPED;
    if (sample.why[0]) {
        wr_tell(&trial->listener, WR_NEWS_ERROR,
                "'%s' does not run: %s. Correct the config until `wrsim run` succeeds",
                trial->at->config, sample.why);
        return WRSIM_E_SOLVER;
    }
    /* Other tolerances might change the choice of "auto" and so the subsystems. */
    if (trial->at->is_auto)
        b->grouping = sample.choice.is_monolithic ? "simulation.monolithic=true"
                                                  : "simulation.monolithic=false";
    b->n_subsystem = trial->n_subsystem;
    const size_t n = (size_t)trial->n_subsystem;
    b->knob = wr_heap_pool_take(trial->memory, n + 1, sizeof *b->knob);
    b->knob_of = wr_heap_pool_take(trial->memory, n, sizeof *b->knob_of);
    b->curve = wr_heap_pool_take(trial->memory, n + 1, sizeof *b->curve);
    b->x = wr_heap_pool_take(trial->memory, n + 1, sizeof *b->x);
    b->uniform_passes = wr_heap_pool_take(trial->memory, n, sizeof *b->uniform_passes);
    if (!b->knob || !b->curve || !b->knob_of || !b->x || !b->uniform_passes)
        return WRSIM_E_MEMORY;
    int is_coupled = 0;
    for (int i = 0; i < trial->n_subsystem; i++) {
        const wr_trial_subsystem *const p = &trial->subsystem[i];
        is_coupled |= p->n_input > 0;
        b->knob_of[i] = -1;
        if (p->rtol > 0.0)
            add_knob(b, i);
        else if (p->n_state > 0)
            wr_tell(&trial->listener, WR_NEWS_NOTE, "%s keeps its fixed step (%s)", p->name,
                    p->solver);
    }
    if (b->n == 0) {
        wr_tell(&trial->listener, WR_NEWS_ERROR,
                "'%s' has no solver with a tolerance; name a config with states, and set "
                "solver.kind to a method with error control",
                trial->at->config);
        return WRSIM_E_ARG;
    }
    if (is_coupled) {
        knob *const k = &b->knob[b->n++];
        *k = (knob){.name = "coupling",
                    .solver = "convergence",
                    .is_coupling = 1,
                    .low = 1e-6,
                    .high = LOOSEST,
                    .now = trial->at->convergence};
        wr_texts_add(trial->memory, &k->key, "relaxation.convergence");
    }
    return 0;
}

/* ---- uniform ---- */

static void set_uniform(search *b, double factor)
{
    for (int i = 0; i < b->n; i++)
        b->x[i] = b->knob[i].now * factor;
}

static wrsim_status find_uniform(search *b, outcome *ret_now, outcome *ret)
{
    wr_trial *const trial = b->trial;
    const wr_trial_setting as_is = {.rtol = trial->at->error};
    wr_trial_sample sample;
    const double now = wr_trial_try(trial, &as_is, &sample);
    *ret_now = (outcome){.x = 1.0, .error = now, .work = total_work(trial), .error_beside = -1.0};
    ladder l = {.b = b, .set = set_uniform, .start = 1.0};
    const int found = climb(&l, ret);
    set_uniform(b, ret->x);
    const double error = run(b);
    if (found != 0 && wr_is_over(&trial->listener))
        return WRSIM_STOPPED;
    if (found != 0) {
        if (isnan(error))
            wr_tell(&trial->listener, WR_NEWS_ERROR,
                    "'%s' does not run at tighter tolerances: %s. Request a larger error",
                    trial->at->config, b->why);
        else
            wr_tell(&trial->listener, WR_NEWS_ERROR,
                    "'%s' does not reach an error of %.2g: with %.1g times its tolerances the "
                    "error is %.2g, of %s. Request a larger error, or by --signals choose signals "
                    "without jumps, from subsystems without fixed steps",
                    trial->at->config, trial->at->error, ret->x, error,
                    trial->worst_signal ? trial->worst_signal : "none");
        return WRSIM_E_SOLVER;
    }
    for (int i = 0; i < b->n; i++)
        b->knob[i].uniform = b->knob[i].chosen = b->x[i];
    for (int i = 0; i < trial->n_subsystem; i++)
        b->uniform_passes[i] = passes(b, i);
    return 0;
}

/* ---- curves ---- */

/* Returns the part of the last run's work that depends on a tolerance. For the coupling, this part is the whole work. For a solver, this
 * part is the work of the solver's subsystems, scaled to the number of integrations of the uniform run. */
static double work_of(const search *b, int i_knob)
{
    double work = 0.0;
    if (b->knob[i_knob].is_coupling)
        return total_work(b->trial);
    for (int i = 0; i < b->trial->n_subsystem; i++)
        if (b->knob_of[i] == i_knob)
            work += b->trial->subsystem[i].work / passes(b, i) * b->uniform_passes[i];
    return work;
}

static void set_tight(search *b)
{
    for (int i = 0; i < b->n; i++)
        b->x[i] = TIGHT * b->knob[i].uniform;
}

/* Measures all curves. Returns 0, or -1 if the tight run fails or the study has ended. */
static int measure_curves(search *b, const outcome *uniform)
{
    set_tight(b);
    const double floor_error = run(b);
    if (isnan(floor_error))
        return -1;
    for (int i = 0; i < b->n; i++) {
        wr_budget_curve *const c = &b->curve[i];
        *c = (wr_budget_curve){.floor = floor_error};
        double error = 0.0;
        while (c->n < WR_BUDGET_POINTS && error <= CURVE_END * b->trial->at->error) {
            set_tight(b);
            b->x[i] *= pow(CURVE_STEP, c->n);
            error = run(b);
            if (isnan(error) && wr_is_over(&b->trial->listener))
                return -1;
            /* the run has failed, or the tolerance is at its upper limit */
            if (isnan(error) || (c->n > 0 && b->x[i] <= c->x[c->n - 1]))
                break;
            c->x[c->n] = b->x[i];
            c->error[c->n] = error;
            c->work[c->n++] = work_of(b, i);
        }
        /* Tight solvers multiply all works of the coupling's curve by a factor, which this scale removes. */
        const double at_uniform = c->n > 0 ? c->work[c->n > DECADE ? DECADE : c->n - 1] : 1.0;
        for (int k = 0; k < c->n && b->knob[i].is_coupling; k++)
            c->work[k] *= uniform->work / at_uniform;
        wr_budget_fit(c);
        wr_tell(&b->trial->listener, WR_NEWS_PROGRESS, "%s: %s: error %.2g x^%.2f",
                b->trial->at->name, b->knob[i].name, c->c, c->q);
    }
    return 0;
}

/* ---- split ---- */

static void set_split(search *b, double total) { wr_budget_split(b->curve, b->n, total, b->x); }

/* ---- results ---- */

/* Returns the work that depends on tolerance i. For a solver, counts one integration per window with the mean work. For the coupling,
 * counts all further integrations. */
static double own_work(const search *b, int i)
{
    double own = 0.0;
    for (int j = 0; j < b->trial->n_subsystem; j++) {
        const double once = b->trial->subsystem[j].work / wr_max(passes(b, j), 1.0);
        if (b->knob[i].is_coupling)
            own += b->trial->subsystem[j].work - once;
        else if (b->knob_of[j] == i)
            own += once;
    }
    return own;
}

static wrsim_budget_outcome outcome_of(const outcome *o)
{
    return (wrsim_budget_outcome){o->error, o->error_beside, o->work};
}

wrsim_status wr_budget_find(wr_trial *trial, wrsim_budget *ret)
{
    search b = {.trial = trial};
    const wr_trial_case *const c = trial->at;
    outcome now = {0}, uniform = {0}, chosen;
    *ret = (wrsim_budget){.error = c->error, .start_s = c->start_s, .stop_s = c->stop_s};
    trial->n_subsystem = 0;
    trial->has_subsystems = 1;
    wr_results_destroy(&trial->reference);
    wrsim_status status = survey(&b);
    status = status != WRSIM_OK ? status : wr_trial_reference(trial);
    if (status == WRSIM_OK && wr_is_over(&trial->listener))
        status = WRSIM_STOPPED;
    status = status != WRSIM_OK ? status : find_uniform(&b, &now, &uniform);
    if (status != WRSIM_OK)
        return status;
    chosen = uniform;
    const int has_curves =
        b.n > 1 && !wr_is_over(&trial->listener) && measure_curves(&b, &uniform) == 0;
    ladder l = {.b = &b, .set = set_split, .start = c->error};
    outcome split;
    if (has_curves && climb(&l, &split) == 0 && split.work < chosen.work) {
        chosen = split;
        set_split(&b, split.x);
        for (int i = 0; i < b.n; i++)
            b.knob[i].chosen = rounded(&b.knob[i], b.x[i]);
    }
    for (int i = 0; i < b.n; i++)
        b.x[i] = b.knob[i].chosen;
    run(&b); /* this run counts the work with the chosen tolerances */
    ret->n_signal = trial->reference->n_signal;
    ret->reference_error = trial->reference_error;
    ret->now = outcome_of(&now);
    ret->uniform = outcome_of(&uniform);
    ret->chosen = outcome_of(&chosen);
    wr_heap_pool *const memory = trial->memory;
    wrsim_budget_tolerance *const list = wr_heap_pool_take(memory, (size_t)b.n, sizeof *list);
    double errors = 0.0;
    for (int i = 0; i < b.n && has_curves; i++)
        errors += b.curve[i].n > 0 ? wr_budget_error(&b.curve[i], b.knob[i].chosen) : 0.0;
    for (int i = 0; list && i < b.n; i++) {
        const knob *const k = &b.knob[i];
        list[i] = (wrsim_budget_tolerance){
            .name = k->name,
            .solver = k->solver,
            .now = k->now,
            .uniform = k->uniform,
            .chosen = k->chosen,
            .error_share =
                errors > 0.0 ? wr_budget_error(&b.curve[i], k->chosen) / errors : (double)NAN,
            .work_share = own_work(&b, i) / chosen.work};
    }
    ret->n_tolerance = list ? b.n : 0;
    ret->tolerance = list;
    wr_texts override = {0};
    wr_texts_add(memory, &override, wr_text(memory, "simulation.rtol=%.9g", c->error));
    for (int i = 0; i < b.n; i++)
        b.x[i] = b.knob[i].chosen;
    set_keys(&b, b.x, &override);
    ret->n_override = override.n;
    ret->override = override.item;
    if (wr_heap_pool_is_short(trial->memory))
        return WRSIM_E_MEMORY;
    ret->is_complete = !wr_is_over(&trial->listener);
    return ret->is_complete ? WRSIM_OK : WRSIM_STOPPED;
}
