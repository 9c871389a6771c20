/* Checks that a step resolves the course of its inputs. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_INPUT_RESOLUTION_H
#define WR_INPUT_RESOLUTION_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_resolution {
    double *
        deviation; /* [n_external] deviation of inputs in a step from the cubics through the step's ends */
    double *resolve;      /* [5 n_external] workspace */
    int has_rough_inputs; /* inputs of indicators deviate inside the last step */
    int has_unseen_step;  /* unseen_step is valid, and counts when the subsystem accepts the step */
    double *unseen_step;  /* [n_x] effect on the states of inputs that the last step missed */
    double *limit_s; /* [1] limit after a step that missed inputs or a pulse of f; 0: none; saved */
} wr_ode_resolution;

/* Places the arrays. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_resolution_place(wr_subsystem *s, wr_arena *arena);

/* Limits the length of the next steps. */
static inline void wr_ode_set_limit(wr_subsystem *s, double limit_s)
{
    *wr_ode_of(s)->resolution->limit_s = limit_s;
}

static inline void wr_ode_resolution_state(wr_subsystem *s, wr_state_io *io)
{
    WR_STATE(io, wr_ode_of(s)->resolution->has_rough_inputs);
    WR_STATE(io, wr_ode_of(s)->resolution->has_unseen_step);
}

/* Returns the time at which the integrator's step to end_s should end. The time is earlier than end_s if the step misses a change of inputs
 * with an effect above the tolerances. Sets has_rough_inputs and has_unseen_step. */
double wr_ode_unseen(wr_subsystem *s, double end_s);
/* Adds unseen_step to wr_subsystem.unseen. Call the function when the subsystem no longer repeats the last step. */
void wr_ode_count_unseen(wr_subsystem *s);
/* Returns the latest end, at most stop_s, of a step that the integrator cannot repeat. */
double wr_ode_ahead(wr_subsystem *s, double stop_s);
/* Returns the latest end of the next step, at most stop_s. After a shortened step the steps grow gradually. */
static inline double wr_ode_limit(const wr_subsystem *s, double stop_s)
{
    const double limit_s = *wr_ode_of(s)->resolution->limit_s;
    return limit_s > 0.0 && s->t_s + limit_s < stop_s ? s->t_s + limit_s : stop_s;
}
/* Raises the limit after an accepted step of length step_s. If the step is shorter than half of the limit, removes the limit. */
void wr_ode_grow_limit(wr_subsystem *s, double step_s);

/* Returns whether inputs of indicators deviate inside the last step from the cubics through the step's ends. */
WR_ODE_GET(int, has_rough_inputs, resolution->has_rough_inputs)
/* Returns whether the last step misses a change of inputs with an effect within the tolerances. */
WR_ODE_GET(int, has_unseen_step, resolution->has_unseen_step)

#endif
