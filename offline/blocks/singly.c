/* Singly bordered forms. See singly.h. Thread: one at a time. Real-time: no. */
#include "offline/blocks/singly.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/blocks/block_form.h"
#include "offline/blocks/hypergraph.h"

/* ---- the partitioner ----
 *
 * Zoltan needs MPI, whose initialisation starts threads and opens sockets. wrsim must not link MPI, start these threads or open these
 * sockets. So a separate program, wrsim-phg (offline/blocks/phg/phg_main.c), calls Zoltan. The program reads the hypergraph as hMETIS text
 * from standard input and prints the parts. The initialisation of MPI takes 0.2 s to 0.25 s (docs/lab/2026-11-24-block-forms.md). */

extern char **environ;

/* Paths of wrsim-phg relative to the folder of the program wrsim: in an installation, in a build folder, and in the same folder. */
static const char *const places[] = {"../libexec/wrsim/wrsim-phg", "offline/blocks/wrsim-phg",
                                     "wrsim-phg"};

/* Writes the path of wrsim-phg. Returns 0, or -1 if no path has the program. */
static int find_program(char ret_path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return -1;
    self[n] = 0;
    char *const slash = strrchr(self, '/');
    if (!slash)
        return -1;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int n_path = snprintf(ret_path, PATH_MAX, "%s/%s", self, places[i]);
        if (n_path > 0 && n_path < PATH_MAX && access(ret_path, X_OK) == 0)
            return 0;
    }
    return -1;
}

/* Standard input, output and error of wrsim-phg: unnamed temporary files, because a pipe could fill up and block. */
typedef struct channels {
    FILE *in, *out, *err;
} channels;

static void close_channels(channels *c)
{
    FILE *const all[] = {c->in, c->out, c->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            fclose(all[i]);
}

static wrsim_status run(const char *program, char **argument, const channels *c, wrsim_error *err)
{
    posix_spawn_file_actions_t actions;
    char text[200];
    pid_t child = -1;
    int state = 0, error_number = posix_spawn_file_actions_init(&actions);
    if (error_number == 0) {
        posix_spawn_file_actions_adddup2(&actions, fileno(c->in), 0);
        posix_spawn_file_actions_adddup2(&actions, fileno(c->out), 1);
        posix_spawn_file_actions_adddup2(&actions, fileno(c->err), 2);
        error_number = posix_spawn(&child, program, &actions, NULL, argument, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (error_number != 0)
        return wr_error_set(
            err, WRSIM_E_PLUGIN,
            "the partitioner %s cannot be started: %s; install the program again, or use --parts",
            program, strerror(error_number));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return WRSIM_OK;
    rewind(c->err);
    text[fread(text, 1, sizeof text - 1, c->err)] = 0;
    text[strcspn(text, "\n")] = 0; /* the first line of standard error */
    return wr_error_set(err, WRSIM_E_PLUGIN,
                        "the partitioner %s failed: %s. Or give the parts by --parts FILE", program,
                        text[0] ? text : "unknown reason; request fewer blocks");
}

/* Partitions the columns of nets n_try times by PHG of Zoltan. ret_part[n_try * n_column] receives the part of each column in each try. The
 * tries differ in the order of the columns or in the permitted imbalance (phg_main.c). Returns WRSIM_OK, WRSIM_E_PLUGIN if the program is
 * not installed or fails, WRSIM_E_MEMORY, or WRSIM_E_IO. */
static wrsim_status partition(const wr_matrix *nets, const wr_block_request *request, int n_try,
                              int *ret_part, wrsim_error *err)
{
    char program[PATH_MAX], n_block[16], imbalance[32], seed[16], tries[16], name[] = "wrsim-phg";
    if (find_program(program) < 0)
        return wr_error_set(
            err, WRSIM_E_PLUGIN,
            "the partitioner wrsim-phg is not installed; build it with -Dzoltan=enabled, or "
            "partition the hypergraph by another program and give the result by --parts FILE");
    snprintf(n_block, sizeof n_block, "%d", request->n_block);
    snprintf(imbalance, sizeof imbalance, "%.6f", request->imbalance);
    snprintf(seed, sizeof seed, "%u", request->seed);
    snprintf(tries, sizeof tries, "%d", n_try);
    char *argument[] = {name, n_block, imbalance, seed, tries, NULL};
    WR_AUTO_FREE char *const text = wr_hypergraph_text(nets, WR_HMETIS);
    if (!text)
        return wr_error_memory(err);
    WR_AUTO(close_channels) channels c = {tmpfile(), tmpfile(), tmpfile()};
    if (!c.in || !c.out || !c.err || fputs(text, c.in) < 0 || fflush(c.in) != 0)
        return wr_error_set(err, WRSIM_E_IO,
                            "the temporary file for the partitioner wrsim-phg cannot be written: "
                            "%s; free space in /tmp",
                            strerror(errno));
    rewind(c.in);
    WR_TRY(run(program, argument, &c, err));
    rewind(c.out);
    const size_t n = (size_t)n_try * (size_t)nets->n_column;
    for (size_t i = 0; i < n; i++)
        if (fscanf(c.out, "%d", &ret_part[i]) != 1 || ret_part[i] < 0 ||
            ret_part[i] >= request->n_block)
            return wr_error_set(err, WRSIM_E_PLUGIN,
                                "the partitioner wrsim-phg returned an invalid partition; install "
                                "the program again");
    return WRSIM_OK;
}

/* Number of partitions from which the search chooses the best; fewer for a matrix with more than LARGE nonzeros, to save time (assumed). */
enum { N_TRY = 16, N_TRY_LARGE = 2, LARGE = 20000 };

/* Returns a copy of the matrix, with the whole diagonal if pairs stay together. The caller destroys the copy. */
static wr_matrix *nets_of(const wr_matrix *m, int is_paired)
{
    WR_AUTO(wr_entries_done) wr_entries diagonal = {0};
    for (int i = 0; is_paired && i < m->n_row; i++)
        wr_entries_add(&diagonal, i, i, 1.0, 0);
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *pattern = wr_matrix_from_entries(m->n_row, m->n_column, &diagonal, 0);
    return pattern ? wr_matrix_join(m, pattern) : NULL;
}

static wrsim_status form_of(const wr_matrix *m, const wr_matrix *nets, const int *column_part,
                            int n_part, wr_block_form **ret_form, wrsim_error *err)
{
    WR_AUTO_FREE int *const row_part = calloc((size_t)m->n_row + 1, sizeof *row_part);
    if (!row_part)
        return wr_error_memory(err);
    for (int i = 0; i < nets->n_row; i++)
        row_part[i] = n_part + 1;
    for (int j = 0; j < nets->n_column; j++)
        for (int k = nets->start[j]; k < nets->start[j + 1]; k++) {
            int *const part = &row_part[nets->row[k]];
            *part = *part > n_part || *part == column_part[j] ? column_part[j] : n_part;
        }
    return wr_block_form_create(m, n_part, row_part, column_part, 0, ret_form, err);
}

wrsim_status wr_singly_from_parts(const wr_matrix *m, const int *column_part, int n_part,
                                  int is_paired, wr_block_form **ret_form, wrsim_error *err)
{
    if (is_paired && m->n_row != m->n_column)
        return wr_error_set(err, WRSIM_E_ARG,
                            "pairs of rows and columns need a square matrix; remove --pairs");
    WR_AUTO(wr_matrix_destroy) wr_matrix *nets = nets_of(m, is_paired);
    if (!nets)
        return wr_error_memory(err);
    return form_of(m, nets, column_part, n_part, ret_form, err);
}

/* Returns a matrix of the columns that have entries, or NULL when out of memory. number[] receives the original number of each column. */
static wr_matrix *used_columns(const wr_matrix *nets, int *number)
{
    WR_AUTO(wr_entries_done) wr_entries entries = {0};
    int n = 0;
    for (int j = 0; j < nets->n_column; j++) {
        for (int k = nets->start[j]; k < nets->start[j + 1]; k++)
            wr_entries_add(&entries, nets->row[k], n, 1.0, 0);
        if (nets->start[j + 1] > nets->start[j])
            number[n++] = j;
    }
    return wr_matrix_from_entries(nets->n_row, n, &entries, 0);
}

/* Makes the forms of all tries. *best receives the best form. */
static wrsim_status try_all(const wr_matrix *m, const wr_block_request *request,
                            wr_block_form **best, wrsim_error *err)
{
    const int n_try = m->n_nonzero > LARGE ? N_TRY_LARGE : N_TRY;
    const size_t n_column = (size_t)m->n_column;
    WR_AUTO(wr_matrix_destroy) wr_matrix *nets = nets_of(m, request->is_paired);
    WR_AUTO_FREE int *const number = calloc(n_column + 1, sizeof *number);
    WR_AUTO(wr_matrix_destroy) wr_matrix *used = nets && number ? used_columns(nets, number) : NULL;
    WR_AUTO_FREE int *const part = calloc((size_t)n_try * n_column + 1, sizeof *part);
    WR_AUTO_FREE int *const column_part = calloc(n_column + 1, sizeof *column_part);
    if (!used || !part || !column_part)
        return wr_error_memory(err);
    WR_TRY(partition(used, request, n_try, part, err));
    for (int k = 0; k < n_try; k++) {
        wr_block_form *form = NULL;
        for (int j = 0; j < m->n_column; j++)
            column_part[j] = request->n_block + 1;
        for (int j = 0; j < used->n_column; j++)
            column_part[number[j]] = part[(size_t)k * (size_t)used->n_column + (size_t)j];
        WR_TRY(form_of(m, nets, column_part, request->n_block, &form, err));
        wr_block_form_take(best, form, request->imbalance);
    }
    return WRSIM_OK;
}

wrsim_status wr_singly_make(const wr_matrix *m, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err)
{
    wr_block_form *best = NULL;
    WR_TRY(wr_block_request_check(m, request, err));
    WR_TRY(wr_connected_make(m, request, &best, err));
    const wrsim_status status = best ? WRSIM_OK : try_all(m, request, &best, err);
    if (status < 0)
        wr_block_form_destroy(&best);
    else
        *ret_form = best;
    return status;
}
