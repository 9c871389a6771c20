/* The members of the table in integrators.c, each defined in its own integ_*.c.
 *
 * Thread: any. Real-time: constant data.
 */
#ifndef WR_INTEGRATOR_MEMBERS_H
#define WR_INTEGRATOR_MEMBERS_H

#include "subsystems/solvers/integrator.h"
#include "subsystems/solvers/integrator_list.h"

#define WR_INTEGRATOR_DECLARE(name) extern const wr_integrator_ops wr_integ_##name;
WR_INTEGRATOR_LIST(WR_INTEGRATOR_DECLARE, WR_INTEGRATOR_DECLARE)
#undef WR_INTEGRATOR_DECLARE

/* Forgets the kept Jacobian. */
void wr_rosenbrock_w_forget(wr_integrator *integrator);

#endif
