/* Places and starts a slackened run. Thread: one owner. Real-time: no (setup). */
#ifndef WR_SLACK_PLACE_H
#define WR_SLACK_PLACE_H

#include "base/diag.h"
#include "runtime/relax/wiring.h"
#include "runtime/slack/slack_options.h"
#include "scheduler/team.h"

typedef struct wr_slack wr_slack;

/* Places a run. The team and the arrays in `parts` outlive the run. Returns NULL when memory is exhausted. */
wr_slack *wr_slack_place(wr_arena *arena, const wr_slack_options *options, const wr_wiring *parts,
                         int n_part, wr_team *team);

/* Finds start values. Returns a status, with err set on failure: WRSIM_E_CONFIG if a subsystem does not support the periods or sweeps. */
wrsim_status wr_slack_start(wr_slack *slack, wrsim_error *err);

/* Returns the name of the first subsystem with a flag, or NULL. */
const char *wr_slack_place_find_flag(const wr_slack *slack, unsigned flag);

/* Returns 1 if a time is a whole number of communication steps, up to rounding. */
int wr_slack_place_is_multiple(const wr_slack *slack, double span_s);

#endif
