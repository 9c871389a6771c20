/* The seam between a subsystem and the method that integrates it.
 *
 * An integrator sees a smooth ODE x' = f(t, x) between two stops. It makes one accepted step at a
 * time, never beyond t_stop, and can evaluate the solution inside its last step (dense output).
 * Events, input jumps, windows, waves and recording are the subsystem's business (subsystem.c), so
 * an integrator is one file and one entry of integrator_list.h.
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

/* The ODE x' = f, or L x' = f where there is a mass matrix. Callbacks return 0, > 0 (retry with a smaller step) or < 0 (fatal; the fault is kept by
 * the owner of the ODE). */
typedef struct wr_equations {
    int n_x;
    void *self;
    int (*rhs)(void *self, double t_s, const double *x, double *ret_dx);
    /* NULL: the integrator differences rhs column group by column group. Otherwise writes the
     * values of df/dx in the order of pattern->row. */
    int (*jacobian)(void *self, double t_s, const double *x, double *ret_values);
    /* NULL: it has none. Otherwise df/dx times x_change[n_x], which takes the differences' place; non-zero: not to be had
     * at this point. */
    int (*tangent)(void *self, double t_s, const double *x, const double *x_change, double *ret_dx);
    const wr_sparsity *pattern;     /* of df/dx, square, n_x */
    const wr_mass *mass;            /* L; NULL: the identity. Of methods with WR_INTEG_MASS only */
    const double *nominal;          /* [n_x] > 0 */
    const double *tolerance_factor; /* [n_x] > 0, on the tolerance of each state */
    int is_driven;                  /* rhs reads others' waveforms, smooth only piece by piece */
    /* NULL: nothing. Else what an error of the states at (t, x) makes of what is computed from them and has to be
     * as exact: the largest, relative to sizes as for states (rtol = 1). Not finite: it cannot be had. */
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
    double min_step_s;  /* below it the integration has failed; 0 = 1e-14 relative to time */
    wr_linear_solver linear_solver;
    int max_order; /* variable-order methods: highest order used; 0 = the method's own */
    /* Methods with WR_INTEG_PATTERN: the entries of df/dx that are used, a part of the ODE's pattern; NULL: all. And generated
     * code that factorises c L - J with them; NULL: none. */
    const wr_sparsity *kept;
    const wr_lu_code *code;
    const wr_lms *formula; /* of the given multistep method; others have their own */
} wr_integ_options;

typedef struct wr_integ_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD)
    int64_t n_pole;  /* steps of fixed implicit methods that would reach or cross a pole: refused */
    int64_t n_solve; /* linear systems solved by Rosenbrock methods */
    int64_t
        n_refit; /* factors of Rosenbrock methods that were due; a rollback may lower n_factor */
    double explicit_s, implicit_s; /* simulated time of either kind of step of auto */
} wr_integ_stats;

enum {
    WR_INTEG_FIXED_STEP = 1 << 0,
    WR_INTEG_STIFF = 1 << 1,
    WR_INTEG_RT_SAFE = 1 << 2,     /* step() neither allocates, blocks nor does I/O */
    WR_INTEG_ROLLBACK = 1 << 3,    /* restore() continues as if the steps after save() never were */
    WR_INTEG_ENDS_WITH_F = 1 << 4, /* the last thing step() evaluates is f where it ends */
    WR_INTEG_BEGINS_WITH_F = 1 << 5, /* the first thing step() needs is f where it begins */
    WR_INTEG_ORDERS = 1 << 6,        /* takes orders from 1 up to its own, as max_order allows */
    WR_INTEG_MASS = 1 << 7,          /* takes L x' = f, L singular or not */
    WR_INTEG_PATTERN = 1 << 8 /* can do with a part of the Jacobian (wr_integ_options.kept) */
};

typedef struct wr_integrator wr_integrator; /* opaque; its first member is wr_integ_stats */

typedef struct wr_integrator_ops {
    const char *name;    /* as in the config: solver.kind */
    const char *help;    /* one line for people */
    wr_module_id module; /* that place() loads: it returns WRSIM_E_CONFIG if it cannot */
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

    /* Inputs of f changed at the current time (a new window), x did not: forget what was carried
     * of f, keep all the rest the method can keep. dx is f with the new inputs if the caller has it,
     * else NULL; counted as one of n_rhs by methods that begin with f, ignored by others. */
    void (*inputs_changed)(wr_integrator *integrator, const double *dx);

    /* Keeps and brings back everything (state, step size, history, Jacobian) but the last step:
     * what dense() gives right after restore() is the current point only. O(n_x) where the method
     * permits. Statistics are not rolled back. */
    void (*save)(wr_integrator *integrator);
    void (*restore)(wr_integrator *integrator);

    /* Passes over all that changes after placing: what save() keeps, the last step, statistics (base/state_io.h). After
     * reading it goes on as the one that wrote. NULL: its inside cannot be had. */
    void (*state)(wr_integrator *integrator, wr_state_io *io);

    /* Multiplies v[n_x], a change of the states, by (I - h gamma J)^-1 of the last step: f damps
     * the change so. NULL: the identity, as for explicit methods. */
    void (*damp)(wr_integrator *integrator, double *v);

    /* Multiplies the tolerances by factor >= 1 from the next step on (sweep tolerance schedule). */
    void (*loosen)(wr_integrator *integrator, double factor);

    /* After so many more right-hand sides a step with error control is accepted as it is, whatever its error; from 0 on
     * it goes to its stop. INT64_MAX: no limit, as after placing. NULL: it cannot be limited. */
    void (*limit)(wr_integrator *integrator, int64_t n_rhs);

    /* As step(), straight to the stop by a cheaper explicit method of lower order, whose last evaluation is not f where it
     * ends; of explicit fixed-step methods. NULL: it has none. */
    int (*coarse)(wr_integrator *integrator, double t_stop_s, double *ret_t_s);

    /* The method that made the last step, where there are several; else NULL. */
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

/* NULL if there is none of that name. */
const wr_integrator_ops *wr_integrator_find(const char *name);

static inline wr_integ_stats *wr_integrator_stats(wr_integrator *integrator)
{
    return (wr_integ_stats *)(void *)integrator;
}

#endif
