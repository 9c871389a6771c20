/* Opening the shared objects that configs name: plug-ins and generated factorisations.
 *
 * What dlopen() does not look at, or has no plain words for, is looked at before: pipes, other formats, files that are cut off.
 * What an object runs when it is loaded is on record (calling.h).
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_SHARED_OBJECT_H
#define WR_SHARED_OBJECT_H

enum { WR_SHARED_OBJECT_BYTES = 512 };

/* What dlopen() gives, to be closed with dlclose(); NULL with the reason, which may be cut. */
void *wr_shared_object_open(const char *path, char reason[WR_SHARED_OBJECT_BYTES]);

/* 1 if the file is there and of another format. */
int wr_shared_object_is_other(const char *path);

#endif
