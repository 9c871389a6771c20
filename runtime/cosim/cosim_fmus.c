/* Unpacks FMUs of a config. See cosim_fmus.h. Thread: one owner. Real-time: no. */
#include "runtime/cosim/cosim_fmus.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto_free.h"
#include "base/module.h"
#include "base/text_file.h"
#include "runtime/cosim/cosim_copy.h"
#include "runtime/cosim/elf_needed.h"
#include "subsystems/model_host/fmi/fmi.h"

typedef struct copying {
    const char *key, *fmu;
    wr_cosim_fmus_file *file;
    void *user;
    wrsim_error *err;
} copying;

/* Joins two parts of a path. Returns WRSIM_OK, or a status with err. */
static wrsim_status join(char ret[PATH_MAX], const char *folder, const char *name, wrsim_error *err)
{
    return snprintf(ret, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
               ? WRSIM_OK
               : wr_text_file_fail(folder, ENAMETOOLONG, err);
}

/* Checks the libraries of a binary in `folder`. A library may lie beside the binary. */
static wrsim_status check_binary(const copying *c, const char *folder, const char *path)
{
    char other[WR_ELF_NAME_BYTES];
    WR_TRY(wr_elf_needed_find_other(path, folder, other, c->err));
    if (!other[0])
        return WRSIM_OK;
    return wr_error_set(c->err, WRSIM_E_PLUGIN,
                        "%s: a binary of the FMU '%s' needs the library '%s', but an exported FMU "
                        "may need libc and libm only; put the library beside the binary, or link "
                        "the library statically",
                        c->key, c->fmu, other);
}

/* Copies one file, and reports the copy. */
static wrsim_status copy_file(const copying *c, const char *from_folder, const char *from,
                              const char *to)
{
    WR_TRY(check_binary(c, from_folder, from));
    WR_TRY(wr_cosim_copy(from, to, c->err));
    return c->file(c->user, to) == 0 ? WRSIM_OK : wr_error_memory(c->err);
}

static wrsim_status copy_entry(const copying *c, const char *from, const char *to,
                               const char *name);

/* Copies a folder in the order of its names, into a new folder. */
static wrsim_status copy_folder(const copying *c, const char *from, const char *to)
{
    struct dirent **entry = NULL;
    wrsim_status status = WRSIM_OK;
    if (mkdir(to, 0700) != 0 && errno != EEXIST)
        return wr_text_file_fail(to, errno, c->err);
    const int n = scandir(from, &entry, NULL, alphasort);
    if (n < 0)
        return wr_text_file_fail(from, errno, c->err);
    for (int i = 0; i < n; i++) {
        const char *const name = entry[i]->d_name;
        if (status >= 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            status = copy_entry(c, from, to, name);
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* Copies a file or folder of the folder `from`. */
static wrsim_status copy_entry(const copying *c, const char *from, const char *to, const char *name)
{
    char source[PATH_MAX], copy[PATH_MAX];
    struct stat about;
    WR_TRY(join(source, from, name, c->err));
    WR_TRY(join(copy, to, name, c->err));
    if (lstat(source, &about) != 0)
        return wr_text_file_fail(source, errno, c->err);
    if (S_ISDIR(about.st_mode))
        return copy_folder(c, source, copy);
    if (S_ISREG(about.st_mode))
        return copy_file(c, from, source, copy);
    return wr_error_set(
        c->err, WRSIM_E_IO,
        "%s: '%s' in an unpacked FMU is a link or no regular file, which an archive "
        "cannot contain; replace it by a file",
        c->key, source);
}

/* Writes the description, unless the copy of an unpacked FMU contains it. */
static wrsim_status write_description(const copying *c, const char *folder, const char *bytes,
                                      size_t n)
{
    char path[PATH_MAX];
    WR_TRY(join(path, folder, "modelDescription.xml", c->err));
    if (access(path, F_OK) == 0)
        return WRSIM_OK;
    FILE *const file = fopen(path, "wbxe");
    const int is_written = file && fwrite(bytes, 1, n, file) == n;
    const int error_number = file && fclose(file) == 0 && is_written ? 0 : errno;
    if (error_number || !file)
        return wr_text_file_fail(path, error_number ? error_number : EIO, c->err);
    return c->file(c->user, path) == 0 ? WRSIM_OK : wr_error_memory(c->err);
}

wrsim_status wr_cosim_fmus_unpack(const char *key, const char *fmu, const char *folder,
                                  wr_cosim_fmus_file *file, void *user, wrsim_error *err)
{
    const copying c = {.key = key, .fmu = fmu, .file = file, .user = user, .err = err};
    const wr_fmi_ops *const reader = wr_module_load(WR_MODULE_FMI, err);
    if (!reader)
        return err->status;
    wr_archive *archive = reader->archive_open(fmu, err);
    if (!archive)
        return err->status;
    size_t n_bytes;
    const char *const description = reader->archive_description(archive, &n_bytes);
    wrsim_status status = reader->archive_unpack(archive, err);
    if (status >= 0)
        status = copy_folder(&c, reader->archive_folder(archive), folder);
    if (status >= 0)
        status = write_description(&c, folder, description, n_bytes);
    reader->archive_close(&archive);
    return status;
}
