/* An allocator that can be forbidden: between arm and disarm every call of malloc and its kin by a
 * watched thread is written down with the functions that led to it.
 *
 * Watched are the thread that arms and all threads started since the program began, but for those
 * let off by wr_alloc_guard_exempt_unnamed.
 *
 * Thread: arm, disarm and the rest by the test's thread; the allocator itself any.
 */
#ifndef WR_ALLOC_GUARD_H
#define WR_ALLOC_GUARD_H

#include <stddef.h>

/* Returns 0 if a sanitizer replaces the allocator; tests skip then. */
int wr_alloc_guard_works(void);

/* Forgets the threads of earlier tests. */
void wr_alloc_guard_forget_threads(void);

/* Lets off threads whose name does not begin with prefix. Returns how many of those started (and
 * not forgotten) are watched; *ret_n_exempt is the number of the others. */
int wr_alloc_guard_exempt_unnamed(const char *prefix, int *ret_n_exempt);

void wr_alloc_guard_arm(void);
/* Returns the number of calls caught since arm. */
int wr_alloc_guard_disarm(void);

/* What caught call i was: the function called, and its callers, innermost first, "malloc < a < b".
 * Returns text. */
const char *wr_alloc_guard_text(int i, char *text, size_t text_bytes);

#endif
