/* Magnitude and direction of the largest eigenvalue of df/dx along a run.
 *
 * A power iteration v <- J v by directional differences continues from call to call while J changes little (as in RKC:
 * Sommeijer, Shampine, Verwer, "RKC: an explicit solver for parabolic PDEs", J. Comp. Appl. Math. 88 (1997)). The length of
 * J v alone does not suffice for an oscillator: with J = (0 1; -w^2 0) the length is w^2 and 1 in turn. So each call makes products
 * with one J, and fits J^2 v = a J v - b v. The roots of l^2 = a l - b are the two largest eigenvalues, also a complex pair
 * (Wilkinson, "The Algebraic Eigenvalue Problem", 1965, ch. 9, complex conjugate eigenvalues in the power method).
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_SPECTRUM_H
#define WR_SPECTRUM_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_spectrum_scalars {
    int has_vector;    /* v is valid */
    double size_per_s; /* |l| of the largest eigenvalue l, 1/s; 0: no estimate */
    double cosine;     /* -Re l / |l|: 1 damped, 0 oscillating, -1 growing */
} wr_spectrum_scalars;

typedef struct wr_spectrum {
    const wr_equations *ode;
    wr_spectrum_scalars now, saved;
    double *v, *saved_v;       /* [n_x] unit vector of scaled states */
    double *v_before, *x, *dx; /* [n_x] work */
} wr_spectrum;

wrsim_status wr_spectrum_place(wr_spectrum *spectrum, wr_arena *arena, const wr_equations *ode);

/* Continues the iteration at (t, x) with slope f, by up to four evaluations of f, which *n_rhs counts. Returns 0, or < 0 as f. */
int wr_spectrum_look(wr_spectrum *spectrum, double t_s, const double *x, const double *f,
                     int64_t *n_rhs);

/* Restarts the iteration at the next call, after a jump of df/dx. The old vector may have no part in the direction of the new largest
 * mode. */
void wr_spectrum_forget(wr_spectrum *spectrum);

void wr_spectrum_save(wr_spectrum *spectrum);
void wr_spectrum_restore(wr_spectrum *spectrum);
void wr_spectrum_state(wr_spectrum *spectrum, wr_state_io *io);

/* Returns the extent of the region |R(z)| <= 1 from 0 in the direction of cosine, at most about 4. R is the sum of c_i z^i, i = 0 .. n. */
double wr_spectrum_reach(const double *c, int n, double cosine);

#endif
