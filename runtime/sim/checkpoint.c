/* Writes and reads the state of a simulation in files (wrsim/checkpoint.h).
 *
 * A file has a head, a text, and the state in sections with check sums (base/state_io.h). The text lists keys that results
 * depend on, and sizes of models. A simulation reads only a file whose text equals its own text. Numbers have the byte
 * order of the writing machine.
 *
 * Thread: as in the public header. Real-time: no.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/same_file.h"
#include "base/text_file.h"
#include "runtime/record/own_file.h"
#include "runtime/record/writer.h"
#include "runtime/sim/checkpoint.h"
#include "runtime/sim/simulation_state.h"
#include "runtime/sim/version_log.h"

/* Version of the state's layout within a version of wrsim. */
enum { FORMAT = 23 };
static const uint32_t BYTE_ORDER_MARK = 0x01020304, BYTE_ORDER_OTHER = 0x04030201;

typedef struct head {
    char mark[24], version[24];
    uint32_t byte_order, format;
    uint64_t n_bytes; /* size of the file */
    double time_s;
    uint32_t unused, sum; /* sum: check sum of all members before sum */
} head;

_Static_assert(sizeof(head) == 80, "no padding");
_Static_assert(sizeof WR_OWN_CHECKPOINT_MARK <= sizeof((head *)NULL)->mark, "mark");
_Static_assert(sizeof WRSIM_VERSION_STRING <= sizeof((head *)NULL)->version, "version");

static wrsim_status file_error(const char *file, wrsim_status status, const char *what,
                               wrsim_error *err)
{
    wr_error_set(err, status, "checkpoint '%s' %s", file, what);
    if (err)
        snprintf(err->file, sizeof err->file, "%s", file);
    return status;
}

/* ---- text that must be equal ---- */

/* Returns the text of a checkpoint: keys that results depend on, and sizes of models. The caller frees the text. Returns NULL when out of
 * memory. */
static char *describe(const wrsim *sim)
{
    wr_settings same = *sim->settings;
    char *text = NULL;
    size_t n_bytes;
    same.simulation.stop_s = 0.0; /* the end of the run may differ between writer and reader */
    char *const config = wr_settings_dump(&same, WR_DUMP_RESULTS);
    FILE *const to = config ? open_memstream(&text, &n_bytes) : NULL;
    if (to) {
        fprintf(to, "%s\n", config);
        for (int i = 0; i < sim->assembly->n_component; i++) {
            fprintf(to,
                    "%s: %s, %d states, %d discrete, %d inputs, %d outputs, %d indicators, %zu "
                    "bytes\n",
                    sim->assembly->component[i]->name, sim->assembly->component[i]->model->name,
                    sim->assembly->component[i]->n[WRSIM_STATE],
                    sim->assembly->component[i]->n[WRSIM_DISCRETE],
                    sim->assembly->component[i]->n[WRSIM_INPUT],
                    sim->assembly->component[i]->n[WRSIM_OUTPUT],
                    sim->assembly->component[i]->n[WRSIM_INDICATOR],
                    sim->assembly->component[i]->memory_bytes);
        }
        if (fclose(to) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(config);
    return text;
}

/* ---- writing ---- */

wrsim_status wr_checkpoint_compose(wrsim *sim, const char *file, unsigned char **ret_bytes,
                                   size_t *ret_n_bytes, wrsim_error *err)
{
    char *const text = describe(sim);
    wr_state_io io = wr_state_measure();
    wr_simulation_state_pass(sim, &io);
    const size_t n_text = text ? strlen(text) + 1 : 0;
    /* The second sizeof(head) is room for the head of the text's section. */
    const size_t cap_bytes = 2 * sizeof(head) + n_text + io.n_bytes;
    WR_AUTO_FREE unsigned char *bytes = text ? calloc(1, cap_bytes) : NULL;
    wrsim_status status = WRSIM_OK;
    if (!bytes)
        status = wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the checkpoint '%s'", file);
    else {
        io = wr_state_writer(bytes + sizeof(head), cap_bytes - sizeof(head), 1);
        wr_state_begin(&io, "config", (int64_t)n_text);
        wr_state_bytes(&io, text, n_text);
        wr_state_end(&io);
        wr_simulation_state_pass(sim, &io);
        WR_ASSERT(io.fault == WR_STATE_SOUND || io.fault == WR_STATE_REFUSED);
        if (io.fault != WR_STATE_SOUND)
            status = wr_simulation_state_refused(&io, err);
        *ret_n_bytes = sizeof(head) + io.n_bytes;
        head h = {.mark = WR_OWN_CHECKPOINT_MARK,
                  .version = WRSIM_VERSION_STRING,
                  .byte_order = BYTE_ORDER_MARK,
                  .format = FORMAT,
                  .n_bytes = (*ret_n_bytes),
                  .time_s = wrsim_time(sim)};
        h.sum = wr_state_sum(0, &h, offsetof(head, sum));
        memcpy(bytes, &h, sizeof h);
    }
    free(text);
    if (status < 0)
        return status;
    *ret_bytes = bytes;
    bytes = NULL;
    return WRSIM_OK;
}

/* Refuses the run's result file and summary, and a file with other content than a checkpoint. */
static wrsim_status check_place(const wrsim *sim, const char *file, wrsim_error *err)
{
    WR_AUTO_FREE char *const beside = wr_writer_beside(sim->settings->output.file);
    if (!beside)
        return wr_error_memory(err);
    if (wr_same_file(file, sim->settings->output.file) || wr_same_file(file, beside) ||
        wr_same_file(file, wr_set_json_place(&sim->settings->output)))
        return file_error(file, WRSIM_E_ARG,
                          "would overwrite the run's results or summary; choose another name", err);
    const char *const refusal = wr_own_file_refusal(file, WR_OWN_CHECKPOINT);
    if (refusal)
        return file_error(
            file, WRSIM_E_IO,
            "cannot be written: the file exists and is not a checkpoint of wrsim; choose "
            "another name, or remove the file",
            err);
    return WRSIM_OK;
}

wrsim_status wr_checkpoint_claim(wrsim *sim, const char *file, wrsim_error *err)
{
    WR_TRY(check_place(sim, file, err));
    const int failure = wr_file_claim_take(file, &sim->checkpoint_claim);
    if (failure == EAGAIN)
        return file_error(file, WRSIM_E_IO,
                          "belongs to another run that has not ended; choose another name, or wait",
                          err);
    return failure == 0
               ? WRSIM_OK
               : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the checkpoint '%s'", file);
}

static wrsim_status write_failed(const char *file, int error_number, wrsim_error *err)
{
    char what[256];
    struct stat about;
    const int was_there = stat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
    snprintf(what, sizeof what, "cannot be written: %s; %s%s", strerror(error_number),
             wr_text_file_is_full(error_number) ? "free space, or write to another disk"
                                                : "choose another name",
             was_there ? " (the old file is unchanged)" : "");
    return file_error(file, wr_text_file_is_full(error_number) ? WRSIM_E_DISK : WRSIM_E_IO, what,
                      err);
}

wrsim_status wrsim_checkpoint_write(wrsim *sim, const char *file, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    static const char *const call = "wrsim_checkpoint_write";
    WR_TRY(wr_simulation_state_check(sim, WR_SIM_PREPARED, call, err));
    if (!file || !file[0])
        return wr_error_set(err, WRSIM_E_ARG, "%s needs the name of a file", call);
    WR_TRY(check_place(sim, file, err));
    size_t n_bytes = 0;
    unsigned char *bytes = NULL;
    WR_TRY(wr_checkpoint_compose(sim, file, &bytes, &n_bytes, err));
    const int error_number = wr_text_file_keep(file, bytes, n_bytes);
    free(bytes);
    return error_number == 0 ? WRSIM_OK : write_failed(file, error_number, err);
}

/* ---- reading ---- */

static wrsim_status read_failed(const char *file, int error_number, wrsim_error *err)
{
    char what[256];
    snprintf(what, sizeof what, "cannot be read: %s; name a checkpoint", strerror(error_number));
    return file_error(file, WRSIM_E_IO, what, err);
}

/* Fills bytes[n]. Returns 0, the error number, or -1: the file is shorter than n bytes. */
static int read_all(int fd, unsigned char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t n_read = read(fd, bytes + at, n - at);
        if (n_read < 0 && errno != EINTR)
            return errno;
        if (n_read == 0)
            return -1;
        at += n_read > 0 ? (size_t)n_read : 0;
    }
    return 0;
}

/* Loads the whole file into *ret_bytes, which the caller frees. */
static wrsim_status load(const char *file, unsigned char **ret_bytes, size_t *ret_n,
                         wrsim_error *err)
{
    struct stat about;
    const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (fd < 0)
        return read_failed(file, errno, err);
    int error_number = fstat(fd, &about) != 0 ? errno : 0;
    if (error_number == 0 && !S_ISREG(about.st_mode))
        error_number = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    *ret_n = error_number == 0 ? (size_t)about.st_size : 0;
    *ret_bytes = error_number == 0 ? malloc(*ret_n + 1) : NULL;
    if (error_number == 0)
        error_number = *ret_bytes ? read_all(fd, *ret_bytes, *ret_n) : ENOMEM;
    close(fd);
    if (error_number == 0)
        return WRSIM_OK;
    free(*ret_bytes);
    *ret_bytes = NULL;
    if (error_number < 0)
        return file_error(file, WRSIM_E_IO, "changed while wrsim read it; repeat the restart", err);
    read_failed(file, error_number, err);
    return error_number == ENOMEM ? WRSIM_E_MEMORY : WRSIM_E_IO;
}

static wrsim_status check_head(const char *file, const unsigned char *bytes, size_t n_bytes,
                               wrsim_error *err)
{
    const size_t n_mark = strlen(WR_OWN_CHECKPOINT_MARK);
    char what[256];
    head h;
    if (n_bytes < n_mark || memcmp(bytes, WR_OWN_CHECKPOINT_MARK, n_mark) != 0)
        return file_error(file, WRSIM_E_IO, "is not a checkpoint of wrsim; name another file", err);
    if (n_bytes < sizeof h)
        return file_error(file, WRSIM_E_IO, "is cut short; use another checkpoint", err);
    memcpy(&h, bytes, sizeof h);
    if (h.byte_order == BYTE_ORDER_OTHER)
        return file_error(file, WRSIM_E_IO,
                          "comes from a machine with another byte order; continue the run on a "
                          "machine with the byte order of the checkpoint",
                          err);
    if (h.sum != wr_state_sum(0, &h, offsetof(head, sum)))
        return file_error(file, WRSIM_E_IO,
                          "is damaged: the check sum of its head is wrong; use another checkpoint",
                          err);
    if (h.format != FORMAT || strcmp(h.version, WRSIM_VERSION_STRING) != 0) {
        snprintf(what, sizeof what,
                 "comes from wrsim %s (format %u), but this program is wrsim %s (format %d); "
                 "continue the run with the version that began it",
                 h.version, (unsigned)h.format, WRSIM_VERSION_STRING, FORMAT);
        return file_error(file, WRSIM_E_IO, what, err);
    }
    if (h.n_bytes == n_bytes)
        return WRSIM_OK;
    snprintf(what, sizeof what, "is %s: it has %zu of %zu bytes; use another checkpoint",
             n_bytes < h.n_bytes ? "cut short" : "damaged", n_bytes, (size_t)h.n_bytes);
    return file_error(file, WRSIM_E_IO, what, err);
}

static wrsim_status fault_status(const char *file, wr_state_fault fault, wrsim_error *err)
{
    if (fault == WR_STATE_SOUND)
        return WRSIM_OK;
    return file_error(
        file, WRSIM_E_IO,
        fault == WR_STATE_DAMAGED ? "is damaged: a check sum is wrong; use another checkpoint"
        : fault == WR_STATE_SHORT ? "is damaged: it ends too soon; use another checkpoint"
                                  : "belongs to another simulation; use another checkpoint",
        err);
}

/* Checks that the checkpoint has the same config, and moves the cursor behind the text. The text must end with a zero byte. */
static wrsim_status check_text(const wrsim *sim, const char *file, wr_state_io *io,
                               wrsim_error *err)
{
    char *const here = describe(sim);
    if (!here)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the checkpoint '%s'", file);
    /* The section's number is the length of its text. */
    int64_t n_text = 0;
    const size_t place = io->n_bytes + WR_STATE_NAME;
    if (io->cap_bytes >= place + sizeof n_text)
        memcpy(&n_text, io->from + place, sizeof n_text);
    wr_state_begin(io, "config", n_text);
    const char *const there = (const char *)io->from + io->n_bytes;
    wrsim_status status = fault_status(file, io->fault, err);
    if (status >= 0 && (n_text < 1 || (size_t)n_text != io->end - io->n_bytes || there[n_text - 1]))
        status = fault_status(file, WR_STATE_OTHER, err);
    if (status >= 0 && strcmp(there, here) != 0) {
        size_t n = 0, start = 0;
        for (; there[n] && there[n] == here[n]; n++)
            if (there[n] == '\n')
                start = n + 1;
        const int n_there = (int)strcspn(there + start, "\n"),
                  n_here = (int)strcspn(here + start, "\n");
        wr_error_set(
            err, WRSIM_E_CONFIG,
            "checkpoint '%s' belongs to another config: the checkpoint has '%.*s', but this config "
            "has '%.*s'; restart with the config of the checkpoint",
            file, n_there < 200 ? n_there : 200, there + start, n_here < 200 ? n_here : 200,
            here + start);
        if (err)
            snprintf(err->file, sizeof err->file, "%s", file);
        status = WRSIM_E_CONFIG;
    }
    if (status >= 0) {
        wr_state_bytes(io, NULL, (size_t)n_text);
        wr_state_end(io);
        status = fault_status(file, io->fault, err);
    }
    free(here);
    return status;
}

wrsim_status wr_checkpoint_take_over(wrsim *sim, const char *file, const unsigned char *bytes,
                                     size_t n_bytes, wrsim_error *err)
{
    WR_TRY(check_head(file, bytes, n_bytes, err));
    wr_state_io check = wr_state_reader(bytes + sizeof(head), n_bytes - sizeof(head), 1, 1);
    WR_TRY(check_text(sim, file, &check, err));
    wr_state_io read = check;
    read.mode = WR_STATE_READ;
    wr_simulation_state_pass(sim, &check);
    WR_TRY(fault_status(file, check.fault, err));
    if (check.n_bytes != check.cap_bytes)
        return fault_status(file, WR_STATE_OTHER, err);
    head h;
    memcpy(&h, bytes, sizeof h);
    if (wr_simulation_state_check_rows(sim, h.time_s) < 0)
        return file_error(
            file, WRSIM_E_ARG,
            "is ahead of the result file, so rows would be missing; read it before the first "
            "advance",
            err);
    wr_simulation_state_pass(sim, &read);
    WR_ASSERT(read.fault == WR_STATE_SOUND || read.fault == WR_STATE_REFUSED);
    return read.fault == WR_STATE_SOUND ? WRSIM_OK : wr_simulation_state_refused(&read, err);
}

wrsim_status wrsim_checkpoint_read(wrsim *sim, const char *file, wrsim_error *err)
{
    WR_IN_C_LOCALE;
    static const char *const call = "wrsim_checkpoint_read";
    WR_TRY(wr_simulation_state_check(sim, WR_SIM_PREPARED | WR_SIM_FAILED, call, err));
    if (!file || !file[0])
        return wr_error_set(err, WRSIM_E_ARG, "%s needs the name of a file", call);
    WR_TRY(wr_recorder_status(sim->recorder, err));
    WR_TRY(wr_version_log_check_move(sim->version_log, call, err));
    unsigned char *bytes = NULL;
    size_t n_bytes = 0;
    wrsim_status status = load(file, &bytes, &n_bytes, err);
    if (status >= 0)
        status = wr_checkpoint_take_over(sim, file, bytes, n_bytes, err);
    free(bytes);
    return status;
}
