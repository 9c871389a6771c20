/* Opens the shared objects that configs name: plug-ins and generated factorisations.
 *
 * Checks before dlopen() for pipes, other formats and truncated files, which dlopen() does not detect or does not explain clearly.
 * The functions that an object runs when it is loaded are recorded (calling.h).
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_SHARED_OBJECT_H
#define WR_SHARED_OBJECT_H

enum { WR_SHARED_OBJECT_BYTES = 512 };

/* Returns the handle of dlopen(), for dlclose(); NULL with the reason, which may be truncated. */
void *wr_shared_object_open(const char *path, char reason[WR_SHARED_OBJECT_BYTES]);

/* Does the file exist, with another format? */
int wr_shared_object_is_other(const char *path);

#endif
