/* The exchange of subsystems once in a period, as a part of the study of stability.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_EXCHANGE_H
#define WR_STABILITY_EXCHANGE_H

#include "offline/stability/stability_result.h"

/* How subsystems exchange; verdict STABLE where that is to be judged. */
void wr_stability_exchange_describe(wr_stability *to, const wr_settings *set);
/* A group's linearisation at the present time. */
wrsim_status wr_stability_exchange_take(wr_stability *to, wr_stability_group *group,
                                        const wr_linear *at, wrsim_error *err);
/* All groups have been taken. */
wrsim_status wr_stability_exchange_judge(wr_stability *to, double t_s, wrsim_error *err);
/* May periods begin so? Values within tolerance jump by no more than the tolerance. */
static inline int wr_stability_exchange_starts(const wr_stability_exchange *exchange,
                                               wr_period_start start)
{
    return start == WR_PERIOD_ANEW ? exchange->is_slack
                                   : !exchange->is_slack || exchange->minds_start;
}
/* The start with the larger radius. */
wr_period_start wr_stability_exchange_worse(const wr_stability_exchange *exchange, int order);
/* The verdict over all times. */
void wr_stability_exchange_finish(wr_stability *to);

#endif
