/* A tolerance for every subsystem from one error asked of the outputs. See budget.c and wrsim/study.h.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_BUDGET_H
#define WR_BUDGET_H

#include "analysis/trial.h"

/* Chooses the tolerances of trial->at; what is in *ret lives in the trial's memory (ret->memory stays NULL). What is
 * wrong is told. WRSIM_STOPPED: over; *ret is the best that was found by then, if ret->n_tolerance > 0. */
wrsim_status wr_budget_find(wr_trial *trial, wrsim_budget *ret);

/* What a case does not say: the error (simulation.rtol), and what the reference is run with. After wr_trial_look. */
void wr_budget_defaults(wr_trial_case *c);

/* The trial's config with the tolerances chosen, as TOML; the caller frees it. It keeps the stop that it was measured to
 * only where it has none of its own. NULL: *err says why. */
char *wr_budget_config(wr_trial *trial, const wrsim_budget *budget, wrsim_error *err);

#endif
