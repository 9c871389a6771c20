/* Singly bordered forms. See singly.h.
 *
 * Thread: one at a time. Real-time: no.
 */
#include "offline/blocks/singly.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/blocks/connected.h"
#include "offline/blocks/phg_process.h"

/* N_TRY is the number of partitions of which the best is chosen. For a matrix with more than LARGE nonzeros only
 * N_TRY_LARGE are made, to save time. All are choices of this program. */
enum { N_TRY = 16, N_TRY_LARGE = 2, LARGE = 20000 };

/* Returns the matrix, and if pairs stay together, with its whole diagonal; the caller destroys it. */
static wr_matrix *nets_of(const wr_matrix *m, int is_paired)
{
    WR_AUTO(wr_entries_done) wr_entries diagonal = {0};
    for (int i = 0; is_paired && i < m->n_row; i++)
        wr_entries_add(&diagonal, i, i, 1.0, 0);
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *pattern = wr_matrix_from_entries(m->n_row, m->n_column, &diagonal, 0);
    return pattern ? wr_matrix_join(m, pattern) : NULL;
}

static wrsim_status form_of(const wr_matrix *m, const wr_matrix *nets, const int *column_part,
                            int n_part, wr_block_form **ret_form, wrsim_error *err)
{
    WR_AUTO_FREE int *const row_part = calloc((size_t)m->n_row + 1, sizeof *row_part);
    if (!row_part)
        return wr_error_memory(err);
    for (int i = 0; i < nets->n_row; i++)
        row_part[i] = n_part + 1;
    for (int j = 0; j < nets->n_column; j++)
        for (int k = nets->start[j]; k < nets->start[j + 1]; k++) {
            int *const part = &row_part[nets->row[k]];
            *part = *part > n_part || *part == column_part[j] ? column_part[j] : n_part;
        }
    return wr_block_form_create(m, n_part, row_part, column_part, 0, ret_form, err);
}

wrsim_status wr_singly_from_parts(const wr_matrix *m, const int *column_part, int n_part,
                                  int is_paired, wr_block_form **ret_form, wrsim_error *err)
{
    if (is_paired && m->n_row != m->n_column)
        return wr_error_set(err, WRSIM_E_ARG,
                            "pairs of rows and columns need a square matrix; leave out --pairs");
    WR_AUTO(wr_matrix_destroy) wr_matrix *nets = nets_of(m, is_paired);
    if (!nets)
        return wr_error_memory(err);
    return form_of(m, nets, column_part, n_part, ret_form, err);
}

/* Returns a matrix with only those columns that have entries; number[] receives their original numbers. */
static wr_matrix *used_columns(const wr_matrix *nets, int *number)
{
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    int n = 0;
    for (int j = 0; j < nets->n_column; j++) {
        for (int k = nets->start[j]; k < nets->start[j + 1]; k++)
            wr_entries_add(&entries, nets->row[k], n, 1.0, 0);
        if (nets->start[j + 1] > nets->start[j])
            number[n++] = j;
    }
    return wr_matrix_from_entries(nets->n_row, n, &entries, 0);
}

static wrsim_status take_best(const wr_matrix *m, const wr_matrix *nets,
                              const wr_block_request *request, const int *column_part,
                              wr_block_form **best, wrsim_error *err)
{
    wr_block_form *form = NULL;
    WR_TRY(form_of(m, nets, column_part, request->n_block, &form, err));
    if (wr_block_form_is_better(form, *best, request->imbalance)) {
        wr_block_form_destroy(best);
        *best = form;
    } else {
        wr_block_form_destroy(&form);
    }
    return WRSIM_OK;
}

static wrsim_status try_all(const wr_matrix *m, const wr_matrix *nets, const wr_matrix *used,
                            const int *number, const wr_block_request *request,
                            wr_block_form **best, wrsim_error *err)
{
    const int n_try = m->n_nonzero > LARGE ? N_TRY_LARGE : N_TRY;
    WR_AUTO_FREE int *const part = calloc((size_t)n_try * (size_t)used->n_column + 1, sizeof *part),
                            *const column_part =
                                calloc((size_t)m->n_column + 1, sizeof *column_part);
    wrsim_status status = part && column_part ? wr_phg_partition(used, request, n_try, part, err)
                                              : wr_error_memory(err);
    for (int k = 0; k < n_try && status == WRSIM_OK; k++) {
        for (int j = 0; j < m->n_column; j++)
            column_part[j] = request->n_block + 1;
        for (int j = 0; j < used->n_column; j++)
            column_part[number[j]] = part[(size_t)k * (size_t)used->n_column + (size_t)j];
        status = take_best(m, nets, request, column_part, best, err);
    }
    return status;
}

static wrsim_status choose(const wr_matrix *m, const wr_matrix *nets,
                           const wr_block_request *request, wr_block_form **best, wrsim_error *err)
{
    WR_AUTO_FREE int *const number = calloc((size_t)m->n_column + 1, sizeof *number);
    WR_AUTO(wr_matrix_destroy) wr_matrix *used = number ? used_columns(nets, number) : NULL;
    return used ? try_all(m, nets, used, number, request, best, err) : wr_error_memory(err);
}

wrsim_status wr_singly_make(const wr_matrix *m, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err)
{
    wr_block_form *best = NULL;
    WR_TRY(wr_block_request_check(m, request, err));
    WR_TRY(wr_connected_make(m, request, &best, err));
    if (!best) {
        wr_matrix *nets = nets_of(m, request->is_paired);
        const wrsim_status status =
            nets ? choose(m, nets, request, &best, err) : wr_error_memory(err);
        wr_matrix_destroy(&nets);
        if (status < 0) {
            wr_block_form_destroy(&best);
            return status;
        }
    }
    *ret_form = best;
    return WRSIM_OK;
}
