/* The table of integrators: one file and one row each. See integrator.h.
 *
 * Thread: any. Real-time: yes.
 */
#include <string.h>

#include "subsystems/integrators/members.h"

const wr_integrator_ops *const wr_integrators[] = {
    &wr_integ_euler,
    &wr_integ_heun,
    &wr_integ_rk3,
    &wr_integ_rk4,
    &wr_integ_linimp,
    &wr_integ_bs32,
    &wr_integ_rk43,
    &wr_integ_dopri54,
    &wr_integ_rosenbrock,
    &wr_integ_rosenbrock_w,
    &wr_integ_cvode_bdf,
    &wr_integ_cvode_adams,
    &wr_integ_auto,
    &wr_integ_backward_euler,
    &wr_integ_trapezoidal,
    &wr_integ_bdf2,
    &wr_integ_ab2,
    &wr_integ_ab3,
    &wr_integ_ab4,
    &wr_integ_multistep,
    NULL,
};

const wr_integrator_ops *wr_integrator_find(const char *name)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
