/* Converts G_q, C_q, B_q, L_q to A, B, C, D. See state_space.h. Thread: any. Real-time: no. */
#include "offline/reduction/state_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/dense.h"
#include "offline/algebra/lapack.h"

/* Share of the largest singular value of C_q below which singular values belong to algebraic equations (assumed). Rounding leaves about
 * 1e-16 instead of a zero, which would give a time constant of any sign. */
static const double ALGEBRAIC = 1e-12;

/* The equations in coordinates of C_q's singular vectors. The first n_1 equations are differential. */
typedef struct turned {
    int q, n_1, n_column, n_output;
    double *S;         /* [q] singular values of C_q */
    double *U, *W;     /* [q][q] vectors in columns */
    double *G, *B, *L; /* the turned matrices U^T G W, U^T B and W^T L */
    double *room;      /* [q * (q + n_column)] workspace */
    double *block;     /* memory of S, U, W, G, B, L and room */
} turned;

static int turned_init(turned *t, const wr_reduced *r)
{
    const size_t q = (size_t)r->q, n_column = (size_t)r->n_column, n_output = (size_t)r->n_output;
    *t = (turned){.q = r->q, .n_column = r->n_column, .n_output = r->n_output};
    t->block = calloc(q + 4 * q * q + 2 * q * n_column + q * n_output + 1, sizeof *t->block);
    if (!t->block)
        return -1;
    t->S = t->block;
    t->U = t->S + q;
    t->W = t->U + q * q;
    t->G = t->W + q * q;
    t->B = t->G + q * q;
    t->L = t->B + q * n_column;
    t->room = t->L + q * n_output;
    return 0;
}

static wrsim_status turn(turned *t, const wr_reduced *r)
{
    const int q = t->q;
    memcpy(t->room, r->C, (size_t)q * (size_t)q * sizeof *t->room);
    const wrsim_status status = wr_lapack_singular(q, q, t->room, t->S, t->U, t->W);
    if (status < 0)
        return status;
    double *const a = t->W;
    for (int j = 0; j < q; j++)
        for (int i = 0; i < j; i++) {
            const double kept = a[j * q + i];
            a[j * q + i] = a[i * q + j];
            a[i * q + j] = kept;
        }
    while (t->n_1 < q && t->S[t->n_1] > ALGEBRAIC * t->S[0])
        t->n_1++;
    double *const G_t_U = t->room; /* (G^T U)^T W = U^T G W */
    for (int j = 0; j < q; j++)
        for (int i = 0; i < q; i++) {
            G_t_U[j * q + i] = 0.0;
            for (int k = 0; k < q; k++)
                G_t_U[j * q + i] += r->G[i * q + k] * t->U[j * q + k];
        }
    wr_times(G_t_U, q, t->W, q, (size_t)q, t->G);
    wr_times(t->U, q, r->B, t->n_column, (size_t)q, t->B);
    wr_times(t->W, q, r->L, t->n_output, (size_t)q, t->L);
    return WRSIM_OK;
}

/* Solves the algebraic rows for z2, and substitutes z2 in the other rows and in the outputs. The differential parts of G, B and L are then
 * valid, and feed[n_column][n_output] is the feed-through. Returns WRSIM_OK, WRSIM_E_SOLVER for singular algebraic equations, or
 * WRSIM_E_MEMORY. */
static wrsim_status eliminate(turned *t, double *feed)
{
    const int q = t->q, n_1 = t->n_1, n_2 = q - n_1, n_x = n_1 + t->n_column;
    if (n_2 == 0)
        return WRSIM_OK;
    WR_AUTO_FREE int *const pivot = malloc((size_t)n_2 * sizeof *pivot);
    WR_AUTO_FREE double *const work = malloc((size_t)n_2 * (size_t)(n_2 + n_x) * sizeof *work);
    if (!pivot || !work)
        return WRSIM_E_MEMORY;
    double *const x = work + n_2 * n_2; /* z2 = x (-z1, inputs) */
    for (int j = 0; j < n_2; j++)
        memcpy(work + j * n_2, t->G + (n_1 + j) * q + n_1, (size_t)n_2 * sizeof *work);
    for (int j = 0; j < n_x; j++)
        memcpy(x + j * n_2, (j < n_1 ? t->G + j * q : t->B + (j - n_1) * q) + n_1,
               (size_t)n_2 * sizeof *x);
    if (wr_dense_factor(n_2, work, pivot) != 0)
        return WRSIM_E_SOLVER;
    for (int j = 0; j < n_x; j++) {
        double *const to = j < n_1 ? t->G + j * q : t->B + (j - n_1) * q;
        wr_dense_solve(n_2, work, pivot, x + j * n_2);
        for (int k = 0; k < n_2; k++) {
            const double part = x[j * n_2 + k];
            for (int i = 0; i < n_1; i++)
                to[i] -= t->G[(n_1 + k) * q + i] * part;
            for (int i = 0; i < t->n_output; i++)
                if (j < n_1)
                    t->L[i * q + j] -= t->L[i * q + n_1 + k] * part;
                else
                    feed[(j - n_1) * t->n_output + i] += t->L[i * q + n_1 + k] * part;
        }
    }
    return WRSIM_OK;
}

static wr_state_space *new_space(int n, int n_input, int n_output)
{
    wr_arena *arena = wr_arena_create((size_t)-1);
    wr_state_space *s = arena ? WR_NEW(arena, wr_state_space) : NULL;
    if (!s) {
        wr_arena_destroy(&arena);
        return NULL;
    }
    *s = (wr_state_space){.arena = arena,
                          .n = n,
                          .n_input = n_input,
                          .n_output = n_output,
                          .A = WR_NEW_ARRAY(arena, double, n *n),
                          .B = WR_NEW_ARRAY(arena, double, n *n_input),
                          .C = WR_NEW_ARRAY(arena, double, n_output *n),
                          .D = WR_NEW_ARRAY(arena, double, n_output *n_input),
                          .offset = WR_NEW_ARRAY(arena, double, n_output),
                          .pole = WR_NEW_ARRAY(arena, double complex, n)};
    if (!s->A || !s->B || !s->C || !s->D || !s->offset || !s->pole ||
        WR_NEW_DOUBLES(arena, n, &s->rate, &s->nominal) < 0)
        wr_state_space_destroy(&s);
    return s;
}

void wr_state_space_destroy(wr_state_space **space)
{
    if (!space || !*space)
        return;
    wr_arena *arena = (*space)->arena; /* the arena also owns the state space */
    wr_arena_destroy(&arena);
    *space = NULL;
}

/* Writes the differential equations, divided by S, and the outputs. */
static void fill(wr_state_space *s, const turned *t, const wr_reduced *r, const double *feed)
{
    const int n = s->n, q = t->q;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            s->A[j * n + i] = -t->G[j * q + i] / t->S[i];
        for (int j = 0; j < s->n_input; j++)
            s->B[j * n + i] = t->B[j * q + i] / t->S[i];
        for (int j = s->n_input; j < t->n_column; j++)
            s->rate[i] = t->B[j * q + i] / t->S[i];
        for (int k = 0; k < s->n_output; k++)
            s->C[i * s->n_output + k] = t->L[k * q + i];
    }
    for (int k = 0; k < s->n_output; k++) {
        for (int j = 0; j < s->n_input; j++)
            s->D[j * s->n_output + k] = r->D[j * s->n_output + k] + feed[j * s->n_output + k];
        for (int j = s->n_input; j < t->n_column; j++)
            s->offset[k] = feed[j * s->n_output + k];
    }
}

wrsim_status wr_state_space_create(const wr_reduced *r, const double *v, int n,
                                   wr_state_space **ret)
{
    turned t;
    WR_AUTO_FREE double *const feed = calloc((size_t)(r->n_output * r->n_column) + 1, sizeof *feed);
    wr_state_space *s = NULL;
    wrsim_status status = turned_init(&t, r) == 0 && feed ? turn(&t, r) : WRSIM_E_MEMORY;
    WR_THEN(status, eliminate(&t, feed));
    if (status == WRSIM_OK) {
        s = new_space(t.n_1, r->n_input, r->n_output);
        status = s ? WRSIM_OK : WRSIM_E_MEMORY;
    }
    if (status == WRSIM_OK) {
        fill(s, &t, r, feed);
        for (int i = 0; i < s->n; i++) {
            double most = 0.0;
            for (int k = 0; k < n; k++) {
                double sum = 0.0;
                for (int j = 0; j < t.q; j++)
                    sum += v[(size_t)j * (size_t)n + (size_t)k] * t.W[i * t.q + j];
                most = fmax(most, fabs(sum));
            }
            s->nominal[i] = most > 0.0 ? 1.0 / most : 1.0;
        }
        const size_t size = (size_t)s->n * (size_t)s->n;
        WR_AUTO_FREE double *const copy = malloc((size + 1) * sizeof *copy);
        if (copy)
            memcpy(copy, s->A, size * sizeof *copy);
        status = copy ? wr_lapack_eigen(s->n, copy, s->pole, NULL, NULL) : WRSIM_E_MEMORY;
    }
    free(t.block);
    if (status < 0)
        wr_state_space_destroy(&s);
    else
        *ret = s;
    return status;
}

double wr_state_space_growth(const wr_state_space *space)
{
    double most = -(double)INFINITY;
    for (int i = 0; i < space->n; i++)
        most = fmax(most, creal(space->pole[i]));
    return most;
}
