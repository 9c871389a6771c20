/* The residual of a fixed number of sweeps. See sweep_residual.h. Thread: as in sweep_residual.h. Real-time: yes after placing. */
#include <math.h>

#include "runtime/slack/sweep_residual.h"

int wr_sweep_residual_place(wr_sweep_residual *rest, const wr_subsystem *s, double period_s,
                            wr_arena *arena)
{
    const int n = s->n_published;
    if (n == 0)
        return 0;
    rest->converge = wr_wave_distance_place(arena, n, 0);
    if (!rest->converge || WR_NEW_DOUBLES(arena, n, &rest->most, &rest->low, &rest->high) != 0)
        return -1;
    rest->converge->rtol = s->rtol;
    rest->converge->threshold = (double)INFINITY;
    rest->converge->jump_time_s = s->rtol * period_s;
    for (int i = 0; i < n; i++) {
        rest->converge->atol[i] = s->atol_published[i];
        rest->low[i] = (double)INFINITY;
        rest->high[i] = -(double)INFINITY;
    }
    return 0;
}

void wr_sweep_residual_note(wr_sweep_residual *rest, const wr_wave *now, const wr_wave *before,
                            double t_s)
{
    wr_wave_distance *const c = rest->converge;
    wr_wave_distance_compare(c, now, before);
    for (int i = 0; i < c->n_signal; i++) {
        rest->most[i] = wr_max(rest->most[i], fabs(c->moved[i]));
        if (c->delta[i] > rest->units) {
            rest->units = c->delta[i];
            rest->i_signal = i;
            rest->t_s = t_s;
        }
    }
    for (int node = 0; node < now->n_node; node++)
        for (int i = 0; i < c->n_signal; i++) {
            const double y = now->value[(size_t)node * (size_t)c->n_signal + (size_t)i];
            rest->low[i] = wr_min(rest->low[i], y);
            rest->high[i] = wr_max(rest->high[i], y);
        }
}

wr_slack_left wr_sweep_residual_left(const wr_sweep_residual *rest)
{
    wr_slack_left left = {
        .units = rest->units, .i_signal = rest->i_signal, .t_s = rest->t_s, .i_share = -1};
    for (int i = 0; rest->converge && i < rest->converge->n_signal; i++) {
        const double range = rest->high[i] - rest->low[i];
        if (range > 0.0 && rest->most[i] / range > left.share) {
            left.share = rest->most[i] / range;
            left.i_share = i;
        }
    }
    return left;
}

void wr_sweep_residual_state(wr_sweep_residual *rest, int n, wr_state_io *io)
{
    if (!rest->converge)
        return;
    WR_STATE_ARRAY(io, rest->most, n);
    WR_STATE_ARRAY(io, rest->low, n);
    WR_STATE_ARRAY(io, rest->high, n);
    WR_STATE(io, rest->units);
    WR_STATE(io, rest->t_s);
    WR_STATE(io, rest->i_signal);
}
