/* The modes of one linearisation, x' = A x, against the steps of a method.
 *
 * A mode is an eigenvalue lambda with the states behind it: the share of state k is |l_k r_k| over the sum of these, by its left
 * and right eigenvectors, whatever units the states have (participation factors: Perez-Arriaga, Verghese, Schweppe, "Selective
 * modal analysis", IEEE Trans. PAS-101, 1982).
 *
 * The eigenvalue's condition |l| |r| / |l^H r| (Golub and Van Loan, "Matrix Computations", 4th ed., 7.2.2) is 1 where modes do
 * not mind one another, as in a symmetric system. In a chain of equal lags it is large, and errors grow by about as
 * much on their way along the chain even where every mode decays.
 *
 * A mode that does not grow by itself must not grow by the method: |z| <= 1 for q = h lambda. One that swings and grows
 * slowly must not grow by a tenth faster than by itself, which is what absolute stability becomes there. One that grows
 * more than it swings is not judged so: every method has to follow it. Its growth is lost where it more than doubles in a step by
 * itself, and by the method grows by less than half of that, or more than twice as much: implicit methods damp what grows fast,
 * z -> 0 for q -> INFINITY, and look stable there. Modes that rest are left out: lambda = 0, but for what a
 * billionth of the Jacobian's entries moves it by, if that is no more than a billionth of the largest.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MODES_H
#define WR_MODES_H

#include "analysis/stability/stepper.h"

enum { WR_MODE_PARTS = 5 };

typedef enum wr_mode_kind {
    WR_MODE_STABLE,
    WR_MODE_UNSTABLE, /* it grows by the method */
    WR_MODE_GROWING,  /* by itself; whether steps follow is_lost says */
    WR_MODE_AT_REST   /* left out */
} wr_mode_kind;

typedef struct wr_mode_part {
    int i_state;
    double share; /* of all states' */
} wr_mode_part;

typedef struct wr_mode {
    double complex lambda; /* 1/s */
    double t_s;
    wr_mode_kind kind;
    double radius; /* the largest |z| of the method at its step */
    double
        excess; /* growth per step by the method alone, ln|z| less the mode's own; > 0: unstable */
    double
        condition; /* of the eigenvalue, states in their nominal values: so much errors may grow before they decay */
    int is_lost; /* its growth is */
    int n_part;
    wr_mode_part part[WR_MODE_PARTS]; /* the largest first */
} wr_mode;

/* All n modes of a[n * n] (column by column, overwritten) into ret_mode[n]; nominal[n] > 0 of the states. WRSIM_OK or as
 * wr_lapack_eigen(). */
wrsim_status wr_modes_find(const wr_stepper *stepper, double step_s, double t_s, int n, double *a,
                           const double *nominal, wr_mode *ret_mode);

/* Does what grows by the factor exp(own) by itself in a step, and by exp(by_step) by the method, lose its growth? turned: by the
 * method, less what it swings by itself; beyond a pole the size is right for a while, and the sign is not. */
int wr_mode_is_growth_lost(double own, double by_step, double complex turned);

/* The states behind a mode, and its condition, by its eigenvectors [n]. */
void wr_modes_describe(int n, const double *nominal, const double complex *left,
                       const double complex *right, wr_mode *mode);

/* The largest step with which the mode is stable, as are all shorter ones; INFINITY: at least most_s is. NaN: it is not judged. */
double wr_mode_largest_step(const wr_stepper *stepper, const wr_mode *mode, double most_s);

#endif
