/* The plan of a slackened run: options, ticks of a period, and the tasks. The plan is constant after placing.
 *
 * Thread: any; each task belongs to the worker that has claimed it. Real-time: plain data.
 */
#ifndef WR_SLACK_PLAN_H
#define WR_SLACK_PLAN_H

#include "runtime/slack/task_record.h"

typedef struct wr_slack_plan {
    wr_slack_options options;
    int n_tick; /* ticks of options.period_s: 2^k, for the shortest period of a connection */
    double tick_s;
    int n;
    wr_period_task *part; /* [n] */
    const wr_link *link;  /* [n] */
    const wr_slack_log *log;
} wr_slack_plan;

#endif
