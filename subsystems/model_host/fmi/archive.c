/* Reads and unpacks archives of FMUs. See archive.h. Thread: one owner. Real-time: no. */
#include "subsystems/model_host/fmi/archive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

#include "base/auto_free.h"
#include "base/check.h"
#include "base/diag.h"
#include "base/open_file.h"
#include "base/temporary_folder.h"
#include "base/text_buffer.h"
#include "base/text_file.h"
#include "subsystems/model_host/fmi/description.h"
#include "subsystems/model_host/fmi/unpacked.h"

#define DESCRIPTION "modelDescription.xml"

enum {
    NAME_BYTES = 1024,     /* longest name of an entry, bytes (assumed) */
    MAX_PARTS = 64,        /* largest number of parts of a name: folders and the file (assumed) */
    BLOCK_BYTES = 1 << 16, /* bytes per call of libzip */
    ZLIB_MEMORY = -4,      /* Z_MEM_ERROR of zlib's manual */
    QUOTED_BYTES = 100     /* longest name in a message, bytes */
};

/* Folders that a run on this machine needs. */
static const char *const unpacked[] = {
#if defined(__x86_64__)
    "binaries/linux64/", "binaries/x86_64-linux/",
#elif defined(__aarch64__)
    "binaries/aarch64-linux/",
#endif
    "resources/"};

struct wr_archive {
    const char *path;    /* through archives */
    char name[PATH_MAX]; /* name of the present archive in messages: the beginning of the path */
    zip_t *zip;
    int64_t file_bytes;
    const char *noun; /* kind of the archive in messages */
    char *memory;     /* the archive if it is an entry of another archive */
    char *description;
    size_t description_bytes;
    char *platforms;
    wr_temporary_folder unpacked; /* path "": not unpacked */
    char folder[PATH_MAX]; /* the FMU if it is an unpacked folder of the user; "": an archive */
};

/* Fills err with a fault of the archive and the advice. Returns WRSIM_E_MODEL. */
#define REFUSE(a, err, format, ...)                                                                \
    wr_error_set_at((err), WRSIM_E_MODEL, &(wr_where){.file = (a)->name},                          \
                    format "; export the %s again", __VA_ARGS__, (a)->noun)

/* ---- the list of entries ---- */

/* Returns the reason why a name is not allowed; NULL: the name is allowed. */
static const char *find_name_fault(const char *name)
{
    if (!*name || strlen(name) > NAME_BYTES)
        return "is empty or too long";
    if (strcmp(name, "./") == 0) /* programs that archive a folder list the folder, too */
        return NULL;
    if (*name == '/' || (isalpha((unsigned char)*name) && name[1] == ':'))
        return "is absolute";
    if (strchr(name, '\\'))
        return "has a backslash";
    int n_part = 0;
    for (const char *at = name; *at;) {
        const size_t n = strcspn(at, "/");
        if (++n_part > MAX_PARTS)
            return "has too many folders";
        if (n == 0 || (n == 1 && *at == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
            return "has an empty part, '.' or '..'";
        at += n + (at[n] == '/');
    }
    return NULL;
}

/* Returns 1 if the entry is a link, pipe or device by its mode of Unix. */
static int is_special(zip_t *zip, zip_uint64_t i)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip, i, 0, &system, &attributes) != 0 ||
        (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X))
        return 0;
    const unsigned kind = (attributes >> 16) & S_IFMT;
    return kind != 0 && kind != S_IFREG && kind != S_IFDIR;
}

/* Checks one entry and adds its size to *sum. */
static wrsim_status check_entry(const wr_archive *a, zip_uint64_t i, int64_t *sum,
                                const char **ret_name, wrsim_error *err)
{
    zip_stat_t about;
    const zip_uint64_t all =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(a->zip, i, 0, &about) != 0 || (about.valid & all) != all)
        return REFUSE(a, err, "the entry %llu of the archive has no name, size or method",
                      (unsigned long long)i);
    const char *const fault = find_name_fault(about.name);
    if (fault)
        return REFUSE(a, err, "the name '%.*s' in the archive %s", QUOTED_BYTES, about.name, fault);
    if (is_special(a->zip, i))
        return REFUSE(a, err, "the entry '%.*s' of the archive is a link or a special file",
                      QUOTED_BYTES, about.name);
    /* The standard allows the methods store and deflate. Other methods may need gigabytes of memory to unpack a few bytes. */
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
        return REFUSE(
            a, err, "the entry '%.*s' of the archive is compressed by another method than deflate",
            QUOTED_BYTES, about.name);
    if (about.encryption_method != ZIP_EM_NONE)
        return REFUSE(a, err, "the entry '%.*s' of the archive is encrypted", QUOTED_BYTES,
                      about.name);
    if (about.size > (zip_uint64_t)(WR_ARCHIVE_BYTES - *sum))
        return REFUSE(a, err, "the archive has more than %d GiB unpacked",
                      (int)(WR_ARCHIVE_BYTES >> 30));
    *sum += (int64_t)about.size;
    *ret_name = about.name;
    return WRSIM_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns 1 if an entry of the sorted names is a file with the name of a folder of `name`. */
static int has_file_as_folder(const char *name, const char *const *all, size_t n)
{
    char parent[NAME_BYTES + 1];
    const char *const key = parent;
    for (const char *at = name; (at = strchr(at, '/')) != NULL; at++) {
        snprintf(parent, sizeof parent, "%.*s", (int)(at - name), name);
        if (bsearch(&key, all, n, sizeof *all, compare_names))
            return 1;
    }
    return 0;
}

/* Sorts the names. Refuses doubled names, and a file that another entry has as folder. */
static wrsim_status check_doubled(const wr_archive *a, const char **name, size_t n,
                                  wrsim_error *err)
{
    qsort(name, n, sizeof *name, compare_names);
    for (size_t i = 1; i < n; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            return REFUSE(a, err, "the archive has two entries '%.*s'", QUOTED_BYTES, name[i]);
    for (size_t i = 0; i < n; i++)
        if (has_file_as_folder(name[i], name, n))
            return REFUSE(a, err, "a folder of the entry '%.*s' is a file of the archive, too",
                          QUOTED_BYTES, name[i]);
    return WRSIM_OK;
}

/* Lists the platforms, which are the folders in binaries/. The names are sorted. */
static wrsim_status list_platforms(wr_archive *a, const char *const *name, size_t n,
                                   wrsim_error *err)
{
    static const char folder[] = "binaries/";
    wr_text_buffer text = {0};
    const char *last = "";
    size_t n_last = 0;
    for (size_t i = 0; i < n; i++) {
        if (strncmp(name[i], folder, strlen(folder)) != 0)
            continue;
        const char *const platform = name[i] + strlen(folder);
        const size_t n_platform = strcspn(platform, "/");
        /* A folder without a file holds no binary. */
        if (!platform[n_platform] || name[i][strlen(name[i]) - 1] == '/' ||
            (n_platform == n_last && memcmp(platform, last, n_last) == 0))
            continue;
        wr_text_buffer_put(&text, ", ", n_last ? 2 : 0);
        wr_text_buffer_put(&text, platform, n_platform);
        last = platform;
        n_last = n_platform;
    }
    wr_text_buffer_put(&text, "", 0);
    free(a->platforms);
    a->platforms = wr_text_buffer_take(&text);
    return a->platforms ? WRSIM_OK : wr_error_memory(err);
}

static wrsim_status check_entries(wr_archive *a, wrsim_error *err)
{
    const zip_int64_t n = zip_get_num_entries(a->zip, 0);
    if (n > WR_ARCHIVE_ENTRIES)
        return REFUSE(a, err, "the archive has more than %d entries", WR_ARCHIVE_ENTRIES);
    WR_AUTO_FREE const char **const name = malloc(((size_t)n + 1) * sizeof *name);
    if (!name)
        return wr_error_memory(err);
    int64_t sum = 0;
    for (zip_int64_t i = 0; i < n; i++)
        WR_TRY(check_entry(a, (zip_uint64_t)i, &sum, &name[i], err));
    if (sum / WR_ARCHIVE_RATIO > a->file_bytes)
        return REFUSE(
            a, err,
            "the archive has %lld bytes, but %lld bytes unpacked, more than %d times as many",
            (long long)a->file_bytes, (long long)sum, WR_ARCHIVE_RATIO);
    WR_TRY(check_doubled(a, name, (size_t)n, err));
    return list_platforms(a, name, (size_t)n, err);
}

/* ---- reading ---- */

/* Returns 1 if libzip failed for lack of memory. */
static int is_memory(zip_error_t *error)
{
    const int system = zip_error_code_system(error), type = zip_error_system_type(error);
    return zip_error_code_zip(error) == ZIP_ER_MEMORY || (type == ZIP_ET_SYS && system == ENOMEM) ||
           (type == ZIP_ET_ZLIB && system == ZLIB_MEMORY);
}

/* Fills err with the fault of an entry. Returns the status. */
static wrsim_status refuse_entry(const wr_archive *a, const char *name, zip_error_t *error,
                                 wrsim_error *err)
{
    return is_memory(error)
               ? wr_error_memory(err)
               : REFUSE(a, err, "the entry '%.*s' of the archive cannot be unpacked: %s",
                        QUOTED_BYTES, name, zip_error_strerror(error));
}

/* Reads an entry to its end, so that libzip compares the check sum. put() gets each block and returns 0 or an error number. libzip does not
 * compare the bytes with the size in the list of entries, on which all limits depend. */
static wrsim_status read_entry(const wr_archive *a, zip_uint64_t i,
                               int (*put)(void *user, const char *bytes, size_t n), void *user,
                               int *ret_error_number, wrsim_error *err)
{
    const char *const name = zip_get_name(a->zip, i, 0);
    zip_stat_t about;
    if (zip_stat_index(a->zip, i, 0, &about) != 0)
        return refuse_entry(a, name, zip_get_error(a->zip), err);
    zip_file_t *const file = zip_fopen_index(a->zip, i, 0);
    if (!file)
        return refuse_entry(a, name, zip_get_error(a->zip), err);
    zip_uint64_t n_left = about.size;
    char block[BLOCK_BYTES];
    wrsim_status status = WRSIM_OK;
    zip_int64_t n = 1;
    *ret_error_number = 0;
    while (n > 0 && !*ret_error_number) {
        n = zip_fread(file, block, sizeof block);
        if (n > 0 && (zip_uint64_t)n > n_left)
            break;
        n_left -= n > 0 ? (zip_uint64_t)n : 0;
        if (n > 0)
            *ret_error_number = put(user, block, (size_t)n);
    }
    if (n < 0)
        status = refuse_entry(a, name, zip_file_get_error(file), err);
    else if (!*ret_error_number && (n > 0 || n_left > 0))
        status =
            REFUSE(a, err, "the entry '%.*s' of the archive has a wrong size", QUOTED_BYTES, name);
    (void)zip_fclose(file);
    return status;
}

/* Appends to a memory of the size of the entry. user: pointer to the address of the next byte. */
static int put_in_memory(void *user, const char *bytes, size_t n)
{
    char **const at = user;
    memcpy(*at, bytes, n);
    *at += n;
    return 0;
}

/* Reads an entry of at most most_bytes bytes into memory of malloc. */
static wrsim_status read_in_memory(const wr_archive *a, zip_uint64_t i, size_t most_bytes,
                                   char **ret_bytes, size_t *ret_n, wrsim_error *err)
{
    zip_stat_t about;
    const char *const name = zip_get_name(a->zip, i, 0);
    if (zip_stat_index(a->zip, i, 0, &about) != 0)
        return refuse_entry(a, name, zip_get_error(a->zip), err);
    if (about.size > most_bytes)
        return REFUSE(a, err, "the entry '%.*s' has more than %zu MiB", QUOTED_BYTES, name,
                      most_bytes >> 20);
    char *const bytes = malloc((size_t)about.size + 1);
    if (!bytes)
        return wr_error_memory(err);
    char *at = bytes;
    int error_number;
    const wrsim_status status = read_entry(a, i, put_in_memory, &at, &error_number, err);
    if (status != WRSIM_OK) {
        free(bytes);
        return status;
    }
    *ret_bytes = bytes;
    *ret_n = (size_t)about.size;
    return WRSIM_OK;
}

/* Returns the name of a description in a folder of the archive; NULL: none. */
static const char *find_inner_description(const wr_archive *a)
{
    const zip_int64_t n = zip_get_num_entries(a->zip, 0);
    for (zip_int64_t i = 0; i < n; i++) {
        const char *const name = zip_get_name(a->zip, (zip_uint64_t)i, 0);
        const char *const slash = strchr(name, '/');
        if (slash && strcmp(slash + 1, DESCRIPTION) == 0)
            return name;
    }
    return NULL;
}

static wrsim_status read_description(wr_archive *a, wrsim_error *err)
{
    const zip_int64_t i = zip_name_locate(a->zip, DESCRIPTION, 0);
    const char *const inner = i < 0 ? find_inner_description(a) : NULL;
    if (inner)
        return wr_error_set_at(err, WRSIM_E_MODEL, &(wr_where){.file = a->name},
                               "the archive has the folder '%.*s' around the files of the FMU, and "
                               "no '%s' at its top; archive the content of this folder",
                               (int)(strlen(inner) - strlen(DESCRIPTION) - 1), inner, DESCRIPTION);
    if (i < 0)
        return REFUSE(a, err, "the archive has no entry '%s', so the file is no FMU", DESCRIPTION);
    return read_in_memory(a, (zip_uint64_t)i, WR_FMI_DESCRIPTION_BYTES, &a->description,
                          &a->description_bytes, err);
}

/* Returns whether a file begins with "PK", as every zip archive does, also an empty or a divided archive. */
static int is_zip(int fd)
{
    char magic[2];
    return pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && magic[0] == 'P' &&
           magic[1] == 'K';
}

/* Fills err with the reason why libzip cannot open an archive. */
static void refuse_zip(const wr_archive *a, zip_error_t *error, int is_memory_short,
                       wrsim_error *err)
{
    const wr_where where = {.file = a->name};
    if (is_memory_short || is_memory(error))
        wr_error_memory(err);
    else
        wr_error_set_at(err, WRSIM_E_MODEL, &where,
                        "the file is no complete zip archive (%s); copy or export the %s again",
                        zip_error_strerror(error), a->noun);
}

/* Opens a file of the disk as an archive. */
static wrsim_status open_zip(wr_archive *a, wrsim_error *err)
{
    const wr_where where = {.file = a->name};
    struct stat about;
    /* Without O_NONBLOCK a pipe would wait for its other end. */
    const int fd = open(a->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        wr_error_set_at(err, WRSIM_E_IO, &where,
                        "the file cannot be opened: %s; check the path and its permissions",
                        strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        wr_error_set_at(err, WRSIM_E_IO, &where, "the %s is a %s; name a file", a->noun,
                        S_ISDIR(about.st_mode) ? "folder" : "pipe or a device");
    } else if (!is_zip(fd)) {
        wr_error_set_at(err, WRSIM_E_MODEL, &where,
                        "the file is not a zip file, so it is no %s; name another file", a->noun);
    } else {
        int code = 0;
        errno = 0; /* libzip reports some lacks of memory as "Not a zip archive" */
        a->file_bytes = about.st_size;
        a->zip = zip_fdopen(fd, 0, &code); /* owns the descriptor */
        if (a->zip)
            return WRSIM_OK;
        zip_error_t error;
        const int is_memory_short = errno == ENOMEM;
        zip_error_init_with_code(&error, code);
        refuse_zip(a, &error, is_memory_short, err);
        zip_error_fini(&error);
    }
    if (fd >= 0)
        (void)close(fd);
    return err->status;
}

/* Replaces an archive by its entry i, which is an archive. */
static wrsim_status open_inner(wr_archive *a, zip_uint64_t i, wrsim_error *err)
{
    char *bytes;
    size_t n;
    zip_error_t error;
    WR_TRY(read_in_memory(a, i, (size_t)WR_ARCHIVE_BYTES, &bytes, &n, err));
    zip_discard(a->zip);
    free(a->memory);
    a->memory = bytes;
    a->file_bytes = (int64_t)n;
    zip_error_init(&error);
    zip_source_t *const source = zip_source_buffer_create(bytes, n, 0, &error);
    a->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (!a->zip) {
        refuse_zip(a, &error, 0, err);
        if (source)
            zip_source_free(source);
    }
    zip_error_fini(&error);
    return a->zip ? WRSIM_OK : err->status;
}

/* Returns the entry whose name is the shortest beginning of the path up to a '/' or to the end; -1: none. ret_n: length of the name. */
static zip_int64_t locate_part(const wr_archive *a, const char *path, size_t *ret_n)
{
    char part[NAME_BYTES + 1];
    for (size_t n = 0; path[n] && n <= NAME_BYTES; n++) {
        n += strcspn(path + n, "/");
        if (n > NAME_BYTES)
            break;
        memcpy(part, path, n);
        part[n] = '\0';
        const zip_int64_t i = zip_name_locate(a->zip, part, 0);
        *ret_n = n;
        if (i >= 0)
            return i;
        if (!path[n])
            break;
    }
    return -1;
}

/* Names the archive whose path ends at `rest`; at the end of the path: "". */
static void set_name(wr_archive *a, const char *rest)
{
    snprintf(a->name, sizeof a->name, "%.*s", (int)(strlen(a->path) - strlen(rest)), a->path);
}

/* Opens the archives on a path such as "a.ssp/resources/b.fmu". is_file: 1: the path leads to a file in the last archive, whose entry is
 * then in *ret_entry; 0: the path leads to an archive. */
static wrsim_status open_path(wr_archive *a, int is_file, zip_int64_t *ret_entry, wrsim_error *err)
{
    const size_t n_outer = wr_open_file_part(a->path);
    const char *const noun = a->noun;
    const char *rest = n_outer > 0 ? a->path + n_outer : "";
    if (strlen(a->path) >= sizeof a->name)
        return wr_text_file_fail(a->path, ENAMETOOLONG, err);
    set_name(a, rest);
    a->noun = *rest ? "system" : noun;
    WR_TRY(open_zip(a, err));
    WR_TRY(check_entries(a, err));
    while (*rest == '/') {
        size_t n = 0;
        const zip_int64_t i = locate_part(a, ++rest, &n);
        if (i < 0)
            return REFUSE(a, err, "the archive has no entry '%.*s'", QUOTED_BYTES, rest);
        rest += n;
        if (is_file && !*rest) {
            *ret_entry = i;
            return WRSIM_OK;
        }
        a->noun = *rest ? "system" : noun;
        set_name(a, rest);
        WR_TRY(open_inner(a, (zip_uint64_t)i, err));
        WR_TRY(check_entries(a, err));
    }
    return WRSIM_OK;
}

static wr_archive *open_archive(const char *path, const char *noun, int is_file,
                                zip_int64_t *ret_entry, wrsim_error *err)
{
    wr_archive *a = calloc(1, sizeof *a);
    if (!a) {
        wr_error_memory(err);
        return NULL;
    }
    a->path = path;
    a->noun = noun;
    if (open_path(a, is_file, ret_entry, err) != WRSIM_OK)
        wr_archive_close(&a);
    return a;
}

wrsim_status wr_archive_read_file(const char *path, size_t most_bytes, char **ret_bytes,
                                  size_t *ret_n, wrsim_error *err)
{
    zip_int64_t entry = -1;
    wr_archive *a = open_archive(path, "system", 1, &entry, err);
    if (!a)
        return err->status;
    const wrsim_status status =
        read_in_memory(a, (zip_uint64_t)entry, most_bytes, ret_bytes, ret_n, err);
    wr_archive_close(&a);
    return status;
}

int wr_archive_has(const char *path, const char *name)
{
    wrsim_error err = {0};
    wr_archive *a = open_archive(path, "system", 0, NULL, &err);
    const int has = a && zip_name_locate(a->zip, name, 0) >= 0;
    wr_archive_close(&a);
    return has;
}

/* Opens the folder of an unpacked FMU. */
static wr_archive *open_unpacked(const char *path, wrsim_error *err)
{
    wr_archive *a = calloc(1, sizeof *a);
    if (!a) {
        wr_error_memory(err);
        return NULL;
    }
    if (!realpath(path, a->folder))
        (void)wr_text_file_fail(path, errno, err);
    else if (wr_unpacked_read(a->folder, &a->description, &a->description_bytes, err) == WRSIM_OK &&
             wr_unpacked_list_platforms(a->folder, &a->platforms, err) == WRSIM_OK)
        return a;
    wr_archive_close(&a);
    return NULL;
}

wr_archive *wr_archive_open(const char *path, wrsim_error *err)
{
    wrsim_error local;
    err = err ? err : &local;
    if (wr_unpacked_is_fmu(path))
        return open_unpacked(path, err);
    wr_archive *a = open_archive(path, "FMU", 0, NULL, err);
    if (a && read_description(a, err) != WRSIM_OK)
        wr_archive_close(&a);
    return a;
}

const char *wr_archive_description(const wr_archive *archive, size_t *ret_n_bytes)
{
    *ret_n_bytes = archive->description_bytes;
    return archive->description;
}

const char *wr_archive_platforms(const wr_archive *archive) { return archive->platforms; }

/* ---- unpacking ---- */

static int put_in_file(void *user, const char *bytes, size_t n)
{
    int error_number = 0;
    return wr_open_file_write_all(*(const int *)user, bytes, n, &error_number) == n ? 0
                                                                                    : error_number;
}

/* Makes the folders of a path below the first n_own bytes. Returns 0 or the error number. */
static int make_parents(char *path, size_t n_own)
{
    for (char *at = path + n_own + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        const int is_made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!is_made)
            return errno;
    }
    return 0;
}

static wrsim_status unpack_entry(const wr_archive *a, zip_uint64_t i, const char *name,
                                 wrsim_error *err)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", a->unpacked.path, name) >= (int)sizeof path)
        return wr_text_file_fail(name, ENAMETOOLONG, err);
    int error_number = make_parents(path, strlen(a->unpacked.path));
    if (error_number)
        return wr_text_file_fail(path, error_number, err);
    if (path[strlen(path) - 1] == '/')
        return WRSIM_OK;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (fd < 0)
        return wr_text_file_fail(path, errno, err);
    wrsim_status status = read_entry(a, i, put_in_file, &fd, &error_number, err);
    if (close(fd) != 0 && !error_number)
        error_number = errno;
    if (status == WRSIM_OK && error_number)
        status = wr_text_file_fail(path, error_number, err);
    return status;
}

wrsim_status wr_archive_unpack(wr_archive *a, wrsim_error *err)
{
    wrsim_error local;
    err = err ? err : &local;
    if (a->folder[0])
        return WRSIM_OK;
    WR_ASSERT(!a->unpacked.path[0]);
    WR_TRY(wr_temporary_folder_make(&a->unpacked, "the FMU cannot be unpacked", err));
    const zip_int64_t n = zip_get_num_entries(a->zip, 0);
    for (zip_int64_t i = 0; i < n; i++) {
        const char *const name = zip_get_name(a->zip, (zip_uint64_t)i, 0);
        for (size_t k = 0; k < WR_COUNT_OF(unpacked); k++)
            if (name && strncmp(name, unpacked[k], strlen(unpacked[k])) == 0)
                WR_TRY(unpack_entry(a, (zip_uint64_t)i, name, err));
    }
    if (a->memory) { /* bytes of an FMU in another archive, which may be large */
        zip_discard(a->zip);
        a->zip = NULL;
        free(a->memory);
        a->memory = NULL;
    }
    return WRSIM_OK;
}

const char *wr_archive_folder(const wr_archive *a)
{
    return a->folder[0] ? a->folder : a->unpacked.path;
}

void wr_archive_close(wr_archive **archive)
{
    wr_archive *const a = archive ? *archive : NULL;
    if (!a)
        return;
    wr_temporary_folder_remove(&a->unpacked);
    if (a->zip)
        zip_discard(a->zip);
    free(a->memory);
    free(a->description);
    free(a->platforms);
    free(a);
    *archive = NULL;
}
