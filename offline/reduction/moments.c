/* Recursion for moments. See moments.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/dense.h"
#include "base/finite.h"
#include "offline/algebra/lapack.h"

/* Computes ret[n_column][n_output] = L^T x for n_column vectors x of length n. */
static void outputs_of(const double *L, int n_output, const double *x, int n_column, int n,
                       double *ret)
{
    for (int j = 0; j < n_column; j++)
        for (int i = 0; i < n_output; i++) {
            const double *const l = L + (size_t)i * (size_t)n, *const m = x + (size_t)j * (size_t)n;
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += l[k] * m[k];
            ret[j * n_output + i] = sum;
        }
}

static void add_D(const double *D, int n, double *moment_0)
{
    for (int i = 0; i < n; i++)
        moment_0[i] += D[i];
}

static void negate(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = -x[i];
}

/* Factorises at s0 and allocates a block with (G + s0 C)^-1 B. Returns the statuses of wr_pencil_factor(). */
static wrsim_status begin(const wr_linear_system *system, double s0, wr_pencil **ret_pencil,
                          double **ret_block)
{
    const size_t n = (size_t)system->n * (size_t)wr_linear_columns(system);
    wr_pencil *pencil = NULL;
    double *const block = malloc((n + 1) * sizeof *block);
    wrsim_status status = block ? wr_pencil_create(system, &pencil) : WRSIM_E_MEMORY;
    WR_THEN(status, wr_pencil_factor(pencil, s0));
    if (status == WRSIM_OK) {
        memcpy(block, system->B, n * sizeof *block);
        wr_pencil_solve(pencil, wr_linear_columns(system), block);
        *ret_pencil = pencil;
        *ret_block = block;
        return WRSIM_OK;
    }
    wr_pencil_destroy(&pencil);
    free(block);
    return status;
}

wrsim_status wr_moments_of_system(const wr_linear_system *system, double s0, int n, double *ret)
{
    const int n_column = wr_linear_columns(system);
    const int size = n_column * system->n_output;
    WR_AUTO(wr_pencil_destroy) wr_pencil *pencil = NULL;
    WR_AUTO_FREE double *block = NULL;
    const wrsim_status status = begin(system, s0, &pencil, &block);
    if (status < 0)
        return status;
    for (int j = 0; j < n; j++) {
        if (j > 0) {
            wr_pencil_power(pencil, n_column, block);
            negate(block, (size_t)n_column * (size_t)system->n);
        }
        outputs_of(system->L, system->n_output, block, n_column, system->n, ret + j * size);
    }
    add_D(system->D, system->n_input * system->n_output, ret);
    return wr_has_bad(ret, n * size) ? WRSIM_E_NAN : WRSIM_OK;
}

/* Computes x := -(G + s0 C)^-1 C x from the factors of G + s0 C. */
static void power_reduced(const wr_reduced *r, const double *factors, const int *pivot, double *x,
                          double *product)
{
    for (int i = 0; i < r->q; i++) {
        product[i] = 0.0;
        for (int k = 0; k < r->q; k++)
            product[i] -= r->C[k * r->q + i] * x[k];
    }
    memcpy(x, product, (size_t)r->q * sizeof *x);
    wr_dense_solve(r->q, factors, pivot, x);
}

wrsim_status wr_moments_of_reduced(const wr_reduced *r, double s0, int n, double *ret)
{
    const size_t q = (size_t)r->q;
    const int size = r->n_column * r->n_output;
    WR_AUTO_FREE double *const factors =
        malloc((q * q + q * (size_t)r->n_column + q + 1) * sizeof *factors);
    WR_AUTO_FREE int *const pivot = malloc((q + 1) * sizeof *pivot);
    wrsim_status status = factors && pivot ? WRSIM_OK : WRSIM_E_MEMORY;
    if (status == WRSIM_OK) {
        for (size_t i = 0; i < q * q; i++)
            factors[i] = r->G[i] + s0 * r->C[i];
        status = wr_dense_factor(r->q, factors, pivot) == 0 ? WRSIM_OK : WRSIM_E_SOLVER;
    }
    if (status == WRSIM_OK) {
        double *const x = factors + q * q, *const product = x + q * (size_t)r->n_column;
        memcpy(x, r->B, q * (size_t)r->n_column * sizeof *x);
        for (int j = 0; j < n; j++) {
            for (int column = 0; column < r->n_column; column++)
                if (j == 0)
                    wr_dense_solve(r->q, factors, pivot, x + (size_t)column * q);
                else {
                    power_reduced(r, factors, pivot, x + (size_t)column * q, product);
                }
            outputs_of(r->L, r->n_output, x, r->n_column, r->q, ret + j * size);
        }
        add_D(r->D, r->n_input * r->n_output, ret);
    }
    return status;
}

wrsim_status wr_moments_vectors(const wr_linear_system *system, double s0, int n_vector,
                                double *ret_v, double *ret_condition)
{
    const size_t n = (size_t)system->n;
    const int n_column = wr_linear_columns(system);
    WR_AUTO(wr_pencil_destroy) wr_pencil *pencil = NULL;
    WR_AUTO_FREE double *block = NULL;
    wrsim_status status = begin(system, s0, &pencil, &block);
    if (status < 0)
        return status;
    for (int first = 0; first < n_vector; first += n_column) {
        if (first > 0) {
            wr_pencil_power(pencil, n_column, block);
            negate(block, (size_t)n_column * n);
        }
        /* Each vector gets length 1. The next power starts from the scaled vectors. */
        for (int j = 0; j < n_column; j++) {
            double *const v = block + (size_t)j * n, sum = 0.0;
            for (size_t i = 0; i < n; i++)
                sum += v[i] * v[i];
            for (size_t i = 0; i < n && sum > 0.0; i++)
                v[i] /= sqrt(sum);
        }
        const int n_new = n_vector - first < n_column ? n_vector - first : n_column;
        memcpy(ret_v + (size_t)first * n, block, (size_t)n_new * n * sizeof *block);
    }
    const int n_value = n_vector < system->n ? n_vector : system->n;
    WR_AUTO_FREE double *const copy = malloc((n * (size_t)n_vector + 1) * sizeof *copy);
    WR_AUTO_FREE double *const value = malloc(((size_t)n_value + 1) * sizeof *value);
    if (!copy || !value)
        return WRSIM_E_MEMORY;
    memcpy(copy, ret_v, n * (size_t)n_vector * sizeof *copy);
    status = wr_lapack_singular(system->n, n_vector, copy, value, NULL, NULL);
    *ret_condition = status == WRSIM_OK ? value[0] / value[n_value - 1] : 0.0;
    return status;
}
