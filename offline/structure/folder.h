/* The output folder of a tool.
 *
 * The folder is created if absent. An existing file is replaced only if wrsim has written it (own_file.h) and
 * neither the tool nor its config reads it.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_FOLDER_H
#define WR_FOLDER_H

#include "base/check.h"
#include "wrsim/config.h"

enum { WR_FOLDER_PATH_BYTES = 4096 };

typedef struct wr_folder {
    const char *path;
    const char *input, *more_input;  /* files that the tool reads and must not overwrite; or NULL */
    const wrsim_config *config;      /* config whose files must not be overwritten; or NULL */
    int n_file;                      /* number of files so far, the present one included */
    char file[WR_FOLDER_PATH_BYTES]; /* path of the last file */
} wr_folder;

/* Creates the folder, but not its parents. Names and config must outlive it; input and config may be NULL. Returns
 * WRSIM_OK, or WRSIM_E_IO with err. */
wrsim_status wr_folder_open(wr_folder *ret_folder, const char *path, const char *input,
                            const wrsim_config *config, wrsim_error *err);

/* Returns the formatted path of a file that may be written, valid until the next call. NULL with err if it must not
 * be written. */
const char *wr_folder_file(wr_folder *folder, wrsim_error *err, const char *format, ...)
    WR_PRINTF(3, 4);

#endif
