/* Work from counts. See run_work.h.
 *
 * Thread: any. Real-time: no.
 */
#include "runtime/sim/run_work.h"

#include <stddef.h>

/* Instructions per evaluation of f, of the indicators, per step and per integration of a window
 * (coupled, or alone), and what each grows by. */
static const double RHS = 400.0, RHS_STATE = 80.0, RHS_COMPONENT = 60.0, RHS_INPUT = 60.0;
static const double LOOK = 100.0, LOOK_INDICATOR = 20.0;
static const double STEP = 1500.0, STEP_STATE = 150.0;
static const double WINDOW = 15000.0, WINDOW_ALONE = 3000.0;
/* An operation of elimination. An entry of a model's own Jacobian, which is full: of those that are
 * large what memory takes counts. */
static const double ELIMINATION = 1.5, JACOBIAN_ENTRY = 3.0;

double wr_run_work(const wrsim_subsystem_stats *s, int n_subsystem, double *ret_window)
{
    const double n = s->n_state;
    const double rhs =
        RHS + RHS_STATE * n + RHS_COMPONENT * s->n_component + RHS_INPUT * s->n_input;
    const double window = (n_subsystem > 1 ? WINDOW : WINDOW_ALONE) * (double)s->n_integration;
    if (ret_window)
        *ret_window = window;
    return rhs * (double)s->n_rhs +
           (LOOK + LOOK_INDICATOR * s->n_indicator) * (double)s->n_indicator_evaluation +
           (STEP + STEP_STATE * n) * (double)(s->n_step + s->n_rejected) +
           ELIMINATION * s->factor_flop + JACOBIAN_ENTRY * (double)s->n_jacobian_entry + window;
}
