/* Decides whether two paths lead to one file, so that output does not overwrite input. Thread: any. Real-time: no. */
#ifndef WR_SAME_FILE_H
#define WR_SAME_FILE_H

#include <limits.h>

/* Returns 1 if both paths lead to one regular file, through any links or spellings. If neither file exists, 1 means that both paths have
 * one name in one folder. Returns 0 if a path is "". */
int wr_same_file(const char *a, const char *b);

/* Writes the absolute path of the file at `path`, without links. Only the folder must exist: for a dangling link the result is the file
 * that an open for writing creates. Returns 0 or an error number. */
int wr_same_file_place(const char *path, char ret_place[PATH_MAX]);

#endif
