/* Times and flags of a slackened run. See slack_run.h.
 *
 * Thread: any. Real-time: yes.
 */
#include "runtime/slack/slack_run.h"

#include <math.h>

double wr_slack_run_time(const wr_slack *slack)
{
    double least_s = (double)INFINITY;
    for (int i = 0; i < slack->n; i++) {
        /* relaxed: constant between runs; observers accept any recent value. */
        const double t_s = atomic_load_explicit(&slack->part[i].clock_s, memory_order_relaxed);
        least_s = wr_min(least_s, t_s);
    }
    return least_s;
}

int wr_slack_run_is_end(const wr_slack *slack, double t_s, double t_end_s)
{
    static const double LEAST = 2e-9; /* of a period */
    return t_end_s - t_s <= LEAST * slack->options.period_s || wr_time_close(t_end_s, t_s);
}

int wr_slack_run_is_leaving(wr_slack *slack)
{
    if (!slack->is_catching_up && slack->deadlines && wr_deadlines_is_stopping(slack->deadlines))
        return 1;
    /* relaxed: only flags; other data is read after all workers have returned. */
    return atomic_load_explicit(&slack->is_leaving, memory_order_relaxed) ||
           (!slack->is_catching_up &&
            (atomic_load_explicit(&slack->stop, memory_order_relaxed) ||
             atomic_load_explicit(&slack->is_exceeded, memory_order_relaxed)));
}
