/* A run of a config with some keys changed: its cost, and its error against a tight reference. Separate runs with a fine recording grid
 * measure errors, against a reference run by one solver at a tight tolerance. A looser run gives an estimate of the reference's own error.
 * Runs without output measure times, after a warm-up.
 *
 * Thread: one owner, and a progress callback on a worker. Real-time: no.
 */
#ifndef WR_TRIAL_H
#define WR_TRIAL_H

#include "base/heap_pool.h"
#include "offline/listener.h"
#include "offline/trial_case.h"
#include "offline/trial_files.h"
#include "offline/trial_sample.h"
#include "wrsim/wrsim.h"

typedef struct wr_trial {
    wr_listener listener;
    wr_heap_pool *memory;             /* memory of the caller */
    char folder[WR_TRIAL_PATH_BYTES]; /* temporary folder for results */
    double limit_s;                   /* wall time after which the trial stops a run, s */
    const wr_trial_case *at;          /* present case */
    wr_results *reference;
    double reference_error; /* estimated error of the reference itself */
    /* signal with the largest error in the last comparison; the reference owns the name */
    const char *worst_signal;
    /* Results of the last run, if has_subsystems is 1: */
    int has_subsystems, n_subsystem;
    wr_trial_subsystem *subsystem; /* [n_subsystem] results of each subsystem */
} wr_trial;

/* Creates the folder for results. Returns WRSIM_OK, or WRSIM_E_IO with a message. wr_trial_close() removes the
 * reference and the folder, which must be empty. */
wrsim_status wr_trial_open(wr_trial *trial);
void wr_trial_close(wr_trial *trial);

/* Sets the case of all later calls. The trial stores the pointer. NULL: none. */
void wr_trial_choose(wr_trial *trial, const wr_trial_case *c);

/* Fills values of the config into a case, with default grid and signals. Reports errors, such as signals that match
 * no output. */
wrsim_status wr_trial_look(wr_trial *trial, wr_trial_case *c);

/* Creates a simulation of a case with further overrides. If simulation.monolithic is "auto", a study decides. *ret_choice (may be NULL)
 * receives the study's result. report (may be NULL) receives all errors. Returns WRSIM_OK, or an error of the config or the simulation. */
wrsim_status wr_trial_create(wr_trial *trial, const wr_trial_case *c, const wr_texts *more,
                             wrsim_report_fn report, wrsim **ret_sim, wrsim_split_probe *ret_choice,
                             wrsim_error *err);

/* Returns the override that records the case's signals. */
const char *wr_trial_signals(wr_trial *trial, const wr_trial_case *c);

/* Performs a run. result is the file for results, or NULL for a timed run without results. */
void wr_trial_run(wr_trial *trial, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample);

/* Computes the reference of trial->at. Reports errors. Returns WRSIM_OK, also after a stop, or WRSIM_E_SOLVER. */
wrsim_status wr_trial_reference(wr_trial *trial);

/* Returns the largest error of the signals in a result file, max|y - ref| / max|ref|, and removes the file. sample: the sample of this
 * run. Returns INFINITY if the file lacks signals or rows of the reference, and NaN on failure, with a reason in sample->why. */
double wr_trial_error(wr_trial *trial, const char *file, wr_trial_sample *sample);

/* Returns a file name for wr_trial_error(), in the trial's memory. */
const char *wr_trial_file(wr_trial *trial, const char *name);

/* Performs a recorded run. Returns the error of the run as wr_trial_error() does. */
double wr_trial_try(wr_trial *trial, const wr_trial_setting *setting, wr_trial_sample *ret_sample);

#endif
