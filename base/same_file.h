/* Whether two paths lead to one file: what is written must not go over what was read.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_SAME_FILE_H
#define WR_SAME_FILE_H

#include <limits.h>

/* 1 if both are one regular file, whatever the links or spellings that lead there; while neither is
 * there, if both lead to one name in one folder. 0 where either is "". */
int wr_same_file(const char *a, const char *b);

/* The absolute path of the file that path leads to, without links. Only the folder has to be there: a link to nothing counts as the
 * file that opening it for writing would make. 0, or the error number. */
int wr_same_file_place(const char *path, char ret_place[PATH_MAX]);

#endif
