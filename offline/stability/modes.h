/* Modes of a linearisation x' = A x, and their stability with the steps of a method.
 *
 * A mode is an eigenvalue lambda with its states. The share of state k is |l_k r_k| over the sum of |l_i r_i|, with the left eigenvector l
 * and the right eigenvector r. The share is independent of units (participation factors: I. Perez-Arriaga, G. Verghese, F. Schweppe,
 * "Selective modal analysis", IEEE Trans. PAS-101, 1982).
 *
 * The eigenvalue's condition |l| |r| / |l^H r| (Golub and Van Loan, "Matrix Computations", 4th ed., 7.2.2) is 1 for independent modes, as
 * in a symmetric system. In a chain of equal lags the condition is large. Errors grow by about this factor along the chain, even if every
 * mode decays.
 *
 * A mode that does not grow by itself must not grow by the method: the factor z of a step h has |z| <= 1. A slowly growing oscillation may
 * grow by the method at most a tenth faster than by itself. The study does not judge a mode that grows more than it oscillates, because
 * every method has to follow the growth. A mode may more than double in a step. The method loses the growth of such a mode if the growths
 * of mode and method differ more than twofold or in sign. Methods with z -> 0 for |h lambda| -> INFINITY damp fast growth, and would seem
 * stable.
 *
 * The study does not judge modes at rest. For these modes |lambda| is at most 1e-9 of the largest |lambda|, and a perturbation of the
 * Jacobian's entries by 1e-9 can make lambda 0.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_MODES_H
#define WR_MODES_H

#include "offline/stability/amplification.h"

enum { WR_MODE_PARTS = 5 }; /* largest number of states in results of a mode (assumed) */

typedef enum wr_mode_kind {
    WR_MODE_STABLE,
    WR_MODE_UNSTABLE, /* the method makes the mode grow */
    WR_MODE_GROWING,  /* the mode grows more than it oscillates; not judged, but see is_lost */
    WR_MODE_AT_REST   /* the mode is at rest; not judged */
} wr_mode_kind;

typedef struct wr_mode_part {
    int i_state;
    double share; /* participation factor; the sum over all states is 1 */
} wr_mode_part;

typedef struct wr_mode {
    double complex lambda; /* 1/s */
    double t_s;
    wr_mode_kind kind;
    double radius; /* largest |z| of the method at its step */
    /* ln|z| less the permitted growth per step of the mode; above 0, apart from rounding: unstable */
    double excess;
    /* condition of the eigenvalue with nominal states: factor by which errors may grow before they decay */
    double condition;
    int is_lost; /* 1: the method loses the growth of the mode, or the start of the multistep formula refuses a step with this mode */
    int n_part;
    wr_mode_part part[WR_MODE_PARTS]; /* states with the largest shares, the largest first */
} wr_mode;

/* Finds all n modes of a[n * n] (column by column, overwritten). nominal[n] > 0 are the states' nominal values. Returns the statuses of
 * wr_lapack_eigen(). */
wrsim_status wr_modes_find(const wr_stepper *stepper, double step_s, double t_s, int n, double *a,
                           const double *nominal, wr_mode *ret_mode);

/* Returns 1 if the method loses the growth: exp(own) is the exact growth per step, exp(by_step) the growth by the method. The argument of
 * turned is the rotation by the method less the rotation of the mode. Beyond a pole the magnitude may be right with a wrong sign. */
int wr_mode_is_growth_lost(double own, double by_step, double complex turned);

/* Computes the shares of states and the condition of a mode from its eigenvectors [n]. */
void wr_modes_describe(int n, const double *nominal, const double complex *left,
                       const double complex *right, wr_mode *mode);

/* Returns the largest step such that the step and all shorter steps are stable. INFINITY means a step of at least most_s or 1e6 /
 * |lambda|. NaN means that the mode grows or is at rest. */
double wr_mode_largest_step(const wr_stepper *stepper, const wr_mode *mode, double most_s);

#endif
