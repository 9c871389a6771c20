/* Estimates of changes of the spectrum. See estimates.h. Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

/* Working data of wr_least_assignment(): prices, and a tree of shortest paths. Rows and columns have numbers from 1. Number 0 means
 * "none". */
typedef struct auction {
    int n;
    const double *cost;
    double *of_column;         /* [n + 1] prices of columns */
    double *of_row;            /* [n + 1] prices of rows */
    double *least;             /* [n + 1] shortest known distance of each row from the tree */
    int *column_of_row;        /* [n + 1] column that is assigned to each row; 0: none */
    int *before;               /* [n + 1] row that precedes each row on its path */
    unsigned char *is_in_tree; /* [n + 1] 1: the row is in the tree */
} auction;

/* Adds the row `last` to the tree, and updates distances and prices. Returns the row outside of the tree that is nearest to the tree. */
static int grow(auction *a, int last)
{
    const int column = a->column_of_row[last];
    int nearest = 0;
    double delta = HUGE_VAL;
    a->is_in_tree[last] = 1;
    for (int row = 1; row <= a->n; row++) {
        if (a->is_in_tree[row])
            continue;
        const double way = a->cost[(size_t)(column - 1) * (size_t)a->n + (size_t)(row - 1)] -
                           a->of_column[column] - a->of_row[row];
        if (way < a->least[row]) {
            a->least[row] = way;
            a->before[row] = last;
        }
        if (a->least[row] < delta) {
            delta = a->least[row];
            nearest = row;
        }
    }
    for (int row = 0; row <= a->n; row++)
        if (a->is_in_tree[row]) {
            a->of_column[a->column_of_row[row]] += delta;
            a->of_row[row] -= delta;
        } else {
            a->least[row] -= delta;
        }
    return nearest;
}

int wr_least_assignment(int n, const double *cost, int *ret_row)
{
    const size_t size = (size_t)n + 1;
    WR_AUTO_FREE double *const numbers = calloc(3 * size, sizeof *numbers);
    WR_AUTO_FREE int *const places = calloc(2 * size, sizeof *places);
    WR_AUTO_FREE unsigned char *const is_in_tree = calloc(size, 1);
    if (!numbers || !places || !is_in_tree)
        return -1;
    auction a = {.n = n,
                 .cost = cost,
                 .of_column = numbers,
                 .of_row = numbers + size,
                 .least = numbers + 2 * size,
                 .column_of_row = places,
                 .before = places + size,
                 .is_in_tree = is_in_tree};
    for (int column = 1; column <= n; column++) {
        int row = 0;
        a.column_of_row[0] = column;
        for (int i = 0; i <= a.n; i++) {
            a.least[i] = HUGE_VAL;
            a.is_in_tree[i] = 0;
        }
        do
            row = grow(&a, row);
        while (a.column_of_row[row] != 0);
        while (row != 0) {
            a.column_of_row[row] = a.column_of_row[a.before[row]];
            row = a.before[row];
        }
    }
    for (int row = 1; row <= n; row++)
        ret_row[a.column_of_row[row] - 1] = row - 1;
    return 0;
}

/* Smallest reciprocal condition number of the eigenvectors of F for computing X^-1 M X (assumed). Below this number the eigenvectors are
 * parallel up to rounding errors, and the result would have no meaning. */
static const double PARALLEL = 1e-10;

/* Returns tr(a b) for matrices [n * n]. */
static double trace_of_product(int n, const double *a, const double *b)
{
    const size_t size = (size_t)n;
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < size; k++)
            sum += a[k * size + i] * b[i * size + k];
    return sum;
}

/* Computes dE from the diagonal of X^-1 M X, where X contains the eigenvectors of F = I - rest. *ret is NaN without a full set of
 * eigenvectors. work has room for n * n values. */
static wrsim_status by_eigenvalue(int n, const double *m, const double *rest, double *work,
                                  double *ret)
{
    const size_t size = (size_t)n, n2 = size * size;
    WR_AUTO_FREE double complex *const x = malloc((2 * n2 + size + 1) * sizeof *x);
    double rcond, sum = 0.0;
    if (!x)
        return WRSIM_E_MEMORY;
    double complex *const mx = x + n2, *const value = mx + n2;
    for (size_t e = 0; e < n2; e++)
        work[e] = (e % (size + 1) == 0 ? 1.0 : 0.0) - rest[e];
    wrsim_status status = wr_lapack_eigen(n, work, value, NULL, x);
    for (size_t j = 0; j < size && status == WRSIM_OK; j++)
        for (size_t i = 0; i < size; i++) {
            mx[j * size + i] = 0.0;
            for (size_t k = 0; k < size; k++)
                mx[j * size + i] += m[k * size + i] * x[j * size + k];
        }
    WR_THEN(status, wr_lapack_solve_complex(n, n, x, mx, &rcond));
    for (size_t i = 0; i < size; i++)
        sum += creal(mx[i * size + i] * conj(mx[i * size + i]));
    *ret = status == WRSIM_OK && rcond > PARALLEL ? sqrt(sum) : (double)NAN;
    return status == WRSIM_E_MEMORY ? status : WRSIM_OK;
}

/* Returns tr((Y_k^H M X_k)^2) of a cluster k. With U = B_k^-1 Y_k^H and V = X_k (I - B_k^-1 A_k) of the resolution, Y_k^H M X_k = U C V,
 * where C = (L - tau Df) (L - tau J)^-1 tau dJ. work has room for (n + m) m values, m the cluster's size. */
static double complex square_of_cluster(int n, const wr_spectral_cluster *k, const double *c,
                                        double complex *work)
{
    const size_t size = (size_t)n, m = (size_t)k->n;
    double complex *const cv = work, *const ucv = work + size * m, sum = 0.0;
    memset(work, 0, (size + m) * m * sizeof *work);
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i < size; i++)
            for (size_t l = 0; l < m && fabs(c[j * size + i]) > 0.0; l++)
                cv[i * m + l] += c[j * size + i] * k->v[j * m + l];
    for (size_t i = 0; i < size; i++)
        for (size_t l = 0; l < m; l++)
            for (size_t q = 0; q < m; q++)
                ucv[l * m + q] += k->u[i * m + l] * cv[i * m + q];
    for (size_t l = 0; l < m; l++)
        for (size_t q = 0; q < m; q++)
            sum += ucv[l * m + q] * ucv[q * m + l];
    return sum;
}

/* Computes C = (L - tau Df) (L - tau J)^-1 tau dJ. work has room for n * n values. */
static wrsim_status dropped_part(const wr_step_pencil *p, const unsigned char *keep, double *work,
                                 double *c)
{
    const size_t n = (size_t)p->n, n2 = n * n;
    double rcond;
    for (size_t e = 0; e < n2; e++) {
        c[e] = p->l[e] - (keep[e] ? p->tau_s * p->df[e] : 0.0);
        work[e] = keep[e] ? 0.0 : p->tau_s * p->df[e];
    }
    WR_TRY(wr_lapack_solve(p->n, p->n, c, work, &rcond));
    memset(c, 0, n2 * sizeof *c);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < n && fabs(work[j * n + k]) > 0.0; i++)
                c[j * n + i] += (p->l[k * n + i] - p->tau_s * p->df[k * n + i]) * work[j * n + k];
    return WRSIM_OK;
}

/* Computes d2k = sqrt(sum of |tr((Y_k^H M X_k)^2)| over the clusters k). *ret is NaN if no resolution exists. */
static wrsim_status by_cluster(const wr_sample *sample, const unsigned char *keep, double gap,
                               double *work, double *ret)
{
    const wr_step_pencil *const p = sample->pencil;
    const wr_resolution *r = sample->resolution;
    wrsim_error err;
    WR_AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    *ret = (double)NAN;
    if (!arena)
        return WRSIM_E_MEMORY;
    wrsim_status status = r ? WRSIM_OK : wr_resolution_place(arena, p, gap, &r, &err);
    if (status < 0)
        return status == WRSIM_E_MEMORY ? status : WRSIM_OK;
    const size_t n = (size_t)p->n, n2 = n * n;
    double sum = 0.0;
    WR_AUTO_FREE double complex *const room = malloc((2 * n2 + 1) * sizeof *room);
    status = room ? dropped_part(p, keep, work, work + n2) : WRSIM_E_MEMORY;
    for (int k = 0; k < r->n_cluster && status == WRSIM_OK; k++)
        sum += (r->cluster[k].has_conjugate ? 2.0 : 1.0) *
               cabs(square_of_cluster(p->n, &r->cluster[k], work + n2, room));
    *ret = sqrt(sum);
    return status == WRSIM_E_MEMORY ? status : WRSIM_OK;
}

int wr_estimates_is_slow(double complex value, double slow)
{
    return cabs(1.0 - value) < slow * cabs(value);
}

/* Pairs the values of `after` with the values of `before` so that the sum of squared distances is least. Reorders `after`. */
static wrsim_status pair(const double complex *before, int n, double complex *after,
                         wr_estimates *ret)
{
    const size_t size = (size_t)n;
    WR_AUTO_FREE double *const cost = malloc((size * size + 1) * sizeof *cost);
    WR_AUTO_FREE int *const partner = malloc((size + 1) * sizeof *partner);
    WR_AUTO_FREE double complex *const paired = malloc((size + 1) * sizeof *paired);
    if (!cost || !partner || !paired)
        return WRSIM_E_MEMORY;
    for (size_t e = 0; e < size * size; e++) {
        const double distance = cabs(after[e % size] - before[e / size]);
        cost[e] = distance * distance;
    }
    if (wr_least_assignment(n, cost, partner) != 0)
        return WRSIM_E_MEMORY;
    double squares = 0.0, sum = 0.0;
    for (size_t i = 0; i < size; i++) {
        paired[i] = after[partner[i]];
        squares += cost[i * size + (size_t)partner[i]];
        sum += sqrt(cost[i * size + (size_t)partner[i]]);
    }
    memcpy(after, paired, size * sizeof *after);
    ret->dr2 = sqrt(squares);
    ret->dr1 = sum;
    return WRSIM_OK;
}

static wrsim_status make(const wr_sample *sample, const unsigned char *keep, double gap, double *m,
                         double complex *after, wr_estimates *ret)
{
    const wr_step_pencil *const p = sample->pencil;
    const size_t n2 = (size_t)p->n * (size_t)p->n;
    double *const rest = m + n2, *const work = rest + n2;
    WR_TRY(wr_step_pencil_difference(p, keep, m, rest));
    double *const left = work, *const dropped = work + n2;
    double rcond;
    for (size_t e = 0; e < n2; e++) {
        left[e] = p->l[e] - p->tau_s * p->df[e];
        dropped[e] = keep[e] ? 0.0 : p->tau_s * p->df[e];
    }
    WR_TRY(wr_lapack_solve(p->n, p->n, left, dropped, &rcond));
    ret->dS = fabs(trace_of_product(p->n, dropped, rest));
    /* The published formula is (I - tau Df)^-1 tau (J - Df) (I - (I - tau Df)^-1 (I + tau Df)), here with L in place of I. With B = L - tau
     * Df, rest is -B^-1 tau Df. Because B^-1 (L + tau Df) = I + 2 B^-1 tau Df, the last factor is 2 rest. */
    ret->dS_published = 2.0 * ret->dS;
    double trace = 0.0;
    for (size_t i = 0; i < (size_t)p->n; i++)
        trace += m[i * (size_t)p->n + i];
    ret->d1 = fabs(trace);
    ret->trace_square = trace_of_product(p->n, m, m);
    ret->d2 = ret->trace_square >= 0.0 ? sqrt(ret->trace_square) : (double)NAN;
    WR_TRY(by_eigenvalue(p->n, m, rest, work, &ret->dE));
    WR_TRY(by_cluster(sample, keep, gap, work, &ret->d2k));
    WR_TRY(wr_step_pencil_eigen_qz(p, keep, after));
    ret->radius_before = wr_verdict_radius(p->n, sample->value);
    ret->radius_after = wr_verdict_radius(p->n, after);
    return pair(sample->value, p->n, after, ret);
}

wrsim_status wr_estimates_make(const wr_sample *sample, const unsigned char *keep,
                               const wr_estimates_rule *rule, wr_estimates *ret_estimates,
                               double complex *ret_after)
{
    const size_t n = (size_t)sample->pencil->n;
    WR_AUTO_FREE double *const memory = malloc((4 * n * n + 1) * sizeof *memory);
    WR_AUTO_FREE double complex *const after = malloc((n + 1) * sizeof *after);
    if (!memory || !after)
        return WRSIM_E_MEMORY;
    WR_TRY(make(sample, keep, rule->gap, memory, after, ret_estimates));
    const double complex *const value = sample->value;
    double c1 = HUGE_VAL, c1_fast = HUGE_VAL;
    ret_estimates->n_slow = 0;
    for (size_t i = 0; i < n; i++) {
        const double r = fabs(1.0 - cabs(value[i]));
        c1 = wr_min(c1, r);
        if (wr_estimates_is_slow(value[i], rule->slow))
            ret_estimates->n_slow++;
        else
            c1_fast = wr_min(c1_fast, r);
    }
    ret_estimates->c1 = c1;
    ret_estimates->c2 = c1 * c1;
    ret_estimates->c1_fast = c1_fast;
    ret_estimates->c2_fast = c1_fast * c1_fast;
    if (ret_after)
        memcpy(ret_after, after, n * sizeof *after);
    return WRSIM_OK;
}
