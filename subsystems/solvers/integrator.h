/* The interface between a subsystem and its integrator.
 *
 * An integrator solves a smooth ODE x' = f(t, x) between two stops. The integrator makes one accepted step at a time, never beyond t_stop,
 * and evaluates the solution inside its last step (dense output). The subsystem (ode/) handles events, input jumps, windows, waves and
 * recording. So an integrator consists of its operations and one entry of integrator_list.h.
 *
 * Thread: one at a time per instance. Real-time: integrators with WR_INTEG_RT_SAFE.
 */
#ifndef WR_INTEGRATOR_H
#define WR_INTEGRATOR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/lu_code.h"
#include "base/module.h"
#include "base/sparse.h"
#include "base/state_io.h"
#include "subsystems/solvers/integrator_list.h"
#include "subsystems/solvers/lms.h"
#include "subsystems/solvers/mass.h"
#include "wrsim/stats.h"

/* The ODE x' = f, or L x' = f with a mass matrix L. Callbacks return 0; > 0: retry with a smaller step; < 0: fatal, and the owner of the
 * ODE stores the fault. */
typedef struct wr_equations {
    int n_x;
    void *self;
    int (*rhs)(void *self, double t_s, const double *x, double *ret_dx);
    /* Writes the values of df/dx in the order of pattern->row. NULL: the integrator computes differences of rhs. */
    int (*jacobian)(void *self, double t_s, const double *x, double *ret_values);
    /* Writes df/dx times x_change[n_x]. Returns non-zero if the derivative is not available at this point. NULL: none. */
    int (*tangent)(void *self, double t_s, const double *x, const double *x_change, double *ret_dx);
    const wr_matrix *pattern;       /* pattern of df/dx, n_x by n_x */
    const wr_mass *mass;            /* L, for methods with WR_INTEG_MASS; NULL: the identity */
    const double *nominal;          /* [n_x] > 0 */
    const double *tolerance_factor; /* [n_x] factor > 0 on the tolerance of each state */
    int is_driven;                  /* rhs reads piecewise smooth waveforms of other subsystems */
    /* Returns the largest error of the published outputs that an error of the states at (t, x) causes, in tolerances with rtol = 1. Not
     * finite: unknown. NULL: no output is computed from states. */
    double (*computed_error)(void *self, double t_s, const double *x, const double *error);
} wr_equations;

typedef enum wr_linear_solver {
    WR_LINEAR_AUTO, /* dense up to 32 states, sparse above */
    WR_LINEAR_DENSE,
    WR_LINEAR_SPARSE, /* KLU */
    WR_LINEAR_COUNT
} wr_linear_solver;

typedef struct wr_integ_options {
    double rtol;        /* relative tolerance, > 0 */
    double atol_factor; /* tolerance of x_i = factor_i * rtol * (|x_i| + atol_factor * nominal_i) */
    double step_s;     /* length of fixed steps; with error control the largest step; 0: no limit */
    double min_step_s; /* shorter steps, and steps below 1e-14 relative to time, are a failure */
    wr_linear_solver linear_solver;
    int max_order; /* highest order of methods with WR_INTEG_ORDERS; 0: the order of the method */
    const wr_matrix *kept; /* used entries of df/dx, for methods with WR_INTEG_PATTERN; NULL: all */
    const wr_lu_code
        *code; /* generated code that factorises c L - J with the kept entries; NULL: none */
    const wr_lms *formula; /* formula of kind multistep */
} wr_integ_options;

typedef struct wr_integ_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD)
    int64_t n_pole;  /* number of steps of fixed implicit methods that a pole prevents */
    int64_t n_solve; /* number of linear systems that Rosenbrock methods solve */
    int64_t n_refit; /* number of due factorisations of Rosenbrock methods, in all sweeps */
    double explicit_s, implicit_s; /* simulated time in steps of the two families, s */
} wr_integ_stats;

enum {
    WR_INTEG_FIXED_STEP = 1 << 0,
    WR_INTEG_STIFF = 1 << 1,
    WR_INTEG_RT_SAFE = 1 << 2,     /* step() neither allocates, blocks nor does I/O */
    WR_INTEG_ROLLBACK = 1 << 3,    /* after restore() the steps since save() have no effect */
    WR_INTEG_ENDS_WITH_F = 1 << 4, /* the last evaluation in step() is f at the step's end */
    WR_INTEG_BEGINS_WITH_F =
        1 << 5,               /* step() first evaluates f at the step's start, unless f is known */
    WR_INTEG_ORDERS = 1 << 6, /* uses orders from 1 to the method's order, limited by max_order */
    WR_INTEG_MASS = 1 << 7,   /* solves L x' = f, L singular or not */
    WR_INTEG_PATTERN =
        1 << 8 /* accepts a subset of the Jacobian's entries (wr_integ_options.kept) */
};

typedef struct wr_integrator wr_integrator; /* opaque; its first member is wr_integ_stats */

/* Stability function R = N / D of a one-step method (Hairer, Wanner, "Solving ODEs II", IV.2, IV.3). x_{n+1} = R(q) x_n solves x' = lambda
 * x in steps h, with q = h lambda. The coefficients are ordered by powers of q. */
enum { WR_INTEG_GROWTH_Q = 4 }; /* highest power of q */
typedef struct wr_integ_growth {
    double numerator[WR_INTEG_GROWTH_Q + 1], denominator[WR_INTEG_GROWTH_Q + 1];
} wr_integ_growth;

typedef struct wr_integrator_ops {
    const char *name; /* as in the config: solver.kind */
    const char *help; /* one line of help */
    wr_module_id
        module; /* module that place() loads; place() returns WRSIM_E_CONFIG if loading fails */
    int order;  /* order of convergence for a smooth problem; 0: the order of the given formula */
    int dense_order; /* order of the dense output */
    /* Loosest relative tolerance that follows from simulation.rtol, for methods with error control; 0: no limit. At looser tolerances
     * errors of states hide events or make false events (docs/lab/2026-11-26-loose-tolerances.md). */
    double loosest_rtol;
    unsigned flags;
    /* The families of methods that the integrator chooses from while running. Statistics count steps of the second family as implicit.
     * NULL: one method. */
    const char *family[2];
    /* Growth per step of methods with WR_INTEG_FIXED_STEP: the name of the formula in lms.h, or the stability function of a method that is
     * no formula. Without both the config gives the formula (wr_integ_options.formula). */
    const char *formula;
    wr_integ_growth growth;

    /* Places an instance in arena. ode and its arrays outlive the instance. place() makes all heap objects (SUNDIALS, KLU), and destroy()
     * frees the heap objects. */
    wrsim_status (*place)(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator);
    void (*destroy)(wr_integrator *integrator); /* NULL: no object to free */

    /* Starts anew at (t, x) after a discontinuity. dx: f(t, x), or NULL. The first guess of the next step size is the last step size
     * (CVODE: the first size after the last start). The grid of fixed-step methods becomes t + i * step. */
    int (*start)(wr_integrator *integrator, double t_s, const double *x, const double *dx);

    /* Makes one accepted step from the current point towards t_stop. A step that reaches t_stop ends exactly at t_stop. Returns 0 with the
     * new time, or a negative status: WRSIM_E_SOLVER, WRSIM_E_NAN, WRSIM_E_MEMORY (CVODE), or WRSIM_E_CALLBACK if f returned < 0. */
    int (*step)(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

    /* Returns to the start of the last step, so that the step can be repeated with another stop. After start(), restore(), undo() or a failed
     * step the integrator is at the start already. NULL: the owner calls start() instead, because a one-step method has no history. */
    void (*undo)(wr_integrator *integrator);

    /* Evaluates state and slope (each may be NULL) at a time within the last step, both ends included. */
    void (*dense)(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx);

    /* Drops values of f after a change of inputs at the current time (a new window). Keeps all other data that the method can keep. dx: f
     * with the new inputs, or NULL. All methods except CVODE's count dx as one of n_rhs. */
    void (*inputs_changed)(wr_integrator *integrator, const double *dx);

    /* Save and restore state, step size and Jacobian, and the history with WR_INTEG_ROLLBACK, but not the last step. Right after restore()
     * dense() is valid only at the current point. A rollback does not restore statistics. */
    void (*save)(wr_integrator *integrator);
    void (*restore)(wr_integrator *integrator);

    /* Reads or writes all state after placing: the data that save() copies, the last step, statistics (base/state_io.h). After reading, the
     * integration continues as in the writing instance. NULL: not supported. */
    void (*state)(wr_integrator *integrator, wr_state_io *io);

    /* Multiplies v[n_x], a change of the states, by the damping of the last step, (I - h gamma J)^-1. NULL: not supported, or the identity
     * of explicit methods. */
    void (*damp)(wr_integrator *integrator, double *v);

    /* Multiplies the tolerances by factor >= 1 from the next step on (tolerances per sweep). */
    void (*loosen)(wr_integrator *integrator, double factor);

    /* Limits the work: after n_rhs more right-hand sides, error control accepts every step with a finite error, and the next steps end at
     * their stops. INT64_MAX: no limit, the value after placing. NULL: not supported. */
    void (*limit)(wr_integrator *integrator, int64_t n_rhs);

    /* Makes one step to the stop by Heun's method, with at most two evaluations of f. The last evaluation is not f at the step's end.
     * Returns as step(). For explicit fixed-step methods. NULL: none. */
    int (*coarse)(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

    /* Returns the method that made the last step. NULL: the integrator has one method. */
    const struct wr_integrator_ops *(*current)(wr_integrator *integrator);
} wr_integrator_ops;

/* Returns the method that made the last step. */
static inline const wr_integrator_ops *wr_integrator_current(const wr_integrator_ops *ops,
                                                             wr_integrator *integrator)
{
    return ops->current ? ops->current(integrator) : ops;
}

/* The operations of each integrator, and the table of all integrators, terminated by NULL. */
#define WR_INTEGRATOR_DECLARE(name) extern const wr_integrator_ops wr_integ_##name;
WR_INTEGRATOR_LIST(WR_INTEGRATOR_DECLARE, WR_INTEGRATOR_DECLARE)
#undef WR_INTEGRATOR_DECLARE
extern const wr_integrator_ops *const wr_integrators[];

/* Returns the integrator with a name; NULL: none. */
const wr_integrator_ops *wr_integrator_find(const char *name);

static inline wr_integ_stats *wr_integrator_stats(wr_integrator *integrator)
{
    return (wr_integ_stats *)(void *)integrator;
}

#endif
