/* Opens the shared objects that configs name: plug-ins and generated factorisations.
 *
 * The file is checked before dlopen() for pipes, other formats and truncation, which dlopen() does not detect or not explain clearly. The
 * load functions of an object are recorded as a call (calling.h).
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_SHARED_OBJECT_H
#define WR_SHARED_OBJECT_H

enum { WR_SHARED_OBJECT_BYTES = 512 };

/* Returns the handle of dlopen(), for dlclose(); or NULL with the reason, which may be truncated. */
void *wr_shared_object_open(const char *path, char reason[WR_SHARED_OBJECT_BYTES]);

/* Does the file exist, and is it no shared object? */
int wr_shared_object_is_other(const char *path);

#endif
