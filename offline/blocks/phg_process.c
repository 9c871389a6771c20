/* Runs Zoltan's partitioner in a separate process. See phg_process.h.
 *
 * Thread: one at a time. Real-time: no. */
#include "offline/blocks/phg_process.h"

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
#include "offline/blocks/hypergraph.h"

extern char **environ;

/* Path of wrsim-phg, relative to the folder of the program wrsim: after installation, in a build folder, or in the
 * same folder. */
static const char *const places[] = {"../libexec/wrsim/wrsim-phg", "offline/blocks/wrsim-phg",
                                     "wrsim-phg"};

/* Writes the path of wrsim-phg. Returns 0, or -1 if it is not found. */
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

/* Standard input, output and error of wrsim-phg. They are unnamed temporary files, because a pipe could fill up and
 * block. */
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

static wrsim_status open_channels(channels *c, const char *text, wrsim_error *err)
{
    *c = (channels){tmpfile(), tmpfile(), tmpfile()};
    if (c->in && c->out && c->err && fputs(text, c->in) >= 0 && fflush(c->in) == 0) {
        rewind(c->in);
        return WRSIM_OK;
    }
    const int error_number = errno;
    close_channels(c);
    return wr_error_set(err, WRSIM_E_IO,
                        "cannot create a temporary file for the partitioner wrsim-phg: %s",
                        strerror(error_number));
}

/* Returns the first line that the program printed on standard error. */
static const char *complaint(const channels *c, char *text, size_t text_bytes)
{
    rewind(c->err);
    const size_t n = fread(text, 1, text_bytes - 1, c->err);
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return text[0] ? text : "there is no message";
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
        return wr_error_set(err, WRSIM_E_PLUGIN, "%s cannot be started: %s", program,
                            strerror(error_number));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_PLUGIN, "the partitioner %s failed: %s", program,
                        complaint(c, text, sizeof text));
}

static wrsim_status read_parts(const channels *c, int n_part, size_t n, int *ret_part,
                               wrsim_error *err)
{
    rewind(c->out);
    for (size_t i = 0; i < n; i++)
        if (fscanf(c->out, "%d", &ret_part[i]) != 1 || ret_part[i] < 0 || ret_part[i] >= n_part)
            return wr_error_set(err, WRSIM_E_PLUGIN,
                                "the partitioner wrsim-phg returned no valid partition");
    return WRSIM_OK;
}

wrsim_status wr_phg_partition(const wr_matrix *nets, const wr_block_request *request, int n_try,
                              int *ret_part, wrsim_error *err)
{
    char program[PATH_MAX], n_block[16], imbalance[32], seed[16], tries[16], name[] = "wrsim-phg";
    channels c;
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
    wrsim_status status = open_channels(&c, text, err);
    WR_TRY(status);
    status = run(program, argument, &c, err);
    WR_THEN(status, read_parts(&c, request->n_block, (size_t)n_try * (size_t)nets->n_column,
                               ret_part, err));
    close_channels(&c);
    return status;
}
