/* Where the largest eigenvalue of df/dx lies, along a run: how long it is and in which direction.
 *
 * A power iteration v <- J v by directional differences, carried on from look to look while J changes little (as RKC does:
 * Sommeijer, Shampine, Verwer, "RKC: an explicit solver for parabolic PDEs", J. Comp. Appl. Math. 88 (1997)). The length of
 * J v alone says little about an oscillator: with J = (0 1; -w^2 0) it is w^2 and 1 in turn. So each look makes products
 * with one J and fits J^2 v = a J v - b v, whose roots l^2 = a l - b are the two largest eigenvalues, a complex pair included
 * (Wilkinson, "The Algebraic Eigenvalue Problem", 1965, ch. 9, complex conjugate eigenvalues in the power method).
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_SPECTRUM_H
#define WR_SPECTRUM_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_spectrum_scalars {
    int has_vector;    /* v is valid */
    double size_per_s; /* |l| of the largest eigenvalue l; 0: none seen */
    double cosine;     /* -Re l / |l|: 1 damped, 0 oscillating, -1 growing */
} wr_spectrum_scalars;

typedef struct wr_spectrum {
    const wr_equations *ode;
    wr_spectrum_scalars now, saved;
    double *v, *saved_v;       /* [n_x] unit vector, states scaled */
    double *v_before, *x, *dx; /* [n_x] work */
} wr_spectrum;

wrsim_status wr_spectrum_place(wr_spectrum *spectrum, wr_arena *arena, const wr_equations *ode);

/* Another look, at (t, x) with slope f: four evaluations of f. Returns 0, or < 0 as f. n_rhs is increased. */
int wr_spectrum_look(wr_spectrum *spectrum, double t_s, const double *x, const double *f,
                     int64_t *n_rhs);

/* df/dx may have changed altogether, as at an event: the next look begins anew. A vector that had converged may hold nothing of
 * what is the largest mode now. */
void wr_spectrum_forget(wr_spectrum *spectrum);

void wr_spectrum_save(wr_spectrum *spectrum);
void wr_spectrum_restore(wr_spectrum *spectrum);
void wr_spectrum_state(wr_spectrum *spectrum, wr_state_io *io);

/* How far from 0 the region |R(z)| <= 1 of R = sum of c_i z^i, i = 0 .. n, reaches in that direction. */
double wr_spectrum_reach(const double *c, int n, double cosine);

#endif
