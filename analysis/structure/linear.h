/* Linearisations: x' = f(t, x, u), y = g(t, x, u) of some components at points of a run, modes and discrete states as they
 * are there:
 *
 *     A = df/dx    B = df/du    C = dg/dx    D = dg/du
 *
 * Where models have a mass matrix L it is L x' = f.
 *
 * By the models' own Jacobians or directional derivatives where all on the way have them, else by central differences
 * (differences.h). Rows and columns are the view's states, external inputs and outputs (view.h: names, nominal values, who
 * drives an input), in the variables' own units.
 *
 *     const wr_selection group[] = {{.subsystem = "airpath"}, {.component = "cyl1"}};
 *     const double time_s[] = {0.1, 0.2};
 *     status = wr_linear_run(config, &(wr_linear_request){.group = group, .n_group = 2, .time_s = time_s, .n_time = 2},
 *                            look, me, report, reporter, &err);
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_LINEAR_H
#define WR_LINEAR_H

#include "analysis/structure/view.h"
#include "analysis/structure/walk.h"
#include "base/matrix.h"

/* Where derivatives are to come from. */
typedef enum wr_linear_source {
    WR_LINEAR_BEST,       /* the models' where they have them */
    WR_LINEAR_DIFFERENCES /* of values only */
} wr_linear_source;

typedef struct wr_linear {
    const wr_view *view; /* at the point: t_s, x, d, u, mode */
    int i_group;         /* of the request */
    double *dx, *y;      /* f and g there, [n states], [n outputs] */
    wr_matrix *a, *b, *c, *d;
    wr_matrix *l;   /* of L x' = f; NULL: the identity */
    const char *by; /* "Jacobian", "tangent" or "differences": what A comes from */
} wr_linear;

/* Linearises at the view's point. The result is the caller's, freed by wr_linear_done(). Returns WRSIM_OK; WRSIM_E_NAN,
 * _E_CALLBACK or what else evaluating reports, with err naming who and when; WRSIM_E_MEMORY. */
wrsim_status wr_linear_make(wr_view *view, wr_linear_source source, wr_linear *ret,
                            wrsim_error *err);
void wr_linear_done(wr_linear *linear);

typedef struct wr_linear_request {
    const wr_selection *group;
    int n_group;
    const double *time_s; /* [n_time] ascending, from the run's start to its stop */
    int n_time;
    wr_linear_source source;
    wr_walk_progress_fn progress; /* NULL: nobody is told */
    void *teller;                 /* its user */
} wr_linear_request;

/* Gets every linearisation, time by time, in each group by group; valid during the call. A negative status ends the run. */
typedef wrsim_status (*wr_linear_fn)(void *user, const wr_linear *at, wrsim_error *err);

/* Runs a config (its split and its solvers as it says; split probes are to be decided before, wrsim/study.h) and
 * linearises it there. report (may be NULL) gets all errors of the config. Returns what running, linearising or the callback
 * do. */
wrsim_status wr_linear_run(const wrsim_config *config, const wr_linear_request *request,
                           wr_linear_fn look, void *user, wrsim_report_fn report, void *reporter,
                           wrsim_error *err);

#endif
