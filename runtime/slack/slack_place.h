/* Places and starts a slackened run.
 *
 * Thread: the worker that has claimed the task, unless said otherwise. Real-time: yes after placing.
 */
#ifndef WR_SLACK_PLACE_H
#define WR_SLACK_PLACE_H

#include "runtime/slack/slack_run.h"

/* As wr_slack_place() and wr_slack_start(). Thread: the owner. */
wr_slack *wr_slack_place_run(wr_arena *arena, const wr_slack_options *options, const wr_link *parts,
                             int n_part, wr_team *team);
wrsim_status wr_slack_place_start(wr_slack *slack, wrsim_error *err);

/* Name of the first subsystem with that flag; NULL: none. */
const char *wr_slack_place_find_flag(const wr_slack *slack, unsigned flag);

/* Is a time a whole number of communication steps, up to rounding? */
int wr_slack_place_is_multiple(const wr_slack *slack, double span_s);

#endif
