/* A linear system from a component or a subsystem of a config, at a point of its run.
 *
 * States are scaled by their nominal values, so that units do not decide which directions count. Inputs are those that
 * something drives (all, if nothing drives any); the others stay as they are. A component's signals keep their names, those
 * of a subsystem are called COMPONENT_VARIABLE.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_LINEARISED_H
#define WR_LINEARISED_H

#include "analysis/reduction/linear_system.h"
#include "analysis/structure/view.h"
#include "wrsim/config.h"

typedef struct wr_linearised {
    wr_linear_system *system;
    double t_s;
    double start_s, span_s,
        step_s; /* of the run: its start, to its stop, between communication points */
    int n_state, n_indicator, n_discrete; /* of what was linearised */
    /* How far f is from linear: both far from the point, by a tenth of all nominal values, the difference from the
     * linear value in parts of its largest one. */
    double nonlinearity;
    char **input, **output; /* "component.variable" of the system's inputs and outputs */
    char **driver;          /* [n_input] "component.output"; NULL: nothing drives it */
    int n_component;
    char **component; /* what was linearised */
} wr_linearised;

/* selection: one component or one subsystem. time_s NaN: the start. Runs the config up to there (nothing is written).
 * report (may be NULL) gets all errors of the config. WRSIM_E_ARG where it has no states, inputs or outputs; WRSIM_E_MEMORY; what
 * running and linearising report. *ret is to be freed by wr_linearised_done(), also after a failure. */
wrsim_status wr_linearised_make(const wrsim_config *config, const wr_selection *selection,
                                double time_s, wrsim_report_fn report, void *reporter,
                                wr_linearised *ret, wrsim_error *err);
void wr_linearised_done(wr_linearised *linearised);

#endif
