/* Algebraic loops across subsystems: their amplification of residuals, and Newton's step for their waves.
 *
 * The outputs of a loop depend directly on its inputs, so its iteration contracts alike in windows of any length. A loop of
 * gain 0.9999 has errors ten thousand times larger than the residual. The feed-through D of the loop is known (start.h).
 * With e the error of the waves w that a sweep read, and r the sweep's residual,
 *
 *   e = -(I - M)^-1 (I - D)^-1 r
 *
 * M is the remaining coupling through states in the same ring, after the loop has been solved. M falls with the window's
 * length, and the residuals show how fast. The step w + (I - D)^-1 (I - L) r therefore leaves the iteration of M, where L
 * is the part of D that Gauss-Seidel sweeps read from the same sweep. The step changes values and slopes at the joint nodes
 * of all waves of the loop. On separate nodes, interpolation errors of r would be amplified by (I - D)^-1.
 *
 * D is from the end of the last window. If D changes so much that the step does not contract, windows are shortened. In
 * windows with jumps, and in the shortest windows, the configured method continues.
 *
 * Thread: serial section. Real-time: yes, with models that are.
 */
#include "runtime/relax/engine_loops.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"

/* If the amplification exceeds the assumed one by this factor, another sweep follows. */
static const double GREW = 2.0;
/* Two steps must reduce the residual to the share LEAST_FALL squared (slope jumps take one sweep more). Then D changes
 * so little within the window that its amplification varies at most by a factor of two. Residuals below NOISE are not
 * judged. */
static const double LEAST_FALL = 0.5, NOISE = 1e-3;
enum { SOONEST = 3 }; /* first step that is judged */
/* Assumed amplification after one sweep, and for loops whose models refuse the evaluation. */
static const double UNSEEN = 1e4;

int wr_engine_ask_loops(wr_engine *e)
{
    if (!e->loops->start)
        return 0;
    for (int i = 0; i < e->n; i++) {
        const wr_wave *const wave = wr_waves_shown(&e->waves[i]);
        const size_t last = (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
        wr_start_take(e->loops->start, i, wave->value + last,
                      wr_record_weight(&e->record[i], e->value[i]));
    }
    const double before = e->contraction->amplification;
    wr_contraction_amplify(e->contraction,
                           wr_start_amplification(e->loops->start, before > 0.0 ? before : UNSEEN));
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            wr_request_set_amplification(e, loop[l].i_part[k], e->contraction->amplification);
    const int has_grown = e->contraction->amplification > GREW * before;
    if (has_grown) /* earlier steps used another matrix */
        e->loops->n_step = 0;
    return has_grown;
}

int wr_engine_place_loops(wr_engine *e)
{
    const size_t cap = (size_t)e->options.cap_node;
    wr_arena *const arena = e->loops->arena;
    e->loops->has = WR_NEW_ARRAY(arena, unsigned char, e->n);
    e->loops->node = WR_NEW_ARRAY(arena, int, e->n);
    e->loops->t_s = WR_NEW_ARRAY(arena, double, cap);
    e->loops->residual_at = WR_NEW_ARRAY(arena, double, 2 * cap);
    if (!e->loops->has || !e->loops->node || !e->loops->t_s || !e->loops->residual_at)
        return -1;
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            e->loops->has[loop[l].i_part[k]] = 1;
    return 0;
}

static int is_moved(const wr_engine *e, int i) { return e->loops->has[i] && e->record[i].is_mixed; }

/* Have the waves of the loops no jumps, so that Newton's step may change them? */
static int is_smooth(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->loops->has[i] &&
            (e->mix->now[i]->n_jump > 0 || (is_moved(e, i) && e->mix->before[i]->n_jump > 0)))
            return 0;
    return 1;
}

/* Merges the node times of the waves that the step changes. Returns their number, -1: too many. */
static int unite_times(const wr_engine *e)
{
    int n = 0;
    memset(e->loops->node, 0, (size_t)e->n * sizeof *e->loops->node);
    for (;;) {
        double next_s = (double)INFINITY, end_s = -(double)INFINITY;
        for (int i = 0; i < e->n; i++) {
            if (!is_moved(e, i))
                continue;
            const wr_wave *const wave = e->mix->now[i];
            int *const node = &e->loops->node[i];
            while (*node < wave->n_node && n > 0 &&
                   (wave->t_s[*node] <= e->loops->t_s[n - 1] ||
                    wr_time_close(wave->t_s[*node], e->loops->t_s[n - 1])))
                ++*node;
            if (*node < wave->n_node)
                next_s = wr_min(next_s, wave->t_s[*node]);
            end_s = wr_max(end_s, wr_wave_end(wave));
        }
        if (!(next_s < (double)INFINITY)) {
            if (n > 0)
                e->loops->t_s[n - 1] = end_s; /* a close node is moved to the end */
            return n;
        }
        if (n == e->options.cap_node)
            return -1;
        e->loops->t_s[n++] = next_s;
    }
}

/* Copies the sweep's wave to all these nodes. New nodes do not change a cubic. */
static wrsim_status copy_on_all_nodes(const wr_engine *e, int i, int n_node)
{
    const wr_wave *const now = e->mix->now[i];
    wr_cursor cursor = wr_cursor_start();
    wr_wave_clear(e->mix->next[i]);
    for (int node = 0; node < n_node; node++) {
        double *value, *slope;
        WR_TRY(wr_wave_extend(e->mix->next[i], e->loops->t_s[node], &value, &slope));
        const wr_piece piece = wr_wave_piece(now, &cursor, e->loops->t_s[node]);
        wr_piece_values(&piece, e->loops->t_s[node], now->n_signal, value);
        wr_piece_slopes(&piece, e->loops->t_s[node], now->n_signal, slope);
    }
    return WRSIM_OK;
}

/* Residual of signal j of a loop, and its slope, at each node. */
static void find_residual(const wr_engine *e, const wr_start_loop *loop, int j, int n_node)
{
    const int i = loop->i_part[j], *const signal = &loop->i_signal[j];
    wr_cursor cursor = wr_cursor_start(), cursor_before = wr_cursor_start();
    for (int node = 0; node < n_node; node++) {
        const double t_s = e->loops->t_s[node];
        double *const r = e->loops->residual_at + 2 * (size_t)node, before, slope_before;
        wr_wave_eval_many(e->mix->now[i], &cursor, t_s, 1, signal, &r[0], &r[1]);
        wr_wave_eval_many(e->mix->before[i], &cursor_before, t_s, 1, signal, &before,
                          &slope_before);
        r[0] -= before;
        r[1] -= slope_before;
    }
}

/* Adds a share of the residual to signal k of a loop. */
static void move_by(const wr_engine *e, const wr_start_loop *loop, int k, double share)
{
    wr_wave *const next = e->mix->next[loop->i_part[k]];
    const size_t n = (size_t)next->n_signal;
    double *value = next->value + loop->i_signal[k], *slope = next->slope + loop->i_signal[k];
    for (int node = 0; node < next->n_node; node++, value += n, slope += n) {
        *value += share * e->loops->residual_at[2 * node];
        *slope += share * e->loops->residual_at[2 * node + 1];
    }
}

static void move_loop(const wr_engine *e, const wr_start_loop *loop, int n_node)
{
    for (int j = 0; j < loop->n; j++) {
        if (!is_moved(e, loop->i_part[j]))
            continue;
        find_residual(e, loop, j, n_node);
        const double *const share = loop->step + (size_t)j * (size_t)loop->n;
        for (int k = 0; k < loop->n; k++)
            if (is_moved(e, loop->i_part[k]) && share[k] != 0.0)
                move_by(e, loop, k, share[k]);
    }
}

static wrsim_status move_waves(const wr_engine *e)
{
    const int n_node = unite_times(e);
    if (n_node < 0)
        return WRSIM_E_LIMIT;
    for (int i = 0; i < e->n; i++) {
        if (is_moved(e, i))
            WR_TRY(copy_on_all_nodes(e, i, n_node));
        else if (e->record[i].is_mixed)
            WR_TRY(wr_wave_copy(e->mix->next[i], e->mix->now[i]));
    }
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        move_loop(e, &loop[l], n_node);
    return WRSIM_OK;
}

int wr_engine_step_loops(wr_engine *e)
{
    if (!e->loops->start || !e->loops->is_solved || e->loops->is_off)
        return 0;
    const double residual = e->sweep->mixed_change, last = e->loops->residual[0];
    const int n = e->loops->n_step++;
    e->loops->is_stuck = n >= SOONEST && residual > NOISE &&
                         !(residual <= LEAST_FALL * LEAST_FALL * e->loops->residual[1]);
    e->loops->residual[1] = last;
    e->loops->residual[0] = residual;
    e->loops->is_off = e->loops->is_stuck || !is_smooth(e) || move_waves(e) < 0;
    if (e->loops->is_off) {
        wr_accelerate_reset(e->mix->method);
        return 0;
    }
    const double ratio = n > 0 && last > 0.0 ? residual / last : 0.0;
    const double r = residual > NOISE ? ratio : wr_min(ratio, LEAST_FALL);
    e->mix->error = (double)INFINITY;
    if (n == 0)
        e->mix->error = wr_max(e->contraction->amplification, UNSEEN) * residual;
    else if (r < 1.0)
        e->mix->error = e->contraction->amplification * residual / (1.0 - r);
    return 1;
}
