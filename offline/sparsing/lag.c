/* Prediction of the error of the trajectory. See lag.h.
 *
 * Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/lag.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "offline/algebra/lapack.h"

/* Smallest reference size of a state's error, as a part of its nominal value. A state that hardly moves would
 * otherwise be measured by its rounding errors. */
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

/* The largest relative error so far. */
typedef struct place {
    double worst;
    int sample, state;
} place;

/* Computes e := back (L e - tau force), overwrites force, and updates *at. The loops skip columns of zeros, which
 * algebraic states have. */
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
