/* G + s C and its factors. See pencil.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/pencil.h"

#include <string.h>

#include "base/arena.h"
#include "offline/algebra/pivoted_lu.h"

struct wr_pencil {
    wr_arena *arena; /* owner of the pencil and its arrays */
    const wr_linear_system *system;
    wr_matrix *pattern; /* union of the patterns of G and C; values have no meaning */
    wr_pivoted_lu *lu;
    int *place_G, *place_C; /* [n_nonzero] position in the pattern of each entry */
    double complex *value;  /* [n_nonzero] values of the pattern */
    double complex *work;   /* [n * columns of B] workspace */
    double *product;        /* [n] workspace: a product of a matrix and a vector */
};

/* Returns the position in the pattern of each entry of a matrix; NULL when out of memory. */
static int *places_of(wr_arena *arena, const wr_matrix *matrix, const wr_matrix *pattern)
{
    int *const place = WR_NEW_ARRAY(arena, int, matrix->n_nonzero);
    for (int j = 0; place && j < matrix->n_column; j++)
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            place[k] = wr_matrix_find(pattern, matrix->row[k], j);
    return place;
}

wrsim_status wr_pencil_create(const wr_linear_system *system, wr_pencil **ret_pencil)
{
    wr_arena *arena = wr_arena_create((size_t)-1);
    wr_pencil *p = arena ? WR_NEW(arena, wr_pencil) : NULL;
    if (!p) {
        wr_arena_destroy(&arena);
        return WRSIM_E_MEMORY;
    }
    const size_t n = (size_t)system->n, n_column = (size_t)wr_linear_columns(system);
    *p = (wr_pencil){.arena = arena,
                     .system = system,
                     .pattern = wr_matrix_join(system->G, system->C),
                     .work = WR_NEW_ARRAY(arena, double complex, n *n_column),
                     .product = WR_NEW_ARRAY(arena, double, n)};
    if (p->pattern) {
        p->place_G = places_of(arena, system->G, p->pattern);
        p->place_C = places_of(arena, system->C, p->pattern);
        p->value = WR_NEW_ARRAY(arena, double complex, p->pattern->n_nonzero);
    }
    if (!p->place_G || !p->place_C || !p->value || !p->work || !p->product ||
        wr_pivoted_lu_create(p->pattern, &p->lu) < 0)
        wr_pencil_destroy(&p);
    *ret_pencil = p;
    return p ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_pencil_destroy(wr_pencil **pencil)
{
    if (!pencil || !*pencil)
        return;
    wr_arena *arena = (*pencil)->arena;
    wr_pivoted_lu_destroy(&(*pencil)->lu);
    wr_matrix_destroy(&(*pencil)->pattern);
    wr_arena_destroy(&arena);
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
    double *const real = (double *)p->value; /* the loop packs real parts in place */
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
