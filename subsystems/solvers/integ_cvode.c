/* The methods of CVODE. Each operation calls the module 'sundials'. place() loads the module.
 *
 * Thread: one at a time. Real-time: no.
 */
#include "subsystems/solvers/cvode.h"

static const wr_integrator_ops *ops_of(wr_integrator *integrator)
{
    return ((const wr_cvode_head *)(void *)integrator)->ops;
}

/* Defines the function place() of a method. */
#define PLACE(method)                                                                              \
    static wrsim_status place_##method(wr_arena *arena, const wr_equations *ode,                   \
                                       const wr_integ_options *options, wr_integrator **ret)       \
    {                                                                                              \
        const wr_cvode_ops *const ops = wr_module_load(WR_MODULE_SUNDIALS, NULL);                  \
        return ops ? ops->method->place(arena, ode, options, ret) : WRSIM_E_CONFIG;                \
    }
PLACE(bdf)
PLACE(adams)

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        ops_of(integrator)->destroy(integrator);
}

static int start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    return ops_of(integrator)->start(integrator, t_s, x, dx);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    return ops_of(integrator)->step(integrator, t_stop_s, ret_t_s);
}

static void dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    ops_of(integrator)->dense(integrator, t_s, ret_x, ret_dx);
}

static void inputs_changed(wr_integrator *integrator, const double *dx)
{
    ops_of(integrator)->inputs_changed(integrator, dx);
}

static void save(wr_integrator *integrator) { ops_of(integrator)->save(integrator); }

static void restore(wr_integrator *integrator) { ops_of(integrator)->restore(integrator); }

static void loosen(wr_integrator *integrator, double factor)
{
    ops_of(integrator)->loosen(integrator, factor);
}

#define FORWARDED                                                                                  \
    .destroy = destroy, .start = start, .step = step, .dense = dense,                              \
    .inputs_changed = inputs_changed, .save = save, .restore = restore, .loosen = loosen

const wr_integrator_ops wr_integ_cvode_bdf = {WR_CVODE_BDF, .place = place_bdf, FORWARDED};
const wr_integrator_ops wr_integ_cvode_adams = {WR_CVODE_ADAMS, .place = place_adams, FORWARDED};
