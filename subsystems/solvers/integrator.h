/* The interface between a subsystem and its integrator.
 *
 * An integrator solves a smooth ODE x' = f(t, x) between two stops. It makes one accepted step at a
 * time, never beyond t_stop, and evaluates the solution inside its last step (dense output).
 * The subsystem handles events, input jumps, windows, waves and recording (ode/), so an integrator is one file and one entry of
 * integrator_list.h.
 *
 * Thread: one at a time per instance. Real-time: those with WR_INTEG_RT_SAFE.
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
#include "subsystems/solvers/lms.h"
#include "subsystems/solvers/mass.h"
#include "wrsim/stats.h"

/* The ODE x' = f, or L x' = f with a mass matrix L. Callbacks return 0, > 0 (retry with a smaller step) or < 0 (fatal; the owner of the
 * ODE holds the fault). */
typedef struct wr_equations {
    int n_x;
    void *self;
    int (*rhs)(void *self, double t_s, const double *x, double *ret_dx);
    /* NULL: the integrator differences rhs column group by column group. Otherwise writes the
     * values of df/dx in the order of pattern->row. */
    int (*jacobian)(void *self, double t_s, const double *x, double *ret_values);
    /* df/dx times x_change[n_x], instead of a difference; non-zero: not available at this point. NULL: none. */
    int (*tangent)(void *self, double t_s, const double *x, const double *x_change, double *ret_dx);
    const wr_matrix *pattern;       /* of df/dx, square, n_x */
    const wr_mass *mass;            /* L, for methods with WR_INTEG_MASS; NULL: the identity */
    const double *nominal;          /* [n_x] > 0 */
    const double *tolerance_factor; /* [n_x] factor > 0 on the tolerance of each state */
    int is_driven;                  /* rhs reads piecewise smooth waveforms of other subsystems */
    /* Largest error of the published outputs caused by an error of the states at (t, x), in tolerances with rtol = 1. Not finite: not
     * available. NULL: no such outputs. */
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
    double step_s;      /* fixed-step methods: the step; variable: largest step; 0 = none */
    double min_step_s;  /* shorter steps are a failure; 0 = 1e-14 relative to time */
    wr_linear_solver linear_solver;
    int max_order; /* variable-order methods: highest order used; 0 = the method's own */
    /* Methods with WR_INTEG_PATTERN: the used entries of df/dx, part of the ODE's pattern, NULL: all; and generated code that
     * factorises c L - J with them, NULL: none. */
    const wr_matrix *kept;
    const wr_lu_code *code;
    const wr_lms *formula; /* formula of kind multistep; other methods have their own */
} wr_integ_options;

typedef struct wr_integ_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD)
    int64_t n_pole;  /* refused steps of fixed implicit methods that would reach or cross a pole */
    int64_t n_solve; /* linear systems solved by Rosenbrock methods */
    int64_t
        n_refit; /* factorisations of Rosenbrock methods that were due; a rollback may lower n_factor */
    double explicit_s, implicit_s; /* simulated time in explicit and implicit steps of auto, s */
} wr_integ_stats;

enum {
    WR_INTEG_FIXED_STEP = 1 << 0,
    WR_INTEG_STIFF = 1 << 1,
    WR_INTEG_RT_SAFE = 1 << 2,       /* step() neither allocates, blocks nor does I/O */
    WR_INTEG_ROLLBACK = 1 << 3,      /* after restore() the steps since save() have no effect */
    WR_INTEG_ENDS_WITH_F = 1 << 4,   /* the last evaluation in step() is f at its end */
    WR_INTEG_BEGINS_WITH_F = 1 << 5, /* the first evaluation in step() is f at its start */
    WR_INTEG_ORDERS = 1 << 6,        /* uses orders from 1 to its own, limited by max_order */
    WR_INTEG_MASS = 1 << 7,          /* solves L x' = f, L singular or not */
    WR_INTEG_PATTERN = 1 << 8        /* accepts a part of the Jacobian (wr_integ_options.kept) */
};

typedef struct wr_integrator wr_integrator; /* opaque; its first member is wr_integ_stats */

typedef struct wr_integrator_ops {
    const char *name;    /* as in the config: solver.kind */
    const char *help;    /* one line of help */
    wr_module_id module; /* module that place() loads; on failure it returns WRSIM_E_CONFIG */
    int order;       /* of convergence for a smooth problem; 0: the order of the given formula */
    int dense_order; /* of the dense output */
    /* Methods with error control: the loosest relative tolerance that follows from simulation.rtol.
     * At looser tolerances errors of states hide events or make false ones
     * (docs/lab/2026-11-26-loose-tolerances.md). 0: no limit. */
    double loosest_rtol;
    unsigned flags;

    /* Places an instance in arena; ode and its arrays outlive it. Heap objects (SUNDIALS, KLU) are
     * made here, never later, and freed by destroy. */
    wrsim_status (*place)(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator);
    void (*destroy)(wr_integrator *integrator); /* NULL if there is nothing to free */

    /* Starts afresh at (t, x) after a discontinuity. dx is f(t, x) if the caller has it, else NULL.
     * The step size found before is kept as the first guess. Fixed-step methods put their grid at
     * t0 + i * step from here on. */
    int (*start)(wr_integrator *integrator, double t_s, const double *x, const double *dx);

    /* One accepted step from the current point towards t_stop, landing on it exactly if it comes
     * within reach. Returns 0, or a negative wrsim_status (WRSIM_E_SOLVER, WRSIM_E_NAN, or
     * WRSIM_E_CALLBACK when f returned < 0). On success *ret_t_s is the new time. */
    int (*step)(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

    /* State and slope at a time within the last step, both ends included. Either may be NULL. */
    void (*dense)(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx);

    /* Inputs of f have changed at the current time (a new window), and x has not. Drops values of f, and keeps all other data that the
     * method can keep. dx is f with the new inputs if the caller has it, else NULL. Methods that begin with f count it as one of n_rhs;
     * other methods ignore it. */
    void (*inputs_changed)(wr_integrator *integrator, const double *dx);

    /* Save and restore state, step size, history and Jacobian, but not the last step: right after restore() dense() gives only the
     * current point. O(n_x) if the method permits. Statistics are not rolled back. */
    void (*save)(wr_integrator *integrator);
    void (*restore)(wr_integrator *integrator);

    /* Reads or writes all state after placing: the state of save(), the last step, statistics (base/state_io.h). After reading, the
     * integration continues as in the instance that wrote. NULL: not supported. */
    void (*state)(wr_integrator *integrator, wr_state_io *io);

    /* Multiplies v[n_x], a change of the states, by (I - h gamma J)^-1 of the last step: f damps
     * the change so. NULL: the identity, as for explicit methods. */
    void (*damp)(wr_integrator *integrator, double *v);

    /* Multiplies the tolerances by factor >= 1 from the next step on (sweep tolerance schedule). */
    void (*loosen)(wr_integrator *integrator, double factor);

    /* After n_rhs more right-hand sides, error control accepts every step; from 0 on a step goes to its stop. INT64_MAX: no limit, the
     * value after placing. NULL: not supported. */
    void (*limit)(wr_integrator *integrator, int64_t n_rhs);

    /* As step(), but goes to the stop in one step by a cheaper explicit method of lower order, whose last evaluation is not f at its end.
     * For explicit fixed-step methods. NULL: none. */
    int (*coarse)(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

    /* The method that made the last step, if the integrator has several; else NULL. */
    const struct wr_integrator_ops *(*current)(wr_integrator *integrator);
} wr_integrator_ops;

/* The method that made the last step. */
static inline const wr_integrator_ops *wr_integrator_current(const wr_integrator_ops *ops,
                                                             wr_integrator *integrator)
{
    return ops->current ? ops->current(integrator) : ops;
}

/* The table, terminated by NULL. */
extern const wr_integrator_ops *const wr_integrators[];

/* The integrator of that name; NULL: none. */
const wr_integrator_ops *wr_integrator_find(const char *name);

static inline wr_integ_stats *wr_integrator_stats(wr_integrator *integrator)
{
    return (wr_integ_stats *)(void *)integrator;
}

#endif
