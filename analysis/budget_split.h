/* Tolerances that share out an error budget with the least work.
 *
 * Each tolerance has a curve, measured at rising tolerances while all others are tight: the error at
 * the outputs, fitted by c x^q (tolerance proportionality: Stetter, Considerations concerning a theory
 * for ODE-solvers, 1978; here q is measured, not assumed), and the work, read off the points.
 * What is looked for minimises the sum of works while the sum of errors is the budget: at one
 * multiplier lambda every tolerance minimises work + lambda * error.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_BUDGET_SPLIT_H
#define WR_BUDGET_SPLIT_H

enum { WR_BUDGET_POINTS = 16 };

typedef struct wr_budget_curve {
    int n;                      /* points measured, >= 1 */
    double x[WR_BUDGET_POINTS]; /* tolerance, rising */
    double error[WR_BUDGET_POINTS], work[WR_BUDGET_POINTS];
    double floor; /* error that is there anyhow, from all other tolerances at their tightest */
    double c, q;  /* of the fit */
} wr_budget_curve;

/* Fits c and q by least squares in logs to the points whose error stands out from the floor. Where
 * less than two do, q is 1 and c the smallest that no such point and no floor is above. Works become
 * the highest falling curve, convex in logs, that is nowhere above them. */
void wr_budget_fit(wr_budget_curve *curve);

/* Error and work at a tolerance; beyond the points work goes on with the slope of the first two, and
 * stays what it is at the last one. */
double wr_budget_error(const wr_budget_curve *curve, double x);
double wr_budget_work(const wr_budget_curve *curve, double x);

/* Tolerances ret_x[n] with the least sum of works whose errors add up to total > 0, or to less where
 * all are at their last point. */
void wr_budget_split(const wr_budget_curve *curve, int n, double total, double *ret_x);

#endif
