/* Reading a whole file. See run_file.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/runs/run_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/open_file.h"

enum { MAX_BYTES = 16 * 1024 * 1024 };

static char *fail(wrsim_error *err, const char *file, wrsim_status status, const char *why)
{
    wr_error_set(err, status, "%s", why);
    if (err)
        snprintf(err->file, sizeof err->file, "%.*s", (int)sizeof err->file - 1, file);
    return NULL;
}

char *wr_run_file_read(const char *file, wrsim_error *err)
{
    FILE *const in = wr_open_file_read(file);
    if (!in)
        return fail(err, file, WRSIM_E_IO, strerror(errno));
    char *text = NULL;
    size_t n = 0, cap = 4096;
    int error_number = 0;
    while (error_number == 0 && !feof(in) && n <= MAX_BYTES) {
        cap *= 2;
        char *const grown = realloc(text, cap);
        text = grown ? grown : text;
        error_number = grown ? 0 : ENOMEM;
        if (grown)
            n += fread(text + n, 1, cap - 1 - n, in);
        if (ferror(in))
            error_number = errno;
    }
    fclose(in);
    if (error_number == 0 && n <= MAX_BYTES) {
        text[n] = '\0';
        if (strlen(text) == n)
            return text;
    }
    free(text);
    return fail(err, file, WRSIM_E_IO,
                error_number    ? strerror(error_number)
                : n > MAX_BYTES ? "is too large"
                                : "is no text: it holds a NUL character");
}
