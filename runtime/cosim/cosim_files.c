/* Copies files of a config. See cosim_files.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/heap_pool.h"
#include "base/open_file.h"
#include "base/state_io.h"
#include "base/text_buffer.h"
#include "base/text_file.h"
#include "runtime/cosim/cosim_copy.h"
#include "runtime/cosim/cosim_fmus.h"
#include "runtime/cosim/elf_needed.h"
#include "runtime/record/mat.h"
#include "runtime/record/results_read.h"
#include "runtime/record/writer.h"

enum { BLOCK_BYTES = 1 << 16, KEY_BYTES = 256 };

/* Writes a key with the name of its table: "component.x.fmu". Returns ret_text. */
static const char *full_key(const char *key, const char *owner, char ret_text[KEY_BYTES])
{
    const char *const dot = strchr(key, '.');
    if (!*owner)
        snprintf(ret_text, KEY_BYTES, "%s", key);
    else if (strncmp(key, "solver.", 7) == 0)
        snprintf(ret_text, KEY_BYTES, "subsystem.%.100s.%s", owner, key);
    else
        snprintf(ret_text, KEY_BYTES, "%.*s.%.100s%s", (int)(dot - key), key, owner, dot);
    return ret_text;
}

/* Refuses recordings whose reader needs a module that an exported FMU does not contain. */
static wrsim_status check_recording(const char *key, const char *path, wrsim_error *err)
{
    const char *const format = wr_results_is_hdf5(path)  ? "HDF5"
                               : wr_results_is_mat(path) ? "MAT"
                                                         : NULL;
    return format ? wr_error_set(err, WRSIM_E_CONFIG,
                                 "%s: an exported FMU cannot read '%s', which is in %s format; "
                                 "convert the file by wrsim convert to a file that ends in .csv",
                                 key, path, format)
                  : WRSIM_OK;
}

/* Checks that an FMU may contain the file. Returns WRSIM_OK, or a status with err. */
static wrsim_status check(const char *key, const char *path, wrsim_error *err)
{
    char other[WR_ELF_NAME_BYTES];
    WR_TRY(wr_elf_needed_find_other(path, NULL, other, err));
    if (!other[0])
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_PLUGIN,
                        "%s: the shared object '%s' needs the library '%s', but an exported FMU "
                        "may need libc and libm only; link the library statically, with hidden "
                        "symbols",
                        key, path, other);
}

/* Appends a file to the list. Returns 0, or -1 when out of memory. */
static int append(wr_cosim_files *f, const char *from, const char *copy)
{
    if (f->n == f->cap) {
        const int cap = f->cap ? 2 * f->cap : 16;
        wr_cosim_file *const more = wr_heap_pool_take(f->pool, (size_t)cap, sizeof *more);
        if (!more)
            return -1;
        if (f->n > 0)
            memcpy(more, f->file, (size_t)f->n * sizeof *more);
        f->file = more;
        f->cap = cap;
    }
    f->file[f->n++] = (wr_cosim_file){.from = from, .copy = copy};
    return 0;
}

/* Appends a file to the list. Returns the path of the copy; NULL with f->err. */
static const char *note(wr_cosim_files *f, const char *from, const char *to)
{
    const char *const copy = wr_heap_pool_text(f->pool, to, strlen(to));
    if (!copy || append(f, from, copy) < 0) {
        wr_error_memory(f->err);
        return NULL;
    }
    return copy;
}

/* Names the copy of a path by a number and the last part of the path, because files of several folders may have one name. Returns 0, or -1
 * with f->err. */
static int name_copy(wr_cosim_files *f, const char *path, int number, char ret_to[PATH_MAX])
{
    const char *const slash = strrchr(path, '/');
    if (snprintf(ret_to, PATH_MAX, "%s/%d_%s", f->folder, number, slash ? slash + 1 : path) <
        PATH_MAX)
        return 0;
    wr_text_file_fail(path, ENAMETOOLONG, f->err);
    return -1;
}

/* Copies a file. A further file has the number of the copy before. Returns the path of the copy; NULL with f->err. */
static const char *copy_file(wr_cosim_files *f, const char *from, const char *path, int number)
{
    char to[PATH_MAX];
    if (name_copy(f, path, number, to) < 0 || wr_cosim_copy(path, to, f->err) < 0)
        return NULL;
    return note(f, from, to);
}

static int note_part(void *user, const char *path) { return note(user, NULL, path) ? 0 : -1; }

/* Unpacks an FMU into a folder. Returns the path of the folder; NULL with f->err. */
static const char *copy_fmu(wr_cosim_files *f, const char *key, const char *path, int number)
{
    char to[PATH_MAX];
    if (name_copy(f, path, number, to) < 0 ||
        wr_cosim_fmus_unpack(key, path, to, note_part, f, f->err) < 0)
        return NULL;
    const char *const copy = note(f, path, to);
    if (copy)
        f->file[f->n - 1].is_folder = f->has_fmu = 1;
    return copy;
}

/* Copies the further file of a recording, if there is one. Returns 0, or -1 with f->err. */
static int copy_beside(wr_cosim_files *f, const char *path, int number)
{
    WR_AUTO_FREE char *const beside = wr_writer_beside(path);
    if (!beside) {
        wr_error_memory(f->err);
        return -1;
    }
    return !*beside || access(beside, R_OK) != 0 || copy_file(f, NULL, beside, number) ? 0 : -1;
}

static const char *map(void *user, const char *key, const char *owner, const char *path)
{
    wr_cosim_files *const f = user;
    char text[KEY_BYTES];
    for (int i = 0; i < f->n; i++)
        if (f->file[i].from && strcmp(f->file[i].from, path) == 0)
            return f->file[i].copy;
    const int number = f->n + 1;
    if (f->err->status < 0)
        return path;
    (void)full_key(key, owner, text);
    if (strcmp(key, "component.fmu") == 0) {
        const char *const folder = copy_fmu(f, text, path, number);
        return folder ? folder : path;
    }
    const int is_recording = strcmp(key, "subsystem.file") == 0 ||
                             strcmp(key, "scenario.file") == 0 || strcmp(key, "slack.replay") == 0;
    if ((is_recording && check_recording(text, path, f->err) < 0) || check(text, path, f->err) < 0)
        return path;
    const char *const copy = copy_file(f, path, path, number);
    if (copy && is_recording)
        (void)copy_beside(f, path, number);
    return copy ? copy : path;
}

wrsim_status wr_cosim_files_copy(const wr_settings *settings, wr_cosim_files *files,
                                 wr_settings *ret)
{
    const wr_settings_map to = {.memory = files->pool, .map = map, .user = files};
    *files->err = (wrsim_error){0};
    if (wr_settings_map_files(settings, &to, ret) < 0)
        return wr_error_memory(files->err);
    return files->err->status < 0 ? files->err->status : WRSIM_OK;
}

/* Writes the check sum of a file. Returns WRSIM_OK, or a status with err. */
static wrsim_status sum_file(const char *path, uint32_t *ret, wrsim_error *err)
{
    FILE *const file = wr_open_file_read(path);
    if (!file)
        return wr_text_file_fail(path, errno, err);
    char block[BLOCK_BYTES];
    size_t n;
    *ret = 0;
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        *ret = wr_state_sum(*ret, block, n);
    const int error_number = ferror(file) ? EIO : 0;
    (void)fclose(file); /* the file is open for reading only */
    return error_number ? wr_text_file_fail(path, error_number, err) : WRSIM_OK;
}

char *wr_cosim_files_comment(const wr_cosim_files *f)
{
    wr_text_buffer text = {0};
    wr_text_buffer_put(&text, "", 0);
    for (int i = 0; i < f->n; i++) {
        uint32_t sum;
        if (f->file[i].is_folder)
            continue;
        if (sum_file(f->file[i].copy, &sum, f->err) < 0) {
            free(wr_text_buffer_take(&text));
            return NULL;
        }
        wr_text_buffer_add(&text, "# file %08lx, number %d\n", (unsigned long)sum, i + 1);
    }
    char *const taken = wr_text_buffer_take(&text);
    if (!taken)
        wr_error_memory(f->err);
    return taken;
}
