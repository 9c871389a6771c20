/* Linear multistep methods with fixed step: any formula of lms.h that converges.
 *
 * The history is a run of points of one distance, x and f each. Where it is too short, after a start, the steps are
 * extrapolated Euler steps of the formula's order (extrapolation.h); so are those that a stop cuts short and those from
 * there to the next point of the grid, which leave the run as it is: neither starts, windows, nor events cost the order.
 * Planned steps (bounded_work.c) have no grid: a run then lasts as long as steps are equal. Inputs that
 * change with a window are read anew where f is carried on; slopes of the past keep theirs.
 * Implicit formulas: newton.h, from the polynomial through the run; the slope at the end is the equation's own, which for stiff
 * states is far better than f there. Dense output: a straight line for order 1, else the cubic through both ends with
 * their slopes, which limits event times and waves to order 4.
 *
 * Thread: one at a time. Real-time: all but place and destroy.
 */
#ifndef WR_MULTISTEP_H
#define WR_MULTISTEP_H

#include "subsystems/solvers/lms.h"
#include "subsystems/solvers/one_step.h"

/* Places one. WRSIM_E_ARG also for a formula that does not converge. */
wrsim_status wr_multistep_place(const wr_lms *formula, wr_arena *arena, const wr_equations *ode,
                                const wr_integ_options *options, wr_integrator **ret_integrator);
void wr_multistep_destroy(wr_integrator *integrator);

/* The other members of the operations table. */
int wr_multistep_start(wr_integrator *integrator, double t_s, const double *x, const double *dx);
int wr_multistep_step(wr_integrator *integrator, double t_stop_s, double *ret_t_s);
void wr_multistep_save(wr_integrator *integrator);
void wr_multistep_restore(wr_integrator *integrator);
void wr_multistep_state(wr_integrator *integrator, wr_state_io *io);
int wr_multistep_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

/* The points of the run before the current one, for studies of what becomes of a change of them: how many there are, and of the
 * j-th one back, 0 being the newest, x and f side by side [2 n_x]. */
int wr_multistep_count_past(wr_integrator *integrator);
double *wr_multistep_past(wr_integrator *integrator, int j);

#define WR_MULTISTEP_OPS                                                                           \
    .destroy = wr_multistep_destroy, .start = wr_multistep_start, .step = wr_multistep_step,       \
    .save = wr_multistep_save, .restore = wr_multistep_restore, .state = wr_multistep_state,       \
    .dense = wr_one_step_dense, .inputs_changed = wr_one_step_inputs_changed,                      \
    .loosen = wr_one_step_loosen

#endif
