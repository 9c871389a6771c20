/* A linear system from a component or subsystem of a config, at a point of its run.
 *
 * States are scaled by their nominal values, so that results do not depend on units. Inputs are those with a driver
 * (all, if no input has one); the others stay constant. Signals of a component keep their names; signals of a
 * subsystem are named COMPONENT_VARIABLE.
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
    /* Nonlinearity of f: difference from the linear value, relative to its largest one, at points a tenth of all
     * nominal values away in both directions. */
    double nonlinearity;
    char **input, **output; /* "component.variable" of the system's inputs and outputs */
    char **driver;          /* [n_input] "component.output"; NULL: no driver */
    int n_component;
    char **component; /* [n_component] names of the linearised components */
} wr_linearised;

/* Linearises a selection (one component or one subsystem) at time_s; NaN: at the start. Runs the config up to this
 * time, without output files. report (may be NULL) gets all errors of the config. WRSIM_E_ARG if there are no
 * states, inputs or outputs; WRSIM_E_MEMORY; errors of the run or the linearisation. Free *ret by
 * wr_linearised_done(), also after a failure. */
wrsim_status wr_linearised_make(const wrsim_config *config, const wr_selection *selection,
                                double time_s, wrsim_report_fn report, void *reporter,
                                wr_linearised *ret, wrsim_error *err);
void wr_linearised_done(wr_linearised *linearised);

#endif
