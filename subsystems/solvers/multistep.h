/* Linear multistep methods with fixed step: any convergent formula of lms.h.
 *
 * The history is a run of equidistant points with x and f. A formula of one step needs no run. If the run is too short, as after a start,
 * the steps are extrapolated Euler steps of the formula's order (extrapolation.h). A step that a stop cuts short, and the step from the
 * stop to the next grid point, are also extrapolated Euler steps. The run omits the stop, and continues at this grid point. So starts,
 * windows and events do not reduce the order. Planned steps (bounded_work.c) have no grid, so a run lasts while the steps are equal. If the
 * inputs change with a window, the method evaluates f at the current point again, but past slopes stay. Implicit formulas use newton.h,
 * with the polynomial through the run as guess. The slope at the end follows from the formula. For stiff states this slope is far more
 * exact than f at the end. Dense output is a straight line for order 1, else the cubic through values and slopes at both ends. The cubic
 * limits event times and waves to order 4.
 *
 * Thread: one at a time. Real-time: all but place and destroy.
 */
#ifndef WR_MULTISTEP_H
#define WR_MULTISTEP_H

#include "subsystems/solvers/lms.h"
#include "subsystems/solvers/one_step.h"

/* Places an instance. Returns WRSIM_E_ARG for wrong options, or a formula that is not convergent. */
wrsim_status wr_multistep_place(const wr_lms *formula, wr_arena *arena, const wr_equations *ode,
                                const wr_integ_options *options, wr_integrator **ret_integrator);
void wr_multistep_destroy(wr_integrator *integrator);

/* Implement further members of the operations table. */
int wr_multistep_start(wr_integrator *integrator, double t_s, const double *x, const double *dx);
int wr_multistep_step(wr_integrator *integrator, double t_stop_s, double *ret_t_s);
void wr_multistep_save(wr_integrator *integrator);
void wr_multistep_restore(wr_integrator *integrator);
void wr_multistep_state(wr_integrator *integrator, wr_state_io *io);
int wr_multistep_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

/* Return the number of past points of the run, and past point j (0: the newest) as x and f, [2 n_x]. A study of perturbations changes these
 * points. */
int wr_multistep_count_past(wr_integrator *integrator);
double *wr_multistep_past(wr_integrator *integrator, int j);

#define WR_MULTISTEP_OPS                                                                           \
    .destroy = wr_multistep_destroy, .start = wr_multistep_start, .step = wr_multistep_step,       \
    .save = wr_multistep_save, .restore = wr_multistep_restore, .state = wr_multistep_state,       \
    .dense = wr_one_step_dense, .inputs_changed = wr_one_step_inputs_changed,                      \
    .loosen = wr_one_step_loosen

#endif
