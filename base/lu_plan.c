/* Fixed pivots and fill. See lu_plan.h. Thread: one owner. Real-time: no. */
#include "base/lu_plan.h"

#include <stdlib.h>
#include <string.h>

/* Elimination on flags. Row i is the row matched with column i, so pivots are on the diagonal. */
typedef struct elimination {
    int n;
    unsigned char *has;          /* [n * n] by rows; 1: entry, fill included */
    int *n_in_row, *n_in_column; /* [n] entries of each row and column that are not eliminated */
    unsigned char *is_done;
    int *order; /* [n] order of the pivots */
    int *among; /* [n] workspace: columns in the pivot's row that have no pivot yet */
} elimination;

static unsigned char *at(const elimination *e, int row, int column)
{
    return e->has + (size_t)row * (size_t)e->n + (size_t)column;
}

/* Returns 0, or -1 when memory is exhausted. */
static int init(elimination *e, const wr_matrix *pattern, const int *row_of_column)
{
    const size_t n = (size_t)pattern->n_column;
    *e = (elimination){.n = pattern->n_column,
                       .has = calloc(n * n + 1, 1),
                       .n_in_row = calloc(5 * n + 1, sizeof(int)),
                       .is_done = calloc(n + 1, 1)};
    if (!e->has || !e->n_in_row || !e->is_done)
        return -1;
    e->n_in_column = e->n_in_row + n;
    e->order = e->n_in_column + n;
    e->among = e->order + n;
    int *const place_of_row = e->among + n;
    for (int j = 0; j < e->n; j++)
        place_of_row[row_of_column[j]] = j;
    for (int j = 0; j < e->n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = place_of_row[pattern->row[k]];
            *at(e, i, j) = 1;
            e->n_in_row[i]++;
            e->n_in_column[j]++;
        }
    return 0;
}

static void eliminate(elimination *e, int k)
{
    int n_among = 0;
    for (int j = 0; j < e->n; j++)
        if (!e->is_done[j] && *at(e, k, j)) {
            e->n_in_column[j]--;
            if (j != k)
                e->among[n_among++] = j;
        }
    for (int i = 0; i < e->n; i++) {
        if (e->is_done[i] || i == k || !*at(e, i, k))
            continue;
        e->n_in_row[i]--;
        for (int m = 0; m < n_among; m++) {
            unsigned char *const entry = at(e, i, e->among[m]);
            e->n_in_row[i] += !*entry;
            e->n_in_column[e->among[m]] += !*entry;
            *entry = 1;
        }
    }
    e->is_done[k] = 1;
}

/* Fills the arrays and the counts of operations. Returns 0, or -1 when memory is exhausted. */
static int fill(wr_lu_plan *plan, const elimination *e, const int *row_of_column)
{
    const size_t n = (size_t)e->n;
    plan->n = e->n;
    for (size_t i = 0; i < n * n; i++)
        plan->n_entry += e->has[i];
    plan->row = calloc(4 * n + 1, sizeof *plan->row);
    plan->entry = calloc((size_t)plan->n_entry + 1, sizeof *plan->entry);
    if (!plan->row || !plan->entry)
        return -1;
    plan->column = plan->row + n;
    plan->diagonal = plan->column + n;
    plan->start = plan->diagonal + n;
    int n_entry = 0;
    for (int k = 0; k < e->n; k++) {
        plan->column[k] = e->order[k];
        plan->row[k] = row_of_column[e->order[k]];
        plan->start[k] = n_entry;
        for (int j = 0; j < e->n; j++) {
            if (!*at(e, e->order[k], e->order[j]))
                continue;
            if (j == k)
                plan->diagonal[k] = n_entry;
            plan->entry[n_entry++] = j;
        }
    }
    plan->start[e->n] = n_entry;
    /* Row i needs a product and a difference for each pair l_ik, u_kj, a product for each l_ik, and a division for the diagonal entry. A
     * solve needs two operations for each entry off the diagonal, and one operation for each diagonal entry. */
    for (int i = 0; i < plan->n; i++)
        for (int m = plan->start[i]; m < plan->diagonal[i]; m++) {
            const int k = plan->entry[m];
            plan->factor_flop += 1 + 2 * (int64_t)(plan->start[k + 1] - plan->diagonal[k] - 1);
        }
    plan->factor_flop += plan->n;
    plan->solve_flop = 2 * (int64_t)(plan->n_entry - plan->n) + plan->n;
    return 0;
}

wrsim_status wr_lu_plan_create(const wr_matrix *pattern, wr_lu_plan **ret_plan, int *ret_column)
{
    const int n = pattern->n_column;
    *ret_column = -1;
    if (pattern->n_row != n || n < 1 || n > WR_LU_PLAN_MOST)
        return WRSIM_E_ARG;
    wrsim_status status = WRSIM_E_MEMORY;
    elimination e = {0};
    int *const row_of_column = calloc((size_t)n, sizeof *row_of_column);
    wr_lu_plan *plan = calloc(1, sizeof *plan);
    const int n_matched = row_of_column ? wr_sparsity_match(pattern, row_of_column) : -1;
    if (!plan || n_matched < 0)
        goto fail;
    for (int j = 0; j < n && n_matched < n && *ret_column < 0; j++)
        if (row_of_column[j] < 0)
            *ret_column = j;
    if (n_matched < n) {
        status = WRSIM_E_ARG;
        goto fail;
    }
    if (init(&e, pattern, row_of_column) != 0)
        goto fail;
    for (int k = 0; k < n; k++) {
        int64_t least = INT64_MAX; /* smallest bound on the fill of a pivot */
        for (int j = 0; j < n; j++) {
            const int64_t cost = (int64_t)(e.n_in_row[j] - 1) * (e.n_in_column[j] - 1);
            if (e.is_done[j] || cost >= least)
                continue;
            e.order[k] = j;
            least = cost;
        }
        eliminate(&e, e.order[k]);
    }
    if (fill(plan, &e, row_of_column) != 0)
        goto fail;
    *ret_plan = plan;
    plan = NULL;
    status = WRSIM_OK;
fail:
    free(e.has);
    free(e.n_in_row);
    free(e.is_done);
    free(row_of_column);
    wr_lu_plan_destroy(&plan);
    return status;
}

void wr_lu_plan_destroy(wr_lu_plan **plan)
{
    if (!plan || !*plan)
        return;
    free((*plan)->row);
    free((*plan)->entry);
    free(*plan);
    *plan = NULL;
}
