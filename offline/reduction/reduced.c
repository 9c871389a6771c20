/* Projection onto a few vectors. See reduced.h. Thread: any. Real-time: no. */
#include "offline/reduction/reduced.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

static wr_reduced *new_reduced(int q, int n_input, int n_column, int n_output)
{
    wr_reduced *const r = calloc(1, sizeof *r);
    const size_t n_G = (size_t)q * (size_t)q, n_B = (size_t)q * (size_t)n_column,
                 n_L = (size_t)q * (size_t)n_output, n_D = (size_t)n_output * (size_t)n_input;
    double *const G = calloc(2 * n_G + n_B + n_L + n_D + 1, sizeof *G);
    if (!r || !G) {
        free(r);
        free(G);
        return NULL;
    }
    double *const C = G + n_G, *const B = C + n_G, *const L = B + n_B, *const D = L + n_L;
    *r = (wr_reduced){q, n_input, n_column, n_output, G, C, B, L, D};
    return r;
}

void wr_reduced_destroy(wr_reduced **reduced)
{
    if (!reduced || !*reduced)
        return;
    free((*reduced)->G); /* G is the first array of the block of all matrices */
    free(*reduced);
    *reduced = NULL;
}

void wr_times(const double *a, int n_a, const double *b, int n_b, size_t n, double *ret)
{
    for (size_t j = 0; j < (size_t)n_b; j++)
        for (size_t i = 0; i < (size_t)n_a; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[j * n + k];
            ret[j * (size_t)n_a + i] = sum;
        }
}

/* Computes ret[q][q] = V^T M V. product[n] is workspace. */
static void project_matrix(const wr_matrix *m, const double *v, int q, double *product, double *ret)
{
    const size_t n = (size_t)m->n_column;
    for (int i = 0; i < q; i++) {
        memset(product, 0, n * sizeof *product);
        for (int j = 0; j < m->n_column; j++)
            for (int k = m->start[j]; k < m->start[j + 1]; k++)
                product[m->row[k]] += m->value[k] * v[(size_t)i * n + (size_t)j];
        wr_times(v, q, product, 1, n, ret + i * q);
    }
}

wr_reduced *wr_reduced_project(const wr_linear_system *system, const double *v, int q)
{
    const int n_column = wr_linear_columns(system);
    wr_reduced *r = new_reduced(q, system->n_input, n_column, system->n_output);
    WR_AUTO_FREE double *const product = calloc((size_t)system->n + 1, sizeof *product);
    if (!r || !product) {
        wr_reduced_destroy(&r);
        return NULL;
    }
    const size_t n = (size_t)system->n;
    project_matrix(system->G, v, q, product, r->G);
    project_matrix(system->C, v, q, product, r->C);
    wr_times(v, q, system->B, n_column, n, r->B);
    wr_times(v, q, system->L, system->n_output, n, r->L);
    memcpy(r->D, system->D, (size_t)(system->n_input * system->n_output) * sizeof *r->D);
    return r;
}

/* Copies the first q rows of n_column columns of a matrix with n_row rows. */
static void take_rows(const double *from, int n_row, int n_column, int q, double *ret)
{
    for (int j = 0; j < n_column; j++)
        memcpy(ret + (size_t)j * (size_t)q, from + (size_t)j * (size_t)n_row,
               (size_t)q * sizeof *ret);
}

wr_reduced *wr_reduced_leading(const wr_reduced *from, int q)
{
    wr_reduced *const r = new_reduced(q, from->n_input, from->n_column, from->n_output);
    if (!r)
        return NULL;
    take_rows(from->G, from->q, q, q, r->G);
    take_rows(from->C, from->q, q, q, r->C);
    take_rows(from->B, from->q, from->n_column, q, r->B);
    take_rows(from->L, from->q, from->n_output, q, r->L);
    memcpy(r->D, from->D, (size_t)(from->n_input * from->n_output) * sizeof *r->D);
    return r;
}

wrsim_status wr_reduced_transfer(const wr_reduced *r, double complex s, double complex *ret)
{
    const size_t q = (size_t)r->q, n_column = (size_t)r->n_column;
    WR_AUTO_FREE double complex *const a = calloc(q * q + q * n_column + 1, sizeof *a);
    if (!a)
        return WRSIM_E_MEMORY;
    double complex *const x = a + q * q;
    for (size_t i = 0; i < q * q; i++)
        a[i] = r->G[i] + s * r->C[i];
    for (size_t i = 0; i < q * n_column; i++)
        x[i] = r->B[i];
    double rcond;
    const wrsim_status status = wr_lapack_solve_complex(r->q, r->n_column, a, x, &rcond);
    for (int j = 0; j < r->n_column && status == WRSIM_OK; j++)
        for (int i = 0; i < r->n_output; i++) {
            double complex sum = j < r->n_input ? r->D[j * r->n_output + i] : 0.0;
            for (int k = 0; k < r->q; k++)
                sum += r->L[i * r->q + k] * x[j * r->q + k];
            ret[j * r->n_output + i] = sum;
        }
    return status;
}
