/* The methods of fixed step by name, as a config or a user calls them: what each makes of x' = lambda x.
 *
 * Thread: any (constant). Real-time: no.
 */
#ifndef WR_STEPPER_H
#define WR_STEPPER_H

#include "analysis/stability/amplification.h"

typedef struct wr_stepper {
    const char *name, *help;
    const wr_lms *formula; /* NULL: a one-step method that is no multistep formula */
    int order;             /* of convergence; of a formula by its coefficients */
    wr_amplification amplification;
} wr_stepper;

/* Finds one; 0 if there is none of that name. */
int wr_stepper_find(const char *name, wr_stepper *ret_stepper);
/* One by its formula, which outlives it; it has no flaw. */
wr_stepper wr_stepper_of_formula(const wr_lms *formula);

/* Writes up to most names, returns how many there are. */
int wr_stepper_names(const char **ret_name, int most);

#endif
