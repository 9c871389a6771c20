/* Expands the status list into names, texts and exit codes; also returns the version of wrsim. Thread: any. Real-time: yes. */
#include <stddef.h>

#include "wrsim/status.h"
#include "wrsim/version.h"

typedef struct row {
    wrsim_status status;
    const char *name, *text;
    int exit_code;
} row;

/* Returns the row of a status, or the last row for an unknown status. */
static const row *row_of(wrsim_status status)
{
    static const row rows[] = {
#define WRSIM_X(name, number, exit_code, text) {name, #name, text, exit_code},
        WRSIM_STATUS_LIST(WRSIM_X)
#undef WRSIM_X
            {0, "?", "unknown status", 7}};
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof *rows && rows[i].status != status)
        i++;
    return &rows[i];
}

const char *wrsim_status_name(wrsim_status status) { return row_of(status)->name; }

const char *wrsim_status_text(wrsim_status status) { return row_of(status)->text; }

int wrsim_status_exit_code(wrsim_status status) { return row_of(status)->exit_code; }

const char *wrsim_version(void) { return WRSIM_VERSION_STRING; }
