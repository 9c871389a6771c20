/* Linearisations x' = f(t, x, u), y = g(t, x, u) of components at points of a run, with constant modes and discrete
 * states:
 *
 *     A = df/dx    B = df/du    C = dg/dx    D = dg/du
 *
 * With a mass matrix L the equation is L x' = f.
 *
 * If all models concerned have Jacobians or directional derivatives, these give the derivatives. Otherwise central
 * differences do (differences.h). Rows and columns are states, external inputs and outputs of the view (view.h), in the
 * units of the variables.
 *
 *     const wr_selection group[] = {{.subsystem = "airpath"}, {.component = "cyl1"}};
 *     const double time_s[] = {0.1, 0.2};
 *     status = wr_linear_run(config, &(wr_linear_request){.group = group, .n_group = 2, .time_s = time_s, .n_time = 2},
 *                            look, me, report, reporter, &err);
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_LINEAR_H
#define WR_LINEAR_H

#include "base/matrix.h"
#include "offline/structure/view.h"
#include "offline/structure/walk.h"

/* Source of derivatives. */
typedef enum wr_linear_source {
    WR_LINEAR_BEST,       /* derivatives of the models, if they have them */
    WR_LINEAR_DIFFERENCES /* differences of values only */
} wr_linear_source;

typedef struct wr_linear {
    const wr_view *view; /* view at the point: t_s, x, d, u, mode */
    int i_group;         /* index in the request */
    double *dx, *y;      /* [n states], [n outputs] f and g at the point */
    wr_matrix *a, *b, *c, *d;
    wr_matrix *l;   /* mass matrix L; NULL: the identity */
    const char *by; /* source of A: "Jacobian", "tangent" or "differences" */
} wr_linear;

/* Linearises at the view's point. The caller owns the result (wr_linear_done()). Returns WRSIM_OK; WRSIM_E_NAN,
 * _E_CALLBACK or another error of an evaluation, with variable and time in err; WRSIM_E_MEMORY. */
wrsim_status wr_linear_make(wr_view *view, wr_linear_source source, wr_linear *ret,
                            wrsim_error *err);
void wr_linear_done(wr_linear *linear);

typedef struct wr_linear_request {
    const wr_selection *group;
    int n_group;
    const double *time_s; /* [n_time] ascending, from the run's start to its stop */
    int n_time;
    wr_linear_source source;
    wr_walk_progress_fn progress; /* NULL: none */
    void *teller;                 /* first argument of progress */
} wr_linear_request;

/* Receives each linearisation, ordered by time, then group, which is valid during the call. A negative status ends the
 * run. */
typedef wrsim_status (*wr_linear_fn)(void *user, const wr_linear *at, wrsim_error *err);

/* Runs a config with its own subsystems and solvers and linearises it at the requested times. simulation.monolithic
 * = "auto" must be decided before (wrsim/study.h). report (may be NULL) gets all errors of the config. Returns the
 * status of the run, of a linearisation or of the callback. */
wrsim_status wr_linear_run(const wrsim_config *config, const wr_linear_request *request,
                           wr_linear_fn look, void *user, wrsim_report_fn report, void *reporter,
                           wrsim_error *err);

#endif
