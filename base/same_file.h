/* Whether two paths lead to one file: what is written must not go over what was read.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_SAME_FILE_H
#define WR_SAME_FILE_H

/* 1 if both are one regular file, whatever the links or spellings that lead there; while neither is
 * there, if both are one name in one folder. 0 where either is "". */
int wr_same_file(const char *a, const char *b);

#endif
