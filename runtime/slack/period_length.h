/* Lengths of periods, in ticks.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_PERIOD_LENGTH_H
#define WR_PERIOD_LENGTH_H

#include "runtime/slack/task_record.h"

/* Periods of connections are P / 2^k, with k up to this. */
enum { WR_SLACK_MOST_HALVINGS = 10 };

/* Sets the ticks of a period and of each task's first period, before stores are placed. */
void wr_period_length_place(wr_slack_plan *plan);
/* Largest number of ticks that a task's connections allow for the periods of a source. */
int wr_period_length_wish(const wr_slack_plan *plan, const wr_wiring *link, int i_source);
/* Lists the readers of each task, after sources are placed. 0, or -1: out of memory. */
int wr_period_length_place_readers(const wr_slack_plan *plan, wr_arena *arena);

/* Grid point n. */
double wr_period_length_grid(const wr_slack_plan *plan, int64_t n_tick);
/* Is t_s the end, up to a small share of a period? Versions that end in between count as ending at the end. */
int wr_period_length_is_end(const wr_slack_plan *plan, double t_s, double t_end_s);
/* The first multiple of span after n_tick. */
int64_t wr_period_length_end(int64_t n_tick, int span);
/* The grid point at or before t_s, which is no earlier than n_tick. */
int64_t wr_period_length_tick(const wr_slack_plan *plan, int64_t n_tick, double t_s);
/* The first multiple of the whole period at or after t_s. */
double wr_period_length_meet(const wr_slack_plan *plan, double t_s);

/* Fills a version with the length of the next period and the task's wishes. Returns the length, in ticks. */
int wr_period_length_publish(const wr_slack_plan *plan, const wr_period_task *part,
                             wr_version *version);

/* Shortens the wished periods of a source whose delay error is `factor` times the limit. Returns 1 if the wish changes. */
int wr_period_length_shorten(const wr_slack_plan *plan, wr_period_task *part, int i_source,
                             double factor);
/* Ticks of a source's periods in its newest known version. */
int wr_period_length_known(const wr_version_source *source);
/* Are the wished periods of a source the shortest? */
int wr_period_length_is_shortest(const wr_slack_plan *plan, const wr_version_source *source);

/* Does an exceeded limit shorten connections? */
int wr_period_length_is_shortening(const wr_slack_options *options);

/* Passes over the ticks of a period, which a damaged state may set to any value. */
void wr_period_length_pass(const wr_slack_plan *plan, wr_state_io *io, int *span);

#endif
