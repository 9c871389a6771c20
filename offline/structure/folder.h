/* The output folder of a tool.
 *
 * Opening creates an absent folder. A tool replaces an existing file only if wrsim has written the file (runtime/record/own_file.h). A tool
 * never replaces a file that the tool or its config reads.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_FOLDER_H
#define WR_FOLDER_H

#include "base/text_buffer.h"
#include "wrsim/config.h"

enum { WR_FOLDER_PATH_BYTES = 4096 }; /* PATH_MAX of Linux */

typedef struct wr_folder {
    const char *path;
    /* files that the tool reads and must not overwrite; NULL: none */
    const char *input, *more_input;
    const wrsim_config *config; /* config whose files the tool must not overwrite; NULL: none */
    int n_file;                 /* number of paths that wr_folder_file() has returned */
    char file[WR_FOLDER_PATH_BYTES]; /* path of the last file */
} wr_folder;

/* Creates the folder, but not its parents. path, input and config must outlive the folder; input and config may be NULL. Returns WRSIM_OK,
 * or WRSIM_E_IO with err. */
wrsim_status wr_folder_open(wr_folder *ret_folder, const char *path, const char *input,
                            const wrsim_config *config, wrsim_error *err);

/* Returns the path of a file with a formatted name, valid until the next call. Returns NULL with err if the tool must not write the
 * file. */
const char *wr_folder_file(wr_folder *folder, wrsim_error *err, const char *format, ...)
    WR_PRINTF(3, 4);

/* Writes a text to the file `name` and frees the text. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_folder_write(wr_folder *folder, const char *name, wr_text_buffer *text,
                             wrsim_error *err);
/* Writes a text from malloc() as wr_folder_write() does, and frees the text. A NULL text gives WRSIM_E_MEMORY. */
wrsim_status wr_folder_write_text(wr_folder *folder, const char *name, char *text,
                                  wrsim_error *err);

#endif
