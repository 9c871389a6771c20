/* Methods by name. See stepper.h.
 *
 * Thread: any (constant). Real-time: no.
 */
#include "offline/stability/stepper.h"

#include <string.h>

/* Stability functions: for explicit Runge-Kutta methods with as many stages as their order the series of e^q
 * (Hairer, Wanner, "Solving ODEs II", IV.2, eq. 2.12); for linearly implicit Euler 1 / (1 - q) (Hairer, Wanner,
 * IV.9, eq. 9.25). */
static const struct ratio {
    const char *name, *help;
    int order;
    double numerator[WR_AMPLIFICATION_Q + 1], denominator[WR_AMPLIFICATION_Q + 1];
} ratios[] = {
    {"heun", "Heun's method", 2, {1, 1, 1.0 / 2}, {1}},
    {"rk3", "Runge-Kutta, 3 stages", 3, {1, 1, 1.0 / 2, 1.0 / 6}, {1}},
    {"rk4", "Runge-Kutta, 4 stages", 4, {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24}, {1}},
    {"linimp", "linearly implicit Euler", 1, {1}, {1, -1}},
};

enum { N_RATIO = sizeof ratios / sizeof ratios[0] };

wr_stepper wr_stepper_of_formula(const wr_lms *formula)
{
    wr_lms_facts facts;
    return (wr_stepper){.name = "multistep",
                        .help = "multistep formula",
                        .formula = formula,
                        .order = wr_lms_examine(formula, &facts) == WRSIM_OK ? facts.order : 0,
                        .amplification = wr_amplification_of_formula(formula)};
}

int wr_stepper_find(const char *name, wr_stepper *ret_stepper)
{
    const wr_lms_named *const named = wr_lms_find(name);
    if (named) {
        *ret_stepper = wr_stepper_of_formula(&named->formula);
        ret_stepper->name = named->name;
        ret_stepper->help = named->help;
        return 1;
    }
    for (int i = 0; i < N_RATIO; i++)
        if (strcmp(ratios[i].name, name) == 0) {
            *ret_stepper = (wr_stepper){.name = ratios[i].name,
                                        .help = ratios[i].help,
                                        .order = ratios[i].order,
                                        .amplification = wr_amplification_of_ratio(
                                            ratios[i].numerator, ratios[i].denominator)};
            return 1;
        }
    return 0;
}

int wr_stepper_names(const char **ret_name, int most)
{
    int n = 0;
    for (const wr_lms_named *row = wr_lms_table; row->name; row++, n++)
        if (n < most)
            ret_name[n] = row->name;
    for (int i = 0; i < N_RATIO; i++, n++)
        if (n < most)
            ret_name[n] = ratios[i].name;
    return n;
}
