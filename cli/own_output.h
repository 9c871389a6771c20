/* The program's own standard output and error, apart from what plug-ins print.
 *
 * A plug-in that prints writes to descriptor 1 or to stdio's stdout, which is the same object for the whole process. So
 * descriptor 1 leads to standard error from the start, and the program prints to streams of its own, on a copy of
 * what descriptor 1 was: nothing that a plug-in prints gets into --json, whenever its buffer is emptied. All sources of
 * the program are compiled with this header first (meson.build), which gives stdout, stderr and printf() that meaning.
 *
 * What comes from configs, plug-ins and file names may hold control characters: of these only line feeds and tabs reach a
 * terminal (or file) as they are, others as \xNN, as do bytes that are no UTF-8.
 *
 * Thread: open and close by main; printing as stdio. Real-time: no.
 */
#ifndef WR_OWN_OUTPUT_H
#define WR_OWN_OUTPUT_H

#include <stdio.h>

extern FILE *wr_own_stdout, *wr_own_stderr;

/* Before anything is printed or any plug-in opened. Without memory or descriptors all stays as it was. */
void wr_own_output_open(void);
/* Empties the streams. Returns 0, or the error number of standard output. */
int wr_own_output_close(void);

/* The name of a file that a user has given, with that of the copy for /dev/stdout, its other names and links to them, which
 * lead to standard error now; path itself for any other. */
const char *wr_own_output_path(const char *path);

/* Where standard output leads to. */
int wr_own_output_descriptor(void);

#undef stdout
#undef stderr
#undef printf
#undef puts
#undef putchar
#define stdout wr_own_stdout
#define stderr wr_own_stderr
#define printf(...) fprintf(wr_own_stdout, __VA_ARGS__)
#define puts(text) fprintf(wr_own_stdout, "%s\n", text)
#define putchar(character) fputc(character, wr_own_stdout)

#endif
