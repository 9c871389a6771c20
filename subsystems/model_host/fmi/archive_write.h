/* Writes zip archives of FMUs. Thread: one owner. Real-time: no. */
#ifndef WR_ARCHIVE_WRITE_H
#define WR_ARCHIVE_WRITE_H

#include "wrsim/status.h"

/* A file of the archive. */
typedef struct wr_archive_entry {
    const char *name; /* in the archive, with '/' between folders */
    const char *path; /* file on the disk */
    int is_program;   /* 1: the file keeps the permission to run */
} wr_archive_entry;

/* Writes an archive with n files in the given order. The times of all files are equal, so equal files give equal archives. The call writes
 * a temporary file, which then replaces an old file. A link stays, and its file is replaced. Refuses pipes and devices. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_archive_write(const char *path, const wr_archive_entry *entry, int n,
                              wrsim_error *err);

#endif
