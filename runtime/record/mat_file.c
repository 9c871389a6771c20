/* Writes and reads MAT files by matio. Defines the table of the module 'mat' (mat.h). Thread: one owner. Real-time: no. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <matio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/module.h"
#include "runtime/record/mat.h"
#include "runtime/record/result_file.h"
#include "runtime/record/title.h"

/* Largest matrix, bytes: MATLAB, "MAT-File Versions", gives 2^31 bytes for version 4; the readers of Octave and SciPy count to 2^32. */
static const double MOST_BYTES = 4294967295.0;

enum { LAYOUT = 1 }; /* of the matrices of wrsim (mat.h) */

/* ---- writing ---- */

typedef struct mat_writer {
    mat_t *mat;
    const char *file;
    int64_t n_bytes; /* length of the file if all writes succeed */
    wrsim_error *err;
} mat_writer;

/* Writes a matrix, column by column. Returns a status. */
static wrsim_status put_matrix(mat_writer *w, const char *name, enum matio_classes class,
                               enum matio_types type, size_t n_row, size_t n_column,
                               const void *data)
{
    enum { HEAD_BYTES = 20 };
    const size_t size = type == MAT_T_DOUBLE ? sizeof(double) : type == MAT_T_INT32 ? 4 : 1;
    size_t dims[2] = {n_row, n_column};
    matvar_t *const matrix =
        Mat_VarCreate(name, class, type, 2, dims, (void *)(uintptr_t)data, MAT_F_DONT_COPY_DATA);
    const int is_done = matrix && Mat_VarWrite(w->mat, matrix, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(matrix);
    w->n_bytes += HEAD_BYTES + (int64_t)strlen(name) + 1 + (int64_t)(size * n_row * n_column);
    return is_done ? WRSIM_OK
                   : wr_result_file_fail(w->file, errno, "matio cannot write a matrix", w->err);
}

/* Writes texts as columns of bytes, padded with NUL. A NUL follows a blank at the end of a text, because readers remove such blanks from texts
 * without a NUL. */
static wrsim_status put_texts(mat_writer *w, const char *name, size_t n, char *const *text)
{
    size_t size = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t n_byte = strlen(text[i]);
        const size_t n_needed = n_byte + (n_byte > 0 && text[i][n_byte - 1] == ' ');
        size = n_needed > size ? n_needed : size;
    }
    WR_AUTO_FREE char *const bytes = calloc(n, size);
    if (!bytes)
        return wr_error_memory(w->err);
    for (size_t i = 0; i < n; i++)
        memcpy(bytes + i * size, text[i], strlen(text[i]));
    return put_matrix(w, name, MAT_C_CHAR, MAT_T_UINT8, size, n, bytes);
}

static wrsim_status put_text(mat_writer *w, const char *name, const char *text)
{
    const char *const bytes = *text ? text : " "; /* readers may refuse an empty matrix of texts */
    return put_matrix(w, name, MAT_C_CHAR, MAT_T_UINT8, 1, strlen(bytes), bytes);
}

static wrsim_status put_class(mat_writer *w)
{
    enum { ROWS = 4, COLUMNS = 11 };
    static const char *const line[ROWS] = {"Atrajectory", "1.1", "", "binTrans"};
    char bytes[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            bytes[j * ROWS + i] = (char)(j < (int)strlen(line[i]) ? line[i][j] : ' ');
    return put_matrix(w, "Aclass", MAT_C_CHAR, MAT_T_UINT8, ROWS, COLUMNS, bytes);
}

/* Writes names, descriptions and the table dataInfo. */
static wrsim_status put_signals(mat_writer *w, const wr_results *r)
{
    const size_t n = (size_t)r->n_signal + 1;
    char time_name[] = "time";
    WR_AUTO_FREE char **const text = calloc(n, sizeof *text);
    WR_AUTO_FREE int32_t *const info = calloc(4 * n, sizeof *info);
    wrsim_status status = text && info ? WRSIM_OK : wr_error_memory(w->err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < n; i++) {
        text[i] = i == 0 ? time_name : r->name[i - 1];
        const int32_t column[4] = {i == 0 ? 0 : 2, (int32_t)i + 1, 0, -1};
        memcpy(info + 4 * i, column, sizeof column);
    }
    WR_TRY(put_texts(w, "name", n, text));
    for (size_t i = 0; i < n; i++) {
        wr_text_buffer title = {0};
        wr_title_put(&title, i == 0 ? "simulated time" : r->description[i - 1],
                     i == 0 ? "s" : r->unit[i - 1]);
        text[i] = wr_text_buffer_take(&title);
        status = text[i] ? status : wr_error_memory(w->err);
    }
    if (status >= 0)
        status = put_texts(w, "description", n, text);
    for (size_t i = 0; i < n; i++)
        free(text[i]);
    return status < 0 ? status : put_matrix(w, "dataInfo", MAT_C_INT32, MAT_T_INT32, 4, n, info);
}

static wrsim_status put_points(mat_writer *w, const wr_results *r)
{
    const size_t n_row = (size_t)r->n_row, n_column = (size_t)r->n_signal + 1;
    const double ends[2] = {n_row > 0 ? r->time_s[0] : 0.0, n_row > 0 ? r->time_s[n_row - 1] : 0.0};
    WR_AUTO_FREE double *const data = malloc((n_row * n_column + 1) * sizeof *data);
    if (!data)
        return wr_error_memory(w->err);
    for (size_t i = 0; i < n_row; i++) {
        data[i * n_column] = r->time_s[i];
        for (size_t j = 1; j < n_column; j++)
            data[i * n_column + j] = r->value[(j - 1) * n_row + i];
    }
    WR_TRY(put_matrix(w, "data_1", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 2, ends));
    return put_matrix(w, "data_2", MAT_C_DOUBLE, MAT_T_DOUBLE, n_column, n_row, data);
}

static wrsim_status put_events(mat_writer *w, const wr_results_stream *stream, int i_stream)
{
    const size_t n = (size_t)stream->n_signal, n_row = (size_t)stream->n_row;
    WR_AUTO_FREE double *const data = malloc(n_row * (2 + n) * sizeof *data + 1);
    char name[32];
    if (!data)
        return wr_error_memory(w->err);
    for (size_t i = 0; i < n_row; i++) {
        double *const row = data + i * (2 + n);
        row[0] = stream->time_s[i];
        row[1] = stream->is_right[i] ? 2.0 : 1.0;
        memcpy(row + 2, stream->value + i * n, n * sizeof *row);
    }
    snprintf(name, sizeof name, "wrsim_events_%d", i_stream + 1);
    return put_matrix(w, name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2 + n, n_row, data);
}

static wrsim_status put_streams(mat_writer *w, const wr_results *r)
{
    const size_t n = (size_t)r->n_stream;
    WR_AUTO_FREE char **const text = calloc(n + 1, sizeof *text);
    WR_AUTO_FREE int32_t *const count = calloc(n + 1, sizeof *count);
    if (!text || !count)
        return wr_error_memory(w->err);
    for (size_t i = 0; i < n; i++) {
        text[i] = r->stream[i].name;
        count[i] = r->stream[i].n_signal;
    }
    if (n == 0)
        return WRSIM_OK;
    WR_TRY(put_texts(w, "wrsim_subsystem", n, text));
    WR_TRY(put_matrix(w, "wrsim_signals", MAT_C_INT32, MAT_T_INT32, 1, n, count));
    for (size_t i = 0; i < n; i++)
        if (r->stream[i].n_row > 0)
            WR_TRY(put_events(w, &r->stream[i], (int)i));
    return WRSIM_OK;
}

static wrsim_status put_all(mat_writer *w, const wr_results *r, const char *version)
{
    char mark[128];
    snprintf(mark, sizeof mark, WR_MAT_MARK " %.60s layout %d", version, LAYOUT);
    WR_TRY(put_class(w));
    WR_TRY(put_signals(w, r));
    WR_TRY(put_points(w, r));
    WR_TRY(put_streams(w, r));
    WR_TRY(put_text(w, "wrsim_config", r->config_text));
    return put_text(w, WR_MAT_MARK, mark);
}

/* Refuses a matrix that is too large. */
static wrsim_status check_size(const char *file, const char *content, double n_row, double n_column,
                               double n_byte, wrsim_error *err)
{
    if (n_row * n_column * n_byte <= MOST_BYTES)
        return WRSIM_OK;
    return wr_results_fail(err, WRSIM_E_ARG, file, 0,
                           "the %s have %.0f x %.0f values, which need %.3g GB, but a matrix of a "
                           "MAT file of version 4 has at most 4.29 GB; use HDF5, or record less "
                           "(output.signals, output.decimation)",
                           content, n_row, n_column, 1e-9 * n_row * n_column * n_byte);
}

static wrsim_status check_sizes(const char *file, const wr_results *r, wrsim_error *err)
{
    size_t longest = 1;
    for (int i = 0; i < r->n_signal; i++) {
        const size_t n = strlen(r->description[i]) + strlen(r->unit[i]) + 3;
        const size_t n_most = strlen(r->name[i]) > n ? strlen(r->name[i]) : n;
        longest = n_most > longest ? n_most : longest;
    }
    WR_TRY(check_size(file, "names or descriptions", 1.0 + r->n_signal, (double)longest, 1.0, err));
    WR_TRY(check_size(file, "communication points", 1.0 + r->n_signal, r->n_row, 8.0, err));
    for (int i = 0; i < r->n_stream; i++)
        WR_TRY(check_size(file, "rows at events of a subsystem", 2.0 + r->stream[i].n_signal,
                          r->stream[i].n_row, 8.0, err));
    return WRSIM_OK;
}

static wrsim_status mat_write(const char *file, const char *shown, const wr_results *r,
                              const char *version, wrsim_error *err)
{
    mat_writer w = {.file = shown, .err = err};
    WR_TRY(check_sizes(shown, r, err));
    w.mat = Mat_CreateVer(file, NULL, MAT_FT_MAT4);
    if (!w.mat)
        return wr_result_file_fail(shown, errno, "matio cannot create the file", err);
    errno = 0;
    wrsim_status status = put_all(&w, r, version);
    errno = 0;
    const int is_closed = Mat_Close(w.mat) == 0;
    /* matio does not report a failed write, for example on a full disk. */
    struct stat about;
    if (status >= 0 && (!is_closed || stat(file, &about) != 0 || about.st_size != w.n_bytes))
        status = wr_result_file_fail(shown, errno ? errno : ENOSPC, NULL, err);
    return status;
}

/* ---- reading ---- */

typedef struct mat_reader {
    mat_t *mat;
    const char *file;
    int is_trans; /* 1: signals are columns of `name`, and rows of data; 0: the other way */
    matvar_t *name, *description, *info, *data_1, *data_2;
    wrsim_error *err;
} mat_reader;

static wrsim_status bad_file(const mat_reader *m)
{
    return wr_results_fail(m->err, WRSIM_E_IO, m->file, 0,
                           "'%s' is a MAT file but not a trajectory of Dymola, OpenModelica or "
                           "wrsim, or it is damaged; name another file",
                           m->file);
}

/* Returns a matrix, which the caller frees; NULL if the matrix is absent or not as expected. */
static matvar_t *get(mat_t *mat, const char *name, int is_text)
{
    matvar_t *matrix = Mat_VarRead(mat, name);
    const int is_good = matrix && matrix->rank == 2 && !matrix->isComplex &&
                        (matrix->data || matrix->nbytes == 0) &&
                        (matrix->class_type == MAT_C_CHAR) == is_text &&
                        matrix->data_type == (is_text ? MAT_T_UINT8 : MAT_T_DOUBLE);
    if (is_good)
        return matrix;
    Mat_VarFree(matrix);
    return NULL;
}

/* Return the number of signals of a text or of dataInfo, and the number of bytes of each text. */
static size_t n_text(const mat_reader *m, const matvar_t *matrix)
{
    return matrix->dims[m->is_trans];
}
static size_t n_text_byte(const mat_reader *m, const matvar_t *matrix)
{
    return matrix->dims[!m->is_trans];
}

/* Return the numbers of signals and of rows of a matrix of data. */
static size_t n_signal(const mat_reader *m, const matvar_t *data)
{
    return data->dims[!m->is_trans];
}
static size_t n_row_of(const mat_reader *m, const matvar_t *data)
{
    return data->dims[m->is_trans];
}

/* Returns a text without padding, from malloc. */
static char *text_of(const mat_reader *m, const matvar_t *matrix, size_t i)
{
    const size_t n = n_text_byte(m, matrix);
    const char *const bytes = matrix->data;
    char *const text = malloc(n + 1);
    if (!text)
        return NULL;
    for (size_t j = 0; j < n; j++)
        text[j] = bytes[m->is_trans ? i * n + j : j * matrix->dims[0] + i];
    text[n] = '\0';
    /* wrsim and OpenModelica pad with NUL, Dymola with spaces. */
    if (n > 0 && !memchr(text, '\0', n))
        for (size_t j = n; j > 0 && text[j - 1] == ' '; j--)
            text[j - 1] = '\0';
    return text;
}

static double value_of(const mat_reader *m, const matvar_t *data, size_t i_signal, size_t i_row)
{
    return ((const double *)data->data)[m->is_trans ? i_row * data->dims[0] + i_signal
                                                    : i_signal * data->dims[0] + i_row];
}

/* Reads values of a signal, whose column of dataInfo is `info`: 1 data_1, 2 data_2, 0 the time, which all matrices have. */
static wrsim_status read_signal(const mat_reader *m, const double info[2], size_t n_row,
                                double *ret_value)
{
    const matvar_t *const data = info[0] > 0.5 && info[0] < 1.5 ? m->data_1 : m->data_2;
    const double place = fabs(info[1]);
    if (!data || !(info[0] >= 0.0 && info[0] <= 2.0) ||
        !(place >= 1.0 && place <= (double)n_signal(m, data)) || n_row_of(m, data) < 1)
        return n_row == 0 ? WRSIM_OK : bad_file(m);
    /* A parameter in data_1 is constant. */
    for (size_t i = 0; i < n_row; i++) {
        const double value = value_of(m, data, (size_t)place - 1, data == m->data_2 ? i : 0);
        ret_value[i] = info[1] < 0.0 ? -value : value;
    }
    return WRSIM_OK;
}

static wrsim_status read_points(const mat_reader *m, wr_results *r)
{
    const size_t n = n_text(m, m->name), n_row = n_row_of(m, m->data_2);
    const double *const info = m->info->data;
    if (n < 1 || n > INT_MAX || n_row > INT_MAX || n_text(m, m->info) != n ||
        n_text_byte(m, m->info) != 4 || n_text(m, m->description) != n ||
        n_signal(m, m->data_2) < 1)
        return bad_file(m);
    r->n_row = (int)n_row;
    r->name = calloc(n, sizeof *r->name);
    r->unit = calloc(n, sizeof *r->unit);
    r->description = calloc(n, sizeof *r->description);
    r->time_s = malloc((n_row + 1) * sizeof *r->time_s);
    r->value = malloc((n_row * (n - 1) + 1) * sizeof *r->value);
    if (!r->name || !r->unit || !r->description || !r->time_s || !r->value)
        return wr_error_memory(m->err);
    for (size_t i = 0; i < n_row; i++)
        r->time_s[i] = value_of(m, m->data_2, 0, i);
    for (size_t i = 1; i < n; i++) {
        const double place[2] = {info[m->is_trans ? 4 * i : i],
                                 info[m->is_trans ? 4 * i + 1 : n + i]};
        char *const name = text_of(m, m->name, i), *const text = text_of(m, m->description, i);
        const char *const unit = text ? wr_title_split(text) : "";
        r->name[i - 1] = name;
        r->description[i - 1] = text;
        r->unit[i - 1] = strdup(unit);
        r->n_signal++;
        if (!name || !text || !r->unit[i - 1])
            return wr_error_memory(m->err);
        WR_TRY(read_signal(m, place, n_row, r->value + (i - 1) * n_row));
    }
    return WRSIM_OK;
}

/* Reads the matrices of wrsim. A file of another program lacks these matrices. */
static wrsim_status read_own(mat_reader *m, wr_results *r)
{
    matvar_t *const names = get(m->mat, "wrsim_subsystem", 1);
    matvar_t *const counts = get(m->mat, "wrsim_signals", 0);
    matvar_t *const config = get(m->mat, "wrsim_config", 1);
    wrsim_status status = WRSIM_OK;
    m->is_trans = 1;
    if (config && config->dims[0] == 1) {
        free(r->config_text);
        r->config_text = strndup(config->data, config->nbytes);
        if (r->config_text && strcmp(r->config_text, " ") == 0)
            r->config_text[0] = '\0';
    }
    int i_signal = 0;
    const size_t n = names && counts ? names->dims[1] : 0;
    for (size_t k = 0; k < n && counts->dims[0] * counts->dims[1] == n; k++)
        for (double left = ((const double *)counts->data)[k]; left >= 1.0 && i_signal < r->n_signal;
             left--) {
            free(r->subsystem[i_signal]);
            r->subsystem[i_signal++] = text_of(m, names, k);
        }
    for (int i = 0; i < r->n_signal; i++)
        if (!r->subsystem[i])
            status = wr_error_memory(m->err);
    if (status >= 0 && (!r->config_text || !wr_results_place_streams(r)))
        status = wr_error_memory(m->err);
    for (int k = 0; status >= 0 && k < r->n_stream; k++) {
        char name[32];
        snprintf(name, sizeof name, "wrsim_events_%d", k + 1);
        matvar_t *const rows = get(m->mat, name, 0);
        if (rows && rows->dims[0] != 2 + (size_t)r->stream[k].n_signal)
            status = bad_file(m);
        for (size_t i = 0; status >= 0 && rows && i < rows->dims[1]; i++) {
            const double *const row = (const double *)rows->data + i * rows->dims[0];
            if (!wr_results_stream_add(&r->stream[k], row[0], row[1] > 1.5, row + 2))
                status = wr_error_memory(m->err);
        }
        Mat_VarFree(rows);
    }
    Mat_VarFree(names);
    Mat_VarFree(counts);
    Mat_VarFree(config);
    return status;
}

/* Refuses a file of wrsim with a later layout. */
static wrsim_status check_layout(const mat_reader *m)
{
    char text[128] = "", version[sizeof text] = "";
    int layout = 0;
    matvar_t *const mark = get(m->mat, WR_MAT_MARK, 1);
    if (mark && mark->nbytes < sizeof text)
        memcpy(text, mark->data, mark->nbytes);
    Mat_VarFree(mark);
    return sscanf(text, WR_MAT_MARK " %127s layout %d", version, &layout) == 2 && layout > LAYOUT
               ? wr_results_fail_later(m->file, version, m->err)
               : WRSIM_OK;
}

static wrsim_status read_all(mat_reader *m, wr_results_extent extent, wr_results *r)
{
    WR_TRY(check_layout(m));
    matvar_t *const class = get(m->mat, "Aclass", 1);
    char kind[12] = "";
    for (size_t j = 0; class && class->dims[0] == 4 && j < class->dims[1] && j < 11; j++)
        kind[j] = ((const char *)class->data)[j * 4 + 3];
    Mat_VarFree(class);
    m->is_trans = strncmp(kind, "binTrans", 8) == 0;
    if (!m->is_trans && strncmp(kind, "binNormal", 9) != 0)
        return bad_file(m);
    m->name = get(m->mat, "name", 1);
    m->description = get(m->mat, "description", 1);
    m->info = get(m->mat, "dataInfo", 0);
    m->data_1 = get(m->mat, "data_1", 0);
    m->data_2 = get(m->mat, "data_2", 0);
    if (!m->name || !m->description || !m->info || !m->data_2)
        return bad_file(m);
    WR_TRY(read_points(m, r));
    r->config_text = strdup("");
    r->subsystem = calloc((size_t)r->n_signal + 1, sizeof *r->subsystem);
    for (int i = 0; r->subsystem && i < r->n_signal; i++)
        if (!(r->subsystem[i] = strdup("")))
            return wr_error_memory(m->err);
    if (!r->config_text || !r->subsystem)
        return wr_error_memory(m->err);
    return extent == WR_RESULTS_WHOLE ? read_own(m, r) : WRSIM_OK;
}

/* Returns 1 if the heads of the matrices fill the file exactly. matio reads a matrix that ends after the end of the file without an error. */
static int is_whole(const char *file)
{
    static const int64_t size[] = {8, 4, 4,
                                   2, 2, 1}; /* bytes of a value, by the tens digit of the type */
    FILE *const stream = fopen(file, "rbe");
    struct stat about;
    int is_good = stream && fstat(fileno(stream), &about) == 0;
    int64_t at = 0;
    while (is_good && at < about.st_size) {
        uint32_t head[5];
        is_good =
            fseeko(stream, (off_t)at, SEEK_SET) == 0 && fread(head, sizeof head, 1, stream) == 1;
        if (is_good && head[0] >= 1000) /* written by a machine of the other byte order */
            for (int i = 0; i < 5; i++)
                head[i] = __builtin_bswap32(head[i]);
        if (is_good && head[0] >= 1000)
            head[0] -= 1000;
        is_good = is_good && head[0] < 60 && head[0] % 10 < 2 && head[3] < 2 &&
                  head[1] <= INT_MAX && head[2] <= INT_MAX && head[4] >= 1 && head[4] <= 256;
        if (is_good) {
            const double n_value = (double)head[1] * (double)head[2] * (1.0 + (double)head[3]);
            is_good = n_value <= (double)about.st_size;
            if (is_good)
                at += (int64_t)sizeof head + head[4] + (int64_t)n_value * size[head[0] / 10];
        }
    }
    if (stream)
        fclose(stream);
    return is_good && at == about.st_size;
}

static wr_results *mat_read(const char *file, wr_results_extent extent, wrsim_error *err)
{
    mat_reader m = {.file = file, .err = err};
    wr_results *r = calloc(1, sizeof *r);
    m.mat = r && is_whole(file) ? Mat_Open(file, MAT_ACC_RDONLY) : NULL;
    wrsim_status status = !r       ? wr_error_memory(err)
                          : !m.mat ? bad_file(&m)
                                   : read_all(&m, extent, r);
    Mat_VarFree(m.name);
    Mat_VarFree(m.description);
    Mat_VarFree(m.info);
    Mat_VarFree(m.data_1);
    Mat_VarFree(m.data_2);
    if (m.mat)
        Mat_Close(m.mat);
    if (status < 0)
        wr_results_destroy(&r);
    return r;
}

static const wr_mat_ops ops = {.write = mat_write, .read = mat_read};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
