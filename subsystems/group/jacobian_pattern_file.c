/* Reads the entries of a Jacobian that a solver uses. See jacobian_pattern_file.h. Thread: one owner. Real-time: no. */
#include "subsystems/group/jacobian_pattern_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix_market.h"
#include "base/number.h"

enum { MAX_ERRORS = 10 };
static const double step_tolerance =
    1e-9; /* largest relative difference of tau from the solver's step, because the file has ten digits of tau */

typedef struct reading {
    const wr_group *group;
    const char *file;
    const wr_where *where; /* place of the key in the config */
    wr_diag *diag;
    int n_error, has_version;
    int n_state;
    int *row_of_state; /* [n_x] the state's row in the file, from 0; -1: not read yet */
    int *state_of_row; /* [n_x] inverse of row_of_state */
    double step_s;
} reading;

static void complain(reading *r, int line, const char *format, ...) WR_PRINTF(3, 4);

static void complain(reading *r, int line, const char *format, ...)
{
    char text[420];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const wr_where at = {.file = r->file, .line = line};
    if (r->n_error++ < MAX_ERRORS)
        wr_diag_add(r->diag, WRSIM_E_CONFIG, line > 0 ? &at : r->where, "%s%s%s%s",
                    line > 0 ? "" : "'", line > 0 ? "" : r->file, line > 0 ? "" : "': ", text);
}

/* Returns the index of the state "COMPONENT.STATE"; -1: none. */
static int find_state(const wr_group *group, const char *name)
{
    const char *const dot = strchr(name, '.');
    if (!dot)
        return -1;
    const size_t n = (size_t)(dot - name);
    for (int c = 0; c < group->n_component; c++) {
        const wr_component *const component = group->component[c];
        if (strlen(component->name) != n || strncmp(component->name, name, n) != 0)
            continue;
        const int i = wr_component_find(component, WRSIM_STATE, dot + 1);
        return i < 0 ? -1 : group->x_start[c] + i;
    }
    return -1;
}

enum { NAME_BYTES = 400 }; /* longer than any "component.variable" */

static void state_name(const wr_group *group, int i, char *ret_text, size_t bytes)
{
    const int c = wr_group_owner_of_state(group, i);
    const wr_component *const component = group->component[c];
    snprintf(ret_text, bytes, "%s.%s", component->name,
             component->variable[WRSIM_STATE][i - group->x_start[c]].name);
}

static void take_state(reading *r, int line, const char *text)
{
    char *name;
    const int n_x = r->group->n_x;
    const long row = strtol(text, &name, 10);
    name += strspn(name, " ");
    if (!*name || row < 1 || row > n_x) {
        complain(
            r, line,
            "'%%wrsim state' is not followed by a row from 1 to %d and a name COMPONENT.STATE; "
            "write it as '%%wrsim state 1 robot.q1'",
            n_x);
        return;
    }
    const int i = find_state(r->group, name);
    if (i < 0) {
        complain(r, line,
                 "the subsystem has no state '%.200s'; make the pattern for this config again",
                 name);
    } else if (r->row_of_state[i] >= 0 || r->state_of_row[row - 1] >= 0) {
        complain(r, line, "row %ld or state '%.200s' is named twice; remove one of the lines", row,
                 name);
    } else {
        r->row_of_state[i] = (int)row - 1;
        r->state_of_row[row - 1] = i;
        r->n_state++;
    }
}

static void take_step(reading *r, int line, const char *text)
{
    double tau_s = (double)NAN;
    if (!wr_number_parse(text, text + strlen(text), &tau_s) || !(tau_s > 0.0)) {
        complain(r, line, "'%%wrsim tau' is not followed by a number above 0; write the step in s");
        return;
    }
    if (!(r->step_s > 0.0) || !isfinite(r->step_s) ||
        fabs(tau_s - r->step_s) <= step_tolerance * r->step_s)
        return;
    complain(r, line,
             "the pattern is for steps of %.10g s, but solver.step is %.10g s; make the pattern "
             "for this "
             "step, or set solver.step = %.10g",
             tau_s, r->step_s, tau_s);
}

/* Reads the version, a state or tau from a comment line without its '%'. Ignores other comments. */
static void take_comment(void *user, int line, const char *text)
{
    reading *const r = user;
    static const struct {
        const char *word;
        void (*take)(reading *, int, const char *);
    } words[] = {{"wrsim state ", take_state}, {"wrsim tau ", take_step}};
    r->has_version |= strcmp(text, "wrsim pattern 1") == 0;
    for (size_t i = 0; i < WR_COUNT_OF(words); i++)
        if (strncmp(text, words[i].word, strlen(words[i].word)) == 0)
            words[i].take(r, line, text + strlen(words[i].word));
}

/* Checks the version and the size, that the file has no values, and that the file names each state. */
static void check_whole(reading *r, const wr_matrix *matrix)
{
    const int n_x = r->group->n_x;
    if (!r->has_version)
        complain(r, 0, "the line '%%wrsim pattern 1' is missing; make the file by wrsim sparse");
    else if (matrix->value)
        complain(r, 0,
                 "the file has values; make a Matrix Market file \"coordinate pattern general\"");
    else if (matrix->n_row != n_x || matrix->n_column != n_x) {
        complain(
            r, 0,
            "the pattern is %d x %d, but the subsystem has %d states; make the pattern for this "
            "config again",
            matrix->n_row, matrix->n_column, n_x);
    } else if (r->n_state < n_x && r->n_error == 0) {
        char name[NAME_BYTES];
        int i = 0;
        while (r->row_of_state[i] >= 0)
            i++;
        state_name(r->group, i, name, sizeof name);
        complain(r, 0, "the file names %d of %d states; add '%%wrsim state ROW %.160s'", r->n_state,
                 n_x, name);
    }
}

/* Flags the entries of the Jacobian in the group's order. is_set: [n_x * n_x] by columns. */
static void take_entries(reading *r, const wr_matrix *matrix, unsigned char *is_set)
{
    const int n_x = r->group->n_x;
    for (int j = 0; j < matrix->n_column; j++)
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            const int row = r->state_of_row[matrix->row[k]], column = r->state_of_row[j];
            if (wr_matrix_find(r->group->pattern_xx, row, column) >= 0) {
                is_set[(size_t)column * (size_t)n_x + (size_t)row] = 1;
                continue;
            }
            if (row == column)
                continue;
            char of[NAME_BYTES], by[NAME_BYTES];
            state_name(r->group, row, of, sizeof of);
            state_name(r->group, column, by, sizeof by);
            complain(r, 0,
                     "entry (%d, %d) is not in the Jacobian: the derivative of '%.120s' does not "
                     "depend on "
                     "'%.120s'; make the pattern for this config again",
                     matrix->row[k] + 1, j + 1, of, by);
        }
}

/* Checks that c L - J is structurally regular: each pivot needs an entry of the mass matrix L or of the Jacobian J. */
static void check_singular(reading *r, wr_arena *arena, const wr_matrix *kept)
{
    const wr_mass *const mass = r->group->mass;
    const int *of_jacobian, *of_mass;
    int *const row_of = mass ? WR_NEW_ARRAY(arena, int, kept->n_column) : NULL;
    const wr_matrix *const joined =
        mass ? wr_sparsity_join_place(arena, kept, mass->pattern, &of_jacobian, &of_mass) : NULL;
    if (!mass)
        return;
    if (!row_of || !joined || wr_sparsity_match(joined, row_of) < 0) {
        complain(r, 0, "out of memory for the pattern");
        return;
    }
    for (int j = 0; j < kept->n_column; j++)
        if (row_of[j] < 0) {
            char name[NAME_BYTES];
            state_name(r->group, j, name, sizeof name);
            complain(
                r, 0,
                "the pattern has no pivot for the algebraic variable '%.150s', so the matrix of "
                "each step is singular; keep more entries of the algebraic equations",
                name);
            return;
        }
}

static const wr_matrix *place(reading *r, wr_arena *arena, const wr_matrix *matrix)
{
    const size_t n = (size_t)r->group->n_x;
    unsigned char *const is_set = calloc(n * n + 1, 1);
    const wr_matrix *kept = NULL;
    if (is_set)
        take_entries(r, matrix, is_set);
    if (is_set && r->n_error == 0)
        kept = wr_sparsity_place(arena, (int)n, (int)n, is_set);
    free(is_set);
    if (!kept && r->n_error == 0)
        complain(r, 0, "out of memory for the pattern");
    if (kept)
        check_singular(r, arena, kept);
    return r->n_error == 0 ? kept : NULL;
}

const wr_matrix *wr_jacobian_pattern_file_read(wr_arena *arena, const wr_group *group,
                                               const char *file, double step_s,
                                               const wr_where *where, wr_diag *diag)
{
    const size_t n = (size_t)group->n_x;
    reading r = {.group = group, .file = file, .where = where, .diag = diag, .step_s = step_s};
    wrsim_error err = {0};
    const wr_matrix *kept = NULL;
    wr_matrix *matrix = NULL;
    r.row_of_state = malloc((2 * n + 1) * sizeof *r.row_of_state);
    if (!r.row_of_state) {
        complain(&r, 0, "out of memory for the pattern");
        return NULL;
    }
    r.state_of_row = r.row_of_state + n;
    for (size_t i = 0; i < 2 * n; i++)
        r.row_of_state[i] = -1;
    matrix = wr_matrix_market_read(file, take_comment, &r, &err);
    if (!matrix) {
        const wr_where at = {.file = file, .line = err.line};
        if (r.n_error == 0)
            wr_diag_add(diag, err.status, err.line > 0 ? &at : where, "%s%s%s%s",
                        err.line > 0 ? "" : "'", err.line > 0 ? "" : file,
                        err.line > 0 ? "" : "': ", err.text);
    } else {
        check_whole(&r, matrix);
        if (r.n_error == 0)
            kept = place(&r, arena, matrix);
    }
    wr_matrix_destroy(&matrix);
    free(r.row_of_state);
    return kept;
}
