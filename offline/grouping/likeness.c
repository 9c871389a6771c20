/* Finds shifted equal waveforms. See likeness.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/likeness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sim/lookup.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"

/* N_POINT: number of points per period. SHARES: examined lags are multiples of period / SHARES, up to half a period. Both are assumed. */
enum { N_POINT = 240, SHARES = 12 };
/* MOST_DIFFERENT: largest mean difference of equal signals, relative to the range. CLEARLY: a later candidate replaces the
 * best candidate if its difference is below CLEARLY times the best difference. Both are assumed. */
static const double MOST_DIFFERENT = 0.1, CLEARLY = 0.7;

struct wr_likeness {
    double period; /* period of relaxation.history, s or in the unit of the phase */
    int n_component;
    int *first;        /* [n_component + 1] signal of each component's first output */
    const char **name; /* [signals] names of the signals */
    wrsim *sim;        /* owner of the names */
    double *value;     /* [signals * N_POINT] values over the period */
    double *range;     /* [signals] range of the values of each signal */
    wr_arena *arena;   /* owner of the arrays */
};

/* ---- sampling ---- */

typedef struct sampler {
    wr_likeness *l;
    int *variable; /* [signals] handle of each signal in the simulation */
    int i_phase;   /* index of the phase; -1: time */
    double *row[2], phase[2];
} sampler;

static double phase_now(const sampler *s)
{
    return s->i_phase < 0 ? wrsim_time(s->l->sim) : wrsim_get(s->l->sim, s->i_phase);
}

static int signal_count(const wr_likeness *l) { return l->first[l->n_component]; }

/* Runs until the remaining time is a little more than a period at the mean rate, then samples one period. */
static wrsim_status run(wr_likeness *l, const wr_settings *set, sampler *s, wrsim_error *err)
{
    const double start_s = set->simulation.start_s, stop_s = set->simulation.stop_s;
    const double begin = phase_now(s);
    const double middle_s = start_s + 0.4 * (stop_s - start_s);
    WR_TRY(wrsim_advance(l->sim, middle_s, err));
    const double rate = (phase_now(s) - begin) / (middle_s - start_s);
    const double period_s = l->period / rate;
    if (!(rate > 0.0) || !(middle_s + 1.1 * period_s < stop_s))
        return WRSIM_UNDECIDED;
    WR_TRY(wrsim_advance(l->sim, stop_s - 1.05 * period_s, err));
    const int n = signal_count(l);
    int i = 0;
    double t_s = wrsim_time(l->sim);
    const double from = s->phase[0] = phase_now(s);
    WR_TRY(wrsim_get_many(l->sim, n, s->variable, s->row[0]));
    while (i < N_POINT && t_s < stop_s) {
        t_s = fmin(t_s + period_s / N_POINT, stop_s);
        WR_TRY(wrsim_advance(l->sim, t_s, err));
        s->phase[1] = phase_now(s);
        WR_TRY(wrsim_get_many(l->sim, n, s->variable, s->row[1]));
        for (double at; i < N_POINT && (at = from + l->period * i / N_POINT) <= s->phase[1]; i++) {
            const double part = (at - s->phase[0]) / (s->phase[1] - s->phase[0]);
            for (int k = 0; k < n; k++)
                l->value[(size_t)k * N_POINT + (size_t)i] =
                    s->row[0][k] + fmax(part, 0.0) * (s->row[1][k] - s->row[0][k]);
        }
        double *const row = s->row[0];
        s->row[0] = s->row[1];
        s->row[1] = row;
        s->phase[0] = s->phase[1];
    }
    return i == N_POINT ? WRSIM_OK : WRSIM_UNDECIDED;
}

static int place(wr_likeness *l, sampler *s)
{
    const wr_assembly *const a = l->sim->assembly;
    l->arena = wr_arena_create((size_t)-1);
    l->first = l->arena ? WR_NEW_ARRAY(l->arena, int, l->n_component + 1) : NULL;
    if (!l->first)
        return -1;
    l->first[0] = 0;
    for (int i = 0; i < l->n_component; i++)
        l->first[i + 1] = l->first[i] + a->component[i]->n[WRSIM_OUTPUT];
    const size_t n = (size_t)signal_count(l);
    l->name = WR_NEW_ARRAY(l->arena, const char *, n);
    l->value = WR_NEW_ARRAY(l->arena, double, n *N_POINT);
    s->variable = WR_NEW_ARRAY(l->arena, int, n);
    if (!l->name || !l->value || !s->variable ||
        WR_NEW_DOUBLES(l->arena, n, &l->range, &s->row[0], &s->row[1]) < 0)
        return -1;
    for (int i = 0; i < l->n_component; i++)
        for (int y = 0; y < a->component[i]->n[WRSIM_OUTPUT]; y++) {
            l->name[l->first[i] + y] = a->component[i]->variable[WRSIM_OUTPUT][y].name;
            s->variable[l->first[i] + y] = wr_lookup_number(a, i, WRSIM_OUTPUT, y);
        }
    return 0;
}

wrsim_status wr_likeness_find(const wr_settings *settings, const wr_parts *parts, wr_likeness **ret,
                              wrsim_error *err)
{
    wr_settings set = *settings;
    *ret = NULL;
    if (!(set.relaxation.history_period > 0.0))
        return WRSIM_OK;
    set.n_subsystems = 0;
    set.simulation.monolithic = WR_GROUPING_MONOLITHIC;
    wr_likeness *l = calloc(1, sizeof *l);
    if (!l)
        return wr_error_memory(err);
    l->period = set.relaxation.history_period;
    l->n_component = parts->n_component;
    sampler s = {.l = l, .i_phase = -1};
    wrsim_status status = wr_run_open_second(&set, NULL, &l->sim, err);
    if (status >= 0 && place(l, &s) < 0)
        status = wr_error_memory(err);
    if (status >= 0) {
        if (set.relaxation.history_phase[0])
            s.i_phase = wrsim_find(l->sim, set.relaxation.history_phase);
        status = run(l, &set, &s, err);
        for (int k = 0; k < signal_count(l); k++) {
            const double *const value = l->value + (size_t)k * N_POINT;
            double least = value[0], most = value[0];
            for (int i = 1; i < N_POINT; i++) {
                least = fmin(least, value[i]);
                most = fmax(most, value[i]);
            }
            l->range[k] = most - least;
        }
    }
    if (status != WRSIM_OK) /* a run that is too short for sampling a period is no failure */
        wr_likeness_destroy(&l);
    *ret = l;
    return status < 0 ? status : WRSIM_OK;
}

void wr_likeness_destroy(wr_likeness **likeness)
{
    wr_likeness *const l = *likeness;
    if (!l)
        return;
    wrsim_destroy(&l->sim);
    wr_arena_destroy(&l->arena);
    free(l);
    *likeness = NULL;
}

/* ---- comparing ---- */

/* Returns the mean absolute difference of signal a and of signal b `shift` points earlier, relative to the larger range. The mean
 * difference does not count, because a growing signal, such as a phase, repeats with an offset. */
static double difference(const wr_likeness *l, int a, int b, int shift)
{
    const double *const x = l->value + (size_t)a * N_POINT, *const y =
                                                                l->value + (size_t)b * N_POINT;
    const double range = fmax(l->range[a], l->range[b]);
    double sum = 0.0, mean = 0.0;
    if (!(range > 0.0))
        return 0.0;
    for (int i = shift; i < N_POINT; i++)
        mean += (x[i] - y[i - shift]) / (N_POINT - shift);
    for (int i = shift; i < N_POINT; i++)
        sum += fabs(x[i] - y[i - shift] - mean);
    return sum / ((N_POINT - shift) * range);
}

/* Returns the largest difference of two groups' outputs; INFINITY if the numbers or names of the outputs differ. */
static double unlikeness(const wr_likeness *l, const wr_likeness_group *a,
                         const wr_likeness_group *b, int shift)
{
    double worst = a->n == b->n ? 0.0 : (double)INFINITY;
    for (int k = 0; k < a->n && isfinite(worst); k++) {
        const int x = l->first[a->component[k]] + a->output[k],
                  y = l->first[b->component[k]] + b->output[k];
        worst = strcmp(l->name[x], l->name[y]) != 0 ? (double)INFINITY
                                                    : fmax(worst, difference(l, x, y, shift));
    }
    return worst;
}

int wr_likeness_source(const wr_likeness *l, const wr_likeness_group *groups, int n_group,
                       int i_group, double *ret_lag)
{
    double best = MOST_DIFFERENT;
    int source = -1;
    if (!l || groups[i_group].n == 0)
        return -1;
    /* Short lags come first, because a longer lag must have a clearly smaller difference. */
    for (int share = 1; share <= SHARES / 2; share++)
        for (int b = 0; b < n_group; b++) {
            const double now =
                unlikeness(l, &groups[i_group], &groups[b], share * N_POINT / SHARES);
            if (now < best) {
                best = CLEARLY * now;
                source = b;
                *ret_lag = l->period * share / SHARES;
            }
        }
    return source;
}
