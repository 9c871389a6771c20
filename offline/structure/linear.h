/* Linearisations x' = f(t, x, u), y = g(t, x, u) of components at points of a run, with constant modes and discrete states:
 *
 *     A = df/dx    B = df/du    C = dg/dx    D = dg/du
 *
 * With a mass matrix L the equation is L x' = f.
 *
 * If all models have directional derivatives, all matrices come from these derivatives, else from central differences. If a model refuses a
 * derivative, its column comes from differences. If all models have finite Jacobians, A comes from the Jacobians. Rows and columns are
 * states, external inputs and outputs of the view (view.h), in the units of the variables.
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

/* Central differences at a view's point: derivatives of state derivatives, outputs and indicators by one variable.
 *
 * The increment is the cube root of DBL_EPSILON times the larger of variable and nominal value (J. Nocedal and S. Wright, "Numerical
 * Optimization", 2006, section 8.1). The error is about 1e-10 of the function's scale. If a function does not depend on the variable, the
 * difference is exactly 0. If a model refuses one side, the difference uses the other side. If a model refuses both sides, the increment
 * becomes a thousand times smaller. */

/* Results of an evaluation, with the sizes of the view; one block of memory. */
typedef struct wr_values {
    int n_x, n_y, n_z;
    double *dx, *y, *z;
} wr_values;

/* Returns 0, or -1 when out of memory. */
int wr_values_init(wr_values *values, const wr_view *view);
void wr_values_done(wr_values *values);

/* Workspace of the differences. */
typedef struct wr_differences {
    wr_view *view;
    wr_values at, low, high; /* results at the point itself, and on both sides */
} wr_differences;

/* Evaluates at the view's point. Returns WRSIM_OK, or a negative status with err, such as an error of a model. */
wrsim_status wr_differences_begin(wr_differences *d, wr_view *view, wrsim_error *err);
void wr_differences_done(wr_differences *d);

/* Writes the derivatives by *variable, an element of the view's x, d or u with the given nominal value. Returns 0, or 1 if the models
 * refuse both sides. Restores the view. */
int wr_differences_by(wr_differences *d, double *variable, double nominal, wr_values *ret);

/* Requested source of derivatives. */
typedef enum wr_linear_source {
    WR_LINEAR_BEST,       /* directional derivatives or Jacobians, if all models have them */
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

/* Function that receives each linearisation, ordered by time, then group. The linearisation is valid during the call. A negative status
 * ends the run. */
typedef wrsim_status (*wr_linear_fn)(void *user, const wr_linear *at, wrsim_error *err);

/* Runs a config with its own subsystems and solvers and linearises the selections at the requested times. The caller decides
 * simulation.monolithic = "auto" before the call (wrsim/study.h). report (may be NULL) receives all errors of the config. Returns
 * WRSIM_E_ARG for unsuitable times or selections, else the status of the run, of a linearisation or of the callback. */
wrsim_status wr_linear_run(const wrsim_config *config, const wr_linear_request *request,
                           wr_linear_fn look, void *user, wrsim_report_fn report, void *reporter,
                           wrsim_error *err);

#endif
