/* Newton's method for a loop y = g(y) of few unknowns, with a dense Jacobian of differences.
 *
 * The increment of a difference is sqrt(eps) times the largest of |y|, |g| and the nominal value. If the residual g(y) - y grows, the
 * method halves the update up to ten times (Deuflhard, "Newton Methods for Nonlinear Problems", 2004, section 3.1, in its simplest form).
 * The last update is at most 1e-10 relative: with almost quadratic convergence the remaining error is at rounding level.
 *
 * Thread: one at a time. Real-time: solving yes, if g is; placing no.
 */
#ifndef WR_LOOP_NEWTON_H
#define WR_LOOP_NEWTON_H

#include <limits.h>

#include "base/arena.h"

/* Writes g(y) to ret_g[n]. Returns 0 on success, > 0 if the map refuses y but may accept another y, or < 0 if the method must stop. */
typedef int (*wr_loop_map)(void *self, const double *y, double *ret_g);

typedef struct wr_loop_newton {
    int n;
    wr_loop_map map;
    void *self;
    /* 1: if the map refuses the y of a difference, the method tries the opposite increment */
    int looks_back;
    double *nominal;      /* [n] nominal values, set by the caller */
    double *y, *g;        /* [n] point, and g(y) */
    double *step, *tried; /* [n] update; workspace */
    double *jac;          /* [n * n] d(g - y)/dy, column-major, its factors, or the previous y */
    int *pivot;           /* [n] pivot rows of the factors */
} wr_loop_newton;

/* result of a solve without a solution */
enum { WR_LOOP_UNSOLVED = INT_MAX };

/* Sets n and places the arrays. The caller sets all other members. Returns 0, or -1 when the arena is exhausted. */
int wr_loop_newton_place(wr_loop_newton *newton, wr_arena *arena, int n);

/* Replaces the start value y by the solution. Returns 0, a value of map, or WR_LOOP_UNSOLVED. */
int wr_loop_newton_solve(wr_loop_newton *newton);

/* Computes jac at y; g must be g(y). Returns 0, or a value of map. */
int wr_loop_newton_jacobian(wr_loop_newton *newton);

#endif
