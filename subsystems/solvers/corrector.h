/* The corrector of a multistep method in Nordsieck form (nordsieck.h): fixed-point iteration, or Newton's method with a kept Jacobian.
 *
 * The equation is e = h f(t, z_0 + l_0 e) - z_1, with the predicted columns z_0 and z_1. Rules and constants are those of LSODA
 * (integ_lsoda.c), with these differences. A new step size needs new factors only, not a new Jacobian. A Jacobian stays the same over events
 * and windows. After an event one directional derivative shows whether the Jacobian still fits (wr_jac_color_fits()). So a Jacobian that the
 * event has changed cannot end an iteration too early.
 *
 * Thread: one at a time. Real-time: all but place and done.
 */
#ifndef WR_CORRECTOR_H
#define WR_CORRECTOR_H

#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/nordsieck.h"
#include "subsystems/solvers/shifted_matrix.h"
#include "subsystems/solvers/step_control.h"

/* Data that wr_corrector_save() copies. */
typedef struct wr_corrector_state {
    double rate;          /* estimated rate of convergence */
    double lipschitz;     /* last nonzero estimate of the Lipschitz constant of f, 1/s; 0: none */
    double lipschitz_max; /* largest estimate since the owner has set it to 0 */
    double jacobian_norm; /* of the last Jacobian, 1/s, in the norm of the error control */
    int i_jacobian;       /* index of the Jacobian; -1: none */
    int age;              /* number of steps with this Jacobian; the owner counts them */
    int is_doubtful;      /* an event may have changed the Jacobian */
    int is_due;           /* the next iteration needs a new Jacobian */
    double factor_s;      /* h l_0 of the factors; 0: none */
    double fits_to_s;     /* largest h l_0 for which the Jacobian fits (wr_jac_color_fits()) */
} wr_corrector_state;

typedef struct wr_corrector {
    const wr_equations *ode;
    wr_integ_stats *stats;
    const wr_step_control *control; /* tolerances */
    wr_jac_color *jac;
    wr_shifted shifted;
    double *jacobian[2];   /* [n_nonzero] the current Jacobian, and the Jacobian of the last save */
    int i_factored;        /* index of the Jacobian of the factors; -1: none */
    double factored_s;     /* h l_0 of the factors */
    double *x, *e, *f;     /* [n_x] corrected state, correction, f of the last iterate */
    double *work, *weight; /* [n_x] */
    int is_nan;            /* the last failure was a value that is not finite */
    wr_corrector_state now, saved;
} wr_corrector;

/* The equation of a step. */
typedef struct wr_corrector_step {
    int method; /* WR_ADAMS: fixed-point iteration; WR_BDF: Newton's method */
    int order;
    const wr_nordsieck_order *constants;
    double t_s, h_s;         /* end and length of the step */
    const double *start;     /* [n_x] state at the start of the step */
    const double *predicted; /* [2 n_x] columns z_0 and z_1 */
} wr_corrector_step;

/* Places the memory. All arguments outlive the corrector. */
wrsim_status wr_corrector_place(wr_corrector *corrector, wr_arena *arena, const wr_equations *ode,
                                const wr_step_control *control, wr_integ_stats *stats,
                                wr_linear_solver linear_solver);
void wr_corrector_done(wr_corrector *corrector);

/* Evaluates f into corrector->f. Returns 0; > 0 if a smaller step may help; < 0 if fatal. */
int wr_corrector_rhs(wr_corrector *corrector, double t_s, const double *x);

/* Solves the equation of a step: sets x, e and f. If Newton's method fails with a kept Jacobian, the function repeats it with a new
 * Jacobian. Returns 0 if the iteration converges; > 0 if not; < 0 if f fails fatally. */
int wr_corrector_solve(wr_corrector *corrector, const wr_corrector_step *step);

/* Returns the norm of v[n_x] in tolerances between the state `start` and corrector->x. */
double wr_corrector_norm(const wr_corrector *corrector, const double *start, const double *v);

/* An event follows: the Jacobian may change. Forgets the rate of convergence and the Lipschitz constant. */
void wr_corrector_doubt(wr_corrector *corrector);

void wr_corrector_save(wr_corrector *corrector);
void wr_corrector_restore(wr_corrector *corrector);
/* Reads or writes all data but x, e and the work arrays. After reading, makes the factors from their Jacobian, without counting, because
 * the writing instance has counted these factors. */
void wr_corrector_state_io(wr_corrector *corrector, wr_state_io *io);

#endif
