/* The folder of a sweep. See run_folder.h. Thread: one owner. Real-time: no. */
#include "offline/runs/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/json_tree.h"
#include "base/text_file.h"

/* Time to wait for the end of a killed sweep's processes: LOCK_TRIES * LOCK_WAIT_NS = 5 s (assumed). */
enum { LOCK_TRIES = 50, LOCK_WAIT_NS = 100000000 };

static wrsim_status fail_io(wrsim_error *err, const char *path, const char *what, int error_number)
{
    return wr_error_set_at(
        err, WRSIM_E_IO, &(wr_where){.file = path}, "%s: %s%s", what, strerror(error_number),
        wr_text_file_is_full(error_number) ? "; free space, or write to another disk"
                                           : "; choose another folder (-o)");
}

const char *wr_run_folder_file(const wr_run_folder *folder, int i_run, const char *name,
                               char ret_path[WR_RUN_PATH_BYTES])
{
    snprintf(ret_path, WR_RUN_PATH_BYTES, "%s/runs/%06d%s%s", folder->path, i_run + 1,
             *name ? "/" : "", name);
    return ret_path;
}

int wr_run_folder_is_done(const wr_run_folder *folder, int i_run)
{
    char path[WR_RUN_PATH_BYTES];
    struct stat about; /* after a sudden stop of the machine the file may be empty */
    return stat(wr_run_folder_file(folder, i_run, "row.csv", path), &about) == 0 &&
           about.st_size > 0;
}

void wr_run_folder_forget(const wr_run_folder *folder, int i_run)
{
    char path[WR_RUN_PATH_BYTES];
    (void)unlink(wr_run_folder_file(folder, i_run, "row.csv", path));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

wrsim_status wr_run_folder_begin(const wr_run_folder *folder, int i_run, wrsim_error *err)
{
    enum { OPEN_FOLDERS = 8 };
    char path[WR_RUN_PATH_BYTES];
    wr_run_folder_file(folder, i_run, "", path);
    /* FTW_PHYS: nftw() does not follow links. */
    if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        return fail_io(err, path, "the files of an earlier run cannot be removed", errno);
    return mkdir(path, 0777) == 0
               ? WRSIM_OK
               : fail_io(err, path, "the folder of the run cannot be created", errno);
}

/* ---- comparing sweeps */

static int is_equal(const wr_json_tree *a, const wr_json_tree *b)
{
    if (!a || !b || a->kind != b->kind || strcmp(a->key ? a->key : "", b->key ? b->key : "") != 0)
        return !a && !b;
    if (a->kind == WR_JSON_TREE_STRING &&
        strcmp(a->string ? a->string : "", b->string ? b->string : "") != 0)
        return 0;
    if ((a->kind == WR_JSON_TREE_NUMBER || a->kind == WR_JSON_TREE_FLAG) && a->number != b->number)
        return 0;
    const wr_json_tree *i = a->first, *j = b->first;
    for (; i && j && is_equal(i, j); i = i->next)
        j = j->next;
    return !i && !j;
}

static wrsim_status compare(const char *path, const char *description, wrsim_error *err)
{
    static const struct {
        const char *member, *text;
    } parts[] = {{"version", "with another version of wrsim"},
                 {"config_file", "of a config with another name"},
                 {"config", "of a config with other content"},
                 {"keys", "of other keys or values"},
                 {"n_run", "of other keys or values"},
                 {"results", "with other --results"},
                 {"format", "with another --format"}};
    char why[256], file[WR_RUN_PATH_BYTES];
    snprintf(file, sizeof file, "%s/sweep.json", path);
    WR_AUTO(wr_json_tree_free) wr_json_tree *old = wr_json_tree_load(file, why);
    WR_AUTO(wr_json_tree_free) wr_json_tree *now = wr_json_tree_parse(description, why);
    const char *differs = old && now ? NULL : "of which sweep.json cannot be read";
    for (size_t i = 0; i < WR_COUNT_OF(parts) && !differs; i++)
        if (!is_equal(wr_json_tree_get(old, parts[i].member),
                      wr_json_tree_get(now, parts[i].member)))
            differs = parts[i].text;
    return differs ? wr_error_set(err, WRSIM_E_ARG,
                                  "'%.300s' has a sweep %s, so it cannot continue; choose another "
                                  "folder (-o)",
                                  path, differs)
                   : WRSIM_OK;
}

/* ---- opening */

static wrsim_status lock(wr_run_folder *folder, wrsim_error *err)
{
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0)
        return fail_io(err, folder->path, "the folder cannot be opened", errno);
    int is_held = 1;
    for (int i = 0; i < LOCK_TRIES && is_held; i++) {
        is_held = flock(folder->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (is_held)
            nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
    }
    return is_held ? wr_error_set(err, WRSIM_E_STATE,
                                  "a sweep is running in '%.300s'; wait for its end, stop it, or"
                                  " choose another folder (-o)",
                                  folder->path)
                   : WRSIM_OK;
}

static int is_empty(const char *path)
{
    DIR *const dir = opendir(path);
    int n = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return n == 0;
}

static wrsim_status check_content(const wr_run_folder *folder, const char *description,
                                  int is_resumed, wrsim_error *err)
{
    char file[WR_RUN_PATH_BYTES];
    snprintf(file, sizeof file, "%s/sweep.json", folder->path);
    const int is_sweep = access(file, F_OK) == 0;
    if (is_sweep && is_resumed)
        return compare(folder->path, description, err);
    if (is_sweep)
        return wr_error_set(err, WRSIM_E_ARG,
                            "'%.300s' already contains a sweep; resume it with --resume, or choose "
                            "another folder (-o)",
                            folder->path);
    return is_empty(folder->path) ? WRSIM_OK
                                  : wr_error_set(err, WRSIM_E_ARG,
                                                 "'%.300s' already exists and contains no sweep; "
                                                 "choose another folder (-o), or empty this folder",
                                                 folder->path);
}

/* Writes the files of a sweep before its first run. */
static wrsim_status fill(const wr_run_folder *folder, const char *description, wrsim_error *err)
{
    char file[WR_RUN_PATH_BYTES], runs[WR_RUN_PATH_BYTES];
    snprintf(file, sizeof file, "%s/sweep.json", folder->path);
    snprintf(runs, sizeof runs, "%s/runs", folder->path);
    const int is_there = access(file, F_OK) == 0;
    const int failure = is_there ? 0 : wr_text_file_keep(file, description, strlen(description));
    if (failure)
        return wr_text_file_fail(file, failure, err);
    if (mkdir(runs, 0777) == 0 || errno == EEXIST)
        return WRSIM_OK;
    fail_io(err, runs, "the folder cannot be created", errno);
    if (!is_there)
        unlink(file);
    return WRSIM_E_IO;
}

wrsim_status wr_run_folder_open(wr_run_folder *folder, const char *path, const char *description,
                                int is_resumed, wrsim_error *err)
{
    enum { ROOM_FOR_NAMES = 64 };
    *folder = (wr_run_folder){.path = path, .fd = -1};
    if (strlen(path) > WR_RUN_PATH_BYTES - ROOM_FOR_NAMES)
        return fail_io(err, path, "the folder cannot be created", ENAMETOOLONG);
    const int is_made = mkdir(path, 0777) == 0;
    if (!is_made && errno != EEXIST)
        return fail_io(err, path, "the folder cannot be created", errno);
    wrsim_status status = lock(folder, err);
    WR_THEN(status, check_content(folder, description, is_resumed, err));
    WR_THEN(status, fill(folder, description, err));
    if (status != WRSIM_OK && is_made)
        rmdir(path); /* rmdir() fails if another process has put files into the folder */
    return status;
}

void wr_run_folder_close(wr_run_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = -1;
}
