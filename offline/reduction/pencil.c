/* G + s C and its factors. See pencil.h.
 *
 * Thread: one at a time. Real-time: no.
 */
#include "offline/reduction/pencil.h"

#include <stdlib.h>
#include <string.h>

#include "offline/algebra/pivoted_lu.h"

struct wr_pencil {
    const wr_linear_system *system;
    wr_matrix *pattern; /* union of both patterns; values have no meaning */
    wr_pivoted_lu *lu;
    int *place_G, *place_C; /* [n_nonzero] place in the pattern of each entry */
    double complex *value;  /* [n_nonzero] values of the pattern */
    double complex *work;   /* [n * columns of B] workspace */
    double *product;        /* [n] workspace: a product of a matrix and a vector */
};

static int *places_of(const wr_matrix *matrix, const wr_matrix *pattern)
{
    int *const place = calloc((size_t)matrix->n_nonzero + 1, sizeof *place);
    for (int j = 0; place && j < matrix->n_column; j++)
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            place[k] = wr_matrix_find(pattern, matrix->row[k], j);
    return place;
}

wrsim_status wr_pencil_create(const wr_linear_system *system, wr_pencil **ret_pencil)
{
    wr_pencil *p = calloc(1, sizeof *p);
    if (!p)
        return WRSIM_E_MEMORY;
    p->system = system;
    p->pattern = wr_matrix_join(system->G, system->C);
    if (!p->pattern)
        goto fail;
    const size_t n = (size_t)system->n, n_column = (size_t)wr_linear_columns(system);
    p->place_G = places_of(system->G, p->pattern);
    p->place_C = places_of(system->C, p->pattern);
    p->value = calloc((size_t)p->pattern->n_nonzero + 1, sizeof *p->value);
    p->work = calloc(n * n_column + 1, sizeof *p->work);
    p->product = calloc(n, sizeof *p->product);
    if (!p->place_G || !p->place_C || !p->value || !p->work || !p->product ||
        wr_pivoted_lu_create(p->pattern, &p->lu) < 0)
        goto fail;
    *ret_pencil = p;
    return WRSIM_OK;
fail:
    wr_pencil_destroy(&p);
    return WRSIM_E_MEMORY;
}

void wr_pencil_destroy(wr_pencil **pencil)
{
    if (!pencil || !*pencil)
        return;
    wr_pencil *const p = *pencil;
    wr_pivoted_lu_destroy(&p->lu);
    wr_matrix_destroy(&p->pattern);
    free(p->place_G);
    free(p->place_C);
    free(p->value);
    free(p->work);
    free(p->product);
    free(p);
    *pencil = NULL;
}

static void fill(wr_pencil *p, double complex s)
{
    const wr_matrix *const G = p->system->G, *const C = p->system->C;
    memset(p->value, 0, (size_t)p->pattern->n_nonzero * sizeof *p->value);
    for (int k = 0; k < G->n_nonzero; k++)
        p->value[p->place_G[k]] += G->value[k];
    for (int k = 0; k < C->n_nonzero; k++)
        p->value[p->place_C[k]] += s * C->value[k];
}

wrsim_status wr_pencil_factor(wr_pencil *p, double s)
{
    fill(p, s);
    double *const real = (double *)p->value; /* packs real parts in place */
    for (int k = 0; k < p->pattern->n_nonzero; k++)
        real[k] = creal(p->value[k]);
    return wr_pivoted_lu_factor(p->lu, real);
}

void wr_pencil_solve(wr_pencil *p, int n_b, double *b) { wr_pivoted_lu_solve(p->lu, n_b, b); }

void wr_pencil_power(wr_pencil *p, int n_b, double *b)
{
    const wr_matrix *const C = p->system->C;
    const size_t n = (size_t)p->system->n;
    for (int i = 0; i < n_b; i++) {
        double *const x = b + (size_t)i * n;
        memset(p->product, 0, n * sizeof *p->product);
        for (int j = 0; j < C->n_column; j++)
            for (int k = C->start[j]; k < C->start[j + 1]; k++)
                p->product[C->row[k]] += C->value[k] * x[j];
        memcpy(x, p->product, n * sizeof *x);
    }
    wr_pencil_solve(p, n_b, b);
}

wrsim_status wr_pencil_transfer(wr_pencil *p, double complex s, double complex *ret)
{
    const wr_linear_system *const system = p->system;
    const size_t n = (size_t)system->n;
    const int n_column = wr_linear_columns(system), n_output = system->n_output;
    fill(p, s);
    const wrsim_status status = wr_pivoted_lu_factor_complex(p->lu, p->value);
    if (status < 0)
        return status;
    for (size_t i = 0; i < n * (size_t)n_column; i++)
        p->work[i] = system->B[i];
    wr_pivoted_lu_solve_complex(p->lu, n_column, p->work);
    for (int j = 0; j < n_column; j++)
        for (int i = 0; i < n_output; i++) {
            const double *const l = system->L + (size_t)i * n;
            const double complex *const x = p->work + (size_t)j * n;
            double complex sum = j < system->n_input ? system->D[j * n_output + i] : 0.0;
            for (size_t k = 0; k < n; k++)
                sum += l[k] * x[k];
            ret[j * n_output + i] = sum;
        }
    return WRSIM_OK;
}
