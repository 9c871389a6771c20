/* Making and reading linear systems. See linear_system.h. Thread: any. Real-time: no. */
#include "offline/reduction/linear_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/matrix_market.h"

/* Allocates at least one item, because calloc(0) may return NULL. */
static void *zeroed(int n, int m, size_t bytes) { return calloc((size_t)n * (size_t)m + 1, bytes); }

wr_linear_system *wr_linear_system_create(int n, int n_input, int n_output, int has_rate)
{
    wr_linear_system *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = n;
    s->n_input = n_input;
    s->n_output = n_output;
    s->has_rate = has_rate;
    s->B = zeroed(n, n_input + has_rate, sizeof *s->B);
    s->L = zeroed(n, n_output, sizeof *s->L);
    s->D = zeroed(n_output, n_input, sizeof *s->D);
    s->input = zeroed(n_input, 1, sizeof *s->input);
    s->output = zeroed(n_output, 1, sizeof *s->output);
    if (!s->B || !s->L || !s->D || !s->input || !s->output)
        wr_linear_system_destroy(&s);
    return s;
}

static void free_signals(wr_linear_signal *signal, int n)
{
    for (int i = 0; signal && i < n; i++) {
        free(signal[i].name);
        free(signal[i].unit);
    }
    free(signal);
}

void wr_linear_system_destroy(wr_linear_system **system)
{
    if (!system || !*system)
        return;
    wr_linear_system *const s = *system;
    wr_matrix_destroy(&s->G);
    wr_matrix_destroy(&s->C);
    free(s->B);
    free(s->L);
    free(s->D);
    free_signals(s->input, s->n_input);
    free_signals(s->output, s->n_output);
    free(s);
    *system = NULL;
}

int wr_linear_signal_set(wr_linear_signal *signal, const char *name, const char *unit,
                         double nominal, double value)
{
    free(signal->name);
    free(signal->unit);
    *signal = (wr_linear_signal){strdup(name), strdup(unit ? unit : ""), nominal, value};
    if (!signal->name || !signal->unit)
        return -1;
    return 0;
}

/* ---- from files ---- */

/* Checks the size of a matrix. n_column < 0 allows any number above 0. Returns WRSIM_OK or WRSIM_E_ARG. */
static wrsim_status check_size(const char *path, const wr_matrix *matrix, int n_row, int n_column,
                               wrsim_error *err)
{
    if (!matrix)
        return WRSIM_OK;
    if (matrix->n_row == n_row &&
        (n_column < 0 ? matrix->n_column > 0 : matrix->n_column == n_column))
        return WRSIM_OK;
    char columns[32];
    snprintf(columns, sizeof columns, "%d", n_column);
    return wr_error_set_at(err, WRSIM_E_ARG, &(wr_where){.file = path},
                           "the matrix is %d x %d, but must be %d x %s, because G must be "
                           "square, and the sizes of all matrices must match; name another matrix",
                           matrix->n_row, matrix->n_column, n_row,
                           n_column < 0 ? "(1 or more)" : columns);
}

static int name_signals(wr_linear_signal *signal, int n, const char *letter)
{
    for (int i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%s%d", letter, i + 1);
        if (wr_linear_signal_set(&signal[i], name, "", 0.0, 0.0) < 0)
            return -1;
    }
    return 0;
}

/* Reads the files. The system becomes the owner of G and C. Returns WRSIM_OK, an error of reading, WRSIM_E_ARG for unsuitable matrices, or
 * WRSIM_E_MEMORY. */
static wrsim_status read_system(const wr_linear_files *f, wr_matrix **m, wr_linear_system **ret,
                                wrsim_error *err)
{
    enum { G, C, B, L, D, N_FILE };
    const char *const path[N_FILE] = {f->G, f->C, f->B, f->L, f->D};
    for (int i = 0; i < N_FILE; i++) {
        if (!path[i])
            continue;
        m[i] = wr_matrix_market_read(path[i], NULL, NULL, err);
        if (!m[i])
            return err->status;
        if (!m[i]->value)
            return wr_error_set_at(
                err, WRSIM_E_ARG, &(wr_where){.file = path[i]},
                "the file has a pattern without values; name a matrix with values");
    }
    const int n = m[G]->n_row;
    if (n == 0)
        return wr_error_set_at(err, WRSIM_E_ARG, &(wr_where){.file = f->G},
                               "the matrix is empty; name another matrix");
    WR_TRY(check_size(f->G, m[G], n, n, err));
    WR_TRY(check_size(f->C, m[C], n, n, err));
    WR_TRY(check_size(f->B, m[B], n, -1, err));
    WR_TRY(check_size(f->L, m[L], n, -1, err));
    WR_TRY(check_size(f->D, m[D], m[L]->n_column, m[B]->n_column, err));
    wr_linear_system *s = wr_linear_system_create(n, m[B]->n_column, m[L]->n_column, 0);
    if (!s)
        return wr_error_memory(err);
    WR_AUTO(wr_entries_done) wr_entries unit = {0};
    for (int i = 0; i < n && !m[C]; i++)
        wr_entries_add(&unit, i, i, 1.0, 0);
    s->G = m[G];
    s->C = m[C] ? m[C] : wr_matrix_from_entries(n, n, &unit, 1);
    m[G] = m[C] = NULL;
    wr_matrix_to_dense(m[B], s->B);
    wr_matrix_to_dense(m[L], s->L);
    if (m[D])
        wr_matrix_to_dense(m[D], s->D);
    if (!s->C || name_signals(s->input, s->n_input, "u") < 0 ||
        name_signals(s->output, s->n_output, "y") < 0)
        wr_linear_system_destroy(&s);
    *ret = s;
    return s ? WRSIM_OK : wr_error_memory(err);
}

wrsim_status wr_linear_system_read(const wr_linear_files *files, wr_linear_system **ret_system,
                                   wrsim_error *err)
{
    wr_matrix *matrix[5] = {NULL};
    const wrsim_status status = read_system(files, matrix, ret_system, err);
    for (size_t i = 0; i < WR_COUNT_OF(matrix); i++)
        wr_matrix_destroy(&matrix[i]);
    return status;
}
