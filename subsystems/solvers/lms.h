/* Linear multistep formulas, and their properties that follow from the coefficients.
 *
 *     sum_{j=0}^{k} alpha_j x_{n-j} = h sum_{j=0}^{k} beta_j f(t_{n-j}, x_{n-j})
 *
 * (Triverio, "Modeling of Multiphysics Systems", 2014, lectures 15 and 16, with indices from -1; Hairer, Norsett, Wanner, "Solving ODEs I",
 * 2nd ed., III.2-III.3.) Let rho(z) = sum alpha_j z^{k-j} and sigma(z) = sum beta_j z^{k-j}. A formula is consistent if rho(1) = 0 and
 * rho'(1) = sigma(1). A formula is zero-stable if no root of rho is outside the unit circle, and roots on the circle are simple. A formula
 * with both properties is convergent (Dahlquist, Math. Scand. 4, 1956).
 *
 * Thread: any (constant). Real-time: no.
 */
#ifndef WR_LMS_H
#define WR_LMS_H

#include "base/check.h"
#include "base/complex_values.h"

enum { WR_LMS_STEPS = 8 }; /* largest k */

typedef struct wr_lms {
    int n_step; /* k, 1 .. WR_LMS_STEPS */
    double alpha[WR_LMS_STEPS + 1], beta[WR_LMS_STEPS + 1];
} wr_lms;

typedef struct wr_lms_named {
    const char *name, *help;
    wr_lms formula;
} wr_lms_named;

/* The named formulas; the last row has name NULL. */
extern const wr_lms_named wr_lms_table[];

/* Returns the formula with a name; NULL: none. */
const wr_lms_named *wr_lms_find(const char *name);

/* Place of a root of rho relative to the unit circle, up to rounding of the coefficients. */
typedef enum wr_lms_place {
    WR_LMS_INSIDE,
    WR_LMS_ON_CIRCLE,
    WR_LMS_MULTIPLE, /* on the circle, and not simple */
    WR_LMS_OUTSIDE
} wr_lms_place;

typedef struct wr_lms_facts {
    int is_explicit;
    int order; /* 0: not consistent */
    double
        residual_constant; /* C: the residual is C h^{order + 1} x^{(order + 1)}, with alpha_0 = 1 */
    double error_constant; /* C / sigma(1), the constant of the global error */
    double sum_alpha,
        sum_rho; /* rho(1), and rho'(1) - sigma(1) if rho(1) is 0, with alpha_0 = 1; both 0 if consistent */
    int is_zero_stable;
    int is_strongly_stable; /* is_zero_stable, and exactly one root is on the circle */
    int n_root;
    double complex root[WR_LMS_STEPS]; /* roots of rho, the largest first */
    wr_lms_place place[WR_LMS_STEPS];
} wr_lms_facts;

/* Returns the error in invalid coefficients, such as "alpha_0 is zero"; NULL: valid. */
const char *wr_lms_flaw(const wr_lms *formula);

/* Examines a formula without flaw. Returns WRSIM_OK or as wr_polynomial_roots(). */
wrsim_status wr_lms_examine(const wr_lms *formula, wr_lms_facts *ret_facts);

/* Returns the formula scaled to alpha_0 = 1. */
wr_lms wr_lms_normalised(const wr_lms *formula);

#endif
