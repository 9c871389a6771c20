/* Methods of fixed step by name, with their growth per step of x' = lambda x.
 *
 * Thread: any (constant). Real-time: no. */
#ifndef WR_STEPPER_H
#define WR_STEPPER_H

#include "offline/stability/amplification.h"

typedef struct wr_stepper {
    const char *name, *help;
    const wr_lms *formula; /* NULL: a one-step method that is no multistep formula */
    int order;             /* order of convergence; of a formula by its coefficients */
    wr_amplification amplification;
} wr_stepper;

/* Finds a method by name. Returns 0 without one. */
int wr_stepper_find(const char *name, wr_stepper *ret_stepper);
/* Returns the method of a valid formula, which must outlive it. */
wr_stepper wr_stepper_of_formula(const wr_lms *formula);

/* Writes up to `most` names. Returns the number of methods. */
int wr_stepper_names(const char **ret_name, int most);

#endif
