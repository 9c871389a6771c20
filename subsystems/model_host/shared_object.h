/* Opens the shared objects that configs name: plug-ins and generated factorisations.
 *
 * wr_shared_object_open() checks the file before dlopen() for pipes, other formats and truncation. dlopen() does not detect these errors,
 * or does not explain them clearly. The record of calls (calling.h) includes the load functions of an object.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_SHARED_OBJECT_H
#define WR_SHARED_OBJECT_H

enum { WR_SHARED_OBJECT_BYTES = 512 };

/* 0: the sanitizers of addresses, memory and threads replace functions of libc, and end the program at RTLD_DEEPBIND. */
#define WR_SHARED_OBJECT_CAN_ISOLATE 1
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#undef WR_SHARED_OBJECT_CAN_ISOLATE
#define WR_SHARED_OBJECT_CAN_ISOLATE 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
#undef WR_SHARED_OBJECT_CAN_ISOLATE
#define WR_SHARED_OBJECT_CAN_ISOLATE 0
#endif
#endif

/* Search of symbols by an object. */
typedef enum wr_shared_object_scope {
    WR_SHARED_OBJECT_USUAL,
    WR_SHARED_OBJECT_ISOLATED /* symbols of the object and its libraries come before symbols of the process; as USUAL if
                               * WR_SHARED_OBJECT_CAN_ISOLATE is 0 */
} wr_shared_object_scope;

/* Returns the handle of dlopen(), for dlclose(); or NULL with the reason, which may be truncated. */
void *wr_shared_object_open(const char *path, wr_shared_object_scope scope,
                            char reason[WR_SHARED_OBJECT_BYTES]);

/* Returns whether the file begins with other bytes than a shared object. 0: also a pipe, a file below 4 bytes, or a file that cannot be
 * opened. */
int wr_shared_object_is_other(const char *path);

#endif
