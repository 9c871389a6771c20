/* Collected setup errors. See diag.h. Thread: one owner. Real-time: no. */
#include "base/diag.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

static void fill(wrsim_error *err, wrsim_status status, const wr_where *where, const char *format,
                 va_list args)
{
    WR_IN_C_LOCALE;
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
    wrsim_error error;
    va_list args;
    va_start(args, format);
    fill(&error, status, where, format, args);
    va_end(args);
    /* A line of a config may apply to many inputs or subsystems, so its error may repeat. */
    for (int i = 0; i < diag->n_items; i++) {
        const wrsim_error *const e = &diag->items[i];
        if (e->line == error.line && e->column == error.column &&
            strcmp(e->text, error.text) == 0 && strcmp(e->file, error.file) == 0)
            return status;
    }
    if (diag->n_items >= WR_DIAG_MAX) {
        diag->n_dropped++;
        return status;
    }
    if (diag->n_items == diag->cap_items) {
        const int cap = diag->cap_items ? 2 * diag->cap_items : 8;
        wrsim_error *const items = realloc(diag->items, (size_t)cap * sizeof *items);
        if (!items) {
            diag->n_dropped++;
            return status;
        }
        diag->items = items;
        diag->cap_items = cap;
    }
    diag->items[diag->n_items++] = error;
    return status;
}

wrsim_status wr_diag_status(const wr_diag *diag)
{
    if (diag->n_items > 0)
        return diag->items[0].status;
    return diag->n_dropped > 0 ? WRSIM_E_MEMORY : WRSIM_OK;
}

/* Returns the place of item i in an insertion sort: before the errors at later lines and columns of its file. If the file has no later
 * error, the place is after the file's last error. If the file has no other error, the place is i. */
static int place_of(const wr_diag *diag, int i)
{
    const wrsim_error *const item = &diag->items[i];
    int place = i;
    for (int k = i - 1; k >= 0; k--) {
        const wrsim_error *const other = &diag->items[k];
        if (strcmp(other->file, item->file) != 0)
            continue;
        const int is_after =
            item->line > 0 && (other->line == 0 || other->line > item->line ||
                               (other->line == item->line && other->column > item->column));
        if (!is_after)
            return k + 1;
        place = k;
    }
    return place;
}

void wr_diag_sort(wr_diag *diag)
{
    for (int i = 1; i < diag->n_items; i++) {
        const int place = place_of(diag, i);
        const wrsim_error item = diag->items[i];
        memmove(&diag->items[place + 1], &diag->items[place],
                (size_t)(i - place) * sizeof *diag->items);
        diag->items[place] = item;
    }
}

void wr_diag_done(wr_diag *diag)
{
    free(diag->items);
    memset(diag, 0, sizeof *diag);
}

wrsim_status wr_error_set_at(wrsim_error *err, wrsim_status status, const wr_where *where,
                             const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    fill(err, status, where, format, args);
    va_end(args);
    return status;
}

wrsim_status wr_diag_report(wr_diag *diag, void (*report)(void *user, const wrsim_error *error),
                            void *user, wrsim_error *err)
{
    wr_diag_sort(diag);
    const wrsim_status status = wr_diag_status(diag);
    /* error record for an empty list, if memory was exhausted before the first error */
    wrsim_error only;
    wr_error_set(&only, status, "%s", wrsim_status_text(status));
    if (err && status < 0)
        *err = diag->n_items > 0 ? diag->items[0] : only;
    for (int i = 0; report && i < diag->n_items; i++)
        report(user, &diag->items[i]);
    if (report && diag->n_items > 0 && diag->n_dropped > 0) {
        wrsim_error rest;
        wr_error_set(&rest, diag->items[0].status,
                     "%d more error%s not shown; correct the errors above first", diag->n_dropped,
                     diag->n_dropped == 1 ? " is" : "s are");
        report(user, &rest);
    }
    if (report && status < 0 && diag->n_items == 0)
        report(user, &only);
    return status;
}
