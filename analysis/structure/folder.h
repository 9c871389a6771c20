/* The folder that a tool writes its files into.
 *
 * It is made where it is not there. A file that is there already is replaced only if wrsim wrote it (own_file.h), and nothing reads
 * it: neither the tool nor its config.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_FOLDER_H
#define WR_FOLDER_H

#include "base/check.h"
#include "wrsim/config.h"

enum { WR_FOLDER_PATH_BYTES = 4096 };

typedef struct wr_folder {
    const char *path;
    const char *input, *more_input;  /* what the tool reads, which is not overwritten; or NULL */
    const wrsim_config *config;      /* nor what this one reads; or NULL */
    int n_file;                      /* written so far, or about to be */
    char file[WR_FOLDER_PATH_BYTES]; /* the last one */
} wr_folder;

/* Makes the folder, not the ones above it. Names and config outlive it; input and config may be NULL. WRSIM_OK or WRSIM_E_IO with
 * err filled. */
wrsim_status wr_folder_open(wr_folder *ret_folder, const char *path, const char *input,
                            const wrsim_config *config, wrsim_error *err);

/* The path of a file in it, printed, which may be written; the folder's until the next one. NULL with err filled where it may
 * not. */
const char *wr_folder_file(wr_folder *folder, wrsim_error *err, const char *format, ...)
    WR_PRINTF(3, 4);

#endif
