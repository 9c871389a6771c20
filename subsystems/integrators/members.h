/* The members of the table in integrators.c, each defined in its own integ_*.c.
 *
 * Thread: any. Real-time: constant data.
 */
#ifndef WR_INTEGRATOR_MEMBERS_H
#define WR_INTEGRATOR_MEMBERS_H

#include "subsystems/integrators/integrator.h"

extern const wr_integrator_ops wr_integ_euler, wr_integ_heun, wr_integ_rk3, wr_integ_rk4,
    wr_integ_linimp, wr_integ_bs32, wr_integ_rk43, wr_integ_dopri54, wr_integ_rosenbrock,
    wr_integ_rosenbrock_w, wr_integ_cvode_bdf, wr_integ_cvode_adams, wr_integ_auto,
    wr_integ_backward_euler, wr_integ_trapezoidal, wr_integ_bdf2, wr_integ_ab2, wr_integ_ab3,
    wr_integ_ab4, wr_integ_multistep;

/* Forgets the kept Jacobian. */
void wr_rosenbrock_w_forget(wr_integrator *integrator);

#endif
