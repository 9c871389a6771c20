/* A file that is written at the end of a run, or now and then during it, belongs to one run.
 *
 * The file cannot carry the lock: each write renames a new file into its place. The lock is on an empty file beside it, "NAME.lock".
 * The system drops the lock when the process ends, so an empty file that a killed run leaves claims nothing. In a folder where no file
 * can be made, the file itself is rewritten in place, and carries the lock.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_FILE_CLAIM_H
#define WR_FILE_CLAIM_H

typedef struct wr_file_claim wr_file_claim;

/* Claims the file that path leads to, also through links and before the file is there. 0, EAGAIN if another claim holds the file, or
 * ENOMEM. *ret_claim is NULL where nothing can be claimed: pipes, devices, descriptors of this process, file systems without locks. */
int wr_file_claim_take(const char *path, wr_file_claim **ret_claim);

/* Gives the file free and removes the lock file; accepts NULL and nulls the pointer. */
void wr_file_claim_release(wr_file_claim **claim);

#endif
