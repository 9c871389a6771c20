/* Collects the errors or warnings of the setup phase for one report, at most WR_DIAG_MAX.
 *
 * Setup functions append errors to a wr_diag and return a negative status. The caller continues as long as possible and fails at the end
 * of its phase.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_DIAG_H
#define WR_DIAG_H

#include "base/auto_free.h"
#include "wrsim/status.h"

/* A position in a file of the user. The owner of `file` keeps the name until the setup of the simulation ends. */
typedef struct wr_where {
    const char *file; /* name of the file; NULL: none */
    int line, column; /* numbers from 1; 0: unknown */
} wr_where;

typedef struct wr_diag {
    wrsim_error *items;
    int n_items, cap_items;
    int n_dropped; /* number of errors without a place in items; repeated errors count again */
} wr_diag;

enum { WR_DIAG_MAX = 200 }; /* largest number of stored errors (assumed) */

/* Appends an error unless the list already has an error with the same place and text. Returns `status`, for use in a return statement.
 * where may be NULL. The text has no newline. */
wrsim_status wr_diag_add(wr_diag *diag, wrsim_status status, const wr_where *where,
                         const char *format, ...) WR_PRINTF(4, 5);

/* Returns the status of the first error, WRSIM_E_MEMORY if memory was exhausted before the first error, or WRSIM_OK without errors. */
wrsim_status wr_diag_status(const wr_diag *diag);

/* Sorts the errors: files in the order of their first error, then lines, then columns in ascending order. Errors without a line follow
 * the lines of their file. */
void wr_diag_sort(wr_diag *diag);

/* Passes the stored errors in sorted order to report (may be NULL), then the number of dropped errors. err (may be NULL) gets the first
 * error. Returns as wr_diag_status(). */
wrsim_status wr_diag_report(wr_diag *diag, void (*report)(void *user, const wrsim_error *error),
                            void *user, wrsim_error *err);

/* Frees the items. The list is then empty and usable again. */
void wr_diag_done(wr_diag *diag);

/* Fills an error record, with the time NaN and no subsystem. err and where may be NULL. Returns `status`. */
wrsim_status wr_error_set_at(wrsim_error *err, wrsim_status status, const wr_where *where,
                             const char *format, ...) WR_PRINTF(4, 5);
/* Fills an error record without a place in a file. */
#define wr_error_set(err, status, ...) wr_error_set_at((err), (status), NULL, __VA_ARGS__)

/* Fills the record of a failed allocation, and returns WRSIM_E_MEMORY. */
#define wr_error_memory(err) wr_error_set(err, WRSIM_E_MEMORY, "out of memory")

#endif
