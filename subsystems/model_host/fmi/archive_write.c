/* Writes archives by libzip. See archive_write.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/archive_write.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zip.h>

#include "base/diag.h"
#include "base/text_file.h"

/* 1 January 1980, the first time that a zip archive can have (APPNOTE.TXT of PKWARE, section 4.4.6) */
enum { FIRST_DATE = 1 << 5 | 1, FIRST_TIME = 0 };

static wrsim_status fail(const char *path, zip_error_t *error, wrsim_error *err)
{
    const int is_system = zip_error_system_type(error) == ZIP_ET_SYS;
    if (is_system && zip_error_code_system(error) != 0)
        return wr_text_file_fail(path, zip_error_code_system(error), err);
    return zip_error_code_zip(error) == ZIP_ER_MEMORY
               ? wr_error_memory(err)
               : wr_error_set(err, WRSIM_E_IO,
                              "the archive '%s' cannot be written: %s; choose another file", path,
                              zip_error_strerror(error));
}

/* Adds one file. Returns 0, or -1 with the reason in the archive's error. */
static int add(zip_t *zip, const wr_archive_entry *e)
{
    const zip_uint32_t mode = S_IFREG | (e->is_program ? 0755 : 0644);
    zip_source_t *const source = zip_source_file(zip, e->path, 0, 0);
    if (!source)
        return -1;
    const zip_int64_t i = zip_file_add(zip, e->name, source, ZIP_FL_ENC_UTF_8);
    if (i < 0) {
        zip_source_free(source);
        return -1;
    }
    return zip_file_set_dostime(zip, (zip_uint64_t)i, FIRST_TIME, FIRST_DATE, 0) == 0 &&
                   zip_file_set_external_attributes(zip, (zip_uint64_t)i, 0, ZIP_OPSYS_UNIX,
                                                    mode << 16) == 0
               ? 0
               : -1;
}

/* Writes the archive. Ctrl-C waits, because libzip would leave its temporary file beside the archive. Returns 0 or -1, as zip_close(). */
static int close_unstopped(zip_t *zip)
{
    static const int stops[] = {SIGINT, SIGHUP, SIGTERM};
    sigset_t held, before;
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        (void)sigaddset(&held, stops[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, &before);
    const int failed = zip_close(zip);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Finds the regular file that a path leads to, or will lead to. libzip would replace a link or a device by a file. Returns WRSIM_OK, or
 * WRSIM_E_IO with err. */
static wrsim_status find_place(const char *path, char ret_place[PATH_MAX], wrsim_error *err)
{
    struct stat about;
    const int is_there = stat(path, &about) == 0;
    if (is_there ? !S_ISREG(about.st_mode) : lstat(path, &about) == 0)
        return wr_error_set(err, WRSIM_E_IO,
                            "'%s' is %s; an archive needs a regular file, so choose another name",
                            path,
                            !is_there                ? "a link to no file"
                            : S_ISDIR(about.st_mode) ? "a folder"
                                                     : "a pipe or a device");
    if (is_there ? !realpath(path, ret_place)
                 : snprintf(ret_place, PATH_MAX, "%s", path) >= PATH_MAX)
        return wr_text_file_fail(path, is_there ? errno : ENAMETOOLONG, err);
    return WRSIM_OK;
}

wrsim_status wr_archive_write(const char *path, const wr_archive_entry *entry, int n,
                              wrsim_error *err)
{
    char place[PATH_MAX];
    WR_TRY(find_place(path, place, err));
    int code = 0;
    zip_t *const zip = zip_open(place, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const wrsim_status status = fail(path, &error, err);
        zip_error_fini(&error);
        return status;
    }
    int i = 0;
    while (i < n && add(zip, &entry[i]) == 0)
        i++;
    if (i == n && close_unstopped(zip) == 0)
        return WRSIM_OK;
    const wrsim_status status = fail(path, zip_get_error(zip), err);
    zip_discard(zip);
    return status;
}
