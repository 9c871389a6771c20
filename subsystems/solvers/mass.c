/* Builds the mass matrix L of L x' = f. See mass.h. Thread: any. Real-time: multiplication. */
#include "subsystems/solvers/mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/null_space.h"

/* Builder of a matrix. The builder adds entries in the order of their rows. */
typedef struct row_builder {
    int n_row, n, cap, is_full;
    int *start, *column;
    double *value;
} row_builder;

static void add(row_builder *b, int column, double value)
{
    if (fpclassify(value) == FP_ZERO)
        return;
    if (b->n == b->cap) {
        const int cap = 2 * b->cap + 64;
        int *const columns = realloc(b->column, (size_t)cap * sizeof *columns);
        b->column = columns ? columns : b->column;
        double *const values = realloc(b->value, (size_t)cap * sizeof *values);
        b->value = values ? values : b->value;
        b->is_full |= !columns || !values;
        if (b->is_full)
            return;
        b->cap = cap;
    }
    b->column[b->n] = column;
    b->value[b->n++] = value;
}

static void end_row(row_builder *b) { b->start[++b->n_row] = b->n; }

/* Places the matrix, and frees the builder. Returns 0, or -1 when out of memory. */
static int finish(row_builder *b, wr_arena *arena, wr_row_matrix *ret)
{
    int *const start = WR_NEW_ARRAY(arena, int, b->n_row + 1);
    int *const column = WR_NEW_ARRAY(arena, int, b->n);
    double *const value = WR_NEW_ARRAY(arena, double, b->n);
    const int is_good = !b->is_full && b->start && start && column && value;
    if (is_good) {
        memcpy(start, b->start, ((size_t)b->n_row + 1) * sizeof *start);
        if (b->n > 0) {
            memcpy(column, b->column, (size_t)b->n * sizeof *column);
            memcpy(value, b->value, (size_t)b->n * sizeof *value);
        }
        *ret = (wr_row_matrix){b->n_row, start, column, value};
    }
    free(b->start);
    free(b->column);
    free(b->value);
    return is_good ? 0 : -1;
}

/* Builders of L, its null spaces, and its inverse on the complement of the null space. */
typedef struct mass_builder {
    row_builder transposed, left, right, solve;
    int n_algebraic;
} mass_builder;

static void add_identity(mass_builder *b, int i)
{
    add(&b->transposed, i, 1.0);
    add(&b->solve, i, 1.0);
    end_row(&b->transposed);
    end_row(&b->right);
    end_row(&b->solve);
}

/* Adds a diagonal block. Returns 0, or -1 when out of memory. */
static int add_block(mass_builder *b, const wr_mass_block *block)
{
    const int n = block->n;
    const size_t n2 = (size_t)n * (size_t)n;
    double *const reduced = malloc((2 * n2 + (size_t)n + 1) * sizeof *reduced);
    int *const row_of = malloc(2 * (size_t)n * sizeof *row_of + sizeof *row_of);
    if (!reduced || !row_of) {
        free(reduced);
        free(row_of);
        return -1;
    }
    double *const e = reduced + n2;
    int *const column_of = row_of + n;
    memcpy(reduced, block->entry, n2 * sizeof *reduced);
    wr_null_space(n, reduced, e, row_of, column_of, e + n2);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            add(&b->transposed, block->first + i, block->entry[i * n + j]);
        end_row(&b->transposed);
    }
    for (int i = 0; i < n; i++) {
        if (column_of[i] >= 0)
            continue;
        for (int j = 0; j < n; j++)
            add(&b->left, block->first + j, e[i * n + j]);
        end_row(&b->left);
    }
    /* Row i of Q is a row of the identity if column i is free. Else row i has the negative entries in the free columns of the row of
     * `reduced` with pivot i. */
    for (int i = 0; i < n; i++) {
        int k = b->n_algebraic;
        for (int j = 0; j < n; j++) {
            if (row_of[j] >= 0)
                continue;
            add(&b->right, k++, row_of[i] >= 0 ? -reduced[row_of[i] * n + j] : i == j);
        }
        end_row(&b->right);
        for (int j = 0; j < n && row_of[i] >= 0; j++)
            add(&b->solve, block->first + j, e[row_of[i] * n + j]);
        end_row(&b->solve);
    }
    b->n_algebraic = b->left.n_row;
    free(reduced);
    free(row_of);
    return 0;
}

static const wr_mass *finish_all(mass_builder *b, wr_arena *arena, int n_x)
{
    wr_mass *const mass = WR_NEW(arena, wr_mass);
    wr_matrix *const pattern = WR_NEW(arena, wr_matrix);
    wr_row_matrix transposed = {0};
    int n_failed = 0;
    wr_mass found = {.n_x = n_x, .pattern = pattern, .n_algebraic = b->n_algebraic};
    n_failed += finish(&b->transposed, arena, &transposed) != 0;
    n_failed += finish(&b->left, arena, &found.left) != 0;
    n_failed += finish(&b->right, arena, &found.right) != 0;
    n_failed += finish(&b->solve, arena, &found.solve) != 0;
    int *const start = WR_NEW_ARRAY(arena, int, n_x + 1);
    int *const row = n_failed ? NULL : WR_NEW_ARRAY(arena, int, transposed.start[n_x]);
    if (!mass || !pattern || !start || !row)
        return NULL;
    memcpy(start, transposed.start, ((size_t)n_x + 1) * sizeof *start);
    memcpy(row, transposed.column, (size_t)transposed.start[n_x] * sizeof *row);
    *pattern = (wr_matrix){.n_row = n_x,
                           .n_column = n_x,
                           .n_nonzero = transposed.start[n_x],
                           .start = start,
                           .row = row};
    found.value = transposed.value;
    *mass = found;
    return mass;
}

const wr_mass *wr_mass_place(wr_arena *arena, int n_x, const wr_mass_block *blocks, int n_blocks)
{
    mass_builder b = {0};
    row_builder *const all[] = {&b.transposed, &b.left, &b.right, &b.solve};
    int n_failed = 0;
    for (int i = 0; i < 4; i++) {
        all[i]->start = calloc((size_t)n_x + 1, sizeof(int));
        n_failed += !all[i]->start;
    }
    int k = 0;
    for (int i = 0; i < n_x && n_failed == 0;) {
        if (k < n_blocks && blocks[k].first == i) {
            n_failed += add_block(&b, &blocks[k]) != 0;
            i += blocks[k++].n;
        } else
            add_identity(&b, i++);
    }
    b.solve.is_full |= n_failed > 0;
    return finish_all(&b, arena, n_x);
}

void wr_row_matrix_multiply(const wr_row_matrix *m, const double *x, double *ret_y)
{
    for (int i = 0; i < m->n_row; i++) {
        double sum = 0.0;
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        ret_y[i] = sum;
    }
}
