/* Merges the recorder's streams into an order that does not depend on timing.
 *
 * Rows of a stream wait until every stream has delivered its row of the next communication point. Then no stream can
 * deliver an earlier event. First the merge writes event rows before this point, sorted by (time, stream, order of arrival
 * in the stream). Nodes of waves before the point follow, wave by wave, and then the communication row. A wave has
 * delivered all nodes before a point when the wave has a later node, or at the end.
 *
 * Rows of the log before a communication point precede the rows of the point, sorted by (time, stream, order of arrival). Each log stream
 * announces the time up to which the stream has delivered its rows. Without communication rows, the announced times alone decide.
 *
 * Sparse streams have communication points of their own. A row then contains the streams that have this point.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_MERGE_H
#define WR_MERGE_H

#include "runtime/record/writer_ops.h"

typedef struct wr_merge wr_merge;

/* Creates a merge that writes to `writer`, which the caller owns and which outlives the merge. Returns NULL when out of memory. */
wr_merge *wr_merge_create(const wr_recorder_options *options, const wr_writer_ops *ops,
                          wr_writer *writer);
void wr_merge_destroy(wr_merge **merge);

/* Stores a copy of one row, unless the stream has no channels. Returns WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_merge_add(wr_merge *merge, int i_stream, int kind, double t_s, const double *values,
                          wrsim_error *err);

/* Announces that a log stream has delivered all rows before t_s. The earlier announcements of a stream remain valid. */
void wr_merge_log_until(wr_merge *merge, int i_log, double t_s);

/* Sets the number of communication rows in an earlier file, which count for decimation. Call before the first row. */
void wr_merge_resume(wr_merge *merge, int64_t n_communication);

/* Writes all rows whose order is known. */
wrsim_status wr_merge_write(wr_merge *merge, wrsim_error *err);
/* Writes the remaining rows. Without sparse streams, drops communication rows that a stream lacks, and later event rows. No call of
 * wr_merge_add() may follow. */
wrsim_status wr_merge_finish(wr_merge *merge, wrsim_error *err);

/* Return the numbers of communication rows and of event rows (without nodes) written so far. */
int64_t wr_merge_n_row(const wr_merge *merge);
int64_t wr_merge_n_event_row(const wr_merge *merge);

#endif
