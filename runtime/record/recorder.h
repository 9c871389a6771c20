/* The recorder: workers push rows, a thread of its own writes them.
 *
 * Every subsystem has a stream (single producer, single consumer ring). Rows of one stream come in
 * time order. The writer thread merges the streams: communication rows, which all streams have at
 * the same times, become one row of the result; event rows are written per stream, ordered by
 * (time, stream). Row order and content do not depend on timing, so result files are byte-identical
 * for equal runs.
 *
 * A stream without channels has no part in this: its rows are accepted and dropped. At the end of a
 * run that was cut short, communication rows that not all streams have delivered are dropped, and
 * event rows after them.
 *
 * Thread: push by one thread at a time per stream; the rest by the owner. Real-time: push (it waits
 * only when the disk cannot follow; waits are counted; or drops rows instead).
 */
#ifndef WR_RECORDER_H
#define WR_RECORDER_H

#include "runtime/record/streams.h"

typedef struct wr_recorder wr_recorder;

/* Opens the file, writes headers, starts the thread. Errors (unknown extension, cannot write) go to
 * diag. Nothing of options is used after the call. The thread inherits the caller's affinity:
 * create the recorder before pinning the caller. */
wr_recorder *wr_recorder_create(const wr_recorder_options *options, wr_diag *diag);

/* Before the first push: the run has given so many communication rows to another file. */
void wr_recorder_resume(wr_recorder *recorder, int64_t n_communication);

/* Pushes one row. kind: wr_record_kind. Rows of a stream must not go back in time.
 * Returns WRSIM_OK, or the writer thread's failure (WRSIM_E_DISK, WRSIM_E_IO). */
wrsim_status wr_recorder_push(wr_recorder *recorder, int i_stream, int kind, double t_s,
                              const double *values);

/* The failure the writer met so far, or WRSIM_OK; err may be NULL. Thread: any. */
wrsim_status wr_recorder_status(wr_recorder *recorder, wrsim_error *err);

/* Has the thread write and flush all that was pushed, and waits for it, at most wait_ns: for a program that is about to end.
 * Returns whether that is done. Takes neither locks nor memory. Thread: any, also in a signal handler. */
int wr_recorder_hurry(wr_recorder *recorder, int64_t wait_ns);

/* Drains everything, closes the file and ends the thread. What was written stays readable whatever
 * happens. */
wrsim_status wr_recorder_finish(wr_recorder *recorder, wr_recorder_stats *ret_stats,
                                wrsim_error *err);
void wr_recorder_destroy(wr_recorder **recorder);

#endif
