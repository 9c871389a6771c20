/* Makes extrapolated Euler steps. See extrapolation.h. Thread: one at a time. Real-time: all but place. */
#include "subsystems/solvers/extrapolation.h"

#include <string.h>

wrsim_status wr_extrapolation_place(wr_extrapolation *to, wr_arena *arena, wr_one_step *base,
                                    wr_newton *newton, int order)
{
    const int n = base->n_x;
    *to = (wr_extrapolation){.base = base, .newton = newton, .order = order};
    to->row = WR_NEW_ARRAY(arena, double, order *n);
    to->x = WR_NEW_ARRAY(arena, double, n);
    to->d = WR_NEW_ARRAY(arena, double, n);
    return to->row && to->x && to->d ? WRSIM_OK : WRSIM_E_MEMORY;
}

/* Sets self->d to f(t, self->x) for Euler step i of a row. The first step (i = 0) of an explicit row has f of base. */
static wrsim_status slope(wr_extrapolation *self, int i, double t_s)
{
    wr_one_step *const base = self->base;
    const size_t bytes = (size_t)base->n_x * sizeof *self->d;
    if (i == 0 && !self->newton) {
        memcpy(self->d, base->f, bytes);
        return WRSIM_OK;
    }
    const int code = wr_one_step_rhs(base, t_s, self->x, self->d);
    if (code != 0)
        return wr_one_step_fault(code);
    return wr_step_control_is_finite(base->n_x, self->d) ? WRSIM_OK : WRSIM_E_NAN;
}

/* Sets self->x to the end of n equal steps. Implicit steps evaluate f at their end: (I / h - J) d = f(t + h, x), as in integ_linimp.c. */
static wrsim_status euler(wr_extrapolation *self, int n, double t1_s)
{
    wr_one_step *const base = self->base;
    const double t0_s = base->control.t_s, h_s = (t1_s - t0_s) / n;
    memcpy(self->x, base->x, (size_t)base->n_x * sizeof *self->x);
    if (self->newton && wr_shifted_factor(&self->newton->shifted, &base->stats, 1.0 / h_s,
                                          self->newton->jacobian) != 0)
        return wr_one_step_at_pole(base);
    for (int i = 0; i < n; i++) {
        const int at = self->newton ? i + 1 : i;
        WR_TRY(slope(self, i, at == n ? t1_s : t0_s + at * h_s));
        if (self->newton)
            wr_shifted_solve(&self->newton->shifted, self->d);
        for (int k = 0; k < base->n_x; k++)
            self->x[k] += (self->newton ? 1.0 : h_s) * self->d[k];
    }
    return WRSIM_OK;
}

/* Computes the next row: T_{n,k+1} = T_{n,k} + (T_{n,k} - T_{n-1,k}) / (n / (n - k) - 1) with h_n = h / n ("Solving ODEs I", II.9, eq.
 * 9.10). self->row: T_{n-1,.} before the call, T_{n,.} after the call. */
static void extrapolate(wr_extrapolation *self, int n)
{
    const int n_x = self->base->n_x;
    for (int i = 0; i < n_x; i++) {
        double value = self->x[i];
        for (int k = 1; k < n; k++) {
            double *const old = self->row + (size_t)(k - 1) * (size_t)n_x + i;
            const double next = value + (value - *old) * (n - k) / k;
            *old = value;
            value = next;
        }
        self->row[(size_t)(n - 1) * (size_t)n_x + (size_t)i] = value;
    }
}

/* Checks an implicit step against a pole. For x' = lambda x and z = h lambda, extrapolation gives R(z) = sum of c_n (1 - z / n)^-n over n =
 * 1, ... p. c_n is the product of n / (n - i) over i != n ("Solving ODEs I", II.9, eq. 9.10, solved for T_pp). For p > 1, R is within 6 %
 * of e^z up to z = 1/2. If p is even, R then falls towards its pole at 1. For p = 2, R is below 1 from z = 0.764 on. So a linearly implicit
 * step of twice the length must not turn back. */
static wrsim_status check(wr_extrapolation *self, double t1_s)
{
    wr_newton *const newton = self->newton;
    wr_one_step *const base = self->base;
    const double c = 0.5 / (t1_s - base->control.t_s);
    wr_integ_stats uncounted = {0};
    if (wr_shifted_factor(&newton->shifted, &uncounted, c, newton->jacobian) != 0)
        return wr_one_step_at_pole(base);
    memcpy(self->d, newton->f, (size_t)base->n_x * sizeof *self->d);
    wr_shifted_solve(&newton->shifted, self->d);
    return wr_shifted_turns_back(&newton->shifted, c, newton->jacobian, base->x, self->d,
                                 base->ode->nominal)
               ? wr_one_step_at_pole(base)
               : WRSIM_OK;
}

wrsim_status wr_extrapolation_step(wr_extrapolation *self, double t1_s, double *ret_x)
{
    const size_t n_x = (size_t)self->base->n_x;
    if (self->newton) {
        WR_TRY(wr_newton_linearise(self->newton, t1_s, self->base->x));
        WR_TRY(check(self, t1_s));
    }
    for (int n = 1; n <= self->order; n++) {
        WR_TRY(euler(self, n, t1_s));
        extrapolate(self, n);
    }
    memcpy(ret_x, self->row + (size_t)(self->order - 1) * n_x, n_x * sizeof *ret_x);
    return wr_step_control_is_finite((int)n_x, ret_x) ? WRSIM_OK : WRSIM_E_NAN;
}
