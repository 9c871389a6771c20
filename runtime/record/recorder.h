/* The recorder: workers push rows, and a thread writes them.
 *
 * Every subsystem has a stream, a ring buffer with one producer and one consumer. Rows of a stream come in the order of time. The writer
 * thread merges the streams. Communication rows of one time become one row of the result. Without is_sparse all streams have
 * communication rows at the same times. Each event row of a stream becomes a row of its own. Between two communication rows the event
 * rows are ordered by (time, stream). Without is_dropping, order and content of rows do not depend on timing, so equal runs give equal
 * files.
 *
 * The recorder drops rows of a stream without channels. If a run without is_sparse ends early, the recorder drops communication rows
 * that some streams lack, and later event rows.
 *
 * Thread: push by one thread at a time per stream; other functions by the owner, unless their comments say "any". Real-time: push. A
 * push waits only if the disk is too slow, and the recorder counts the waits. With is_dropping the recorder drops the row instead. */
#ifndef WR_RECORDER_H
#define WR_RECORDER_H

#include "runtime/record/streams.h"

typedef struct wr_recorder wr_recorder;

/* Opens the file, writes headers, starts the thread. Returns NULL with an error in diag on failure, for example if the extension is unknown
 * or the file cannot be written. The recorder does not use the options after the call. The thread inherits the caller's affinity, so create
 * the recorder before pinning the caller. */
wr_recorder *wr_recorder_create(const wr_recorder_options *options, wr_diag *diag);

/* Sets the number of communication rows that the run has written to another file. Call before the first push. */
void wr_recorder_resume(wr_recorder *recorder, int64_t n_communication);

/* Pushes a row. kind: wr_record_kind. Times of a stream must not decrease. Returns WRSIM_OK, or the writer thread's failure, such as
 * WRSIM_E_DISK, _E_IO or _E_MEMORY. */
wrsim_status wr_recorder_push(wr_recorder *recorder, int i_stream, int kind, double t_s,
                              const double *values);

/* Pushes a row of a log stream (wr_log_info). With is_dropping the recorder replaces rows without room by one row of kind WR_LOGGED_LOST.
 * Times and result: see wr_recorder_push(). */
wrsim_status wr_recorder_push_log(wr_recorder *recorder, int i_log, int kind, double t_s,
                                  const double *values);

/* Announces that the log stream has no further rows before t_s. */
void wr_recorder_log_until(wr_recorder *recorder, int i_log, double t_s);

/* Returns the writer's first failure, or WRSIM_OK; err may be NULL. Thread: any. */
wrsim_status wr_recorder_status(wr_recorder *recorder, wrsim_error *err);

/* Requests that the thread writes and flushes all pushed rows, and waits at most wait_ns, for a program that is about to end. Returns 1 if
 * the thread has flushed without a failure. Rows that wait for other streams stay in memory. Uses neither locks nor memory. Thread: any,
 * also in a signal handler. */
int wr_recorder_hurry(wr_recorder *recorder, int64_t wait_ns);

/* Returns the CPU time of the thread so far, ns; 0 if the thread has ended or the system has no clock of the thread. Does not delay the
 * thread. */
int64_t wr_recorder_cpu_ns(const wr_recorder *recorder);

/* Writes the remaining rows (wr_merge_finish()), closes the file and ends the thread. Rows written before a failure stay readable. */
wrsim_status wr_recorder_finish(wr_recorder *recorder, wr_recorder_stats *ret_stats,
                                wrsim_error *err);
void wr_recorder_destroy(wr_recorder **recorder);

#endif
