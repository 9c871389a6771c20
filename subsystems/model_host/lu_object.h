/* Opening compiled code that factorises matrices of one pattern (base/lu_code.h).
 *
 * Like a plug-in it is foreign: what can be checked without calling it is; that it was made for the pattern at hand
 * is checked by who uses it (shifted.h).
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_LU_OBJECT_H
#define WR_LU_OBJECT_H

#include "base/diag.h"
#include "base/lu_code.h"

/* NULL with the reason in diag; else *ret_handle is to be closed when the code is no longer used. */
const wr_lu_code *wr_lu_object_open(const char *path, const wr_where *where, wr_diag *diag,
                                    void **ret_handle);
/* Accepts a NULL handle and nulls it. */
void wr_lu_object_close(void **handle);

#endif
