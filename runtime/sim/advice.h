/* Split or monolithic? A short probe of both, judged by counted work.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_ADVICE_H
#define WR_ADVICE_H

#include "base/json.h"
#include "runtime/config/settings.h"
#include "wrsim/wrsim.h"

/* Simulates the beginning of the config twice, on one worker and without output. The result depends
 * on counted work and n_worker alone, but that it is given up (work_ratio NaN) after 5 s; work and sweeps are infinite where the split fails and one solver
 * does not. Returns 0, or -1 where there is nothing to choose (one subsystem), too much to be probed,
 * or no run of one solver to compare with; then *ret is untouched. */
int wr_advice_find(const wr_settings *settings, int n_worker, wrsim_advice *ret);

/* As a member of the object that is open. */
void wr_advice_json(wr_json *json, const char *key, const wrsim_advice *advice);

#endif
