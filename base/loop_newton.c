/* Damped Newton's method for loops. See loop_newton.h. Thread: one at a time. Real-time: solving yes, placing no. */
#include "base/loop_newton.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/dense.h"
#include "base/finite.h"

enum { MAX_NEWTON = 50, MAX_HALVINGS = 10 };  /* limits per solve and per update (assumed) */
static const double NEWTON_TOLERANCE = 1e-10; /* largest relative last update (assumed) */
static const double DIFFERENCE_SCALE = 1.4901161193847656e-08; /* increment: sqrt(DBL_EPSILON) */

int wr_loop_newton_place(wr_loop_newton *newton, wr_arena *arena, int n)
{
    newton->n = n;
    newton->jac = wr_arena_push(arena, (size_t)n * (size_t)n, sizeof(double));
    newton->pivot = WR_NEW_ARRAY(arena, int, n);
    return newton->jac && newton->pivot ? WR_NEW_DOUBLES(arena, n, &newton->nominal, &newton->y,
                                                         &newton->g, &newton->step, &newton->tried)
                                        : -1;
}

/* Returns the largest |g - y| relative to the nominal values. */
static double residual(const wr_loop_newton *newton, const double *g)
{
    double worst = 0.0;
    for (int i = 0; i < newton->n; i++)
        worst = wr_max(worst, fabs(g[i] - newton->y[i]) / newton->nominal[i]);
    return worst;
}

int wr_loop_newton_jacobian(wr_loop_newton *newton)
{
    const int n = newton->n;
    for (int j = 0; j < n; j++) {
        const double kept = newton->y[j];
        const double size = wr_max(wr_max(fabs(kept), fabs(newton->g[j])), newton->nominal[j]);
        double moved = kept + DIFFERENCE_SCALE * size;
        newton->y[j] = moved;
        int rc = newton->map(newton->self, newton->y, newton->tried);
        if (rc > 0 && newton->looks_back) {
            newton->y[j] = moved = kept - DIFFERENCE_SCALE * size;
            rc = newton->map(newton->self, newton->y, newton->tried);
        }
        newton->y[j] = kept;
        if (rc)
            return rc;
        double *const column = newton->jac + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++)
            column[i] = (newton->tried[i] - newton->g[i]) / (moved - kept) - (i == j);
    }
    return 0;
}

/* Adds the update to y and sets g. If the residual grows or the map refuses y, the function halves the update, at most MAX_HALVINGS times.
 * After the solve jac is free, so jac stores the previous y. */
static int update(wr_loop_newton *newton)
{
    const int n = newton->n;
    double *const before = newton->jac;
    const double least = residual(newton, newton->g);
    double damping = 1.0;
    memcpy(before, newton->y, (size_t)n * sizeof *before);
    for (int halving = 0;; halving++, damping *= 0.5) {
        for (int i = 0; i < n; i++)
            newton->y[i] = before[i] + damping * newton->step[i];
        const int rc = newton->map(newton->self, newton->y, newton->tried);
        const int is_last = halving == MAX_HALVINGS;
        if (rc < 0 || (rc > 0 && is_last))
            return rc;
        if (rc == 0 && (is_last || residual(newton, newton->tried) <= least))
            break;
    }
    memcpy(newton->g, newton->tried, (size_t)n * sizeof *newton->g);
    return 0;
}

int wr_loop_newton_solve(wr_loop_newton *newton)
{
    const int n = newton->n;
    int rc = newton->map(newton->self, newton->y, newton->g);
    for (int iteration = 0; iteration < MAX_NEWTON && rc == 0; iteration++) {
        rc = wr_loop_newton_jacobian(newton);
        if (rc)
            return rc;
        for (int i = 0; i < n; i++)
            newton->step[i] = newton->y[i] - newton->g[i];
        if (wr_dense_factor(n, newton->jac, newton->pivot) != 0)
            return WR_LOOP_UNSOLVED;
        wr_dense_solve(n, newton->jac, newton->pivot, newton->step);
        if (wr_has_bad(newton->step, n))
            return WR_LOOP_UNSOLVED;
        double change = 0.0;
        for (int i = 0; i < n; i++)
            change = wr_max(change,
                            fabs(newton->step[i]) / wr_max(fabs(newton->y[i]), newton->nominal[i]));
        if (change <= NEWTON_TOLERANCE) {
            for (int i = 0; i < n; i++)
                newton->y[i] += newton->step[i];
            return 0;
        }
        rc = update(newton);
    }
    return rc ? rc : WR_LOOP_UNSOLVED;
}
