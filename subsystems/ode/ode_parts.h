/* The objects that a subsystem of components consists of. Each object has its own header.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_PARTS_H
#define WR_ODE_PARTS_H

#include "subsystems/group/group.h"
#include "subsystems/solvers/integrator.h"
#include "subsystems/subsystem.h"

/* A subsystem of components: the objects that it consists of. */
typedef struct wr_ode {
    wr_group *group;
    const wr_integrator_ops *solver; /* NULL without states, as integrator */
    wr_integrator *integrator;
    unsigned char *mode; /* [n_z] present modes */
    struct wr_ode_clock *clock;
    double *dx;       /* [n_x] slope at t_s */
    double reached_s; /* end of the last step as the integrator made it */
    struct wr_ode_settings *settings;
    struct wr_ode_window *window;
    struct wr_ode_inputs *inputs;
    struct wr_ode_scratch *scratch;
    struct wr_ode_resolution *resolution;
    struct wr_ode_publication *publication;
    struct wr_ode_indicators *indicators;
    struct wr_ode_instant *instant;
    struct wr_ode_event_order *order;
    struct wr_ode_algebraic *algebraic;
    struct wr_ode_block *block;
    struct wr_ode_method *method;
    struct wr_bound *bound;
    struct wr_ode_causes *causes; /* NULL: outside of rings with state events */
} wr_ode;

static inline wr_ode *wr_ode_of(const wr_subsystem *s) { return s->inside; }

#endif
