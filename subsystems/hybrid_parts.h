/* The objects that a subsystem of components consists of. Each object has its own header.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_PARTS_H
#define WR_HYBRID_PARTS_H

#include "subsystems/group.h"
#include "subsystems/integrators/integrator.h"
#include "subsystems/subsystem.h"

/* A subsystem of components: the objects that it consists of. */
typedef struct wr_hybrid {
    wr_group *group;
    const wr_integrator_ops *solver; /* NULL without states, as integrator */
    wr_integrator *integrator;
    unsigned char *mode; /* [n_z] current */
    struct wr_hybrid_clock *clock;
    double *dx;       /* [n_x] slope at t_s */
    double reached_s; /* end of the last step as the integrator made it */
    struct wr_hybrid_settings *settings;
    struct wr_hybrid_window *window;
    struct wr_hybrid_inputs *inputs;
    struct wr_hybrid_scratch *scratch;
    struct wr_hybrid_resolution *resolution;
    struct wr_hybrid_publication *publication;
    struct wr_hybrid_indicators *indicators;
    struct wr_hybrid_instant *instant;
    struct wr_hybrid_event_order *order;
    struct wr_hybrid_algebraic *algebraic;
    struct wr_hybrid_block *block;
    struct wr_hybrid_method *method;
    struct wr_bound *bound;
    struct wr_hybrid_causes *causes; /* NULL: in no ring with state events */
} wr_hybrid;

static inline wr_hybrid *wr_hybrid_of(const wr_subsystem *s) { return s->inside; }

#endif
