/* The output streams of the program: wr_out is its standard output, wr_err its standard error.
 *
 * A plug-in shares stdio's stdout and descriptor 1 with the whole process. So the program redirects descriptor 1 to standard error, and
 * prints to a copy of the original descriptor. So --json contains no text of a plug-in. Other files of cli/ use neither stdout nor stderr
 * (checked by tests/lint/check_style.py).
 *
 * Names and messages may come from configs, plug-ins and file names. The streams print bytes of invalid UTF-8, and control characters other
 * than line feeds and tabs, as \xNN. If wr_out is a terminal, its tables fit the width of the terminal (fit_table.h).
 *
 * Thread: main opens and closes; any thread prints, as with stdio. Real-time: no.
 */
#ifndef WR_PROGRAM_OUTPUT_H
#define WR_PROGRAM_OUTPUT_H

#include <stdio.h>

extern FILE *wr_out, *wr_err;

/* Opens both streams. The call must precede output of the program and the loading of plug-ins. If memory or descriptors are exhausted, the
 * streams are stdout and stderr. */
void wr_program_output_open(void);

/* Writes all text that has been printed to wr_out, without reporting errors. On a terminal fflush() keeps the last table, whose rows fit the
 * width of the terminal together. */
void wr_program_output_flush(void);

/* Flushes both streams. Returns 0, or the error number (errno) of the first failed write to wr_out. */
int wr_program_output_close(void);

/* Returns the file to open for a path of the user. For a path to standard output, such as /dev/stdout, returns the path of the copied
 * descriptor; else the path itself. */
const char *wr_program_output_path(const char *path);

#endif
