/* Inside of a study of stability: stability.c makes the run and judges subsystems, stability_exchange.c the whole.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_STABILITY_WORK_H
#define WR_STABILITY_WORK_H

#include "analysis/stability/stability.h"
#include "runtime/config/settings_data.h"

/* How its subsystems exchange; verdict STABLE where that is to be judged. */
void wr_stability_exchange_describe(wr_stability *to, const wr_settings *set);
/* A group's linearisation at the present time. */
wrsim_status wr_stability_exchange_take(wr_stability *to, wr_stability_group *group,
                                        const wr_linear *at, wrsim_error *err);
/* All groups have been taken. */
wrsim_status wr_stability_exchange_judge(wr_stability *to, double t_s, wrsim_error *err);
/* The verdict over all times. */
void wr_stability_exchange_finish(wr_stability *to);

#endif
