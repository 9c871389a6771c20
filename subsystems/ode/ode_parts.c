/* Starts the solver, and sets faults. See ode_parts.h. Thread: one at a time. Real-time: yes. */
#include "subsystems/ode/ode_parts.h"

wrsim_status wr_ode_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message)
{
    s->fault = (wr_fault){.status = status,
                          .t_s = t_s,
                          .i_component = -1,
                          .kind = WRSIM_KIND_COUNT,
                          .i_variable = -1,
                          .message = message};
    return status;
}

wrsim_status wr_ode_group_fault(wr_subsystem *s)
{
    s->fault = wr_ode_of(s)->group->fault;
    if (s->fault.status >= 0)
        return wr_ode_fault(s, WRSIM_E_INTERNAL, s->t_s,
                            "an evaluation failed without a fault; report this error of wrsim");
    return s->fault.status;
}

wrsim_status wr_ode_start_solver(wr_subsystem *s, const double *dx)
{
    const wr_ode *const work = wr_ode_of(s);
    const int rc = work->solver->start(work->integrator, s->t_s, s->x, dx);
    if (rc == 0)
        return WRSIM_OK;
    if (work->group->fault.status < 0)
        return wr_ode_group_fault(s);
    return wr_ode_fault(
        s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
        "the solver cannot start; choose another solver, or check the start values");
}
