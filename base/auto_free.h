/* WR_AUTO_FREE marks a pointer variable: every exit from the scope of the variable frees the block. NULL is valid:
 *
 *     WR_AUTO_FREE double *const work = malloc(n * sizeof *work);
 *
 * WR_AUTO(f) calls f(&variable) instead. The attribute is an extension of gcc and clang.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_AUTO_FREE_H
#define WR_AUTO_FREE_H

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define WR_AUTO_FREE WR_AUTO(wr_auto_free)
#define WR_AUTO(function) __attribute__((cleanup(function)))

static inline void wr_auto_free(const void *variable)
{
    void *block;
    memcpy(&block, variable, sizeof block);
    free(block);
}

#endif
