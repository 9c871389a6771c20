/* Algebraic loops across subsystems: what they make of what waves come out off, and Newton's step for their waves.
 *
 * A loop follows its inputs at once, so its iteration contracts the same in windows of any length, and a loop of gain
 * 0.9999 hides an error behind a residual ten thousand times smaller. Its feed-through D is known, though (start.h):
 * with e what the waves used are off and r what came out less these,
 *
 *   e = -(I - M)^-1 (I - D)^-1 r
 *
 * where M is what integrates in the same ring, after the loop has been solved: that falls with the window, and the
 * residuals tell how fast. So w + (I - D)^-1 (I - L) r, L being what Gauss-Seidel sweeps read of the same sweep, leaves
 * M alone: the iteration of a coupling through states. Values and slopes are moved, at the nodes of all waves of loops:
 * nodes of their own would stand for (I - D)^-1 r each in another way, by as much as that is larger than r.
 *
 * D is as of the last window's end. Where it has changed so much that the step does not contract, and in windows with
 * jumps, Anderson's method goes on.
 *
 * Thread: serial section. Real-time: yes, with models that are.
 */
#include <math.h>

#include "runtime/relax/engine_work.h"

/* So many times the amplification that a window has reckoned with needs another sweep. */
static const double GREW = 2.0;
/* Steps that leave more of the residual than that are worth no other one. Residuals below are noise, whose ratios say
 * nothing. The first one of a window says nothing of M: what it may make of it. */
static const double LEAST_FALL = 0.5, NOISE = 1e-3, UNSEEN = 1e4;
enum { SOONEST = 3 }; /* steps before that is judged, over two of them: kinks take one sweep more */

int wr_engine_ask_loops(wr_engine *e)
{
    if (!e->start)
        return 0;
    for (int i = 0; i < e->n; i++) {
        const wr_participant *const p = &e->participant[i];
        const wr_wave *const wave = p->published;
        const size_t last = (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
        wr_start_take(e->start, i, wave->value + last, p->converge->weight);
    }
    const double before = e->amplification;
    e->amplification = wr_start_amplification(e->start, wr_max(before, 1.0));
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            wr_subsystem_set_amplification(e->participant[loop[l].i_part[k]].subsystem,
                                           e->amplification);
    return e->amplification > GREW * before;
}

/* May the loops' waves be moved: have they no jumps? */
static int is_smooth(const wr_engine *e)
{
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++) {
            const int i = loop[l].i_part[k];
            if (e->now[i]->n_jump > 0 || (e->participant[i].is_mixed && e->before[i]->n_jump > 0))
                return 0;
        }
    return 1;
}

/* By how much signal j of a loop came out off what was used at t, and the slope of that. */
static void residual_at(const wr_engine *e, const wr_start_loop *loop, int j, double t_s,
                        wr_cursor *cursor, double *ret_r, double *ret_slope)
{
    const int i = loop->i_part[j], *const signal = &loop->i_signal[j];
    double before, slope_before;
    wr_wave_eval_many(e->now[i], &cursor[0], t_s, 1, signal, ret_r, ret_slope);
    wr_wave_eval_many(e->before[i], &cursor[1], t_s, 1, signal, &before, &slope_before);
    *ret_r -= before;
    *ret_slope -= slope_before;
}

/* Moves signal k of a loop by what signal j is off. */
static void move_by(const wr_engine *e, const wr_start_loop *loop, int k, int j)
{
    const double share = loop->step[(size_t)j * (size_t)loop->n + (size_t)k];
    wr_wave *const next = e->next[loop->i_part[k]];
    const size_t n = (size_t)next->n_signal;
    double *value = next->value + loop->i_signal[k], *slope = next->slope + loop->i_signal[k];
    wr_cursor cursor[2] = {wr_cursor_start(), wr_cursor_start()};
    for (int node = 0; node < next->n_node; node++, value += n, slope += n) {
        double r, r_slope;
        residual_at(e, loop, j, next->t_s[node], cursor, &r, &r_slope);
        *value += share * r;
        *slope += share * r_slope;
    }
}

/* The next node after t of any wave that is moved. */
static double next_node(const wr_engine *e, double t_s)
{
    const wr_cursor start = wr_cursor_start();
    double next_s = (double)INFINITY;
    for (int i = 0; i < e->n; i++) {
        if (!e->participant[i].is_mixed)
            continue;
        const int node = wr_wave_node_after(e->now[i], &start, t_s);
        if (node < e->now[i]->n_node)
            next_s = wr_min(next_s, e->now[i]->t_s[node]);
    }
    return next_s;
}

/* What came out, with the nodes of all waves that are moved: a cubic stays itself. */
static wrsim_status copy_on_all_nodes(const wr_engine *e, int i)
{
    const wr_wave *const now = e->now[i];
    wr_cursor cursor = wr_cursor_start();
    wr_wave_clear(e->next[i]);
    for (double t_s = wr_wave_start(now); t_s < (double)INFINITY; t_s = next_node(e, t_s)) {
        double *value, *slope;
        WR_TRY(wr_wave_extend(e->next[i], t_s, &value, &slope));
        const wr_piece piece = wr_wave_piece(now, &cursor, t_s);
        wr_piece_values(&piece, t_s, now->n_signal, value);
        wr_piece_slopes(&piece, t_s, now->n_signal, slope);
    }
    return WRSIM_OK;
}

static wrsim_status move_waves(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->participant[i].is_mixed)
            WR_TRY(copy_on_all_nodes(e, i));
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            for (int j = 0; j < loop[l].n; j++)
                if (e->participant[loop[l].i_part[k]].is_mixed &&
                    e->participant[loop[l].i_part[j]].is_mixed &&
                    loop[l].step[(size_t)j * (size_t)loop[l].n + (size_t)k] != 0.0)
                    move_by(e, &loop[l], k, j);
    return WRSIM_OK;
}

int wr_engine_step_loops(wr_engine *e)
{
    if (!e->start || !e->solves_loops || e->is_step_off)
        return 0;
    const double residual = e->mixed_change, last = e->step_residual[0];
    const int n = e->n_step++,
              is_stuck = n >= SOONEST && residual > NOISE &&
                         !(residual <= LEAST_FALL * LEAST_FALL * e->step_residual[1]);
    e->step_residual[1] = last;
    e->step_residual[0] = residual;
    e->is_step_off = !is_smooth(e) || is_stuck || move_waves(e) < 0;
    if (e->is_step_off) {
        wr_accelerate_reset(e->accelerate);
        return 0;
    }
    const double ratio = n > 0 && last > 0.0 ? residual / last : 0.0;
    const double r = residual > NOISE ? ratio : wr_min(ratio, LEAST_FALL);
    e->error = (double)INFINITY;
    if (n == 0)
        e->error = wr_max(e->amplification, UNSEEN) * residual;
    else if (r < 1.0)
        e->error = e->amplification * residual / (1.0 - r);
    return 1;
}
