/* Binaries of FMUs that the process has opened. Several wr_binary of one file share the data of the file, and so share one
 * wr_binary_library.
 *
 * Thread: any, unless stated. Real-time: no, apart from wr_binary_library_is_dead() and wr_binary_library_kill().
 */
#ifndef WR_BINARY_LIBRARY_H
#define WR_BINARY_LIBRARY_H

#include <stdatomic.h>

typedef struct wr_binary_library {
    void *handle;   /* of dlopen() */
    char *token;    /* GUID or instantiation token of the FMU */
    int n_binary;   /* wr_binary that use the library */
    int n_instance; /* instances of these wr_binary */
    atomic_int
        is_dead; /* 1: after a fatal error no call may reach the library; relaxed, because no other data depends on the value */
    void *lost;  /* list of instances that the dead library may still use */
    struct wr_binary_library *next;
} wr_binary_library;

/* Returns the library of the handle, with a new one for a new handle; NULL without memory. The caller closes the handle. */
wr_binary_library *wr_binary_library_join(void *handle, const char *token);
/* Ends the use of the library, which the call may free. Returns 1 if the caller must close its handle. Returns 0 for a dead library. A
 * dead library stays in the process, because its threads and data may be in use. */
int wr_binary_library_leave(wr_binary_library *library);

/* Counts a new instance. is_once: only one instance of all libraries with the token is allowed. Returns 0, or -1 if one exists. */
int wr_binary_library_claim(wr_binary_library *library, int is_once);
/* Removes an instance from the count. */
void wr_binary_library_release(wr_binary_library *library);
/* Puts an instance of a dead library, which may still use the instance, at the start of the list of lost instances. Returns the next
 * instance of the list. */
void *wr_binary_library_lose(wr_binary_library *library, void *instance);

static inline int wr_binary_library_is_dead(const wr_binary_library *library)
{
    return atomic_load_explicit(&library->is_dead, memory_order_relaxed);
}

static inline void wr_binary_library_kill(wr_binary_library *library)
{
    atomic_store_explicit(&library->is_dead, 1, memory_order_relaxed);
}

#endif
