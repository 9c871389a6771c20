/* Making and reading linear systems. See linear_system.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/reduction/linear_system.h"

#include <ctype.h>
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
    for (char *c = signal->name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_[]", *c))
            *c = '_';
    return 0;
}

/* ---- From files ---- */

/* Files and matrices of a system. */
typedef struct reading {
    const wr_linear_files *files;
    wr_matrix *G, *C, *B, *L, *D;
} reading;

static wrsim_status read_all(reading *r, wrsim_error *err)
{
    const struct {
        const char *path;
        wr_matrix **to;
    } files[] = {{r->files->G, &r->G},
                 {r->files->C, &r->C},
                 {r->files->B, &r->B},
                 {r->files->L, &r->L},
                 {r->files->D, &r->D}};
    for (size_t i = 0; i < WR_COUNT_OF(files); i++) {
        if (!files[i].path)
            continue;
        *files[i].to = wr_matrix_market_read(files[i].path, NULL, NULL, err);
        if (!*files[i].to)
            return err->status;
        if (!(*files[i].to)->value)
            return wr_error_set_at(err, WRSIM_E_ARG, &(wr_where){.file = files[i].path},
                                   "has a pattern without values; give a matrix with values");
    }
    return WRSIM_OK;
}

/* Checks the size of a matrix; n_column < 0 allows any number above 0. */
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
                           "the matrix is %d x %d, but must be %d x %s to agree with the others",
                           matrix->n_row, matrix->n_column, n_row,
                           n_column < 0 ? "(1 or more)" : columns);
}

static wrsim_status check_sizes(const reading *r, wrsim_error *err)
{
    const wr_linear_files *const f = r->files;
    const int n = r->G->n_row;
    if (n == 0)
        return wr_error_set_at(err, WRSIM_E_ARG, &(wr_where){.file = f->G}, "the matrix is empty");
    WR_TRY(check_size(f->G, r->G, n, n, err));
    WR_TRY(check_size(f->C, r->C, n, n, err));
    WR_TRY(check_size(f->B, r->B, n, -1, err));
    WR_TRY(check_size(f->L, r->L, n, -1, err));
    return check_size(f->D, r->D, r->L->n_column, r->B->n_column, err);
}

static wr_matrix *unit_matrix(int n)
{
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    for (int i = 0; i < n; i++)
        wr_entries_add(&entries, i, i, 1.0, 0);
    return wr_matrix_from_entries(n, n, &entries, 1);
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

/* Assembles the system, which becomes the owner of G and C. */
static wr_linear_system *assemble(reading *r)
{
    wr_linear_system *s = wr_linear_system_create(r->G->n_row, r->B->n_column, r->L->n_column, 0);
    if (!s)
        return NULL;
    s->G = r->G;
    s->C = r->C ? r->C : unit_matrix(s->n);
    r->G = r->C = NULL;
    wr_matrix_to_dense(r->B, s->B);
    wr_matrix_to_dense(r->L, s->L);
    if (r->D)
        wr_matrix_to_dense(r->D, s->D);
    if (!s->C || name_signals(s->input, s->n_input, "u") < 0 ||
        name_signals(s->output, s->n_output, "y") < 0)
        wr_linear_system_destroy(&s);
    return s;
}

wrsim_status wr_linear_system_read(const wr_linear_files *files, wr_linear_system **ret_system,
                                   wrsim_error *err)
{
    reading r = {.files = files};
    wrsim_status status = read_all(&r, err);
    WR_THEN(status, check_sizes(&r, err));
    if (status == WRSIM_OK) {
        wr_linear_system *const system = assemble(&r);
        if (system)
            *ret_system = system;
        else
            status = wr_error_memory(err);
    }
    wr_matrix **const left[] = {&r.G, &r.C, &r.B, &r.L, &r.D};
    for (size_t i = 0; i < WR_COUNT_OF(left); i++)
        wr_matrix_destroy(left[i]);
    return status;
}
