/* Lengths of periods, in ticks. Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing. */
#ifndef WR_PERIOD_LENGTH_H
#define WR_PERIOD_LENGTH_H

#include "runtime/slack/task_record.h"

/* largest k of the periods P / 2^k of connections (assumed) */
enum { WR_SLACK_MOST_HALVINGS = 10 };

/* Sets the ticks of a period and of each task's first period, before stores are placed. */
void wr_period_length_place(wr_slack_plan *plan);
/* Returns the largest number of ticks that a task's connections allow for the periods of a source. */
int wr_period_length_wish(const wr_slack_plan *plan, const wr_wiring *link, int i_source);
/* If a limit may shorten periods, lists the readers of each task. Requires placed sources. Returns 0, or -1 when memory is exhausted. */
int wr_period_length_place_readers(const wr_slack_plan *plan, wr_arena *arena);

/* Returns the time of grid point n_tick, s. */
double wr_period_length_grid(const wr_slack_plan *plan, int64_t n_tick);
/* Returns 1 if t_s is later than t_end_s, or at most a small share of a period earlier. A version that ends so little before t_end_s counts
 * as ending at t_end_s. */
int wr_period_length_is_end(const wr_slack_plan *plan, double t_s, double t_end_s);
/* Returns the first multiple of span after n_tick. */
int64_t wr_period_length_end(int64_t n_tick, int span);
/* Returns the number of the last grid point at or before t_s, but at least n_tick. */
int64_t wr_period_length_tick(const wr_slack_plan *plan, int64_t n_tick, double t_s);
/* Returns the first start or end of a whole period at or after t_s, s. */
double wr_period_length_meet(const wr_slack_plan *plan, double t_s);

/* Fills a version: length of the next period, end of the next version, and periods that the task requests of its sources. Returns the
 * length, in ticks. */
int wr_period_length_publish(const wr_slack_plan *plan, const wr_period_task *part,
                             wr_version *version);

/* Shortens the requested periods of a source whose delay error is `factor` times the limit. Returns 1 if the new request is shorter than
 * the present periods and the last request. */
int wr_period_length_shorten(const wr_slack_plan *plan, wr_period_task *part, int i_source,
                             double factor);
/* Returns the ticks of a source's periods in its newest known version; without a version, of its first period. */
int wr_period_length_known(const wr_version_source *source);
/* Returns 1 if the requested periods of a source are the shortest possible periods. */
int wr_period_length_is_shortest(const wr_slack_plan *plan, const wr_version_source *source);

/* Returns 1 if a limit has the action WR_ACTION_SHORTEN. */
int wr_period_length_is_shortening(const wr_slack_options *options);

/* Reads or writes the ticks of a period. A damaged state cannot set ticks below 1 or above plan->n_tick. */
void wr_period_length_pass(const wr_slack_plan *plan, wr_state_io *io, int *span);

#endif
