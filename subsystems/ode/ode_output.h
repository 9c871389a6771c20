/* What a subsystem publishes and records: nodes of its wave, and rows.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_OUTPUT_H
#define WR_ODE_OUTPUT_H

#include "subsystems/ode/ode_parts.h"

/* How often a step may be halved for nodes inside of it; with bounded work. */
enum { WR_REFINE_LEVELS = 24, WR_REFINE_LEVELS_BOUNDED = 1 };

typedef struct wr_ode_publication {
    double inside_s; /* length of the step inside of which outputs are evaluated, else 0 */
    double known_s;  /* time of the published values in the last level of refine; NaN: none */
    double *refine;  /* [WR_REFINE_LEVELS + 1][2 n_published] */
    double *y_size;  /* [n_published] largest so far, at accepted ends of steps; saved */
    double
        amplification; /* of the algebraic loop across subsystems that outputs are in; 0: they are in none */
    double *value;
    double *slope;     /* [n_published] on the right of a stop */
    int n_round_shown; /* of the present instant, nodes after that on its left */
    int has_shown;     /* a published output jumped at the last instant */
} wr_ode_publication;

/* Values and slopes of the published outputs at the given point, whose slope is dx. ret_slope may be NULL,
 * dx then too. */
wrsim_status wr_ode_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double *ret_value, double *ret_slope);
/* The wave's last node has been reached: what published outputs have come to so far. */
void wr_ode_note_sizes(wr_subsystem *s);
/* wr_equations.computed_error of the published outputs. */
double wr_ode_computed_error(void *self, double t_s, const double *x, const double *error);
/* Appends a node to the wave, to be filled in by the caller: [n_published] values and slopes. */
wrsim_status wr_ode_add_node(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope);
/* Appends one with what published_at gives. After a failure its numbers are unset: the wave is not to
 * be read. */
wrsim_status wr_ode_publish(wr_subsystem *s, const wr_group_point *point, const double *dx);
/* Is the wave's last node as good as these values, and over the rest of the window these slopes? slope
 * NULL: values only. */
int wr_ode_is_shown(const wr_subsystem *s, const double *value, const double *slope);
/* Shows values at a round of the present instant: a node, after one for each round before that showed nothing
 * new. */
wrsim_status wr_ode_show_round(wr_subsystem *s, int round, const double *value,
                               const double *slope);
/* The same of the current point, if anything published has changed. */
wrsim_status wr_ode_note_round(wr_subsystem *s, int round);
/* Evaluates the recorded variables at a point, ret_row[n_recorded]. Returns 0, or 1 if a model
 * fails. */
int wr_ode_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row);
/* Appends a row of the recorded variables. */
wrsim_status wr_ode_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                               double row_time_s);

#endif
