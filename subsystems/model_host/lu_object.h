/* Opens compiled code that factorises matrices of one pattern (base/lu_code.h).
 *
 * The code is foreign, like a plug-in, so wr_lu_object_open() checks the code as far as possible without a call. The solver checks that the
 * code is for the present pattern (subsystems/solvers/shifted_matrix.h).
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_LU_OBJECT_H
#define WR_LU_OBJECT_H

#include "base/diag.h"
#include "base/lu_code.h"

/* Returns the code and its handle, which the caller closes after the last use; or NULL with the reason in diag. */
const wr_lu_code *wr_lu_object_open(const char *path, const wr_where *where, wr_diag *diag,
                                    void **ret_handle);
/* Closes the handle, and sets *handle to NULL. *handle may be NULL. */
void wr_lu_object_close(void **handle);

#endif
