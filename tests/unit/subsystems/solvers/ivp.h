/* Initial value problems of the integrator tests, with exact or published solutions, and helpers that run an integrator. */
#ifndef WR_TEST_IVP_H
#define WR_TEST_IVP_H

#include "wr_test.h"

#include "subsystems/solvers/integrator.h"

enum { IVP_MAX_STATES = 64 };

/* Result of rhs in the fault tests. */
typedef enum ivp_fault {
    IVP_FAULT_NONE,
    IVP_FAULT_RETRY,
    IVP_FAULT_FATAL,
    IVP_FAULT_NAN
} ivp_fault;

typedef struct ivp {
    wr_equations ode;
    wr_arena *arena;
    double nominal[IVP_MAX_STATES], tolerance_factor[IVP_MAX_STATES];
    double t0_s, t1_s, x0[IVP_MAX_STATES], reference[IVP_MAX_STATES]; /* reference at t1 */
    int n_rhs;                                                        /* calls of rhs */
    double t_max_s; /* latest time of a call of rhs */
    /* rhs fails if t > fault_from_s, fault_calls times in all; fault_calls < 0: always. */
    ivp_fault fault;
    double fault_from_s;
    int fault_calls;
} ivp;

/* x1' = x1 cos t + (x2 - b) x1, x2' = -2 t x2^2 + (x1 - a) x2, with a = exp(sin t),
 * b = 1 / (1 + t^2); exact solution x = (a, b). Nonlinear, coupled, not autonomous. */
void ivp_smooth(ivp *problem);
void ivp_smooth_exact(double t_s, double ret_x[2]);

void ivp_vanderpol(ivp *problem); /* mu = 1000 */
void ivp_robertson(ivp *problem);
void ivp_orego(ivp *problem);
void ivp_hires(ivp *problem);

/* theta' = 5 + 3 cos 3t, from a thousand turns on. is_asked: the tolerance applies to the sine of theta, not to theta. */
void ivp_shaft(ivp *problem, int is_asked);

/* Heat rod of n states with a nonlinear source and an input; stiff, tridiagonal. No reference. */
void ivp_rod(ivp *problem, int n);

/* Returns the formula for the method "multistep": Adams-Moulton of order 3. NULL for other methods. */
const wr_lms *ivp_formula(const wr_integrator_ops *ops);
int ivp_order(const wr_integrator_ops *ops);

void ivp_done(ivp *problem);
/* Declares a problem of ivp_KIND() that ends with its scope. */
#define IVP(problem, kind)                                                                         \
    AUTO(ivp_done) ivp problem;                                                                    \
    ivp_##kind(&(problem))

/* Places an integrator on the problem and starts it at the problem's t0_s. */
wr_integrator *ivp_start(ivp *problem, const wr_integrator_ops *ops,
                         const wr_integ_options *options);

/* Steps to t_stop_s; returns the status of the first failing step, else 0. */
int ivp_run(wr_integrator *integrator, const wr_integrator_ops *ops, double t_stop_s);

/* Stores the dense output at t_s, which lies in the last step. */
void ivp_state(wr_integrator *integrator, const wr_integrator_ops *ops, double t_s, double *ret_x);

void ivp_destroy(wr_integrator *integrator, const wr_integrator_ops *ops);

#endif
