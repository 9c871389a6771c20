/* Output of a subsystem: nodes of its wave, and recorded rows.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_OUTPUT_H
#define WR_ODE_OUTPUT_H

#include "subsystems/ode/ode_parts.h"

/* Most halvings of a step for nodes inside it, without and with bounded work. */
enum { WR_REFINE_LEVELS = 24, WR_REFINE_LEVELS_BOUNDED = 1 };

typedef struct wr_ode_publication {
    double inside_s;      /* length of the step while outputs are evaluated inside it, else 0 */
    double known_s;       /* time of the published values in the last level of refine; NaN: none */
    double *refine;       /* [WR_REFINE_LEVELS + 1][2 n_published] */
    double *y_size;       /* [n_published] largest |y| at accepted ends of steps; saved */
    double amplification; /* by the algebraic loop across subsystems around the outputs; 0: none */
    double *value;        /* [n_published] on the right of a stop */
    double *slope;        /* [n_published] on the right of a stop */
    int n_round_shown;    /* nodes at the present instant after its left one */
    int has_shown;        /* a published output jumped at the last instant */
} wr_ode_publication;

/* Values and slopes of the published outputs at a point with x' = dx. ret_slope may be NULL, and then dx, too. */
wrsim_status wr_ode_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double *ret_value, double *ret_slope);
/* Updates y_size from the wave's last node. */
void wr_ode_note_sizes(wr_subsystem *s);
/* wr_equations.computed_error of the published outputs. */
double wr_ode_computed_error(void *self, double t_s, const double *x, const double *error);
/* Appends a node to the wave, to be filled in by the caller: [n_published] values and slopes. */
wrsim_status wr_ode_add_node(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope);
/* Appends a node with the values of wr_ode_published_at(). After a failure the node is unset, and the wave must not be read. */
wrsim_status wr_ode_publish(wr_subsystem *s, const wr_group_point *point, const double *dx);
/* Does the wave's last node equal these values within tolerance, and over the rest of the window these slopes? slope NULL: compares
 * values only. */
int wr_ode_is_shown(const wr_subsystem *s, const double *value, const double *slope);
/* Publishes values as a node of a round of the present instant. Earlier rounds without a node get one each first. */
wrsim_status wr_ode_show_round(wr_subsystem *s, int round, const double *value,
                               const double *slope);
/* Publishes the current point in a round, if a published output has changed. */
wrsim_status wr_ode_note_round(wr_subsystem *s, int round);
/* Evaluates the recorded variables at a point, ret_row[n_recorded]. Returns 0, or 1 if a model
 * fails. */
int wr_ode_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row);
/* Appends a row of the recorded variables. */
wrsim_status wr_ode_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                               double row_time_s);

#endif
