/* Reads state-space files, and implements their models. See linear_model.h.
 *
 * Thread: one owner; callbacks as in wrsim/model.h. Real-time: callbacks.
 */
#include "subsystems/model_host/linear_model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/number.h"
#include "base/open_file.h"

enum { MAX_STATES = 100000, MAX_SIGNALS = 10000, MAX_ENTRIES = 20000000, MAX_WORDS = 6 };

typedef struct signal {
    char *name, *unit;
    double nominal, value;
} signal;

/* The matrices of the equations in linear_model.h. */
enum { A, B, C, D, N_MATRIX };

typedef struct linear_model {
    wrsim_model model;
    const wrsim_model *models[2];
    char *name;
    int n_state, n_input, n_output;
    signal *input, *output;
    double *nominal, *rate; /* [n_state] */
    wr_matrix *matrix[N_MATRIX];
} linear_model;

/* ---- Callbacks ---- */

/* Adds M (x - shift) to ret; shift NULL: zero. */
static void add_product(const wr_matrix *m, const double *x, const signal *shift, double *ret)
{
    for (int j = 0; j < m->n_column; j++) {
        const double value = shift ? x[j] - shift[j].value : x[j];
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            ret[m->row[k]] += m->value[k] * value;
    }
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const linear_model *const lm = self->user;
    memcpy(ret_dx, lm->rate, (size_t)lm->n_state * sizeof *ret_dx);
    add_product(lm->matrix[A], at->x, NULL, ret_dx);
    add_product(lm->matrix[B], at->u, lm->input, ret_dx);
    return 0;
}

/* Writes the outputs y. Inputs without feedthrough may be unknown in this call; D has no entries for such inputs. */
static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const linear_model *const lm = self->user;
    for (int i = 0; i < lm->n_output; i++)
        ret_y[i] = lm->output[i].value;
    add_product(lm->matrix[C], at->x, NULL, ret_y);
    add_product(lm->matrix[D], at->u, lm->input, ret_y);
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    const linear_model *const lm = self->user;
    (void)at;
    memcpy(ret_value, lm->matrix[A]->value, (size_t)lm->matrix[A]->n_nonzero * sizeof *ret_value);
    return 0;
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    const linear_model *const lm = self->user;
    (void)at;
    memset(ret_dx, 0, (size_t)lm->n_state * sizeof *ret_dx);
    add_product(lm->matrix[A], x_change, NULL, ret_dx);
    add_product(lm->matrix[B], u_change, NULL, ret_dx);
    return 0;
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    const linear_model *const lm = self->user;
    (void)at;
    memset(ret_dy, 0, (size_t)lm->n_output * sizeof *ret_dy);
    add_product(lm->matrix[C], x_change, NULL, ret_dy);
    add_product(lm->matrix[D], u_change, NULL, ret_dy);
    return 0;
}

static int add_signals(wrsim_description *to, wrsim_kind kind, const signal *signals, int n)
{
    for (int i = 0; i < n; i++) {
        const wrsim_variable v = {.name = signals[i].name,
                                  .unit = signals[i].unit,
                                  .description = kind == WRSIM_INPUT
                                                     ? "input of the linear system"
                                                     : "output of the linear system",
                                  .start = signals[i].value,
                                  .nominal = signals[i].nominal};
        if (to->add(to, kind, &v))
            return -1;
    }
    return 0;
}

static int declare(wrsim_description *to, wrsim_pattern pattern, const wr_matrix *m)
{
    for (int j = 0; j < m->n_column; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            if (to->depends(to, pattern, m->row[k], j))
                return -1;
    return m->n_nonzero > 0 ? 0 : to->depends(to, pattern, -1, -1);
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY;
    static const wrsim_pattern patterns[N_MATRIX] = {
        [A] = WRSIM_X_X, [B] = WRSIM_U_X, [C] = WRSIM_X_Y, [D] = WRSIM_U_Y};
    const linear_model *const lm = self->user;
    for (int i = 0; i < lm->n_state; i++) {
        char name[24];
        snprintf(name, sizeof name, "z[%d]", i + 1);
        const wrsim_variable z = {.name = name,
                                  .description = "coordinate of the linear system",
                                  .nominal = lm->nominal[i]};
        if (to->add(to, WRSIM_STATE, &z))
            return -1;
    }
    if (add_signals(to, WRSIM_INPUT, lm->input, lm->n_input) ||
        add_signals(to, WRSIM_OUTPUT, lm->output, lm->n_output))
        return -1;
    for (int m = 0; m < N_MATRIX; m++)
        if (declare(to, patterns[m], lm->matrix[m]))
            return -1;
    return 0;
}

/* ---- Reading ---- */

typedef struct reader {
    linear_model *lm;
    wr_diag *diag;
    wr_where where; /* the present line */
    char *word[MAX_WORDS];
    int n_word;
    int has_states;
    wr_entries entries[N_MATRIX];
} reader;

static int complain(reader *r, const char *format, ...) WR_PRINTF(2, 3);

static int complain(reader *r, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wr_diag_add(r->diag, WRSIM_E_PLUGIN, &r->where, "%s", text);
    return -1;
}

static int no_memory(reader *r)
{
    wr_diag_add(r->diag, WRSIM_E_MEMORY, &r->where, "out of memory");
    return -1;
}

/* Reads a whole number from 1 to most. Returns the number less 1, or -1 after reporting an error. */
static int index_of(reader *r, const char *word, int most, const char *what)
{
    char *end;
    errno = 0;
    const long number = strtol(word, &end, 10);
    if (end != word && !*end && !errno && number >= 1 && number <= most)
        return (int)number - 1;
    return most > 0
               ? complain(r, "'%.40s' is not a valid %s; write a whole number from 1 to %d", word,
                          what, most)
               : complain(r,
                          "'%.40s' is not a valid %s, because the model has none; remove the line",
                          word, what);
}

static int number_of(reader *r, const char *word, double *ret_value)
{
    if (wr_number_parse(word, word + strlen(word), ret_value) && isfinite(*ret_value))
        return 0;
    return complain(r, "'%.40s' is not a finite number; correct this value", word);
}

static int read_model(reader *r)
{
    if (r->lm->name)
        return complain(r, "the file has a second line 'model'; remove this line");
    r->lm->name = strdup(r->word[1]);
    return r->lm->name ? 0 : no_memory(r);
}

static int read_states(reader *r)
{
    if (r->has_states)
        return complain(r, "the file has a second line 'states'; remove this line");
    r->has_states = 1;
    const int is_none = strcmp(r->word[1], "0") == 0;
    const int last = is_none ? -1 : index_of(r, r->word[1], MAX_STATES, "number of states");
    if (last < 0 && !is_none)
        return -1;
    r->lm->n_state = last + 1;
    r->lm->nominal = calloc((size_t)r->lm->n_state + 1, sizeof(double));
    r->lm->rate = calloc((size_t)r->lm->n_state + 1, sizeof(double));
    if (!r->lm->nominal || !r->lm->rate)
        return no_memory(r);
    for (int i = 0; i < r->lm->n_state; i++)
        r->lm->rate[i] = (double)NAN; /* not given */
    return 0;
}

static int read_state(reader *r)
{
    double value = 0.0;
    const int i = index_of(r, r->word[1], r->lm->n_state, "state");
    if (i < 0 || number_of(r, r->word[2], &value) < 0)
        return -1;
    if (!(value > 0.0))
        return complain(r, "the nominal value must be above 0");
    if (r->lm->nominal[i] > 0.0)
        return complain(r, "the file has a second nominal value of this state; remove the line");
    r->lm->nominal[i] = value;
    return 0;
}

static int read_rate(reader *r)
{
    const int i = index_of(r, r->word[1], r->lm->n_state, "state");
    if (i < 0)
        return -1;
    if (!isnan(r->lm->rate[i]))
        return complain(r, "the file has a second rate of this state; remove the line");
    return number_of(r, r->word[2], &r->lm->rate[i]);
}

/* Decodes %20 and %25 in a name or unit, in place. */
static char *decoded(char *name)
{
    char *to = name;
    for (const char *c = name; *c; to++) {
        const int is_blank = strncmp(c, "%20", 3) == 0,
                  is_code = is_blank || strncmp(c, "%25", 3) == 0;
        *to = is_code ? (is_blank ? ' ' : '%') : *c;
        c += is_code ? 3 : 1;
    }
    *to = '\0';
    return name;
}

static int read_signal(reader *r, signal **list, int *n)
{
    if (*n == MAX_SIGNALS)
        return complain(r, "the file has more than %d inputs or outputs; remove inputs or outputs",
                        MAX_SIGNALS);
    signal *const grown = realloc(*list, ((size_t)*n + 1) * sizeof *grown);
    if (!grown)
        return no_memory(r);
    *list = grown;
    signal *const s = &grown[(*n)++];
    *s = (signal){.name = strdup(decoded(r->word[1])),
                  .unit = strdup(strcmp(r->word[2], "-") == 0 ? "" : decoded(r->word[2]))};
    if (!s->name || !s->unit)
        return no_memory(r);
    if (number_of(r, r->word[3], &s->nominal) < 0 || number_of(r, r->word[4], &s->value) < 0)
        return -1;
    return s->nominal >= 0.0 ? 0 : complain(r, "the nominal value must be at least 0");
}

static int read_input(reader *r) { return read_signal(r, &r->lm->input, &r->lm->n_input); }
static int read_output(reader *r) { return read_signal(r, &r->lm->output, &r->lm->n_output); }

static int rows_of(const linear_model *lm, int m)
{
    return m == A || m == B ? lm->n_state : lm->n_output;
}
static int columns_of(const linear_model *lm, int m)
{
    return m == A || m == C ? lm->n_state : lm->n_input;
}

static int read_entry(reader *r)
{
    double value = 0.0;
    const int m = r->word[0][0] - 'A';
    const int row = index_of(r, r->word[1], rows_of(r->lm, m), "row");
    if (row < 0)
        return -1;
    const int column = index_of(r, r->word[2], columns_of(r->lm, m), "column");
    if (column < 0 || number_of(r, r->word[3], &value) < 0)
        return -1;
    if (r->entries[m].n == MAX_ENTRIES)
        return complain(r, "the matrix has more than %d entries; remove entries", MAX_ENTRIES);
    wr_entries_add(&r->entries[m], row, column, value, r->where.line);
    return r->entries[m].is_failed ? no_memory(r) : 0;
}

static const struct {
    const char *word;
    int n_word; /* number of words in the line */
    int needs_states;
    int (*read)(reader *);
} lines[] = {{"model", 2, 0, read_model},   {"states", 2, 0, read_states},
             {"state", 3, 1, read_state},   {"input", 5, 0, read_input},
             {"output", 5, 0, read_output}, {"A", 4, 1, read_entry},
             {"B", 4, 1, read_entry},       {"C", 4, 1, read_entry},
             {"D", 4, 1, read_entry},       {"rate", 3, 1, read_rate}};

static int read_line(reader *r, char *line)
{
    char *at = NULL;
    r->n_word = 0;
    for (char *w = strtok_r(line, " \t\r\n", &at); w; w = strtok_r(NULL, " \t\r\n", &at)) {
        if (r->n_word < MAX_WORDS)
            r->word[r->n_word] = w;
        r->n_word++;
    }
    if (r->n_word == 0 || r->word[0][0] == '#')
        return 0;
    for (size_t i = 0; i < WR_COUNT_OF(lines); i++) {
        if (strcmp(r->word[0], lines[i].word) != 0)
            continue;
        if (r->n_word != lines[i].n_word)
            return complain(r, "a line '%s' must have %d words, but has %d", lines[i].word,
                            lines[i].n_word, r->n_word);
        if (lines[i].needs_states && !r->has_states)
            return complain(
                r, "the line 'states N' is not above this line; move the line 'states N' up");
        return lines[i].read(r);
    }
    return complain(r,
                    "the first word '%.40s' is unknown; write model, states, state, input, output, "
                    "A, B, C, D or rate",
                    r->word[0]);
}

static int read_lines(reader *r, FILE *file)
{
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    for (r->where.line = 1; rc == 0; r->where.line++) {
        const ssize_t n = getline(&line, &cap, file);
        if (n < 0)
            break;
        if (r->where.line > 1)
            rc = read_line(r, line);
        else if (strcmp(line, WR_LINEAR_MODEL_MARK "\n") != 0 &&
                 strcmp(line, WR_LINEAR_MODEL_MARK "\r\n") != 0)
            rc = complain(r, "the first line is not '" WR_LINEAR_MODEL_MARK
                             "'; write the file in this format");
    }
    if (rc == 0 && ferror(file)) {
        wr_diag_add(r->diag, WRSIM_E_IO, &r->where, "the file cannot be read; name a regular file");
        rc = -1;
    }
    free(line);
    return rc;
}

static int finish(reader *r)
{
    linear_model *const lm = r->lm;
    r->where.line = 0;
    if (!lm->name)
        return complain(r, "the file has no line 'model NAME'; add this line");
    if (!r->has_states)
        return complain(r, "the file has no line 'states N'; add this line");
    for (int i = 0; i < lm->n_state; i++)
        if (!(lm->nominal[i] > 0.0))
            lm->nominal[i] = 1.0;
    for (int i = 0; i < lm->n_state; i++)
        if (isnan(lm->rate[i]))
            lm->rate[i] = 0.0;
    for (int m = 0; m < N_MATRIX; m++) {
        wr_entries_sort(&r->entries[m]);
        for (size_t k = 1; k < r->entries[m].n; k++) {
            const wr_entry *const a = &r->entries[m].item[k - 1], *const b = a + 1;
            if (a->row != b->row || a->column != b->column)
                continue;
            r->where.line = b->tag;
            return complain(r, "this entry is also in line %d; remove one of the lines", a->tag);
        }
        lm->matrix[m] =
            wr_matrix_from_entries(rows_of(lm, m), columns_of(lm, m), &r->entries[m], 1);
        if (!lm->matrix[m])
            return no_memory(r);
    }
    return 0;
}

static void free_signals(signal *signals, int n)
{
    for (int i = 0; i < n; i++) {
        free(signals[i].name);
        free(signals[i].unit);
    }
    free(signals);
}

static void close_linear(void *opened)
{
    linear_model *const lm = opened;
    for (int m = 0; m < N_MATRIX; m++)
        wr_matrix_destroy(&lm->matrix[m]);
    free_signals(lm->input, lm->n_input);
    free_signals(lm->output, lm->n_output);
    free(lm->nominal);
    free(lm->rate);
    free(lm->name);
    free(lm);
}

static int recognises(const char *path)
{
    static const char mark[] = "wrsim state space";
    char begin[sizeof mark - 1] = "";
    FILE *const file = wr_open_file_read(path);
    if (!file)
        return 0;
    const size_t n = fread(begin, 1, sizeof begin, file);
    (void)fclose(file); /* the file is open for reading only */
    return n == sizeof begin && memcmp(begin, mark, n) == 0;
}

static void *open_linear(const char *path, const wr_where *where, wr_diag *diag,
                         const wrsim_model *const **ret_models)
{
    linear_model *const lm = calloc(1, sizeof *lm);
    FILE *const file = lm ? wr_open_file_read(path) : NULL;
    if (!file) {
        wr_diag_add(diag, lm ? WRSIM_E_IO : WRSIM_E_MEMORY, where,
                    "'%s' cannot be opened: %s; check the path and its permissions", path,
                    strerror(errno));
        free(lm);
        return NULL;
    }
    reader r = {.lm = lm, .diag = diag, .where = {.file = path}};
    const int rc = read_lines(&r, file) == 0 ? finish(&r) : -1;
    (void)fclose(file); /* the file is open for reading only */
    for (int m = 0; m < N_MATRIX; m++)
        wr_entries_done(&r.entries[m]);
    if (rc < 0) {
        close_linear(lm);
        return NULL;
    }
    lm->model = (wrsim_model){.abi = WRSIM_MODEL_ABI,
                              .struct_size = sizeof(wrsim_model),
                              .name = lm->name,
                              .description = "linear system from a state-space file",
                              .caps = WRSIM_CAP_RT_SAFE,
                              .describe = describe,
                              .rhs = rhs,
                              .output = output,
                              .user = lm,
                              .jacobian_sparse = jacobian,
                              .tangent = tangent,
                              .tangent_output = tangent_output};
    lm->models[0] = &lm->model;
    *ret_models = lm->models;
    return lm;
}

const wr_provider wr_provider_linear = {"state-space file", recognises, open_linear, NULL,
                                        close_linear};
