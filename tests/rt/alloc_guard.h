/* An allocator that can be forbidden: between arm and disarm the guard records every call of malloc and its kin by a watched thread, with
 * the callers. Watched threads: the thread that arms and all threads started since the program began, except those exempted by
 * wr_alloc_guard_exempt_unnamed. Thread: the allocator any, the other functions the test's thread. */
#ifndef WR_ALLOC_GUARD_H
#define WR_ALLOC_GUARD_H

#include <stddef.h>

/* Returns 0 if a sanitizer replaces the allocator; tests skip then. */
int wr_alloc_guard_works(void);

/* Forgets the threads of earlier tests. */
void wr_alloc_guard_forget_threads(void);

/* Exempts threads whose name does not begin with prefix. Returns the number of watched threads among those started (and not forgotten);
 * *ret_n_exempt is the number of the others. */
int wr_alloc_guard_exempt_unnamed(const char *prefix, int *ret_n_exempt);

void wr_alloc_guard_arm(void);
/* Returns the number of calls caught since arm. */
int wr_alloc_guard_disarm(void);

/* Writes the function of caught call i and its callers, innermost first: "malloc < a < b". Returns text. */
const char *wr_alloc_guard_text(int i, char *text, size_t text_bytes);

#endif
