/* Block Arnoldi. See arnoldi.h. Thread: one at a time. Real-time: no. */
#include "offline/reduction/arnoldi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"

/* Relative size of the new part of a vector below which the part is rounding (assumed). Solves have errors of DBL_EPSILON times a condition
 * number. */
static const double DEFLATION = 1e-12;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Orthonormal vectors of length n with capacity cap. */
typedef struct vectors {
    size_t n;
    int n_vector, cap;
    double *v;
} vectors;

/* Adds the part of w that is orthogonal to all vectors, and overwrites w. Returns 1, or 0 if this part is rounding or the
 * capacity is exhausted. */
static int add(vectors *to, double *w)
{
    const size_t n = to->n;
    const double size = sqrt(dot(n, w, w));
    if (!(size > 0.0) || to->n_vector == to->cap)
        return 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < to->n_vector; j++) {
            const double *const v = to->v + (size_t)j * n;
            const double part = dot(n, v, w);
            for (size_t i = 0; i < n; i++)
                w[i] -= part * v[i];
        }
    const double left = sqrt(dot(n, w, w));
    if (!(left > DEFLATION * size))
        return 0;
    double *const v = to->v + (size_t)to->n_vector++ * n;
    for (size_t i = 0; i < n; i++)
        v[i] = w[i] / left;
    return 1;
}

/* Krylov sequence of one expansion point. */
typedef struct sequence {
    wr_pencil *pencil;
    vectors own;
    int first; /* begin of the last block in `own` */
    int is_over;
} sequence;

static wrsim_status sequence_init(sequence *s, const wr_linear_system *system, double s0, int cap)
{
    s->own = (vectors){.n = (size_t)system->n, .cap = cap};
    s->own.v = calloc((size_t)cap * s->own.n + 1, sizeof *s->own.v);
    if (!s->own.v)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_pencil_create(system, &s->pencil));
    return wr_pencil_factor(s->pencil, s0);
}

/* Adds one block of a point to its sequence and to the basis. Returns 0 if the basis is full before the end of the block. */
static int extend(sequence *s, const wr_linear_system *system, int is_first, double *block,
                  vectors *all, wr_basis *basis)
{
    const size_t n = s->own.n;
    const int first = s->own.n_vector,
              n_new = is_first ? wr_linear_columns(system) : first - s->first;
    memcpy(block, is_first ? system->B : s->own.v + (size_t)s->first * n,
           (size_t)n_new * n * sizeof *block);
    (is_first ? wr_pencil_solve : wr_pencil_power)(s->pencil, n_new, block);
    for (int i = 0; i < n_new; i++) {
        if (!add(&s->own, block + (size_t)i * n)) {
            basis->n_deflated++;
            continue;
        }
        memcpy(block + (size_t)i * n, s->own.v + (size_t)(s->own.n_vector - 1) * n,
               n * sizeof *block);
        if (all->n_vector == all->cap)
            return 0;
        basis->n_deflated += !add(all, block + (size_t)i * n);
    }
    s->first = first;
    s->is_over = s->own.n_vector == first;
    return 1;
}

static int all_are_over(const sequence *s, int n_point)
{
    for (int k = 0; k < n_point; k++)
        if (!s[k].is_over)
            return 0;
    return 1;
}

wrsim_status wr_basis_create(const wr_linear_system *system, const double *s0, int n_point,
                             int max_vector, wr_basis **ret_basis, int *ret_i_point)
{
    const int cap = max_vector < system->n ? max_vector : system->n;
    const int n_column = wr_linear_columns(system);
    wr_basis *basis = calloc(1, sizeof *basis);
    WR_AUTO_FREE sequence *const s = calloc((size_t)n_point + 1, sizeof *s);
    WR_AUTO_FREE double *const block =
        calloc((size_t)n_column * (size_t)system->n + 1, sizeof *block);
    if (basis)
        *basis = (wr_basis){.n = system->n,
                            .cap = cap,
                            .v = calloc((size_t)cap * (size_t)system->n + 1, sizeof *basis->v),
                            .end_of_block = calloc((size_t)cap + 1, sizeof *basis->end_of_block)};
    const int is_made = basis && basis->v && basis->end_of_block && s && block;
    wrsim_status status = is_made ? WRSIM_OK : WRSIM_E_MEMORY;
    for (int k = 0; k < n_point && status == WRSIM_OK; k++) {
        /* a sequence may be one block longer than the basis */
        status = sequence_init(&s[k], system, s0[k], cap + n_column);
        *ret_i_point = k;
    }
    if (status == WRSIM_OK) {
        vectors all = {(size_t)basis->n, 0, basis->cap, basis->v};
        int is_full = 0;
        while (!is_full && !all_are_over(s, n_point)) {
            const int is_first = basis->n_block == 0;
            for (int k = 0; k < n_point && !is_full; k++)
                if (!s[k].is_over)
                    is_full = !extend(&s[k], system, is_first, block, &all, basis);
            if (!is_full && (is_first || !all_are_over(s, n_point)))
                basis->end_of_block[basis->n_block++] = all.n_vector;
            is_full |= all.n_vector == all.cap;
        }
        basis->n_vector = all.n_vector;
        basis->is_complete = all_are_over(s, n_point) || all.n_vector == basis->n;
    }
    for (int k = 0; s && k < n_point; k++) {
        wr_pencil_destroy(&s[k].pencil);
        free(s[k].own.v);
    }
    if (status < 0)
        wr_basis_destroy(&basis);
    else
        *ret_basis = basis;
    return status;
}

void wr_basis_destroy(wr_basis **basis)
{
    if (!basis || !*basis)
        return;
    free((*basis)->v);
    free((*basis)->end_of_block);
    free(*basis);
    *basis = NULL;
}
