/* Work from counts: what a run takes on any machine, without a clock.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_RUN_WORK_H
#define WR_RUN_WORK_H

#include "wrsim/stats.h"

/* Instructions of one of n_subsystem subsystems, as callgrind counts them in the models that ship; of
 * a whole run the sum is right to within a third. ret_window (or NULL): the part that windows cost. */
double wr_run_work(const wrsim_subsystem_stats *s, int n_subsystem, double *ret_window);

#endif
