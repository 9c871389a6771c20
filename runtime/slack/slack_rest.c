/* What a fixed number of sweeps leaves: how far the last sweep's wave of a period is from the one before.
 *
 * In tolerance units and in ranges, per signal that a part publishes; the largest of all periods, and where. It is the change
 * of the last sweep, not the error that is left: with contraction rho that is rho / (1 - rho) of it.
 *
 * Thread: who has claimed the part. Real-time: yes after placing.
 */
#include <math.h>

#include "runtime/slack/slack_work.h"

int wr_slack_rest_place(const wr_slack *slack, wr_slack_part *part, wr_arena *arena)
{
    const wr_subsystem *const s = part->subsystem;
    wr_slack_rest *const rest = &part->rest;
    const int n = s->n_published;
    *rest = (wr_slack_rest){.i_signal = -1};
    if (slack->options.n_sweep == 1 || part->is_played || n == 0)
        return 0;
    rest->converge = wr_converge_place(arena, n);
    rest->most = WR_NEW_ARRAY(arena, double, n);
    rest->low = WR_NEW_ARRAY(arena, double, n);
    rest->high = WR_NEW_ARRAY(arena, double, n);
    if (!rest->converge || !rest->most || !rest->low || !rest->high)
        return -1;
    rest->converge->rtol = s->rtol;
    rest->converge->threshold = (double)INFINITY;
    rest->converge->jump_time_s = s->rtol * slack->options.period_s;
    for (int i = 0; i < n; i++) {
        rest->converge->atol[i] = s->atol_published[i];
        rest->low[i] = (double)INFINITY;
        rest->high[i] = -(double)INFINITY;
    }
    return 0;
}

void wr_slack_rest_note(wr_slack_part *part)
{
    wr_slack_rest *const rest = &part->rest;
    if (!rest->converge || part->sweep == 0)
        return;
    const wr_wave *const now = part->subsystem->wave;
    wr_converge *const c = rest->converge;
    wr_converge_compare(c, now,
                        wr_store_read(part->store, wr_store_written(part->store) - 1)->wave);
    for (int i = 0; i < c->n_signal; i++) {
        rest->most[i] = wr_max(rest->most[i], fabs(c->moved[i]));
        if (c->delta[i] > rest->units) {
            rest->units = c->delta[i];
            rest->i_signal = i;
            rest->t_s = part->t_s;
        }
    }
    for (int node = 0; node < now->n_node; node++)
        for (int i = 0; i < c->n_signal; i++) {
            const double y = now->value[(size_t)node * (size_t)c->n_signal + (size_t)i];
            rest->low[i] = wr_min(rest->low[i], y);
            rest->high[i] = wr_max(rest->high[i], y);
        }
}

wr_slack_left wr_slack_left_get(const wr_slack *slack, int i_part)
{
    const wr_slack_rest *const rest = &slack->part[i_part].rest;
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

void wr_slack_rest_state(wr_slack_part *part, wr_state_io *io)
{
    wr_slack_rest *const rest = &part->rest;
    if (!rest->converge)
        return;
    const int n = part->subsystem->n_published;
    WR_STATE_ARRAY(io, rest->most, n);
    WR_STATE_ARRAY(io, rest->low, n);
    WR_STATE_ARRAY(io, rest->high, n);
    WR_STATE(io, rest->units);
    WR_STATE(io, rest->t_s);
    WR_STATE(io, rest->i_signal);
}
