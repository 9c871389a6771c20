/* Tolerances that meet an error budget with the least work.
 *
 * Each tolerance has a curve, measured at growing values while all other tolerances are tight. The fit of the error at the outputs is c x^q
 * (tolerance proportionality: H. J. Stetter, "Considerations concerning a theory for ODE-solvers", 1978; the fit finds q). Between the
 * points the study interpolates the work. The result minimises the sum of works while the sum of errors is the budget. With one multiplier
 * lambda, every tolerance minimises work + lambda * error.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_BUDGET_SPLIT_H
#define WR_BUDGET_SPLIT_H

enum { WR_BUDGET_POINTS = 16 }; /* largest number of points of a curve (assumed) */

typedef struct wr_budget_curve {
    int n;                          /* number of measured points, >= 1 */
    double x[WR_BUDGET_POINTS];     /* tolerances, ascending */
    double error[WR_BUDGET_POINTS]; /* error at the outputs at each tolerance */
    double work[WR_BUDGET_POINTS];  /* counted work at each tolerance */
    double floor;                   /* error with all tolerances at their tightest values */
    double c, q;                    /* coefficients of the fit c x^q */
} wr_budget_curve;

/* Fits c, and q from 0.4 to 1.5, by least squares in logarithms to the points whose error is above twice the floor. With fewer than two
 * such points, q is 1. Then c is the largest ratio of error, or of the floor if larger, to tolerance at these points and the last point.
 * Works become the largest decreasing curve, convex in logarithms, that is nowhere above the points. */
void wr_budget_fit(wr_budget_curve *curve);

/* Return error and work at a tolerance. Below the first of several points, the work continues the line of the first two points in
 * logarithms. Beyond the last point, or with a single point, the work is constant. */
double wr_budget_error(const wr_budget_curve *curve, double x);
double wr_budget_work(const wr_budget_curve *curve, double x);

/* Writes the tolerances ret_x[n] with the least total work whose errors sum up to total > 0. The sum may be less if a tolerance is
 * at the last point of its curve. */
void wr_budget_split(const wr_budget_curve *curve, int n, double total, double *ret_x);

#endif
