/* Merges the recorder's streams into one order that does not depend on timing.
 *
 * Rows wait here, per stream, until every stream has delivered its row of the next communication
 * point: then no stream can deliver an earlier event any more, the event rows before it are written
 * by (time, stream, order of arrival in their stream), and the communication row after them. Nodes of waves before that
 * point are written then, too, wave by wave: a wave has delivered them when it has a node after it, or at the end.
 *
 * Sparse streams have communication rows at times of their own. A row then has the values of those that have that time.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_MERGE_H
#define WR_MERGE_H

#include "runtime/record/writer_ops.h"

typedef struct wr_merge wr_merge;

/* Writes to writer, which stays the caller's and outlives the merge. NULL when out of memory. */
wr_merge *wr_merge_create(const wr_recorder_options *options, const wr_writer_ops *ops,
                          wr_writer *writer);
void wr_merge_destroy(wr_merge **merge);

/* Keeps a copy of one row. WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_merge_add(wr_merge *merge, int i_stream, int kind, double t_s, const double *values,
                          wrsim_error *err);

/* Before the first row: so many communication rows have been given elsewhere, which counts for decimation. */
void wr_merge_resume(wr_merge *merge, int64_t n_communication);

/* Writes all rows whose place is settled. */
wrsim_status wr_merge_write(wr_merge *merge, wrsim_error *err);
/* Writes what is left: no row will be added any more. */
wrsim_status wr_merge_finish(wr_merge *merge, wrsim_error *err);

/* Rows given to the writer so far. */
int64_t wr_merge_n_row(const wr_merge *merge);
int64_t wr_merge_n_event_row(const wr_merge *merge);

#endif
