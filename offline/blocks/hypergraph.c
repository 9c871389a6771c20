/* Reads and writes hypergraphs as text. See hypergraph.h. Thread: any. Real-time: no. */
#include "offline/blocks/hypergraph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/open_file.h"
#include "base/text_buffer.h"

/* Largest number of numbers in the first line of a file (PaToH, format in hypergraph.h). */
enum { MAX_HEADER = 6 };

wr_hypergraph_format wr_hypergraph_format_of(const char *path)
{
    static const struct {
        const char *ending;
        wr_hypergraph_format format;
    } endings[] = {
        {".hgr", WR_HMETIS}, {".hmetis", WR_HMETIS}, {".patoh", WR_PATOH}, {".u", WR_PATOH}};
    const char *const dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < WR_COUNT_OF(endings); i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].format;
    return WR_N_HYPERGRAPH;
}

/* ---- writing ---- */

char *wr_hypergraph_text(const wr_matrix *matrix, wr_hypergraph_format format)
{
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *rows = wr_matrix_transpose(matrix); /* the transpose; its columns are the nets */
    wr_text_buffer text = {.is_failed = !rows};
    wr_text_buffer_add(
        &text, "%% Written by a tool of wrsim, partition: nets are rows, vertices are columns\n");
    const int first = format == WR_HMETIS ? 1 : 0;
    if (format == WR_HMETIS)
        wr_text_buffer_add(&text, "%d %d\n", matrix->n_row, matrix->n_column);
    else
        wr_text_buffer_add(&text, "%d %d %d %d\n", first, matrix->n_column, matrix->n_row,
                           matrix->n_nonzero);
    for (int i = 0; rows && i < rows->n_column; i++) {
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            wr_text_buffer_add(&text, "%s%d", k > rows->start[i] ? " " : "", rows->row[k] + first);
        wr_text_buffer_add(&text, "\n");
    }
    return wr_text_buffer_take(&text);
}

/* ---- reading ---- */

typedef struct hyper_reader {
    const char *path;       /* path of the file */
    FILE *stream;           /* the open file */
    char *text;             /* the present line */
    size_t cap_bytes;       /* capacity of text */
    int line;               /* number of the present line, from 1 */
    int n_net;              /* number of nets */
    int n_vertex;           /* number of vertices */
    int first;              /* number of the first vertex: 0 or 1 */
    int n_constraint;       /* number of weights of each vertex, if vertices have weights */
    int has_net_weights;    /* 1: each net begins with a weight */
    int has_vertex_weights; /* 1: weights of the vertices follow the nets */
    long long n_pin;        /* number of pins that the header declares; -1: no declaration */
    wr_entries entries;     /* the pins: net and vertex */
    wrsim_error *err;       /* receives the error */
} hyper_reader;

/* REFUSE sets the error at a line of the file, WRONG sets WRSIM_E_IO at the present line. The value is the negative status. */
#define REFUSE(r, status, line_, ...)                                                              \
    wr_error_set_at((r)->err, status, &(wr_where){.file = (r)->path, .line = line_}, __VA_ARGS__)
#define WRONG(r, ...) REFUSE(r, WRSIM_E_IO, (r)->line, __VA_ARGS__)

/* Reads the next line that is not a comment. The line may be empty, because a net may have no vertices. Returns 0, 1 at the end of the
 * file, or a negative status after an error. */
static int next_line(hyper_reader *r)
{
    do {
        if (getline(&r->text, &r->cap_bytes, r->stream) < 0)
            return ferror(r->stream)
                       ? REFUSE(r, WRSIM_E_IO, 0, "the file cannot be read: %s; name a text file",
                                strerror(errno))
                       : 1;
        r->line++;
    } while (r->text[strspn(r->text, " \t")] == '%');
    return 0;
}

/* Reads the next whole number at *at of the line, and advances *at. Returns 0, 1 at the end of the line, or a
 * negative status after an error. */
static int next_number(hyper_reader *r, char **at, long long *ret)
{
    char *const from = *at + strspn(*at, " \t\r\n");
    if (!*from)
        return 1;
    errno = 0;
    *ret = strtoll(from, at, 10);
    if (*at == from || errno || (**at && !strchr(" \t\r\n", **at))) {
        const size_t n = strcspn(from, " \t\r\n");
        return WRONG(r, "'%.*s' is not a whole number of 64 bits; correct this number",
                     n < 20 ? (int)n : 20, from);
    }
    return 0;
}

/* Reads the next whole number of the file, on any line. *at is NULL before the first call. Returns 0, 1 at the end of the file, or a
 * negative status after an error. */
static int next_of_rest(hyper_reader *r, char **at, long long *ret)
{
    int rc = *at ? next_number(r, at, ret) : 1;
    while (rc > 0) {
        rc = next_line(r);
        if (rc != 0)
            return rc;
        *at = r->text;
        rc = next_number(r, at, ret);
    }
    return rc;
}

static int read_header(hyper_reader *r, long long header[MAX_HEADER], int *ret_n)
{
    int rc;
    do
        rc = next_line(r);
    while (rc == 0 && !r->text[strspn(r->text, " \t\r\n")]);
    if (rc > 0)
        return REFUSE(r, WRSIM_E_IO, 0,
                      "the line with the sizes is missing, so the file is not a hypergraph; name "
                      "another file");
    char *at = r->text;
    *ret_n = 0;
    long long value;
    while (rc == 0 && (rc = next_number(r, &at, &value)) == 0) {
        if (*ret_n == MAX_HEADER)
            return WRONG(
                r, "the line with the sizes has more than 6 numbers; remove the last numbers");
        header[(*ret_n)++] = value;
    }
    return rc < 0 ? -1 : 0;
}

static int check_size(hyper_reader *r, const char *what, long long value, int *ret)
{
    if (value < 1 || value > WR_MATRIX_MOST)
        return WRONG(
            r,
            "a hypergraph of %lld %s cannot be read; the number must be at least 1 and at most %d",
            value, what, WR_MATRIX_MOST);
    *ret = (int)value;
    return 0;
}

static int read_hmetis_header(hyper_reader *r)
{
    long long h[MAX_HEADER] = {0};
    int n;
    if (read_header(r, h, &n) < 0)
        return -1;
    if (n < 2 || n > 3 || (h[2] != 0 && h[2] != 1 && h[2] != 10 && h[2] != 11))
        return WRONG(r, "the first line must be the numbers of nets and vertices, optionally with "
                        "a format: 1, 10 or 11");
    r->first = 1;
    r->n_constraint = 1;
    r->n_pin = -1;
    r->has_net_weights = h[2] % 10 == 1;
    r->has_vertex_weights = h[2] >= 10;
    return check_size(r, "nets", h[0], &r->n_net) < 0
               ? -1
               : check_size(r, "vertices", h[1], &r->n_vertex);
}

static int read_patoh_header(hyper_reader *r)
{
    long long h[MAX_HEADER] = {0};
    int n;
    if (read_header(r, h, &n) < 0)
        return -1;
    if (n < 4 || h[0] < 0 || h[0] > 1 || h[3] < 0 || h[4] < 0 || h[4] > 3 ||
        (n == 6 && (h[5] < 1 || h[5] > 1000)))
        return WRONG(r, "the first line must be BASE (0 or 1), CELLS, NETS and PINS, optionally "
                        "with KIND (0 to 3) and WEIGHTS per cell (1 to 1000)");
    r->first = (int)h[0];
    r->n_pin = h[3];
    r->has_vertex_weights = h[4] == 1 || h[4] == 3;
    r->has_net_weights = h[4] == 2 || h[4] == 3;
    r->n_constraint = n == 6 ? (int)h[5] : 1;
    return check_size(r, "nets", h[2], &r->n_net) < 0 ? -1
                                                      : check_size(r, "cells", h[1], &r->n_vertex);
}

static int read_net(hyper_reader *r, int net)
{
    long long value;
    int rc = next_line(r), is_weight = r->has_net_weights;
    if (rc > 0)
        return WRONG(r,
                     "the file ends after %d of %d nets; correct the number of nets, or add nets",
                     net, r->n_net);
    char *at = r->text;
    while (rc == 0 && (rc = next_number(r, &at, &value)) == 0) {
        if (!is_weight && (value < r->first || value >= r->first + r->n_vertex))
            return WRONG(r, "vertex %lld is not within %d to %d; correct this number", value,
                         r->first, r->first + r->n_vertex - 1);
        if (is_weight && value < 0)
            return WRONG(r, "the net's weight %lld is negative; write a weight of at least 0",
                         value);
        if (!is_weight)
            wr_entries_add(&r->entries, net, (int)value - r->first, 1.0, r->line);
        is_weight = 0;
    }
    if (rc > 0 && is_weight)
        return WRONG(r, "the weight of a net is missing; add the weight before the net's vertices");
    return rc < 0 ? -1 : 0;
}

/* Reads the weights of the vertices, which may be on any number of lines. Returns 0, or a negative status after an error. */
static int read_weights(hyper_reader *r)
{
    long long n_left = r->has_vertex_weights ? (long long)r->n_vertex * r->n_constraint : 0, value;
    char *at = NULL;
    int rc;
    while ((rc = next_of_rest(r, &at, &value)) == 0) {
        if (n_left-- == 0)
            return WRONG(r,
                         "the file continues after the nets%s that its first line declares; "
                         "correct the first line, or remove further lines",
                         r->has_vertex_weights ? " and weights" : "");
        if (value < 0)
            return WRONG(r, "a vertex has the negative weight %lld; write a weight of at least 0",
                         value);
    }
    if (rc > 0 && n_left > 0)
        return WRONG(r,
                     "the file ends before the weights of all vertices; add the missing weights");
    return rc > 0 ? 0 : -1;
}

static int read_all(hyper_reader *r, wr_hypergraph_format format)
{
    if ((format == WR_HMETIS ? read_hmetis_header : read_patoh_header)(r) < 0)
        return -1;
    for (int i = 0; i < r->n_net; i++)
        if (read_net(r, i) < 0)
            return -1;
    if (read_weights(r) < 0)
        return -1;
    wr_entries_sort(&r->entries);
    const wr_entry *const e = r->entries.item;
    for (size_t i = 1; i < r->entries.n; i++)
        if (e[i].row == e[i - 1].row && e[i].column == e[i - 1].column)
            return REFUSE(r, WRSIM_E_IO, e[i].tag,
                          "vertex %d is in the net twice; remove one entry",
                          e[i].column + r->first);
    if (r->n_pin >= 0 && (size_t)r->n_pin != r->entries.n)
        return REFUSE(r, WRSIM_E_IO, 0,
                      "the file declares %lld pins, but has %zu pins; correct the first line",
                      r->n_pin, r->entries.n);
    return 0;
}

wr_matrix *wr_hypergraph_read(const char *path, wr_hypergraph_format format, wrsim_error *err)
{
    hyper_reader r = {.path = path, .err = err};
    wr_matrix *matrix = NULL;
    r.stream = wr_open_file_read(path);
    if (!r.stream)
        REFUSE(&r, WRSIM_E_IO, 0,
               "the file cannot be opened: %s; check the path and its permissions",
               strerror(errno));
    else if (wr_open_file_is_binary(r.stream))
        REFUSE(&r, WRSIM_E_IO, 1,
               "the file contains binary data; name a text file in the format of hMETIS or PaToH");
    else if (read_all(&r, format) == 0) {
        matrix = wr_matrix_from_entries(r.n_net, r.n_vertex, &r.entries, 0);
        if (!matrix)
            REFUSE(&r, WRSIM_E_MEMORY, 0, "out of memory for the hypergraph");
    }
    if (r.stream)
        fclose(r.stream);
    wr_entries_done(&r.entries);
    free(r.text);
    return matrix;
}

static int read_parts(hyper_reader *r, int n, int *ret_part, int *ret_n_part)
{
    int k = 0, rc;
    char *at = NULL;
    long long value;
    *ret_n_part = 0;
    while ((rc = next_of_rest(r, &at, &value)) == 0) {
        if (k == n)
            return REFUSE(r, WRSIM_E_ARG, r->line,
                          "the file has more entries than the hypergraph has vertices (%d); give "
                          "one part per vertex",
                          n);
        if (value < 0 || value >= n)
            return REFUSE(r, WRSIM_E_ARG, r->line,
                          "part %lld is not within 0 to %d; correct this number", value, n - 1);
        ret_part[k++] = (int)value;
        *ret_n_part = value >= *ret_n_part ? (int)value + 1 : *ret_n_part;
    }
    if (rc > 0 && k < n)
        return REFUSE(r, WRSIM_E_ARG, r->line,
                      "the file has the parts of %d vertices, but the hypergraph has %d vertices; "
                      "give one part per vertex",
                      k, n);
    return rc > 0 ? 0 : -1;
}

wrsim_status wr_hypergraph_read_parts(const char *path, int n, int *ret_part, int *ret_n_part,
                                      wrsim_error *err)
{
    wrsim_error own;
    hyper_reader r = {.path = path, .err = err ? err : &own};
    int rc = -1;
    r.stream = wr_open_file_read(path);
    if (!r.stream)
        REFUSE(&r, WRSIM_E_IO, 0,
               "the file cannot be opened: %s; check the path and its permissions",
               strerror(errno));
    else if (wr_open_file_is_binary(r.stream))
        REFUSE(&r, WRSIM_E_IO, 1,
               "the file contains binary data; name a text file with one part per vertex");
    else
        rc = read_parts(&r, n, ret_part, ret_n_part);
    if (r.stream)
        fclose(r.stream);
    free(r.text);
    return rc == 0 ? WRSIM_OK : r.err->status;
}
