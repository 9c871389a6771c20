/* Collected errors of the setup phase, so that a user sees all of them at once.
 *
 * Setup functions append what they find to a wr_diag and return a negative status; the caller goes
 * on where that makes sense and gives up at the end of its phase.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_DIAG_H
#define WR_DIAG_H

#include "base/check.h"
#include "wrsim/status.h"

/* A place in a user's file. file is owned by whoever made it and outlives the simulation's setup.
 */
typedef struct wr_where {
    const char *file; /* NULL = none */
    int line, column; /* 1-based; 0 = unknown */
} wr_where;

typedef struct wr_diag {
    wrsim_error *items;
    int n_items, cap_items;
    int n_dropped; /* beyond WR_DIAG_MAX; one that comes again counts again */
} wr_diag;

enum { WR_DIAG_MAX = 200 };

/* Appends one error, unless the same is there already, and returns status, so that
 * `return wr_diag_add(...)` reads well. where may be NULL. The text is one sentence without a final
 * newline. */
wrsim_status wr_diag_add(wr_diag *diag, wrsim_status status, const wr_where *where,
                         const char *format, ...) WR_PRINTF(4, 5);

/* The status of the first error, WRSIM_OK if there is none. */
wrsim_status wr_diag_status(const wr_diag *diag);

/* Puts the errors into reading order: file by file as they first came, lines ascending, what belongs
 * to no line of a file after its lines. Errors of one line keep their order. */
void wr_diag_sort(wr_diag *diag);

/* Tells all errors in reading order (report NULL: nobody), and how many found no room; err (or NULL) gets the first. Returns its
 * status. */
wrsim_status wr_diag_report(wr_diag *diag, void (*report)(void *user, const wrsim_error *error),
                            void *user, wrsim_error *err);

/* Frees the items; the diag is empty and usable again. */
void wr_diag_done(wr_diag *diag);

/* Fills one error record (NULL: none is wanted) in the same form (time NaN, no subsystem). Returns status. */
wrsim_status wr_error_set(wrsim_error *err, wrsim_status status, const char *format, ...)
    WR_PRINTF(3, 4);

#endif
