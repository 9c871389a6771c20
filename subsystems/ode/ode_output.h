/* Output of a subsystem: nodes of its wave, and recorded rows. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_OUTPUT_H
#define WR_ODE_OUTPUT_H

#include <math.h>

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_publication {
    double inside_s; /* length of the step during evaluations inside the step, else 0 */
    double known_s;  /* time of the values in the last row of refine[]; NaN: none */
    double *refine; /* [REFINE_LEVELS + 1][2 n_published] values and slopes; last row: step's end */
    double *y_size; /* [n_published] largest |y| at accepted ends of steps; saved */
    double
        amplification; /* amplification by the algebraic loop across subsystems around the outputs; 0: none */
    double *value;       /* [n_published] values on the right of a stop */
    double *slope;       /* [n_published] slopes on the right of a stop */
    int n_round_shown;   /* number of nodes at the present instant after its left node */
    int has_late;        /* late[] has marks for the wave's last node */
    unsigned char *late; /* [n_published] the output changes with an event that is due */
    int is_starting;     /* 1: after the initial event, before the first advance */
    int has_shown;       /* a published output jumps at the last instant */
    /* Constant after creation. */
    double loosest;            /* largest tolerance factor of a state */
    int n_computed;            /* number of published outputs that are no states */
    const int *published;      /* [n_published] outputs of the group */
    const wr_plan *plan;       /* NULL: all published outputs are states */
    int follows_inputs;        /* a published output depends on an input directly */
    int is_held;               /* computed outputs depend only on time, discrete states and modes */
    const int *recorded_kind;  /* [n_recorded] wrsim_kind */
    const int *recorded_index; /* [n_recorded] */
    const wr_plan *plan_recorded; /* NULL: no output or input is recorded */
    int record_events;            /* 1: the run also records rows at events */
} wr_ode_publication;

/* Place plans and memory. wr_ode_refinement_place() needs the placed inputs. Setup only. Return 0, or -1 when the arena is exhausted. */
int wr_ode_output_place(wr_subsystem *s, wr_arena *arena, const wr_ode_config *config);
int wr_ode_refinement_place(wr_subsystem *s, wr_arena *arena, const wr_integrator_ops *solver);
/* Copies an array into the arena. Returns NULL when the arena is exhausted. */
const int *wr_ode_copy_ints(wr_arena *arena, const int *source, int n);
void wr_ode_output_state(wr_subsystem *s, wr_state_io *io);
/* Begins an advance, or continues an advance after a pause, without known values. */
static inline void wr_ode_begin_output(wr_subsystem *s)
{
    wr_ode_of(s)->publication->inside_s = 0.0;
    wr_ode_of(s)->publication->is_starting = 0;
    wr_ode_of(s)->publication->known_s = (double)NAN;
}
void wr_ode_set_amplification(wr_subsystem *s, double amplification);
/* Evaluates values and slopes of the published outputs at a point with x' = dx. If ret_slope is NULL, dx may be NULL, too. */
wrsim_status wr_ode_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double *ret_value, double *ret_slope);
/* Updates y_size from the wave's last node. */
void wr_ode_note_sizes(wr_subsystem *s);
/* Implements wr_equations.computed_error for the published outputs. */
double wr_ode_computed_error(void *self, double t_s, const double *x, const double *error);
/* Appends a node to the wave. The caller sets the values and slopes, [n_published]. */
wrsim_status wr_ode_add_node(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope);
/* Appends a node with the values of wr_ode_published_at(). After a failure the node is unset, so the wave is invalid. */
wrsim_status wr_ode_publish(wr_subsystem *s, const wr_group_point *point, const double *dx);
/* Publishes the right side of an instant of `round` rounds, with a node only at a jump of a value or a slope. */
wrsim_status wr_ode_publish_right(wr_subsystem *s, int round);
/* Appends the nodes that the wave needs between the node at the current point and end_s, in the integrator's last step. Modes and discrete
 * states still have their values of the step. */
wrsim_status wr_ode_publish_inside(wr_subsystem *s, double end_s);
/* Appends the wave's node at the current point, the end of the last step. The modes are the located modes at this end. */
wrsim_status wr_ode_publish_here(wr_subsystem *s);
/* Publishes the current point in a round, if a published output has changed. */
wrsim_status wr_ode_note_round(wr_subsystem *s, int round);
/* Replaces stale outputs (group_stale.h) in the node of the last round by their values after the event. So consumers read no value of an
 * old branch at new inputs. Call after the next round of events, and before further jumps of inputs. */
wrsim_status wr_ode_amend_round(wr_subsystem *s);
/* Evaluates the recorded variables at a point, ret_row[n_recorded]. Returns 0, or 1 if a model fails. */
int wr_ode_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row);
/* Appends a row of the recorded variables. */
wrsim_status wr_ode_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                               double row_time_s);

/* Begins an instant without nodes of its rounds. */
static inline void wr_ode_begin_rounds(wr_subsystem *s)
{
    wr_ode_of(s)->publication->n_round_shown = wr_ode_of(s)->publication->has_late = 0;
}

/* Begins the events of the start. */
static inline void wr_ode_begin_start_output(wr_subsystem *s)
{
    wr_ode_of(s)->publication->is_starting = 1;
}
WR_ODE_GET(int, is_starting, publication->is_starting)
/* Stores a value that published output i has at the start, or, if is_kept is 1, sets *value to the stored value. */
static inline void wr_ode_show_at_start(wr_subsystem *s, int i, int is_kept, double *value)
{
    double *const stored = &wr_ode_of(s)->publication->value[i];
    wr_ode_of(s)->publication->late[i] = is_kept != 0;
    if (is_kept)
        *value = *stored;
    else
        *stored = *value;
}

/* Returns whether a published output jumps at the last instant. */
WR_ODE_GET(int, has_shown, publication->has_shown)
/* Returns whether the run records rows at events. */
WR_ODE_GET(int, records_events, publication->record_events)
/* Returns the number of published outputs that are no states. */
WR_ODE_GET(int, n_computed, publication->n_computed)
/* Returns the plan of the published outputs; NULL: all are states. */
WR_ODE_GET(const wr_plan *, plan, publication->plan)
/* Returns the indices of the published outputs in the group, [n_published]. */
WR_ODE_GET(const int *, published, publication->published)

#endif
