/* The folder of a sweep: which runs are done, and that they are of the same sweep.
 *
 *     sweep.json             what is run: config, keys, values, results
 *     runs/000001/           of each run: config.toml (resolved), result file, summary.json, log.txt
 *     runs/000001/row.csv    its row of the table, written last: a run without one is not done
 *     table.csv              all rows
 *
 * One sweep at a time works in a folder: it, and the processes that it has started, hold a lock on it (flock) that the kernel
 * lets go with the last of them.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_FOLDER_H
#define WR_RUN_FOLDER_H

#include "base/check.h"

enum { WR_RUN_PATH_BYTES = 4096 };

typedef struct wr_run_folder {
    const char *path;
    int fd; /* holds the lock; -1: not open */
} wr_run_folder;

/* Makes the folder, but not those above it, locks it, and keeps description (JSON) as sweep.json, or where is_resumed and there
 * is one already, compares it. WRSIM_OK; WRSIM_E_ARG: it is not empty and not to be gone on with, or is of another sweep;
 * WRSIM_E_STATE: a sweep is under way in it; WRSIM_E_IO. */
wrsim_status wr_run_folder_open(wr_run_folder *folder, const char *path, const char *description,
                                int is_resumed, wrsim_error *err);
void wr_run_folder_close(wr_run_folder *folder);

/* A file of run i_run (0 .. n - 1, counted from 1 on the disk); "" is its folder. Returns ret_path. */
const char *wr_run_folder_file(const wr_run_folder *folder, int i_run, const char *name,
                               char ret_path[WR_RUN_PATH_BYTES]);

int wr_run_folder_is_done(const wr_run_folder *folder, int i_run);

/* Makes the folder of a run, empty. WRSIM_OK or WRSIM_E_IO. */
wrsim_status wr_run_folder_begin(const wr_run_folder *folder, int i_run, wrsim_error *err);

/* Takes its row away: the run is to be done again. */
void wr_run_folder_forget(const wr_run_folder *folder, int i_run);

#endif
