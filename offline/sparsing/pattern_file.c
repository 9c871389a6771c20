/* Pattern files. See pattern_file.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "offline/sparsing/pattern_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/matrix_market.h"
#include "base/text_buffer.h"

wrsim_status wr_pattern_file_write(const char *path, const wr_sparsing *s,
                                   const unsigned char *keep, wrsim_error *err)
{
    WR_AUTO(wr_text_buffer_done) wr_text_buffer comments = {0};
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    wr_text_buffer_add(&comments, "wrsim pattern 1\nwrsim subsystem %s\nwrsim tau ", s->subsystem);
    wr_text_buffer_number(&comments, s->options.tau_s);
    for (int i = 0; i < s->n; i++) {
        wr_text_buffer_add(&comments, "\nwrsim state %d %s", i + 1, s->name[i]);
        for (int j = 0; j < s->n; j++)
            if (keep[(size_t)j * (size_t)s->n + (size_t)i])
                wr_entries_add(&entries, i, j, 1.0, 0);
    }
    const char *const text = wr_text_buffer_get(&comments);
    WR_AUTO(wr_matrix_destroy) wr_matrix *matrix = wr_matrix_from_entries(s->n, s->n, &entries, 0);
    return text && matrix ? wr_matrix_market_write(path, matrix, text, err)
                          : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for '%s'", path);
}

/* State of reading a pattern file. */
typedef struct reader {
    const wr_sparsing *s; /* the study, which has the names of the states */
    const char *path;     /* path of the file */
    int *state_of;        /* [n] state of each row of the file; -1: not yet known */
    int n_named;          /* number of rows whose state a comment has named */
    wrsim_error *err;
    wrsim_status status;
} reader;

static void complain(reader *r, int line, const char *what, const char *name)
{
    if (r->status != WRSIM_OK)
        return;
    const wr_where where = {.file = r->path, .line = line};
    r->status = wr_error_set_at(r->err, WRSIM_E_ARG, &where, what, name);
}

static void take_comment(void *user, int line, const char *text)
{
    reader *const r = user;
    static const char key[] = "wrsim state ";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return;
    char *name;
    const long row = strtol(text + sizeof key - 1, &name, 10);
    name += strspn(name, " ");
    int state = 0;
    while (state < r->s->n && strcmp(r->s->name[state], name) != 0)
        state++;
    if (state == r->s->n)
        complain(r, line,
                 "the subsystem has no state '%s'; give a pattern that belongs to the subsystem",
                 name);
    else if (row < 1 || row > r->s->n || r->state_of[row - 1] >= 0)
        complain(r, line, "the row of state '%s' is out of range, or already has a state", name);
    if (r->status != WRSIM_OK)
        return;
    r->state_of[row - 1] = state;
    r->n_named++;
}

static void check_names(reader *r, const wr_matrix *matrix)
{
    char text[64];
    if (matrix->n_row == r->s->n && matrix->n_column == r->s->n &&
        (r->n_named == 0 || r->n_named == r->s->n)) {
        for (int i = 0; r->n_named == 0 && i < r->s->n; i++)
            r->state_of[i] = i;
        return;
    }
    snprintf(text, sizeof text, "%d x %d with names of %d states instead of %d", matrix->n_row,
             matrix->n_column, r->n_named, r->s->n);
    complain(r, 0, "the pattern does not fit the subsystem: it is %s", text);
}

wrsim_status wr_pattern_file_read(const char *path, const wr_sparsing *s, unsigned char *ret_keep,
                                  wrsim_error *err)
{
    WR_AUTO_FREE int *const state_of = malloc(((size_t)s->n + 1) * sizeof *state_of);
    reader r = {.s = s, .path = path, .state_of = state_of, .err = err, .status = WRSIM_OK};
    if (!state_of)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for '%s'", path);
    for (int i = 0; i < s->n; i++)
        r.state_of[i] = -1;
    wrsim_error own = {.status = WRSIM_OK};
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *matrix = wr_matrix_market_read(path, take_comment, &r, &own);
    if (!matrix) {
        r.status = own.status;
        if (err)
            *err = own;
    }
    if (r.status == WRSIM_OK)
        check_names(&r, matrix);
    if (r.status == WRSIM_OK) {
        const size_t n = (size_t)r.s->n;
        memset(ret_keep, 0, n * n);
        for (int c = 0; c < matrix->n_column; c++)
            for (int k = matrix->start[c]; k < matrix->start[c + 1]; k++) {
                const int i = r.state_of[matrix->row[k]], j = r.state_of[c];
                const size_t e = (size_t)j * n + (size_t)i;
                ret_keep[e] = r.s->full.keep[e];
                if (i != j && !ret_keep[e])
                    complain(&r, 0,
                             "the Jacobian has no entry in row '%s' at one of the file's "
                             "columns; remove that entry",
                             r.s->name[i]);
            }
    }
    return r.status;
}
