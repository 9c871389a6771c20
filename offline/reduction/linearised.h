/* A linear system from a component or subsystem of a config, at a point of its run.
 *
 * Nominal values scale the states, so that results do not depend on units. Inputs of the system are the inputs with a driver, or all inputs
 * if no input has a driver. Other inputs stay constant. Signals of a single component keep their names. Signals of several components have
 * the names COMPONENT_VARIABLE.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_LINEARISED_H
#define WR_LINEARISED_H

#include "offline/reduction/linear_system.h"
#include "offline/structure/view.h"
#include "wrsim/config.h"

typedef struct wr_linearised {
    wr_linear_system *system;
    double t_s;
    double start_s;                       /* start of the run */
    double span_s;                        /* length of the run */
    double step_s;                        /* distance of communication points */
    int n_state, n_indicator, n_discrete; /* numbers in the linearised components */
    int n_unfired;                        /* components with unknown events (wr_view_n_unfired()) */
    /* Largest difference of f from its linear value, relative to the largest linear value. The two test points are a tenth of all nominal
     * values away. NaN: a model refuses a test point. */
    double nonlinearity;
    char **input, **output; /* "component.variable" of the system's inputs and outputs */
    char **driver;          /* [n_input] "component.output"; NULL: no driver */
    int n_component;
    char **component; /* [n_component] names of the linearised components */
} wr_linearised;

/* Linearises a selection (one component or one subsystem) at time_s, or at the start if time_s is NaN. Runs the config up to this time. The
 * caller disables output files (wr_walk_overrides). report (may be NULL) receives all errors of the config. Returns WRSIM_OK; WRSIM_E_ARG
 * if the selection lacks states, inputs or outputs; WRSIM_E_MEMORY; or errors of the run or the linearisation. The caller frees *ret by
 * wr_linearised_done(), also after a failure. */
wrsim_status wr_linearised_make(const wrsim_config *config, const wr_selection *selection,
                                double time_s, wrsim_report_fn report, void *reporter,
                                wr_linearised *ret, wrsim_error *err);
void wr_linearised_done(wr_linearised *linearised);

#endif
