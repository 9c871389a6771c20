/* Matrices with names. See matrix_names.h. Thread: one owner. Real-time: no. */
#include "offline/structure/matrix_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/matrix_market.h"

/* A name from a comment. The names come before the size of the matrix in the file, so a list stores the names first. */
typedef struct named {
    int is_row, is_column;
    long number; /* number of the row or column, from 1 */
    char *name;
} named;

typedef struct reader {
    named *item;
    size_t n, cap;
    int is_failed; /* 1: memory is exhausted */
} reader;

static const struct {
    const char *begin;
    int is_row, is_column;
} lines[] = {{"wrsim row ", 1, 0}, {"wrsim column ", 0, 1}, {"wrsim state ", 1, 1}};

static void take_comment(void *user, int line, const char *text)
{
    reader *const r = user;
    (void)line;
    for (size_t i = 0; i < WR_COUNT_OF(lines); i++) {
        const size_t n = strlen(lines[i].begin);
        if (strncmp(text, lines[i].begin, n) != 0)
            continue;
        char *name;
        const long number = strtol(text + n, &name, 10);
        name += strspn(name, " ");
        if (*name) {
            if (r->n == r->cap) {
                const size_t cap = r->cap ? 2 * r->cap : 64;
                named *const grown = realloc(r->item, cap * sizeof *grown);
                r->is_failed |= !grown;
                if (!grown)
                    return;
                r->item = grown;
                r->cap = cap;
            }
            const named item = {lines[i].is_row, lines[i].is_column, number, strdup(name)};
            r->is_failed |= !item.name;
            r->item[r->n++] = item;
        }
    }
}

/* Stores a name. Returns 0 when out of memory. */
static int put(char **name, int n, const named *item)
{
    if (item->number < 1 || item->number > n)
        return 1;
    free(name[item->number - 1]);
    name[item->number - 1] = strdup(item->name);
    return name[item->number - 1] != NULL;
}

/* Copies the names to the arrays of rows and columns. Returns 0 when out of memory. */
static int place(const reader *r, const wr_matrix *matrix, wr_matrix_names *ret)
{
    ret->row = calloc((size_t)matrix->n_row + 1, sizeof *ret->row);
    ret->column = calloc((size_t)matrix->n_column + 1, sizeof *ret->column);
    if (!ret->row || !ret->column || r->is_failed)
        return 0;
    ret->n_row = matrix->n_row;
    ret->n_column = matrix->n_column;
    for (size_t i = 0; i < r->n; i++)
        if ((r->item[i].is_row && !put(ret->row, ret->n_row, &r->item[i])) ||
            (r->item[i].is_column && !put(ret->column, ret->n_column, &r->item[i])))
            return 0;
    return 1;
}

wr_matrix *wr_matrix_names_read(const char *path, wr_matrix_names *ret, wrsim_error *err)
{
    reader r = {.n = 0};
    *ret = (wr_matrix_names){0};
    wr_matrix *matrix = wr_matrix_market_read(path, take_comment, &r, err);
    if (matrix && !place(&r, matrix, ret)) {
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the names in '%.200s'", path);
        wr_matrix_destroy(&matrix);
    }
    for (size_t i = 0; i < r.n; i++)
        free(r.item[i].name);
    free(r.item);
    return matrix;
}

void wr_matrix_names_done(wr_matrix_names *names)
{
    for (int i = 0; i < names->n_row; i++)
        free(names->row[i]);
    for (int i = 0; i < names->n_column; i++)
        free(names->column[i]);
    free(names->row);
    free(names->column);
    *names = (wr_matrix_names){0};
}
