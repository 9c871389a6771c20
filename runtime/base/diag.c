/* Collected setup errors. See diag.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/base/diag.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(wrsim_error *err, wrsim_status status, const wr_where *where, const char *format,
                 va_list args)
{
    memset(err, 0, sizeof *err);
    err->status = status;
    err->time_s = (double)NAN;
    if (where) {
        err->line = where->line;
        err->column = where->column;
        if (where->file)
            snprintf(err->file, sizeof err->file, "%s", where->file);
    }
    vsnprintf(err->text, sizeof err->text, format, args);
}

wrsim_status wr_diag_add(wr_diag *diag, wrsim_status status, const wr_where *where,
                         const char *format, ...)
{
    if (diag->n_items == diag->cap_items) {
        const int cap = diag->cap_items ? 2 * diag->cap_items : 8;
        wrsim_error *const items =
            cap <= 2 * WR_DIAG_MAX ? realloc(diag->items, (size_t)cap * sizeof *items) : NULL;
        if (!items) {
            diag->n_dropped++;
            return status;
        }
        diag->items = items;
        diag->cap_items = cap;
    }
    if (diag->n_items >= WR_DIAG_MAX) {
        diag->n_dropped++;
        return status;
    }
    va_list args;
    va_start(args, format);
    fill(&diag->items[diag->n_items++], status, where, format, args);
    va_end(args);
    return status;
}

wrsim_status wr_diag_status(const wr_diag *diag)
{
    if (diag->n_items > 0)
        return diag->items[0].status;
    return diag->n_dropped > 0 ? WRSIM_E_MEMORY : WRSIM_OK;
}

void wr_diag_done(wr_diag *diag)
{
    free(diag->items);
    memset(diag, 0, sizeof *diag);
}

void wr_error_set(wrsim_error *err, wrsim_status status, const char *format, ...)
{
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    fill(err, status, NULL, format, args);
    va_end(args);
}
