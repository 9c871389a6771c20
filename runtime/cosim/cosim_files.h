/* Copies the files that a config reads into the folder resources of an FMU.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_COSIM_FILES_H
#define WR_COSIM_FILES_H

#include "runtime/config/settings.h"

/* A copied file. */
typedef struct wr_cosim_file {
    const char *from; /* as the config names it; NULL: a further file of another file */
    const char *copy; /* path of the copy */
    int is_folder; /* 1: the copy is the folder of an unpacked FMU, whose files are in the list, too */
} wr_cosim_file;

typedef struct wr_cosim_files {
    const char *folder; /* the folder resources, which exists */
    struct wr_heap_pool *pool;
    int n, cap;
    wr_cosim_file *file;
    int has_fmu;
    wrsim_error *err; /* the first failure; status WRSIM_OK: none */
} wr_cosim_files;

/* Copies the files of the settings. *ret has the paths of the copies. Refuses recordings in HDF5, and shared objects that need other libraries
 * than libc and libm. FMUs become folders. files: with folder, pool and err, zero otherwise. Returns WRSIM_OK, or the status of files->err. */
wrsim_status wr_cosim_files_copy(const wr_settings *settings, wr_cosim_files *files,
                                 wr_settings *ret);

/* Returns a comment of TOML with the names and check sums of the copies, so that the text of a config identifies its files, too; from malloc.
 * Returns NULL with files->err. */
char *wr_cosim_files_comment(const wr_cosim_files *files);

#endif
