/* The folder of a sweep, which records the finished runs.
 *
 *     sweep.json             the sweep: config, keys, values, results
 *     runs/000001/           of each run: config.toml (resolved), result file, summary.json, log.txt
 *     runs/000001/row.csv    the run's row of the table, written last: a run without row is not finished
 *     table.csv              all rows
 *
 * One sweep at a time works in a folder. The processes of the sweep share a lock on the folder (flock), which the kernel releases when the
 * last process ends.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RUN_FOLDER_H
#define WR_RUN_FOLDER_H

#include "base/check.h"

enum { WR_RUN_PATH_BYTES = 4096 }; /* PATH_MAX of Linux */

typedef struct wr_run_folder {
    const char *path;
    int fd; /* descriptor with the lock; -1: not open */
} wr_run_folder;

/* Creates the folder, but not its parents, and locks the folder. Writes `description` (JSON) to sweep.json. If is_resumed is 1 and
 * sweep.json exists, compares `description` with the file instead. Returns WRSIM_OK; WRSIM_E_ARG if the folder has a sweep and
 * is_resumed is 0, or has another sweep, or has files but no sweep; WRSIM_E_STATE if a sweep runs in the folder; WRSIM_E_IO or
 * WRSIM_E_DISK. */
wrsim_status wr_run_folder_open(wr_run_folder *folder, const char *path, const char *description,
                                int is_resumed, wrsim_error *err);
void wr_run_folder_close(wr_run_folder *folder);

/* Writes the path of a file of run i_run (0 .. n - 1, numbered from 1 on the disk). The empty name "" means the run's folder. Returns
 * ret_path. */
const char *wr_run_folder_file(const wr_run_folder *folder, int i_run, const char *name,
                               char ret_path[WR_RUN_PATH_BYTES]);

int wr_run_folder_is_done(const wr_run_folder *folder, int i_run);

/* Creates the empty folder of a run. Returns WRSIM_OK or WRSIM_E_IO. */
wrsim_status wr_run_folder_begin(const wr_run_folder *folder, int i_run, wrsim_error *err);

/* Removes the row of a run, so that the sweep repeats the run. */
void wr_run_folder_forget(const wr_run_folder *folder, int i_run);

#endif
