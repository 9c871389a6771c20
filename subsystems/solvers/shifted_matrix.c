/* Places and factorises c L - J. See shifted_matrix.h. Thread: one at a time. Real-time: factor and solve. */
#include "subsystems/solvers/shifted_matrix.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

/* Largest number of states of a dense matrix (assumed). AUTO_DENSE_STATES: limit for the choice "auto". FALLBACK_DENSE_STATES: limit for a
 * dense matrix besides a sparse matrix whose pivots may be too small. */
enum { AUTO_DENSE_STATES = 32, FALLBACK_DENSE_STATES = 256 };
/* A state that changes by at most this share of |x| + nominal counts as at rest (assumed). */
static const double at_rest = 1e-9;

int wr_shifted_is_sparse(wr_linear_solver choice, int n_x)
{
    return choice == WR_LINEAR_SPARSE || (choice == WR_LINEAR_AUTO && n_x > AUTO_DENSE_STATES);
}

const wr_matrix *wr_shifted_pattern_place(wr_arena *arena, const wr_matrix *jacobian,
                                          const int **ret_place_of_jacobian,
                                          const int **ret_place_of_diagonal)
{
    const int n = jacobian->n_column;
    wr_matrix *const pattern = WR_NEW(arena, wr_matrix);
    int *const start = WR_NEW_ARRAY(arena, int, n + 1);
    int *const row = WR_NEW_ARRAY(arena, int, jacobian->n_nonzero + n);
    int *const of_jacobian = WR_NEW_ARRAY(arena, int, jacobian->n_nonzero);
    int *const of_diagonal = WR_NEW_ARRAY(arena, int, n);
    if (!pattern || !start || !row || !of_jacobian || !of_diagonal)
        return NULL;
    int n_nonzero = 0;
    for (int column = 0; column < n; column++) {
        start[column] = n_nonzero;
        of_diagonal[column] = -1;
        for (int i = jacobian->start[column]; i < jacobian->start[column + 1]; i++) {
            if (of_diagonal[column] < 0 && jacobian->row[i] >= column) {
                of_diagonal[column] = n_nonzero;
                row[n_nonzero++] = column;
            }
            if (jacobian->row[i] == column) {
                of_jacobian[i] = of_diagonal[column];
                continue;
            }
            of_jacobian[i] = n_nonzero;
            row[n_nonzero++] = jacobian->row[i];
        }
        if (of_diagonal[column] < 0) {
            of_diagonal[column] = n_nonzero;
            row[n_nonzero++] = column;
        }
    }
    start[n] = n_nonzero;
    *pattern =
        (wr_matrix){.n_row = n, .n_column = n, .n_nonzero = n_nonzero, .start = start, .row = row};
    *ret_place_of_jacobian = of_jacobian;
    *ret_place_of_diagonal = of_diagonal;
    return pattern;
}

static wrsim_status place_dense(wr_shifted *shifted, wr_arena *arena)
{
    const size_t n = (size_t)shifted->n_x;
    shifted->dense = wr_arena_push(arena, n * n, sizeof *shifted->dense);
    shifted->pivot = WR_NEW_ARRAY(arena, int, n);
    return shifted->dense && shifted->pivot ? WRSIM_OK : WRSIM_E_MEMORY;
}

/* Lists the states apart (wr_shifted.apart). */
static wrsim_status place_apart(wr_shifted *shifted, wr_arena *arena)
{
    const int n = shifted->n_x;
    const wr_matrix *const j = shifted->jacobian;
    int *const apart = WR_NEW_ARRAY(arena, int, n), *const state = WR_NEW_ARRAY(arena, int, n);
    int *const n_read = WR_NEW_ARRAY(arena, int, n);
    if (!apart || !state || !n_read)
        return WRSIM_E_MEMORY;
    for (int k = 0; k < n; k++)
        n_read[k] = 0;
    for (int k = 0; k < n; k++)
        for (int i = j->start[k]; i < j->start[k + 1]; i++)
            n_read[j->row[i]] += j->row[i] != k;
    for (int k = 0; k < n; k++) {
        const int i = wr_matrix_find(j, k, k);
        const int n_reader = j->start[k + 1] - j->start[k] - (i >= 0);
        if (i < 0 || (n_read[k] > 0 && n_reader > 0))
            continue;
        apart[shifted->n_apart] = i;
        state[shifted->n_apart++] = k;
    }
    shifted->apart = apart;
    shifted->apart_state = state;
    return WRSIM_OK;
}

wrsim_status wr_shifted_place(wr_shifted *shifted, wr_arena *arena, const wr_matrix *jacobian,
                              wr_linear_solver choice)
{
    const int n = jacobian->n_column;
    if (wr_shifted_is_sparse(choice, n))
        return wr_shifted_place_sparse(shifted, arena, jacobian, NULL, NULL);
    *shifted = (wr_shifted){.n_x = n, .jacobian = jacobian};
    WR_TRY(place_apart(shifted, arena));
    return place_dense(shifted, arena);
}

/* Returns whether the code is for this pattern. */
static int is_for(const wr_lu_code *code, const wr_matrix *pattern)
{
    const size_t n = (size_t)pattern->n_column;
    return code->n == pattern->n_column && code->n_nonzero == pattern->n_nonzero &&
           memcmp(code->column_start, pattern->start, (n + 1) * sizeof(int)) == 0 &&
           memcmp(code->row, pattern->row, (size_t)pattern->n_nonzero * sizeof(int)) == 0;
}

wrsim_status wr_shifted_place_sparse(wr_shifted *shifted, wr_arena *arena,
                                     const wr_matrix *jacobian, const wr_mass *mass,
                                     const wr_lu_code *code)
{
    const int n = jacobian->n_column;
    *shifted = (wr_shifted){.n_x = n, .jacobian = jacobian, .mass = mass};
    WR_TRY(place_apart(shifted, arena));
    if (n <= FALLBACK_DENSE_STATES)
        WR_TRY(place_dense(shifted, arena));
    shifted->pattern =
        mass ? wr_sparsity_join_place(arena, jacobian, mass->pattern, &shifted->place_of_jacobian,
                                      &shifted->place_of_mass)
             : wr_shifted_pattern_place(arena, jacobian, &shifted->place_of_jacobian,
                                        &shifted->place_of_mass);
    if (!shifted->pattern)
        return WRSIM_E_MEMORY;
    shifted->values = WR_NEW_ARRAY(arena, double, shifted->pattern->n_nonzero);
    if (!shifted->values)
        return WRSIM_E_MEMORY;
    if (!code)
        return wr_sparse_lu_create(shifted->pattern, &shifted->sparse);
    if (!is_for(code, shifted->pattern))
        return WRSIM_E_ARG;
    shifted->code = code;
    shifted->code_value = WR_NEW_ARRAY(arena, double, code->n_value);
    return shifted->code_value ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_shifted_done(wr_shifted *shifted) { wr_sparse_lu_destroy(&shifted->sparse); }

static void fill_sparse(wr_shifted *shifted, double c, const double *jacobian)
{
    const wr_mass *const mass = shifted->mass;
    memset(shifted->values, 0, (size_t)shifted->pattern->n_nonzero * sizeof *shifted->values);
    for (int i = 0; i < shifted->jacobian->n_nonzero; i++)
        shifted->values[shifted->place_of_jacobian[i]] = -jacobian[i];
    if (!mass)
        for (int i = 0; i < shifted->n_x; i++)
            shifted->values[shifted->place_of_mass[i]] += c;
    else
        for (int i = 0; i < mass->pattern->n_nonzero; i++)
            shifted->values[shifted->place_of_mass[i]] += c * mass->value[i];
}

static void fill_dense(wr_shifted *shifted, double c, const double *jacobian)
{
    const size_t n = (size_t)shifted->n_x;
    const wr_matrix *const pattern = shifted->jacobian;
    const wr_mass *const mass = shifted->mass;
    memset(shifted->dense, 0, n * n * sizeof *shifted->dense);
    for (size_t column = 0; column < n; column++) {
        double *const to = shifted->dense + column * n;
        for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++)
            to[pattern->row[i]] = -jacobian[i];
        if (!mass) {
            to[column] += c;
            continue;
        }
        for (int i = mass->pattern->start[column]; i < mass->pattern->start[column + 1]; i++)
            to[mass->pattern->row[i]] += c * mass->value[i];
    }
}

/* Factorises the sparse matrix. Returns 0 if the pivots on the diagonal are large enough. */
static int factor_sparse(wr_shifted *shifted, wr_integ_stats *stats)
{
    if (shifted->code) {
        stats->factor_flop += shifted->code->factor_flop;
        return shifted->code->factor(shifted->values, shifted->code_value);
    }
    stats->factor_flop += wr_sparse_lu_flop(shifted->sparse);
    return wr_sparse_lu_factor(shifted->sparse, shifted->values);
}

wrsim_status wr_shifted_place_last(wr_shifted *shifted, wr_arena *arena)
{
    shifted->last = WR_NEW_ARRAY(arena, double, shifted->jacobian->n_nonzero);
    return shifted->last ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_shifted_state(wr_shifted *shifted, wr_state_io *io)
{
    WR_STATE(io, shifted->last_c);
    WR_STATE_ARRAY(io, shifted->last, shifted->jacobian->n_nonzero);
    const int has_last = (int)wr_state_count(io, shifted->has_last, 1);
    if (!wr_state_reads(io))
        return;
    shifted->has_last = has_last;
    shifted->has_factors = 0;
}

static int factor(wr_shifted *shifted, wr_integ_stats *stats, double c, const double *jacobian)
{
    stats->n_factor++;
    shifted->is_dense = 0;
    if (shifted->sparse || shifted->code) {
        fill_sparse(shifted, c, jacobian);
        if (factor_sparse(shifted, stats) == 0)
            return 0;
        stats->n_other_pivots++;
    }
    if (!shifted->dense)
        return 1;
    shifted->is_dense = 1;
    stats->factor_flop += wr_dense_flop(shifted->n_x);
    fill_dense(shifted, c, jacobian);
    return wr_dense_factor(shifted->n_x, shifted->dense, shifted->pivot);
}

int wr_shifted_factor(wr_shifted *shifted, wr_integ_stats *stats, double c, const double *jacobian)
{
    if (!shifted->last)
        return factor(shifted, stats, c, jacobian);
    const size_t bytes = (size_t)shifted->jacobian->n_nonzero * sizeof *jacobian;
    wr_integ_stats uncounted = {0};
    const int is_last = shifted->has_last && memcmp(&c, &shifted->last_c, sizeof c) == 0 &&
                        memcmp(jacobian, shifted->last, bytes) == 0;
    if (is_last && shifted->has_factors)
        return 0;
    memcpy(shifted->last, jacobian, bytes);
    shifted->last_c = c;
    const int status = factor(shifted, is_last ? &uncounted : stats, c, jacobian);
    shifted->has_last = shifted->has_factors = status == 0;
    return status;
}

void wr_shifted_solve(wr_shifted *shifted, double *b)
{
    if (shifted->is_dense || (!shifted->sparse && !shifted->code))
        wr_dense_solve(shifted->n_x, shifted->dense, shifted->pivot, b);
    else if (shifted->code)
        shifted->code->solve(shifted->code_value, b);
    else
        wr_sparse_lu_solve(shifted->sparse, b);
}

static int is_moved(double x, double d, double nominal)
{
    return fabs(d) > at_rest * (fabs(x) + nominal);
}

/* Returns the entry of the matrix in which the rows and columns of states at rest are rows and columns of the identity. */
static double without_rest(int row, int column, double value, const double *x, const double *d,
                           const double *nominal)
{
    return is_moved(x[row], d[row], nominal[row]) && is_moved(x[column], d[column], nominal[column])
               ? value
               : (row == column ? 1.0 : 0.0);
}

/* Returns the sign of det(c I - J) without the states at rest; 0: not known. */
static int sign_of_moved(wr_shifted *shifted, double c, const double *jacobian, const double *x,
                         const double *d, const double *nominal)
{
    const int n = shifted->n_x;
    shifted->has_last = shifted->has_factors = 0;
    if (shifted->dense) {
        fill_dense(shifted, c, jacobian);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) {
                double *const at = shifted->dense + (size_t)k * (size_t)n + (size_t)i;
                *at = without_rest(i, k, *at, x, d, nominal);
            }
        return wr_dense_factor(n, shifted->dense, shifted->pivot) == 0
                   ? wr_dense_sign(n, shifted->dense, shifted->pivot)
                   : 0;
    }
    const wr_matrix *const pattern = shifted->pattern;
    fill_sparse(shifted, c, jacobian);
    for (int k = 0; k < n; k++)
        for (int i = pattern->start[k]; i < pattern->start[k + 1]; i++)
            shifted->values[i] =
                without_rest(pattern->row[i], k, shifted->values[i], x, d, nominal);
    return wr_sparse_lu_factor(shifted->sparse, shifted->values) == 0
               ? wr_sparse_lu_sign(shifted->sparse)
               : 0;
}

int wr_shifted_turns_back(wr_shifted *shifted, double c, const double *jacobian, const double *x,
                          const double *d, const double *nominal)
{
    if (shifted->mass || shifted->code)
        return 0;
    for (int i = 0; i < shifted->n_apart; i++) {
        const int k = shifted->apart_state[i];
        if (jacobian[shifted->apart[i]] > c && is_moved(x[k], d[k], nominal[k]))
            return 1;
    }
    const int is_dense = shifted->is_dense || !shifted->sparse;
    const int sign = is_dense ? wr_dense_sign(shifted->n_x, shifted->dense, shifted->pivot)
                              : wr_sparse_lu_sign(shifted->sparse);
    return sign < 0 && sign_of_moved(shifted, c, jacobian, x, d, nominal) < 0;
}
