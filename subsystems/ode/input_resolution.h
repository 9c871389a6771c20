/* Whether a step sees what its inputs do inside.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_INPUT_RESOLUTION_H
#define WR_INPUT_RESOLUTION_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_resolution {
    double *deviation;    /* [n_external] of inputs from what a step sees of them */
    double *resolve;      /* [5 n_external] workspace */
    int has_rough_inputs; /* inside of the last step they deviate */
    int has_unseen_step;  /* unseen_step is what the last step missed, and will count with it */
    double *unseen_step;  /* [n_x] */
} wr_ode_resolution;

/* Has the step to end_s, as the integrator has just made it, missed something that its inputs do inside of
 * it? Returns where it should have ended, end_s if it has not. Sets has_rough_inputs. */
double wr_ode_unseen(wr_subsystem *s, double end_s);
/* The last step counts, and what it has missed with it. */
void wr_ode_count_unseen(wr_subsystem *s);
/* How far a step may go that cannot be taken back, at most to stop_s. */
double wr_ode_ahead(wr_subsystem *s, double stop_s);
/* After a step that had to be cut the next ones grow by and by: where they have to end, at most at
 * stop_s; a step of that length was accepted. */
double wr_ode_limit(const wr_subsystem *s, double stop_s);
void wr_ode_grow_limit(wr_subsystem *s, double step_s);

/* Do inputs of indicators deviate inside the last step? */
static inline int wr_ode_has_rough_inputs(const wr_subsystem *s)
{
    return wr_ode_of(s)->resolution->has_rough_inputs;
}

/* Has the last step missed a change of inputs within the tolerances? wr_ode_count_unseen() takes it. */
static inline int wr_ode_has_unseen_step(const wr_subsystem *s)
{
    return wr_ode_of(s)->resolution->has_unseen_step;
}

#endif
