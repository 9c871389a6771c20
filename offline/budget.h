/* Chooses a tolerance for every subsystem from a wanted error of the outputs. See budget.c and wrsim/study.h.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_BUDGET_H
#define WR_BUDGET_H

#include "offline/trial.h"

/* Chooses the tolerances of trial->at. *ret uses the trial's memory (ret->memory stays NULL). Errors go to the
 * listener. WRSIM_STOPPED: the study was stopped; *ret is the best result so far if ret->n_tolerance > 0. */
wrsim_status wr_budget_find(wr_trial *trial, wrsim_budget *ret);

/* Sets the members that a case leaves open: the error (simulation.rtol), and options of the reference. After
 * wr_trial_look. */
void wr_budget_defaults(wr_trial_case *c);

/* Returns the trial's config with the chosen tolerances as TOML; the caller frees it. The stop time of the
 * measurement is kept only if the config has none. NULL with *err on failure. */
char *wr_budget_config(wr_trial *trial, const wrsim_budget *budget, wrsim_error *err);

#endif
