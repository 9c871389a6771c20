/* Spectral resolution of a pencil. See resolution.h. Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/resolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

/* Distance of eigenvalues that counts as zero (assumed). Rounding moves the double eigenvalue of a Jordan block by 1.5e-8, the square root
 * of the machine precision. */
static const double ROUNDED_APART = 1e-6;

int wr_cluster_is_close(double complex a, double complex b, double gap)
{
    return cabs(a - b) <=
           (gap > 0.0 ? ROUNDED_APART : 0.0) + gap * wr_max(cabs(1.0 - a), cabs(1.0 - b));
}

int wr_cluster_make(int n, const double complex *value, double gap, int *ret_cluster)
{
    int n_cluster = 0;
    for (int i = 0; i < n; i++)
        ret_cluster[i] = -1;
    for (int i = 0; i < n; i++) {
        if (ret_cluster[i] >= 0)
            continue;
        ret_cluster[i] = n_cluster;
        /* The loop adds eigenvalues that are close to a member, until a pass finds no further eigenvalue. */
        for (int is_growing = 1; is_growing;) {
            is_growing = 0;
            for (int a = i; a < n; a++)
                for (int b = i; b < n && ret_cluster[a] == n_cluster; b++)
                    if (ret_cluster[b] < 0 && wr_cluster_is_close(value[a], value[b], gap)) {
                        ret_cluster[b] = n_cluster;
                        is_growing = 1;
                    }
        }
        n_cluster++;
    }
    return n_cluster;
}

/* Norm of a projector, for one eigenvalue, below which clusters count as separable (assumed). Rounding separates the double eigenvalue
 * of a Jordan block by about 1.5e-8, so the norm of the projector is about 7e7. The first-order estimates are valid only for changes
 * below the inverse of the norm. */
static const double PROJECTOR_LIMIT = 1e7;

/* Working data: the Schur form, and a copy of the Schur form for reordering. */
typedef struct work {
    const wr_step_pencil *pencil; /* pencil of the resolution */
    wr_schur schur;               /* Schur form from the QZ algorithm */
    wr_schur moved;               /* copy of the Schur form with reordered eigenvalues */
    double complex *value;        /* [n] eigenvalues */
    int *cluster;                 /* [n] number of the cluster of each eigenvalue */
    int *is_marked;               /* [n] 1: eigenvalue to move to the top */
    double complex *x;            /* [n * n] basis X_k of the right subspace */
    double complex *y;            /* [n * n] basis Y_k of the left subspace */
    double complex *small;        /* [n * n] working space for B_k */
    double complex *rest;         /* [n * n] working space for B_k - A_k */
    double complex *image;        /* [n * n] working space for a product with X_k */
} work;

static wr_schur schur_place(wr_arena *arena, int n)
{
    const size_t n2 = (size_t)n * (size_t)n;
    wr_schur schur = {.n = n};
    double complex *const memory = WR_NEW_ARRAY(arena, double complex, 4 * n2 + 2 * (size_t)n);
    if (!memory)
        return schur;
    schur.s = memory;
    schur.t = schur.s + n2;
    schur.q = schur.t + n2;
    schur.z = schur.q + n2;
    schur.alpha = schur.z + n2;
    schur.beta = schur.alpha + n;
    return schur;
}

static int work_place(work *w, wr_arena *arena, const wr_step_pencil *pencil)
{
    const size_t n = (size_t)pencil->n, n2 = n * n;
    *w = (work){.pencil = pencil,
                .schur = schur_place(arena, pencil->n),
                .moved = schur_place(arena, pencil->n),
                .value = WR_NEW_ARRAY(arena, double complex, n + 5 * n2),
                .cluster = WR_NEW_ARRAY(arena, int, 2 * n)};
    if (!w->schur.s || !w->moved.s || !w->value || !w->cluster)
        return -1;
    w->x = w->value + n;
    w->y = w->x + n2;
    w->small = w->y + n2;
    w->rest = w->small + n2;
    w->image = w->rest + n2;
    w->is_marked = w->cluster + n;
    return 0;
}

/* Moves the marked eigenvalues to the top. Copies the first n_take columns of Z (right basis) or the last n_take columns of Q (left
 * basis) to ret. */
static wrsim_status take_basis(work *w, int is_right, int n_take, double complex *ret)
{
    const size_t n = (size_t)w->pencil->n, n2 = n * n;
    wr_schur *const m = &w->moved;
    memcpy(m->s, w->schur.s, (4 * n2 + 2 * n) * sizeof *m->s);
    WR_TRY(wr_lapack_schur_reorder(w->is_marked, m));
    memcpy(ret, is_right ? m->z : m->q + (n - (size_t)n_take) * n,
           (size_t)n_take * n * sizeof *ret);
    return WRSIM_OK;
}

/* Computes ret[m * m] = Y^H (l_part L + df_part Df) X. */
static void restrict_to(const work *w, double l_part, double df_part, int m, double complex *ret)
{
    const wr_step_pencil *const p = w->pencil;
    const size_t n = (size_t)p->n, size = (size_t)m;
    memset(w->image, 0, size * n * sizeof *w->image);
    for (size_t c = 0; c < size; c++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                w->image[c * n + i] +=
                    (l_part * p->l[j * n + i] + df_part * p->df[j * n + i]) * w->x[c * n + j];
    for (size_t c = 0; c < size; c++)
        for (size_t r = 0; r < size; r++) {
            double complex sum = 0.0;
            for (size_t i = 0; i < n; i++)
                sum += conj(w->y[r * n + i]) * w->image[c * n + i];
            ret[c * size + r] = sum;
        }
}

/* Returns the Frobenius norm of the projector X B_k^-1 Y^H B. The norm equals the norm of U B, because X is orthonormal. */
static double projector_norm(const work *w, const wr_spectral_cluster *k)
{
    const wr_step_pencil *const p = w->pencil;
    const size_t n = (size_t)p->n, m = (size_t)k->n;
    double square = 0.0;
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < m; r++) {
            double complex sum = 0.0;
            for (size_t i = 0; i < n; i++)
                sum += k->u[i * m + r] * (p->l[j * n + i] - p->tau_s * p->df[j * n + i]);
            square += creal(sum) * creal(sum) + cimag(sum) * cimag(sum);
        }
    return sqrt(square);
}

/* Computes U = B_k^-1 Y^H and V = X B_k^-1 (B_k - A_k), where B - A = -tau Df. */
static wrsim_status make_factors(work *w, wr_spectral_cluster *k)
{
    const double tau = w->pencil->tau_s;
    const size_t n = (size_t)w->pencil->n, m = (size_t)k->n;
    double complex *const b_k = w->small, *const rest = w->rest;
    double rcond;
    restrict_to(w, 1.0, -tau, k->n, b_k);
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < m; r++)
            k->u[i * m + r] = conj(w->y[r * n + i]);
    WR_TRY(wr_lapack_solve_complex(k->n, w->pencil->n, b_k, k->u, &rcond));
    restrict_to(w, 1.0, -tau, k->n, b_k);
    restrict_to(w, 0.0, -tau, k->n, rest);
    WR_TRY(wr_lapack_solve_complex(k->n, k->n, b_k, rest, &rcond));
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < m; r++) {
            double complex sum = 0.0;
            for (size_t c = 0; c < m; c++)
                sum += w->x[c * n + j] * rest[r * m + c];
            k->v[j * m + r] = sum;
        }
    k->projector = projector_norm(w, k);
    return WRSIM_OK;
}

static void mark(work *w, int cluster, int is_wanted)
{
    for (int i = 0; i < w->pencil->n; i++)
        w->is_marked[i] = (w->cluster[i] == cluster) == is_wanted;
}

static wrsim_status make_cluster(work *w, wr_arena *arena, int number, wr_spectral_cluster *k,
                                 wrsim_error *err)
{
    const size_t n = (size_t)w->pencil->n, m = (size_t)k->n;
    k->value = WR_NEW_ARRAY(arena, double complex, m);
    k->u = WR_NEW_ARRAY(arena, double complex, m *n);
    k->v = WR_NEW_ARRAY(arena, double complex, m *n);
    if (!k->value || !k->u || !k->v)
        return wr_step_pencil_refuse(w->pencil, WRSIM_E_MEMORY, err, "out of memory");
    for (int i = 0, at = 0; i < w->pencil->n; i++)
        if (w->cluster[i] == number)
            k->value[at++] = w->value[i];
    /* The right basis needs the cluster at the top, the left basis all other clusters. */
    mark(w, number, 1);
    wrsim_status status = take_basis(w, 1, k->n, w->x);
    mark(w, number, 0);
    WR_THEN(status, take_basis(w, 0, k->n, w->y));
    WR_THEN(status, make_factors(w, k));
    if (status == WRSIM_E_MEMORY)
        return wr_step_pencil_refuse(w->pencil, status, err, "out of memory");
    if (status == WRSIM_OK && k->projector < PROJECTOR_LIMIT * sqrt((double)k->n))
        return WRSIM_OK;
    return wr_step_pencil_refuse(
        w->pencil, WRSIM_E_SOLVER, err,
        "the eigenvalue %.6g%+.6gi of the step cannot be separated from other clusters, because "
        "the pencil is nearly defective; choose a larger --gap",
        creal(k->value[0]), cimag(k->value[0]));
}

/* Returns 1 if the cluster is its own conjugate. Rounding can give real eigenvalues an imaginary part, which is large
 * for multiple eigenvalues. The conjugates of such eigenvalues are neighbours. */
static int is_own_conjugate(const work *w, int cluster, double gap)
{
    static const double rounding = 1e-9;
    for (int i = 0; i < w->pencil->n; i++)
        for (int j = 0; j < w->pencil->n; j++)
            if (w->cluster[i] == cluster && w->cluster[j] == cluster &&
                wr_cluster_is_close(conj(w->value[i]), w->value[j], wr_max(gap, rounding)))
                return 1;
    return 0;
}

static wrsim_status find_values(work *w, wrsim_error *err)
{
    const int n = w->pencil->n;
    WR_AUTO_FREE double *const b = malloc(((size_t)n * (size_t)n + 1) * sizeof *b);
    if (!b)
        return wr_step_pencil_refuse(w->pencil, WRSIM_E_MEMORY, err, "out of memory");
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        b[k] = w->pencil->l[k] - w->pencil->tau_s * w->pencil->df[k];
    const wrsim_status status = wr_lapack_schur(w->pencil->l, b, &w->schur);
    if (status != WRSIM_OK)
        return wr_step_pencil_refuse(
            w->pencil, status, err,
            "the QZ algorithm does not converge; choose other times or matrices");
    for (int i = 0; i < n; i++)
        w->value[i] = w->schur.alpha[i] / w->schur.beta[i]; /* B is regular */
    return WRSIM_OK;
}

wrsim_status wr_resolution_place(wr_arena *arena, const wr_step_pencil *pencil, double gap,
                                 const wr_resolution **ret_resolution, wrsim_error *err)
{
    work w;
    WR_AUTO(wr_arena_destroy) wr_arena *scratch = wr_arena_create((size_t)-1);
    wr_resolution *const r = WR_NEW(arena, wr_resolution);
    if (!scratch || !r || work_place(&w, scratch, pencil) != 0)
        return wr_step_pencil_refuse(pencil, WRSIM_E_MEMORY, err, "out of memory");
    WR_TRY(find_values(&w, err));
    const int n_all = wr_cluster_make(pencil->n, w.value, gap, w.cluster);
    r->n = pencil->n;
    r->tau_s = pencil->tau_s;
    r->cluster = WR_NEW_ARRAY(arena, wr_spectral_cluster, n_all);
    for (int c = 0; c < n_all; c++) {
        /* sum of imaginary parts; below 0, the resolution stores the conjugate cluster */
        double side = 0.0;
        int size = 0;
        for (int i = 0; i < pencil->n; i++)
            if (w.cluster[i] == c) {
                side += cimag(w.value[i]);
                size++;
            }
        if (is_own_conjugate(&w, c, gap))
            side = 0.0;
        if (side < 0.0)
            continue;
        wr_spectral_cluster *const k = &r->cluster[r->n_cluster++];
        k->n = size;
        k->has_conjugate = side > 0.0;
        WR_TRY(make_cluster(&w, arena, c, k, err));
    }
    *ret_resolution = r;
    return WRSIM_OK;
}

double complex wr_resolution_shift(const wr_resolution *resolution, int cluster, int i, int j,
                                   double value)
{
    const wr_spectral_cluster *const k = &resolution->cluster[cluster];
    const size_t m = (size_t)k->n;
    double complex sum = 0.0;
    for (size_t l = 0; l < m; l++)
        sum += k->v[(size_t)j * m + l] * k->u[(size_t)i * m + l];
    return resolution->tau_s * value * sum;
}
