/* Chooses the tolerances of solvers and coupling from a requested error of the outputs. See budget.c and wrsim/study.h.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_BUDGET_H
#define WR_BUDGET_H

#include "offline/trial.h"

/* Chooses the tolerances of trial->at. *ret uses the trial's memory (ret->memory stays NULL). The listener receives all errors except
 * exhausted memory. After WRSIM_STOPPED and with ret->n_tolerance > 0, *ret is the best result so far. */
wrsim_status wr_budget_find(wr_trial *trial, wrsim_budget *ret);

/* Sets missing members of a case after wr_trial_look(): error (simulation.rtol), reference_solver, reference_rtol. */
void wr_budget_defaults(wr_trial_case *c);

/* Returns the trial's config with the chosen tolerances as TOML, which the caller frees, or NULL with *err on failure. The text keeps an
 * override of simulation.stop only if the config is wrong without the override. */
char *wr_budget_config(wr_trial *trial, const wrsim_budget *budget, wrsim_error *err);

#endif
