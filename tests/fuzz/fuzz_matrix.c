/* Fuzz target of matrices and hypergraphs as text. Any bytes give a matrix, or an error with a message and the name of the file. A
 * written matrix reads back to the same matrix.
 *
 * The first byte selects the format of the other bytes: M Matrix Market, H hMETIS, P PaToH, V parts of vertices.
 */
#include <string.h>

#include "base/matrix_market.h"
#include "offline/blocks/hypergraph.h"

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static int same(const wr_matrix *a, const wr_matrix *b)
{
    const size_t n = (size_t)a->n_nonzero;
    return a->n_row == b->n_row && a->n_column == b->n_column && a->n_nonzero == b->n_nonzero &&
           memcmp(a->start, b->start, ((size_t)a->n_column + 1) * sizeof *a->start) == 0 &&
           memcmp(a->row, b->row, n * sizeof *a->row) == 0 && !a->value == !b->value &&
           (!a->value || memcmp(a->value, b->value, n * sizeof *a->value) == 0);
}

static void check_error(const wrsim_error *err, const wr_fuzz_file *file)
{
    wr_fuzz_require(err->status < 0 && err->text[0] != '\0', "an error without text");
    wr_fuzz_require(err->status == WRSIM_E_MEMORY || strcmp(err->file, file->path) == 0,
                    "an error without its file");
}

static void read_matrix(const wr_fuzz_file *file)
{
    static char path[64];
    wrsim_error err = {0};
    wr_matrix *first = wr_matrix_market_read(file->path, NULL, NULL, &err);
    if (!first) {
        check_error(&err, file);
        return;
    }
    snprintf(path, sizeof path, "/tmp/fuzz_matrix_%d.mtx", (int)getpid());
    wr_fuzz_require(wr_matrix_market_write(path, first, NULL, &err) == WRSIM_OK,
                    "a matrix that is not written");
    wr_matrix *again = wr_matrix_market_read(path, NULL, NULL, &err);
    wr_fuzz_require(again && same(first, again), "a matrix that changes when it is written");
    unlink(path);
    wr_matrix_destroy(&again);
    wr_matrix_destroy(&first);
}

static void read_hypergraph(const wr_fuzz_file *file, wr_hypergraph_format format)
{
    wrsim_error err = {0};
    wr_matrix *first = wr_hypergraph_read(file->path, format, &err);
    if (!first) {
        check_error(&err, file);
        return;
    }
    char *const text = wr_hypergraph_text(first, format);
    wr_fuzz_require(text != NULL, "a hypergraph without text");
    const wr_fuzz_file written = wr_fuzz_file_open((const uint8_t *)text, strlen(text));
    wr_matrix *again = wr_hypergraph_read(written.path, format, &err);
    wr_fuzz_require(again && same(first, again), "a hypergraph that changes when it is written");
    wr_fuzz_file_close(&written);
    free(text);
    wr_matrix_destroy(&again);
    wr_matrix_destroy(&first);
}

static void read_parts(const wr_fuzz_file *file)
{
    enum { N = 6 };
    int part[N], n_part = 0;
    wrsim_error err = {0};
    if (wr_hypergraph_read_parts(file->path, N, part, &n_part, &err) < 0) {
        check_error(&err, file);
        return;
    }
    for (int i = 0; i < N; i++)
        wr_fuzz_require(part[i] >= 0 && part[i] < n_part, "a part that is not there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (n_bytes == 0)
        return 0;
    const wr_fuzz_file file = wr_fuzz_file_open(data + 1, n_bytes - 1);
    switch (data[0]) {
    case 'M':
        read_matrix(&file);
        break;
    case 'H':
        read_hypergraph(&file, WR_HMETIS);
        break;
    case 'P':
        read_hypergraph(&file, WR_PATOH);
        break;
    case 'V':
        read_parts(&file);
        break;
    default:
        break;
    }
    wr_fuzz_file_close(&file);
    return 0;
}
