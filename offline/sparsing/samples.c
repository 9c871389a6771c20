/* The linearisations of a study. See samples.h. Thread: one owner. Real-time: no. */
#include "offline/sparsing/samples.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/sparse.h"
#include "offline/algebra/lapack.h"

/* Smallest reference size of a state's error, as a share of its nominal value (assumed). Without this limit, rounding errors would be the
 * reference of a nearly constant state. */
static const double LEAST_RANGE = 1e-3;

wrsim_status wr_lag_place(wr_arena *arena, const wr_step_pencil *const *pencil,
                          const double *const *x, int n_sample, const double *nominal,
                          const wr_lag **ret_lag)
{
    const int n = pencil[0]->n, n_interval = n_sample - 1;
    const size_t n2 = (size_t)n * (size_t)n;
    wr_lag *const lag = WR_NEW(arena, wr_lag);
    const wr_step_pencil **const ends = WR_NEW_ARRAY(arena, const wr_step_pencil *, n_interval);
    double *const moved = WR_NEW_ARRAY(arena, double, (size_t)n_interval *(size_t)n);
    double *const back = WR_NEW_ARRAY(arena, double, (size_t)n_interval *n2);
    double *const scale = WR_NEW_ARRAY(arena, double, n);
    WR_AUTO_FREE double *const left = malloc((n2 + 1) * sizeof *left);
    if (!lag || !ends || !moved || !back || !scale || !left)
        return WRSIM_E_MEMORY;
    for (int i = 0; i < n; i++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int k = 0; k < n_sample; k++) {
            low = wr_min(low, x[k][i]);
            high = wr_max(high, x[k][i]);
        }
        scale[i] = wr_max((high - low) / (nominal ? nominal[i] : 1.0), LEAST_RANGE);
    }
    for (int k = 0; k < n_interval; k++) {
        ends[k] = pencil[k + 1];
        for (int i = 0; i < n; i++)
            moved[(size_t)k * (size_t)n + (size_t)i] =
                (x[k + 1][i] - x[k][i]) / (nominal ? nominal[i] : 1.0);
        double rcond, *const inverse = back + (size_t)k * n2;
        for (size_t e = 0; e < n2; e++) {
            left[e] = ends[k]->l[e] - (ends[k]->t_s - pencil[k]->t_s) * ends[k]->df[e];
            inverse[e] = e % ((size_t)n + 1) == 0;
        }
        const wrsim_status status = wr_lapack_solve(n, n, left, inverse, &rcond);
        WR_TRY(status == WRSIM_OK && !(rcond > DBL_EPSILON) ? WRSIM_E_SOLVER : status);
    }
    *lag = (wr_lag){.n = n,
                    .n_interval = n_interval,
                    .pencil = ends,
                    .moved = moved,
                    .back = back,
                    .scale = scale};
    *ret_lag = lag;
    return WRSIM_OK;
}

double wr_lag_force(const wr_lag *lag, int interval, int entry)
{
    return lag->pencil[interval]->df[entry] *
           lag->moved[(size_t)interval * (size_t)lag->n + (size_t)(entry / lag->n)];
}

/* The largest relative error so far, with its sample and state. */
typedef struct place {
    double worst;
    int sample, state;
} place;

/* Computes e := back (L e - tau force), overwrites force, and updates *at. The loops skip zero elements of e and force. */
static void advance(const wr_lag *lag, int interval, double *e, double *force, place *at)
{
    const size_t n = (size_t)lag->n;
    const wr_step_pencil *const p = lag->pencil[interval];
    const double *const back = lag->back + (size_t)interval * n * n;
    for (size_t i = 0; i < n; i++)
        force[i] *= -p->tau_s;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n && fabs(e[j]) > 0.0; i++)
            force[i] += p->l[j * n + i] * e[j];
    memset(e, 0, n * sizeof *e);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n && fabs(force[j]) > 0.0; i++)
            e[i] += back[j * n + i] * force[j];
    for (int i = 0; i < lag->n; i++)
        if (fabs(e[i]) > at->worst * lag->scale[i])
            *at = (place){.worst = fabs(e[i]) / lag->scale[i], .sample = interval + 1, .state = i};
}

double wr_lag_error(const wr_lag *lag, const unsigned char *keep, double *work, int *ret_sample,
                    int *ret_state)
{
    const size_t n = (size_t)lag->n;
    double *const e = work, *const force = work + n;
    place at = {.worst = 0.0};
    memset(e, 0, n * sizeof *e);
    for (int k = 0; k < lag->n_interval; k++) {
        memset(force, 0, n * sizeof *force);
        for (size_t entry = 0; entry < n * n; entry++)
            if (!keep[entry])
                force[entry % n] += wr_lag_force(lag, k, (int)entry);
        advance(lag, k, e, force, &at);
    }
    if (ret_sample)
        *ret_sample = at.sample;
    if (ret_state)
        *ret_state = at.state;
    return at.worst;
}

double wr_lag_error_of(const wr_lag *lag, const int *entry, int n_entry, double *work)
{
    const size_t n = (size_t)lag->n;
    double *const e = work, *const force = work + n;
    place at = {.worst = 0.0};
    memset(e, 0, n * sizeof *e);
    for (int k = 0; k < lag->n_interval; k++) {
        memset(force, 0, n * sizeof *force);
        for (int m = 0; m < n_entry; m++)
            force[(size_t)entry[m] % n] += wr_lag_force(lag, k, entry[m]);
        advance(lag, k, e, force, &at);
    }
    return at.worst;
}

/* Smallest permitted change of an eigenvalue (assumed), above the rounding error of a simple eigenvalue. */
static const double ROUNDING = 1e-9;

double wr_verdict_limit(const wr_shares *shares, double complex value)
{
    const double size = cabs(value);
    const double share = size <= shares->stiff_radius ? shares->stiff : shares->other;
    return wr_max(share * fabs(1.0 - size), ROUNDING);
}

int wr_verdict(int n, const wr_shares *shares, const double complex *before,
               const double complex *after)
{
    const size_t size = (size_t)n;
    WR_AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    unsigned char *const allowed = arena ? WR_NEW_ARRAY(arena, unsigned char, size *size) : NULL;
    int *const partner = allowed ? WR_NEW_ARRAY(arena, int, size) : NULL;
    int n_pair = -1;
    if (partner) {
        for (size_t i = 0; i < size; i++) {
            const double limit = wr_verdict_limit(shares, before[i]);
            for (size_t j = 0; j < size; j++)
                allowed[i * size + j] = cabs(after[j] - before[i]) <= limit;
        }
        const wr_matrix *const pairs = wr_sparsity_place(arena, n, n, allowed);
        n_pair = pairs ? wr_sparsity_match(pairs, partner) : -1;
    }
    return n_pair < 0 ? -1 : n_pair == n;
}

double wr_verdict_radius(int n, const double complex *value)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = wr_max(largest, cabs(value[i]));
    return largest;
}

static double cluster_limit(const wr_shares *shares, const wr_spectral_cluster *k)
{
    double least = HUGE_VAL;
    for (int i = 0; i < k->n; i++)
        least = wr_min(least, wr_verdict_limit(shares, k->value[i]));
    return least;
}

/* Returns 1 if the sum of a cluster's eigenvalues moves by more than permitted from a kept sample to `now`. */
static int differs_from(const wr_samples *samples, const wr_sample *old, const wr_step_pencil *now)
{
    const int n = samples->n;
    for (int c = 0; c < old->resolution->n_cluster; c++) {
        double complex sum = 0.0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const size_t e = (size_t)j * (size_t)n + (size_t)i;
                const double change = old->pencil->df[e] - now->df[e];
                if (fabs(change) > 0.0)
                    sum += wr_resolution_shift(old->resolution, c, i, j, change);
            }
        if (cabs(sum) > cluster_limit(&samples->shares, &old->resolution->cluster[c]))
            return 1;
    }
    return 0;
}

wrsim_status wr_samples_add(wr_samples *samples, const wr_linearisation *at, wrsim_error *err)
{
    const wr_step_pencil from = {
        .n = samples->n, .tau_s = samples->tau_s, .t_s = at->t_s, .l = at->l, .df = at->df};
    const size_t n = (size_t)samples->n;
    wr_sample sample = {.pencil = NULL};
    if (!samples->arena)
        samples->arena = wr_arena_create((size_t)-1);
    if (!samples->arena)
        return wr_error_memory(err);
    if (samples->n_sample == samples->cap) {
        const int cap = 2 * samples->cap + 16;
        wr_sample *const grown = realloc(samples->sample, (size_t)cap * sizeof *grown);
        if (!grown)
            return wr_error_memory(err);
        samples->sample = grown;
        samples->cap = cap;
    }
    WR_TRY(wr_step_pencil_place(samples->arena, &from, samples->nominal, &sample.pencil, err));
    double complex *const value = WR_NEW_ARRAY(samples->arena, double complex, n);
    double *const x = at->x ? WR_NEW_ARRAY(samples->arena, double, n) : NULL;
    if (!value || (at->x && !x))
        return wr_error_memory(err);
    if (x)
        memcpy(x, at->x, n * sizeof *x);
    sample.x = x;
    const wrsim_status status = wr_step_pencil_eigen(sample.pencil, NULL, value);
    if (status != WRSIM_OK)
        return wr_step_pencil_refuse(
            &from, status, err,
            "the eigenvalues of the step cannot be computed: %s; choose other times or matrices",
            wrsim_status_text(status));
    sample.value = value;
    samples->sample[samples->n_sample++] = sample;
    for (int k = 0; k < samples->n_sample; k++)
        if (samples->sample[k].resolution &&
            !differs_from(samples, &samples->sample[k], sample.pencil))
            return WRSIM_OK;
    return wr_samples_keep(samples, samples->n_sample - 1, err);
}

wrsim_status wr_samples_close(wr_samples *samples, wrsim_error *err)
{
    const int n = samples->n_sample;
    for (int k = 0; k < samples->n_sample; k++)
        if (!samples->sample[k].x ||
            (k > 0 && !(samples->sample[k].pencil->t_s > samples->sample[k - 1].pencil->t_s)))
            return WRSIM_OK;
    if (n < 2)
        return WRSIM_OK;
    const wr_step_pencil **const pencil = WR_NEW_ARRAY(samples->arena, const wr_step_pencil *, n);
    const double **const x = WR_NEW_ARRAY(samples->arena, const double *, n);
    if (!pencil || !x)
        return wr_error_memory(err);
    for (int k = 0; k < n; k++) {
        pencil[k] = samples->sample[k].pencil;
        x[k] = samples->sample[k].x;
    }
    const wrsim_status status =
        wr_lag_place(samples->arena, pencil, x, n, samples->nominal, &samples->lag);
    return status == WRSIM_E_MEMORY ? wr_error_memory(err) : WRSIM_OK;
}

void wr_samples_done(wr_samples *samples)
{
    wr_arena_destroy(&samples->arena);
    free(samples->sample);
    samples->sample = NULL;
    samples->n_sample = samples->cap = 0;
    samples->lag = NULL;
}

wrsim_status wr_samples_keep(wr_samples *samples, int i, wrsim_error *err)
{
    wr_sample *const sample = &samples->sample[i];
    return sample->resolution ? WRSIM_OK
                              : wr_resolution_place(samples->arena, sample->pencil, samples->gap,
                                                    &sample->resolution, err);
}

int wr_samples_n_kept(const wr_samples *samples)
{
    int n = 0;
    for (int k = 0; k < samples->n_sample; k++)
        n += samples->sample[k].resolution != NULL;
    return n;
}

static double spectral_score(const wr_samples *samples, const wr_sample *s, const int *entry,
                             int n_entry)
{
    double worst = 0.0;
    for (int c = 0; s->resolution && c < s->resolution->n_cluster; c++) {
        double complex sum = 0.0;
        for (int e = 0; e < n_entry; e++)
            sum += wr_resolution_shift(s->resolution, c, entry[e] % samples->n,
                                       entry[e] / samples->n, s->pencil->df[entry[e]]);
        const double limit = cluster_limit(&samples->shares, &s->resolution->cluster[c]);
        worst = wr_max(worst, cabs(sum) / limit);
    }
    return worst;
}

double wr_samples_score(const wr_samples *samples, const int *entry, int n_entry)
{
    WR_AUTO_FREE double *const work = malloc(2 * ((size_t)samples->n + 1) * sizeof *work);
    double worst = work ? 0.0 : -1.0;
    for (int k = 0; k < samples->n_sample && work; k++)
        worst = wr_max(worst, spectral_score(samples, &samples->sample[k], entry, n_entry));
    if (work && samples->lag)
        worst = wr_max(worst, wr_lag_error_of(samples->lag, entry, n_entry, work) / samples->error);
    return worst;
}

double wr_samples_error(const wr_samples *samples, const unsigned char *keep, int *ret_sample,
                        int *ret_state)
{
    WR_AUTO_FREE double *const work = malloc(2 * ((size_t)samples->n + 1) * sizeof *work);
    if (!work)
        return -1.0;
    return samples->lag ? wr_lag_error(samples->lag, keep, work, ret_sample, ret_state) : 0.0;
}

int wr_samples_accept(wr_samples *samples, const unsigned char *keep, int only_kept)
{
    WR_AUTO_FREE double complex *const after = malloc(((size_t)samples->n + 1) * sizeof *after);
    const double error = wr_samples_error(samples, keep, NULL, NULL);
    if (!after || error < 0.0)
        return -1;
    if (!(error <= samples->error))
        return 0;
    for (int k = 0; k < samples->n_sample; k++) {
        const int i = (samples->suspect + k) % samples->n_sample;
        const wr_sample *const sample = &samples->sample[i];
        if (only_kept && !sample->resolution)
            continue;
        samples->n_check++;
        wr_tell(&samples->listener, WR_NEWS_PROGRESS, "searching: %d spectra checked",
                samples->n_check);
        const wrsim_status status = wr_step_pencil_eigen(sample->pencil, keep, after);
        if (status == WRSIM_E_MEMORY)
            return -1;
        const int verdict =
            status == WRSIM_OK ? wr_verdict(samples->n, &samples->shares, sample->value, after) : 0;
        if (verdict == 0)
            samples->suspect = i;
        if (verdict != 1)
            return verdict;
    }
    return 1;
}
