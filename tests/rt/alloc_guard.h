/* Guard of the allocator: between arm and disarm the guard records each allocation and free of a watched thread, with the callers.
 * Watched threads are the thread that arms and all threads started in the program, except threads exempted by
 * wr_alloc_guard_exempt_unnamed. Thread: the allocator any, the other functions the test's thread. */
#ifndef WR_ALLOC_GUARD_H
#define WR_ALLOC_GUARD_H

#include <stddef.h>

/* Returns 0 if a sanitizer replaces the allocator; tests skip then. */
int wr_alloc_guard_works(void);

/* Forgets the threads of earlier tests. */
void wr_alloc_guard_forget_threads(void);

/* Exempts threads whose name does not begin with prefix. Returns the number of watched threads among the started threads (without
 * forgotten threads), and the number of exempted threads in *ret_n_exempt. */
int wr_alloc_guard_exempt_unnamed(const char *prefix, int *ret_n_exempt);

/* Separates the calls of a loaded shared object, such as the library of an FMU, from the calls of all other code. The calls of the object
 * include calls by functions of the C library that the object calls. name: a part of the object's path. Returns the number of addresses of
 * the allocator that the object has, or -1 if the process has loaded no such object. Thread: none may call the object. */
int wr_alloc_guard_separate(const char *name);
/* Returns the number of calls by the separated object since arm. */
long wr_alloc_guard_foreign(void);

void wr_alloc_guard_arm(void);
/* Returns the number of calls caught since arm, without the calls of the separated object. */
int wr_alloc_guard_disarm(void);

/* Writes the function of caught call i and its callers, innermost first: "malloc < a < b". Returns text. */
const char *wr_alloc_guard_text(int i, char *text, size_t text_bytes);

#endif
