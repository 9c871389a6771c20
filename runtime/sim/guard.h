/* No endless run: what a split run has taken against what one solver takes for all of it.
 *
 * Couplings that do not contract end a run with an error; windows that must be very short, or need very many
 * sweeps, do not, and may take years. Nothing estimates beforehand what one solver would take: a twin of the
 * run, in one subsystem, follows with the permitted part of the run's work until it has reached the end.
 * Then the limit is known exactly, and no run is ended before it.
 *
 * Thread: one owner. Real-time: no (wrsim_run only; wrsim_advance has no guard).
 */
#ifndef WR_GUARD_H
#define WR_GUARD_H

#include "runtime/sim/simulation.h"

typedef struct wr_guard {
    wrsim *twin;
    const wrsim *sim; /* whose stop the twin heeds */
    double budget;    /* counted work that the twin may take */
    double limit;     /* of the run; inf until the twin has reached the end */
    int is_off;
} wr_guard;

/* Has sim, which stands between two windows, taken too much work? Lets the twin follow. A twin is made only
 * for a run that will take long; where it cannot be, or fails, the answer is always no. */
int wr_guard_is_endless(wr_guard *guard, const wrsim *sim);

/* What then is to be said. */
wrsim_status wr_guard_explain(const wr_guard *guard, const wrsim *sim, wrsim_error *err);

void wr_guard_done(wr_guard *guard);

#endif
