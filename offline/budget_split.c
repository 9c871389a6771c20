/* Divides an error budget. See budget_split.h. Thread: any. Real-time: no. */
#include "offline/budget_split.h"

#include <math.h>

#include "base/check.h"

/* Ratio of a point's error to the floor above which the error depends on the point's own tolerance (assumed). */
static const double STANDS_OUT = 2.0;
/* Limits of the exponent of error over tolerance (assumed), wider than the expected range 0.7 to 1, because the fit of a few points
 * scatters. */
static const double LEAST_POWER = 0.4, MOST_POWER = 1.5;
/* PARTS: number of intervals between candidates from one point of a curve to the next. HALVINGS: largest number of bisections of the
 * multiplier. Both are assumed. */
enum { PARTS = 24, HALVINGS = 200 };

static int stands_out(const wr_budget_curve *c, int i)
{
    return isfinite(c->error[i]) && c->error[i] > STANDS_OUT * c->floor;
}

/* Returns the work at x on the straight line through points i and k in logarithms. */
static double chord(const wr_budget_curve *c, int i, int k, double x)
{
    return c->work[i] * pow(c->work[k] / c->work[i], log(x / c->x[i]) / log(c->x[k] / c->x[i]));
}

/* Makes the work decreasing and convex in logarithms. Then the minimum is unique and moves continuously with the total. */
static void smooth_work(wr_budget_curve *c)
{
    for (int i = 1; i < c->n; i++)
        c->work[i] = wr_min(c->work[i], c->work[i - 1]);
    for (int i = 0; i < c->n; i++)
        for (int k = i + 2; k < c->n; k++)
            for (int j = i + 1; j < k; j++)
                c->work[j] = wr_min(c->work[j], chord(c, i, k, c->x[j]));
}

void wr_budget_fit(wr_budget_curve *c)
{
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, bound = 0.0;
    smooth_work(c);
    for (int i = 0; i < c->n; i++) {
        const double x = log(c->x[i]), error = wr_max(c->error[i], c->floor);
        if (isfinite(error) && (i + 1 == c->n || stands_out(c, i)))
            bound = wr_max(bound, error / c->x[i]);
        if (!stands_out(c, i))
            continue;
        const double y = log(c->error[i]);
        n += 1.0;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    const double spread = n * sxx - sx * sx;
    c->q = 1.0;
    c->c = bound;
    if (n < 2.0 || !(spread > 0.0))
        return;
    c->q = wr_clamp((n * sxy - sx * sy) / spread, LEAST_POWER, MOST_POWER);
    c->c = exp((sy - c->q * sx) / n);
}

double wr_budget_error(const wr_budget_curve *c, double x) { return c->c * pow(x, c->q); }

double wr_budget_work(const wr_budget_curve *c, double x)
{
    int i = 0;
    while (i + 2 < c->n && x > c->x[i + 1])
        i++;
    if (c->n < 2 || x >= c->x[c->n - 1])
        return c->work[c->n - 1];
    return chord(c, i, i + 1, x);
}

/* Returns the tolerance of a curve that minimises work + lambda error. */
static double best_at(const wr_budget_curve *c, double lambda)
{
    double best = c->x[0], least = (double)INFINITY;
    for (int i = 0; i + 1 < c->n; i++)
        for (int k = i > 0; k <= PARTS; k++) {
            const double x = c->x[i] * pow(c->x[i + 1] / c->x[i], (double)k / PARTS);
            const double cost = wr_budget_work(c, x) + lambda * wr_budget_error(c, x);
            if (cost < least) {
                least = cost;
                best = x;
            }
        }
    return best;
}

static double split_at(const wr_budget_curve *curve, int n, double lambda, double *ret_x)
{
    double error = 0.0;
    for (int i = 0; i < n; i++) {
        ret_x[i] = best_at(&curve[i], lambda);
        error += wr_budget_error(&curve[i], ret_x[i]);
    }
    return error;
}

void wr_budget_split(const wr_budget_curve *curve, int n, double total, double *ret_x)
{
    double low = 1e-30, high = 1e60; /* bracket of lambda; errors decrease as lambda grows */
    for (int i = 0; i < HALVINGS && high > low * (1.0 + 1e-9); i++) {
        const double middle = sqrt(low) * sqrt(high);
        if (split_at(curve, n, middle, ret_x) > total)
            low = middle;
        else
            high = middle;
    }
    const double error = split_at(curve, n, high, ret_x);
    if (!(error > 0.0))
        return;
    /* Multiplies the error of every tolerance by total / error, at most up to the last point of its curve. The difference of total and
     * error comes from the distance of candidates or from the ends of the curves. */
    for (int i = 0; i < n; i++) {
        const double x = ret_x[i] * pow(total / error, 1.0 / curve[i].q);
        ret_x[i] = wr_min(x, curve[i].x[curve[i].n - 1]);
    }
}
