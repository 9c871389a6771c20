/* Locks for files that one run alone may write, repeatedly or at the run's end.
 *
 * A lock of the file itself is useless, because each write replaces the file by a new file. Instead the run locks an empty file in the same
 * folder, "NAME.lock". The system drops the lock when the process ends, so the lock file of a killed run locks nothing. If the folder
 * permits no new files, the run rewrites the file in place and locks the file itself.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_FILE_CLAIM_H
#define WR_FILE_CLAIM_H

typedef struct wr_file_claim wr_file_claim;

/* Claims the file at `path`, which may be a link and need not exist. Returns 0, EAGAIN if another claim has locked the file, or ENOMEM.
 * If no lock is possible, the call returns 0 and *ret_claim is NULL. Examples are pipes, devices, descriptors of this process, and file
 * systems without locks. */
int wr_file_claim_take(const char *path, wr_file_claim **ret_claim);

/* Releases the claim, removes the empty lock file and sets *claim to NULL. *claim may be NULL. */
void wr_file_claim_release(wr_file_claim **claim);

#endif
