/* Matrix Market files. See matrix_market.h. Thread: any. Real-time: no. */
#include "base/matrix_market.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/open_file.h"
#include "base/text_buffer.h"

/* Words of the banner, the first line of a file. */
typedef enum market_format { COORDINATE, ARRAY, N_FORMAT } market_format;
typedef enum market_field { REAL, INTEGER, PATTERN, N_FIELD } market_field;
typedef enum market_symmetry { GENERAL, SYMMETRIC, SKEW, N_SYMMETRY } market_symmetry;
static const char *const format_word[N_FORMAT] = {"coordinate", "array"};
static const char *const field_word[N_FIELD] = {"real", "integer", "pattern"};
static const char *const symmetry_word[N_SYMMETRY] = {"general", "symmetric", "skew-symmetric"};

enum { MAX_FIELDS = 4 };

typedef struct market_reader {
    const char *path;
    FILE *stream;
    char *text; /* text of the present line */
    size_t cap_bytes;
    int line;
    market_format format;
    market_field field;
    market_symmetry symmetry;
    int n_row, n_column;
    long long n_listed; /* number of entries that the file declares */
    wr_entries entries;
    wr_matrix_comment_fn comment;
    void *user;
    wrsim_error *err;
} market_reader;

/* Sets the error at a line of the file; WRONG: at the present line. Returns the status, which is negative. */
#define REFUSE(r, status, line_, ...)                                                              \
    wr_error_set_at((r)->err, status, &(wr_where){.file = (r)->path, .line = line_}, __VA_ARGS__)
#define WRONG(r, ...) REFUSE(r, WRSIM_E_IO, (r)->line, __VA_ARGS__)

/* Reads the next line, without its newline. Returns 0, 1 at the end of the file, or a negative status after an error. */
static int next_line(market_reader *r)
{
    const ssize_t n = getline(&r->text, &r->cap_bytes, r->stream);
    if (n < 0 && ferror(r->stream))
        return REFUSE(r, WRSIM_E_IO, 0,
                      "the file cannot be read: %s; name a file in the Matrix Market format",
                      strerror(errno));
    if (n < 0)
        return 1;
    r->line++;
    if (strlen(r->text) != (size_t)n)
        return WRONG(r,
                     "the file contains binary data; name a text file in the Matrix Market format");
    r->text[strcspn(r->text, "\r\n")] = 0;
    return 0;
}

/* Reads the next line that is neither empty nor a comment. Passes comments to r->comment. Returns as next_line(). */
static int next_content(market_reader *r)
{
    int rc;
    while ((rc = next_line(r)) == 0) {
        if (r->text[0] == '%') {
            if (r->comment)
                r->comment(r->user, r->line, r->text + 1);
        } else if (r->text[strspn(r->text, " \t")] != 0) {
            return 0;
        }
    }
    return rc;
}

/* Splits a line into words, in place. Returns the number of words, at most MAX_FIELDS + 1. */
static int split(char *text, char *ret_word[MAX_FIELDS + 1])
{
    int n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word && n <= MAX_FIELDS;
         word = strtok_r(NULL, " \t", &rest))
        ret_word[n++] = word;
    return n;
}

static int find_word(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(word, words[i]) == 0)
            return i;
    return -1;
}

static int read_banner(market_reader *r)
{
    char *word[MAX_FIELDS + 1];
    static const char magic[] = "%%MatrixMarket";
    const int rc = next_line(r);
    if (rc < 0)
        return -1;
    if (rc > 0 || strncasecmp(r->text, magic, sizeof magic - 1) != 0)
        return REFUSE(r, WRSIM_E_IO, rc > 0 ? 0 : 1,
                      "the file is not a Matrix Market file: the first line must be like "
                      "\"%%%%MatrixMarket matrix coordinate real general\"");
    if (split(r->text + sizeof magic - 1, word) != 4 || strcasecmp(word[0], "matrix") != 0)
        return REFUSE(r, WRSIM_E_IO, 1,
                      "the first line must have four words after %%%%MatrixMarket: matrix, "
                      "coordinate or array, the kind of numbers, the symmetry");
    const int format = find_word(word[1], format_word, N_FORMAT);
    const int field = find_word(word[2], field_word, N_FIELD);
    const int symmetry = find_word(word[3], symmetry_word, N_SYMMETRY);
    if (format < 0)
        return REFUSE(r, WRSIM_E_IO, 1,
                      "the format '%.40s' is not supported: choose coordinate or array", word[1]);
    if (field < 0)
        return REFUSE(
            r, WRSIM_E_IO, 1,
            "the kind of numbers '%.40s' is not supported: choose real, integer or pattern",
            word[2]);
    if (symmetry < 0)
        return REFUSE(
            r, WRSIM_E_IO, 1,
            "the symmetry '%.40s' is not supported: choose general, symmetric or skew-symmetric",
            word[3]);
    if (field == PATTERN && (format == ARRAY || symmetry == SKEW))
        return REFUSE(r, WRSIM_E_IO, 1,
                      "a matrix of kind pattern must be coordinate, and general or symmetric");
    r->format = (market_format)format;
    r->field = (market_field)field;
    r->symmetry = (market_symmetry)symmetry;
    return 0;
}

/* Reads a whole number from low to high. Messages name the number by `what`. */
static int read_integer(market_reader *r, const char *word, const char *what, long long low,
                        long long high, long long *ret)
{
    char *end;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (*end || end == word)
        return WRONG(r, "the %s '%.40s' is not a whole number; correct this number", what, word);
    if (errno || value < low || value > high)
        return WRONG(r, "the %s %.40s is not within %lld to %lld; correct this number", what, word,
                     low, high);
    *ret = value;
    return 0;
}

static int read_sizes(market_reader *r)
{
    char *word[MAX_FIELDS + 1];
    const int n_word = r->format == ARRAY ? 2 : 3;
    long long n_row, n_column;
    const int rc = next_content(r);
    if (rc < 0)
        return -1;
    if (rc > 0)
        return WRONG(r, "the file ends before the line of sizes; add this line");
    if (split(r->text, word) != n_word)
        return WRONG(r, "the line of sizes needs %s",
                     r->format == ARRAY ? "rows and columns" : "rows, columns and entries");
    if (read_integer(r, word[0], "number of rows", 1, WR_MATRIX_MOST, &n_row) < 0 ||
        read_integer(r, word[1], "number of columns", 1, WR_MATRIX_MOST, &n_column) < 0)
        return -1;
    r->n_row = (int)n_row;
    r->n_column = (int)n_column;
    if (r->symmetry != GENERAL && n_row != n_column)
        return WRONG(
            r,
            "the matrix is %s but not square: %lld by %lld; correct the sizes, or choose general",
            symmetry_word[r->symmetry], n_row, n_column);
    const long long n_lower = n_row * (n_row + 1) / 2;
    const long long n_most = r->symmetry == GENERAL ? n_row * n_column
                             : r->symmetry == SKEW  ? n_lower - n_row
                                                    : n_lower;
    r->n_listed = n_most;
    return r->format == ARRAY
               ? 0
               : read_integer(r, word[2], "number of entries", 0, n_most, &r->n_listed);
}

/* Stores an entry. If the matrix is symmetric or skew-symmetric, also stores the mirror image of an entry off the diagonal. */
static void keep(market_reader *r, int row, int column, double value)
{
    wr_entries_add(&r->entries, row, column, value, r->line);
    if (r->symmetry != GENERAL && row != column)
        wr_entries_add(&r->entries, column, row, r->symmetry == SKEW ? -value : value, r->line);
}

static int read_value(market_reader *r, const char *word, double *ret)
{
    if (!wr_number_parse(word, word + strlen(word), ret))
        return WRONG(r, "'%.40s' is not a number; correct this value", word);
    if (!isfinite(*ret))
        return WRONG(r, "the value %.40s is not allowed: all values must be finite", word);
    return 0;
}

static int read_coordinate(market_reader *r, char **word, int n_word)
{
    long long row, column;
    double value = 1.0;
    const int n_wanted = r->field == PATTERN ? 2 : 3;
    if (n_word != n_wanted)
        return WRONG(r, "an entry needs %s",
                     n_wanted == 2 ? "a row and a column" : "a row, a column and a value");
    if (read_integer(r, word[0], "row", 1, r->n_row, &row) < 0 ||
        read_integer(r, word[1], "column", 1, r->n_column, &column) < 0 ||
        (n_wanted == 3 && read_value(r, word[2], &value) < 0))
        return -1;
    if (r->symmetry != GENERAL && (column > row || (r->symmetry == SKEW && column == row)))
        return WRONG(r,
                     "entry (%lld, %lld) of a %s matrix is not allowed: list only entries below "
                     "the diagonal%s",
                     row, column, symmetry_word[r->symmetry],
                     r->symmetry == SKEW ? "" : " and on it");
    keep(r, (int)row - 1, (int)column - 1, value);
    return 0;
}

static int read_entries(market_reader *r)
{
    char *word[MAX_FIELDS + 1];
    int row = r->symmetry == SKEW, column = 0, rc;
    long long n = 0;
    while ((rc = next_content(r)) == 0) {
        if (++n > r->n_listed)
            return WRONG(r,
                         "the file has more than the declared %lld entries; correct the line of "
                         "sizes, or remove entries",
                         r->n_listed);
        const int n_word = split(r->text, word);
        if (r->format == COORDINATE) {
            if (read_coordinate(r, word, n_word) < 0)
                return -1;
            continue;
        }
        double value;
        if (n_word != 1)
            return WRONG(r, "a line of an array must have one value");
        if (read_value(r, word[0], &value) < 0)
            return -1;
        if (value != 0.0)
            keep(r, row, column, value);
        if (++row < r->n_row)
            continue;
        column++; /* symmetric columns begin at the diagonal, skew-symmetric below it */
        row = r->symmetry == GENERAL ? 0 : r->symmetry == SKEW ? column + 1 : column;
    }
    if (rc == 1 && n < r->n_listed)
        return WRONG(
            r,
            "the file ends after %lld of %lld entries; correct the line of sizes, or add entries",
            n, r->n_listed);
    return rc == 1 ? 0 : -1;
}

wr_matrix *wr_matrix_market_read(const char *path, wr_matrix_comment_fn comment, void *user,
                                 wrsim_error *err)
{
    market_reader r = {.path = path, .comment = comment, .user = user, .err = err};
    wr_matrix *matrix = NULL;
    r.stream = wr_open_file_read(path);
    if (!r.stream)
        REFUSE(&r, WRSIM_E_IO, 0,
               "the file cannot be opened: %s; check the path and its permissions",
               strerror(errno));
    else if (wr_open_file_is_binary(r.stream))
        REFUSE(&r, WRSIM_E_IO, 1,
               "the file contains binary data; name a text file in the Matrix Market format");
    else if (read_banner(&r) == 0 && read_sizes(&r) == 0 && read_entries(&r) == 0) {
        wr_entries_sort(&r.entries);
        const wr_entry *const e = r.entries.item;
        size_t i = 1;
        while (i < r.entries.n && (e[i].row != e[i - 1].row || e[i].column != e[i - 1].column))
            i++;
        if (i < r.entries.n)
            REFUSE(&r, WRSIM_E_IO, e[i].tag,
                   "entry (%d, %d) is also in line %d; remove one of the two lines", e[i].row + 1,
                   e[i].column + 1, e[i - 1].tag);
        else if (!(matrix =
                       wr_matrix_from_entries(r.n_row, r.n_column, &r.entries, r.field != PATTERN)))
            REFUSE(&r, WRSIM_E_MEMORY, 0, "out of memory for the matrix");
    }
    if (r.stream)
        fclose(r.stream);
    wr_entries_done(&r.entries);
    free(r.text);
    return matrix;
}

/* ---- writing ---- */

wrsim_status wr_matrix_market_write(const char *path, const wr_matrix *matrix, const char *comments,
                                    wrsim_error *err)
{
    wr_text_buffer text = {0};
    wr_text_buffer_add(&text, "%%%%MatrixMarket matrix coordinate %s general\n",
                       matrix->value ? "real" : "pattern");
    while (comments && *comments) {
        const int n = (int)strcspn(comments, "\n");
        wr_text_buffer_add(&text, "%%%.*s\n", n, comments);
        comments += n + (comments[n] == '\n');
    }
    wr_text_buffer_add(&text, "%d %d %d\n", matrix->n_row, matrix->n_column, matrix->n_nonzero);
    for (int j = 0; j < matrix->n_column; j++)
        for (int i = matrix->start[j]; i < matrix->start[j + 1]; i++) {
            wr_text_buffer_add(&text, "%d %d", matrix->row[i] + 1, j + 1);
            if (matrix->value) {
                wr_text_buffer_add(&text, " ");
                wr_text_buffer_number(&text, matrix->value[i]);
            }
            wr_text_buffer_add(&text, "\n");
        }
    return wr_text_buffer_write(&text, path, err);
}
