/* Linear multistep methods with a name, and the method with the formula of the config (multistep.h; formulas in lms.c).
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/members.h"
#include "subsystems/solvers/multistep.h"

enum {
    EXPLICIT = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F |
               WR_INTEG_ENDS_WITH_F,
    IMPLICIT = WR_INTEG_FIXED_STEP | WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK
};

#define PLACE(id)                                                                                  \
    static wrsim_status place_##id(wr_arena *arena, const wr_equations *ode,                       \
                                   const wr_integ_options *options, wr_integrator **ret)           \
    {                                                                                              \
        return wr_multistep_place(&wr_lms_find(#id)->formula, arena, ode, options, ret);           \
    }
PLACE(backward_euler)
PLACE(trapezoidal)
PLACE(bdf2)
PLACE(ab2)
PLACE(ab3)
PLACE(ab4)

static wrsim_status place_given(wr_arena *arena, const wr_equations *ode,
                                const wr_integ_options *options, wr_integrator **ret_integrator)
{
    return wr_multistep_place(options->formula, arena, ode, options, ret_integrator);
}

const wr_integrator_ops wr_integ_backward_euler = {
    .name = "backward_euler",
    .help = "backward Euler, fixed step, stiff, order 1",
    .order = 1,
    .dense_order = 1,
    .flags = IMPLICIT,
    .place = place_backward_euler,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_trapezoidal = {
    .name = "trapezoidal",
    .help = "trapezoidal rule, fixed step, stiff without damping, order 2",
    .order = 2,
    .dense_order = 3,
    .flags = IMPLICIT,
    .place = place_trapezoidal,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_bdf2 = {
    .name = "bdf2",
    .help = "backward differentiation of 2 steps, fixed step, stiff, order 2",
    .order = 2,
    .dense_order = 3,
    .flags = IMPLICIT,
    .place = place_bdf2,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_ab2 = {
    .name = "ab2",
    .help = "Adams-Bashforth of 2 steps, fixed step, order 2",
    .order = 2,
    .dense_order = 3,
    .flags = EXPLICIT,
    .place = place_ab2,
    .coarse = wr_multistep_coarse,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_ab3 = {
    .name = "ab3",
    .help = "Adams-Bashforth of 3 steps, fixed step, order 3",
    .order = 3,
    .dense_order = 3,
    .flags = EXPLICIT,
    .place = place_ab3,
    .coarse = wr_multistep_coarse,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_ab4 = {
    .name = "ab4",
    .help = "Adams-Bashforth of 4 steps, fixed step, order 4",
    .order = 4,
    .dense_order = 3,
    .flags = EXPLICIT,
    .place = place_ab4,
    .coarse = wr_multistep_coarse,
    WR_MULTISTEP_OPS,
};

const wr_integrator_ops wr_integ_multistep = {
    .name = "multistep",
    .help = "multistep formula by solver.alpha and solver.beta, fixed step",
    .order = 0,
    .dense_order = 3,
    .flags = IMPLICIT,
    .place = place_given,
    WR_MULTISTEP_OPS,
};
