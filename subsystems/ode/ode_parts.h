/* The objects of a subsystem of components, its current point, and its faults.
 *
 * Further headers of this folder define the objects, and functions that read and write the objects' fields.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_PARTS_H
#define WR_ODE_PARTS_H

#include <string.h>

#include "subsystems/group/group.h"
#include "subsystems/solvers/integrator.h"
#include "subsystems/subsystem.h"

/* Objects outside of the saved state, in the order of their memory: type and name. */
#define WR_ODE_OBJECTS(X)                                                                          \
    X(wr_ode_grid, grid)                                                                           \
    X(wr_ode_tolerances, tolerances)                                                               \
    X(wr_pulse_search, pulse)                                                                      \
    X(wr_ode_inputs, inputs)                                                                       \
    X(wr_ode_scratch, scratch)                                                                     \
    X(wr_ode_publication, publication)                                                             \
    X(wr_ode_indicators, indicators)                                                               \
    X(wr_ode_instant, instant)                                                                     \
    X(wr_ode_stop, stop)                                                                           \
    X(wr_ode_window, window)                                                                       \
    X(wr_ode_resolution, resolution)                                                               \
    X(wr_ode_block, block)                                                                         \
    X(wr_bound, bound)                                                                             \
    X(wr_ode_event_order, order)                                                                   \
    X(wr_ode_algebraic, algebraic)                                                                 \
    X(wr_ode_method, method)

typedef struct wr_ode {
    wr_group *group;
    const wr_integrator_ops *solver; /* NULL: no states, and then no integrator */
    wr_integrator *integrator;
    unsigned char *mode; /* [n_z] present modes */
    double *dx;          /* [n_x] slope at t_s */
    /* Parts of the saved state (ode_state.h). */
    struct wr_ode_clock *clock;
    struct wr_indicator_course *course;
    struct wr_event_search *search;
    struct wr_event_streak *streak;
    struct wr_crawl *crawl;
#define WR_ODE_OBJECT(type, name) struct type *name;
    WR_ODE_OBJECTS(WR_ODE_OBJECT)
    struct wr_ode_causes *causes; /* NULL: outside of rings with state events */
    struct wr_ode_log *log;       /* NULL: the run has no log (ode_log.h) */
} wr_ode;

static inline wr_ode *wr_ode_of(const wr_subsystem *s) { return s->inside; }

/* Defines a function wr_ode_NAME(s) that returns a field of an object, or wr_ode_NAME(s, i) that returns element i of a field. */
#define WR_ODE_GET(type, name, field)                                                              \
    static inline type wr_ode_##name(const wr_subsystem *s) { return wr_ode_of(s)->field; }
#define WR_ODE_GET_AT(type, name, field)                                                           \
    static inline type wr_ode_##name(const wr_subsystem *s, int i)                                 \
    {                                                                                              \
        return wr_ode_of(s)->field[i];                                                             \
    }

/* Copy n bytes or doubles. With n = 0 the pointers may be NULL. */
static inline void wr_ode_copy_bytes(void *to, const void *from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n);
}
static inline void wr_ode_copy(double *to, const double *from, int n)
{
    wr_ode_copy_bytes(to, from, (size_t)n * sizeof *to);
}

/* Memory from which objects reserve ranges. If `at` is NULL, a reservation only measures the memory. */
typedef struct wr_ode_room {
    unsigned char *at;
    size_t bytes; /* number of reserved bytes */
} wr_ode_room;

static inline void *wr_ode_take(wr_ode_room *room, int n, size_t size)
{
    void *const part = room->at ? room->at + room->bytes : NULL;
    room->bytes += (size_t)n * size;
    return part;
}

/* Returns whether the subsystem is in a ring with state events. Only such a subsystem keeps causes of jumps. */
static inline int wr_ode_is_in_ring(const wr_subsystem *s) { return wr_ode_of(s)->causes != NULL; }

/* Returns the point with the present discrete states and modes. */
static inline wr_group_point wr_ode_point_of(const wr_subsystem *s, double t_s, const double *x,
                                             const double *external)
{
    return (wr_group_point){
        .t_s = t_s, .x = x, .d = s->d, .external = external, .mode = wr_ode_of(s)->mode};
}

/* Returns the current point, with the inputs in s->external. */
static inline wr_group_point wr_ode_point(const wr_subsystem *s)
{
    return wr_ode_point_of(s, s->t_s, s->x, s->external);
}

/* Evaluates the states inside the last step and their slopes. ret_x or ret_dx may be NULL. Without states, writes nothing. */
static inline void wr_ode_state_at(wr_subsystem *s, double t_s, double *ret_x, double *ret_dx)
{
    if (wr_ode_of(s)->group->n_x > 0)
        wr_ode_of(s)->solver->dense(wr_ode_of(s)->integrator, t_s, ret_x, ret_dx);
}

/* Ends trial evaluations: invalidates their results, and restores the fault. Returns rc. */
static inline int wr_ode_end_trial(const wr_subsystem *s, const wr_fault *fault, int rc)
{
    wr_group_forget(wr_ode_of(s)->group);
    wr_ode_of(s)->group->fault = *fault;
    return rc;
}

/* Starts the solver at the current point, with slope dx; NULL: unknown. */
wrsim_status wr_ode_start_solver(wr_subsystem *s, const double *dx);
/* Records a fault of the subsystem, not of a component. Returns status. */
wrsim_status wr_ode_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message);
/* Copies the group's fault to the subsystem. Returns the status of the fault. */
wrsim_status wr_ode_group_fault(wr_subsystem *s);

#endif
