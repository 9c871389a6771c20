/* SUNDIALS as peers: CVODE's BDF (dense; KLU) and Adams, ARKODE's explicit and diagonally implicit Runge-Kutta methods,
 * all with their own root finding on all indicators (Hindmarsh et al., SUNDIALS, ACM TOMS 31, 2005; Reynolds et al.,
 * ARKODE, ACM TOMS 49, 2023).
 *
 * All peers get root directions; BDF and DIRK also get a coloured Jacobian. After an event, ARKODE restarts with the last step size. CVODE
 * restarts with its own estimate: the last step size needs 10 % (Adams) to 55 % (BDF) more right-hand sides on the
 * engine (docs/lab/2026-11-22-what-helped.md).
 *
 * Thread: main. Real-time: no.
 */
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench/peers/peers.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/sundials.h"

enum { BDF, ADAMS, ERK, DIRK };
enum { MAX_STEPS = 100000000, MAX_FAILURES = 20, HERMITE = 3 };

struct peer_solver {
    const peer_method *method;
    peer_problem *p;
    void *memory;
    wr_sundials its;
    wr_equations ode;
    wr_jac_color *jac;
    wr_integ_stats stats; /* statistics of the Jacobian */
    double *jacobian;
    int64_t n_step_before; /* number of steps of CVODE before the last restart */
};

static int is_cvode(const peer_solver *self) { return self->method->kind <= ADAMS; }

static int rhs(realtype t_s, N_Vector y, N_Vector ydot, void *user)
{
    peer_solver *const self = user;
    return peer_rhs(self->p, t_s, N_VGetArrayPointer_Serial(y), N_VGetArrayPointer_Serial(ydot));
}

static int roots(realtype t_s, N_Vector y, realtype *ret_z, void *user)
{
    peer_solver *const self = user;
    return peer_indicators(self->p, t_s, N_VGetArrayPointer_Serial(y), ret_z);
}

static int ode_rhs(void *user, double t_s, const double *x, double *ret_dx)
{
    peer_solver *const self = user;
    return peer_rhs(self->p, t_s, x, ret_dx);
}

static int ode_jacobian(void *user, double t_s, const double *x, double *ret_values)
{
    const peer_solver *const self = user;
    const wr_subsystem *const s = self->p->s;
    const wr_group_point point = {
        .t_s = t_s, .x = x, .d = s->d, .external = s->external, .mode = wr_ode_of(s)->mode};
    return wr_group_jacobian(wr_ode_group(s), &point, ret_values);
}

static int jacobian(realtype t_s, N_Vector y, N_Vector fy, SUNMatrix matrix, void *user,
                    N_Vector work1, N_Vector work2, N_Vector work3)
{
    (void)work1, (void)work2, (void)work3;
    peer_solver *const self = user;
    const int rc = wr_jac_color_eval(self->jac, &self->stats, t_s, N_VGetArrayPointer_Serial(y),
                                     N_VGetArrayPointer_Serial(fy), self->jacobian);
    if (rc == 0)
        wr_sundials_fill(&self->its, self->jacobian, matrix);
    return rc;
}

/* Makes the coloured Jacobian and Newton's linear solver. Returns 0 or -1. */
static int make_linear(peer_solver *self)
{
    wr_group *const group = wr_ode_group(self->p->s);
    self->ode = (wr_equations){.n_x = self->p->n_x,
                               .self = self,
                               .rhs = ode_rhs,
                               .jacobian = wr_group_has_jacobian(group) ? ode_jacobian : NULL,
                               .pattern = group->pattern_xx,
                               .nominal = group->nominal_x};
    self->jac = wr_jac_color_place(self->p->arena, &self->ode);
    self->jacobian = WR_NEW_ARRAY(self->p->arena, double, group->pattern_xx->n_nonzero);
    if (!self->jac || !self->jacobian)
        return -1;
    return wr_sundials_linear(&self->its, self->p->arena, group->pattern_xx,
                              self->method->is_sparse);
}

/* Computes error weights as wrsim's solvers do. */
static int weights(N_Vector y, N_Vector weight, void *user)
{
    const peer_problem *const p = ((const peer_solver *)user)->p;
    const double *const x = N_VGetArrayPointer_Serial(y);
    double *const w = N_VGetArrayPointer_Serial(weight);
    for (int i = 0; i < p->n_x; i++)
        w[i] = 1.0 / (p->factor[i] * p->rtol * (fabs(x[i]) + p->atol_factor * p->nominal[i]));
    return 0;
}

static int make_cvode(peer_solver *self, int *direction)
{
    void *const m = self->memory =
        CVodeCreate(self->method->kind == BDF ? CV_BDF : CV_ADAMS, self->its.context);
    if (!m || CVodeSetErrHandlerFn(m, wr_sundials_silence, NULL) != 0 ||
        CVodeInit(m, rhs, self->p->start_s, self->its.y) != 0 || CVodeSetUserData(m, self) != 0 ||
        CVodeWFtolerances(m, weights) != 0 || CVodeSetMaxNumSteps(m, MAX_STEPS) != 0 ||
        CVodeSetMaxErrTestFails(m, MAX_FAILURES) != 0 || CVodeSetMaxHnilWarns(m, -1) != 0)
        return -1;
    if (self->p->n_z > 0 &&
        (CVodeRootInit(m, self->p->n_z, roots) != 0 || CVodeSetRootDirection(m, direction) != 0 ||
         CVodeSetNoInactiveRootWarn(m) != 0))
        return -1;
    if (self->method->kind == ADAMS) {
        self->its.nonlinear = SUNNonlinSol_FixedPoint(self->its.y, 0, self->its.context);
        return self->its.nonlinear ? CVodeSetNonlinearSolver(m, self->its.nonlinear) : -1;
    }
    if (make_linear(self) != 0 || CVodeSetLinearSolver(m, self->its.linear, self->its.matrix) != 0)
        return -1;
    return CVodeSetJacFn(m, jacobian);
}

static int make_arkode(peer_solver *self, int *direction)
{
    const int is_explicit = self->method->kind == ERK;
    void *const m = self->memory = ARKStepCreate(is_explicit ? rhs : NULL, is_explicit ? NULL : rhs,
                                                 self->p->start_s, self->its.y, self->its.context);
    if (!m || ARKStepSetErrHandlerFn(m, wr_sundials_silence, NULL) != 0 ||
        ARKStepSetUserData(m, self) != 0 || ARKStepSetOrder(m, self->method->order) != 0 ||
        ARKStepWFtolerances(m, weights) != 0 || ARKStepSetMaxNumSteps(m, MAX_STEPS) != 0 ||
        ARKStepSetMaxErrTestFails(m, MAX_FAILURES) != 0 || ARKStepSetMaxHnilWarns(m, -1) != 0 ||
        ARKStepSetInterpolantDegree(m, HERMITE) != 0)
        return -1;
    if (self->p->n_z > 0 &&
        (ARKStepRootInit(m, self->p->n_z, roots) != 0 ||
         ARKStepSetRootDirection(m, direction) != 0 || ARKStepSetNoInactiveRootWarn(m) != 0))
        return -1;
    if (is_explicit)
        return 0;
    if (make_linear(self) != 0 ||
        ARKStepSetLinearSolver(m, self->its.linear, self->its.matrix) != 0)
        return -1;
    return ARKStepSetJacFn(m, jacobian);
}

static void destroy(peer_solver *self)
{
    if (self->memory && is_cvode(self))
        CVodeFree(&self->memory);
    else if (self->memory)
        ARKStepFree(&self->memory);
    wr_sundials_free(&self->its);
    free(self);
}

static peer_solver *create(const peer_method *method, peer_problem *p)
{
    peer_solver *const self = calloc(1, sizeof *self);
    int *const direction = calloc((size_t)p->n_z + 1, sizeof *direction);
    if (!self || !direction || wr_sundials_begin(&self->its, p->n_x) != 0)
        goto fail;
    self->method = method;
    self->p = p;
    memcpy(N_VGetArrayPointer_Serial(self->its.y), p->s->x, (size_t)p->n_x * sizeof(double));
    for (int i = 0; i < p->n_z; i++)
        direction[i] =
            wr_ode_group(p->s)->direction_z[i] == 2 ? -1 : wr_ode_group(p->s)->direction_z[i];
    if ((is_cvode(self) ? make_cvode : make_arkode)(self, direction) != 0)
        goto fail;
    free(direction);
    return self;

fail:
    snprintf(p->why, sizeof p->why, "%s cannot be set up", method->name);
    free(direction);
    if (self)
        destroy(self);
    return NULL;
}

static peer_arrival advance(peer_solver *self, double t_s, double limit_s, double *ret_t_s,
                            double *x, int *found)
{
    void *const m = self->memory;
    int rc;
    if (is_cvode(self)) {
        rc = CVodeSetStopTime(m, limit_s);
        rc = rc == 0 ? CVode(m, t_s, self->its.y, ret_t_s, CV_NORMAL) : rc;
    } else {
        rc = ARKStepSetStopTime(m, limit_s);
        rc = rc == 0 ? ARKStepEvolve(m, t_s, self->its.y, ret_t_s, ARK_NORMAL) : rc;
    }
    memcpy(x, N_VGetArrayPointer_Serial(self->its.y), (size_t)self->p->n_x * sizeof *x);
    if (rc < 0) {
        snprintf(self->p->why, sizeof self->p->why, "%s failed with code %d at t = %.9g s",
                 self->method->name, rc, *ret_t_s);
        return PEER_FAILED;
    }
    /* CVODE and ARKODE have common numbers of return codes. */
    if (rc != CV_ROOT_RETURN)
        return PEER_THERE;
    rc = is_cvode(self) ? CVodeGetRootInfo(m, found) : ARKStepGetRootInfo(m, found);
    return rc == 0 ? PEER_ROOT : PEER_FAILED;
}

static int64_t n_step(const peer_solver *self)
{
    long n = 0;
    if (is_cvode(self))
        (void)CVodeGetNumSteps(self->memory, &n); /* these calls fail for NULL only */
    else
        (void)ARKStepGetNumSteps(self->memory, &n);
    return self->n_step_before + n;
}

static int restart(peer_solver *self, double t_s, const double *x)
{
    memcpy(N_VGetArrayPointer_Serial(self->its.y), x, (size_t)self->p->n_x * sizeof *x);
    if (!is_cvode(self))
        return ARKStepReset(self->memory, t_s, self->its.y) == 0 ? 0 : -1;
    self->n_step_before = n_step(self); /* CVodeReInit() resets the counter */
    return CVodeReInit(self->memory, t_s, self->its.y) == 0 ? 0 : -1;
}

#define METHOD(NAME, KIND, ORDER, IS_SPARSE)                                                       \
    {                                                                                              \
        NAME, create, advance, restart, n_step, destroy, KIND, ORDER, IS_SPARSE                    \
    }
const peer_method peer_sundials[] = {
    METHOD("cvode-bdf-dense", BDF, 0, 0), METHOD("cvode-bdf-klu", BDF, 0, 1),
    METHOD("cvode-adams", ADAMS, 0, 0),   METHOD("arkode-erk", ERK, 3, 0),
    METHOD("arkode-dirk", DIRK, 3, 1),    METHOD("arkode-dirk5", DIRK, 5, 1),
    METHOD("arkode-erk5", ERK, 5, 0),     {.name = NULL},
};
