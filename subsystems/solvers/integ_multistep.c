/* Linear multistep methods with formulas of lms.c, and the method with the formula of the config. See multistep.h.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/multistep.h"

enum {
    EXPLICIT = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F |
               WR_INTEG_ENDS_WITH_F,
    IMPLICIT = WR_INTEG_FIXED_STEP | WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK
};

/* Defines the operations wr_integ_NAME. find: expression for the formula. */
#define METHOD(id, find, text, p, p_dense, method_flags, ...)                                      \
    static wrsim_status place_##id(wr_arena *arena, const wr_equations *ode,                       \
                                   const wr_integ_options *options, wr_integrator **ret)           \
    {                                                                                              \
        return wr_multistep_place(find, arena, ode, options, ret);                                 \
    }                                                                                              \
    const wr_integrator_ops wr_integ_##id = {.name = #id,                                          \
                                             .help = text,                                         \
                                             .order = (p),                                         \
                                             .dense_order = (p_dense),                             \
                                             .flags = (method_flags),                              \
                                             .place = place_##id,                                  \
                                             __VA_ARGS__ WR_MULTISTEP_OPS};
#define COARSE .coarse = wr_multistep_coarse,
/* Defines the operations of the formula NAME of lms.h. */
#define FOLLOWS(id, text, p, p_dense, method_flags, ...)                                           \
    METHOD(id, &wr_lms_find(#id)->formula, text, p, p_dense, method_flags, .formula = #id,         \
           __VA_ARGS__)

FOLLOWS(backward_euler, "backward Euler, fixed step, stiff, order 1", 1, 1, IMPLICIT)
FOLLOWS(trapezoidal, "trapezoidal rule, fixed step, stiff without damping, order 2", 2, 3, IMPLICIT)
FOLLOWS(bdf2, "backward differentiation of 2 steps, fixed step, stiff, order 2", 2, 3, IMPLICIT)
FOLLOWS(ab2, "Adams-Bashforth of 2 steps, fixed step, order 2", 2, 3, EXPLICIT, COARSE)
FOLLOWS(ab3, "Adams-Bashforth of 3 steps, fixed step, order 3", 3, 3, EXPLICIT, COARSE)
FOLLOWS(ab4, "Adams-Bashforth of 4 steps, fixed step, order 4", 4, 3, EXPLICIT, COARSE)
METHOD(multistep, options->formula, "multistep formula by solver.alpha and solver.beta, fixed step",
       0, 3, IMPLICIT)
