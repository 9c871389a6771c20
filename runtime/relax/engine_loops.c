/* Algebraic loops across subsystems: their amplification of residuals, and Newton's step for their waves.
 *
 * The outputs of a loop depend directly on its inputs, so its iteration contracts alike in windows of any length. A loop of
 * gain 0.9999 has errors ten thousand times larger than the residual. The feed-through D of the loop is known (start_outputs.h).
 * With e the error of the waves w that a sweep read, and r the sweep's residual,
 *
 *   e = -(I - M)^-1 (I - D)^-1 (I - L) r
 *
 * L is the part of D that Gauss-Seidel sweeps read from the same sweep; L = 0 in Jacobi sweeps. M is the remaining coupling through states
 * in the same ring, after the solution of the loop. M falls with the window's length, and the residuals show the rate. Newton's step
 * computes w + (I - D)^-1 (I - L) r. With this step only the iteration of M remains. The step changes values and slopes at the joint nodes
 * of all waves of the loop. On separate nodes, (I - D)^-1 would amplify interpolation errors of r.
 *
 * The engine evaluates D at the end of the last window. If D changes so much that the step does not contract, the engine shortens windows.
 * In windows with jumps, and in the shortest windows, the configured method continues.
 *
 * Thread: serial section. Real-time: yes, with models that are; placing: no. */
#include "runtime/relax/engine_loops.h"

#include <math.h>
#include <string.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"

/* If the amplification exceeds the assumed amplification by this factor, another sweep follows (docs/lab/2026-11-23-algebraic-loops.md). */
static const double GREW = 2.0;
/* Two steps must reduce the residual at least by the factor LEAST_FALL squared. Then D changes so little within the window that its
 * amplification varies at most by a factor of two (docs/lab/2026-11-23-algebraic-loops.md). Residuals below NOISE tolerances are noise. */
static const double LEAST_FALL = 0.5, NOISE = 1e-3;
/* First step, numbered from 0, that LEAST_FALL applies to. So the test never compares with the residual of step 0. */
enum { SOONEST = 3 };
/* Least assumed amplification in the first step of a window (docs/lab/2026-11-23-algebraic-loops.md). Also the amplification of loops whose
 * models refuse the first evaluation. */
static const double UNSEEN = 1e4;

/* ---- setup ---- */

/* The object `start` has an arena of its own, because plans for all outputs of a large model are large. Without loops the setup frees
 * this memory. */
wr_start *wr_loops_begin(wr_engine *e, const wr_wiring *parts)
{
    wr_loops *const loops = e->loops;
    loops->arena = wr_arena_create_from(wr_arena_memory(parts->arena), SIZE_MAX / 4);
    loops->start = loops->arena ? wr_start_place(loops->arena, parts, e->n,
                                                 wr_engine_options_are_levelled(&e->options))
                                : NULL;
    return loops->start;
}

int wr_loops_place(wr_engine *e)
{
    wr_loops *const loops = e->loops;
    const size_t cap = (size_t)e->options.cap_node;
    loops->has = WR_NEW_ARRAY(loops->arena, unsigned char, e->n);
    loops->node = WR_NEW_ARRAY(loops->arena, int, e->n);
    loops->t_s = WR_NEW_ARRAY(loops->arena, double, cap);
    loops->residual_at = WR_NEW_ARRAY(loops->arena, double, 2 * cap);
    if (!loops->has || !loops->node || !loops->t_s || !loops->residual_at)
        return -1;
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            loops->has[loop[l].i_part[k]] = 1;
    return 0;
}

void wr_loops_seal(wr_loops *loops, int has_loops)
{
    if (has_loops) {
        wr_arena_seal(loops->arena);
        return;
    }
    wr_arena_destroy(&loops->arena);
    loops->start = NULL;
}

void wr_loops_state(wr_engine *e, wr_state_io *io)
{
    wr_loops *const loops = e->loops;
    wr_state_agree(io, loops->start != NULL);
    WR_STATE(io, e->contraction->amplification);
    WR_STATE(io, loops->is_solved);
    WR_STATE(io, loops->residual);
    if (loops->start)
        wr_start_state(loops->start, io);
}

/* ---- amplification ---- */

int wr_engine_ask_loops(wr_engine *e)
{
    wr_loops *const loops = e->loops;
    if (!loops->start)
        return 0;
    for (int i = 0; i < e->n; i++) {
        const wr_wave *const wave = wr_waves_shown(&e->waves[i]);
        const size_t last = (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
        wr_start_take(loops->start, i, wave->value + last,
                      wr_record_weight(&e->record[i], e->value[i]));
    }
    const double before = e->contraction->amplification;
    const double now = wr_start_amplification(loops->start, before > 0.0 ? before : UNSEEN);
    wr_contraction_amplify(e->contraction, now);
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int k = 0; k < loop[l].n; k++)
            wr_request_set_amplification(e, loop[l].i_part[k], now);
    const int has_grown = now > GREW * before;
    if (has_grown) /* earlier steps used another matrix */
        wr_loops_restart(loops);
    return has_grown;
}

/* ---- Newton's step ---- */

static int is_moved(const wr_engine *e, int i)
{
    return e->loops->has[i] && e->net->node[i].is_mixed;
}

/* Merges the node times of the waves that the step changes. Returns the number of times; -1: too many, or a wave of a loop jumps. */
static int unite_times(const wr_engine *e, const wr_loop_waves *w)
{
    int n = 0;
    double *const t_s = e->loops->t_s;
    memset(e->loops->node, 0, (size_t)e->n * sizeof *e->loops->node);
    for (int i = 0; i < e->n; i++)
        if (e->loops->has[i] &&
            (w->now[i]->n_jump > 0 || (is_moved(e, i) && w->before[i]->n_jump > 0)))
            return -1;
    for (;;) {
        double next_s = (double)INFINITY, end_s = -(double)INFINITY;
        for (int i = 0; i < e->n; i++) {
            if (!is_moved(e, i))
                continue;
            const wr_wave *const wave = w->now[i];
            int *const node = &e->loops->node[i];
            while (*node < wave->n_node && n > 0 &&
                   (wave->t_s[*node] <= t_s[n - 1] || wr_time_close(wave->t_s[*node], t_s[n - 1])))
                ++*node;
            if (*node < wave->n_node)
                next_s = wr_min(next_s, wave->t_s[*node]);
            end_s = wr_max(end_s, wr_wave_end(wave));
        }
        if (!(next_s < (double)INFINITY)) {
            if (n > 0)
                t_s[n - 1] = end_s; /* moves a node close to the end onto the end */
            return n;
        }
        if (n == e->options.cap_node)
            return -1;
        t_s[n++] = next_s;
    }
}

/* Finds the residual of signal j of a loop, and its slope, at each node. Adds shares of this residual to all signals of the loop. */
static void move_by_residual(const wr_engine *e, const wr_loop_waves *w, const wr_start_loop *loop,
                             int j, int n_node)
{
    const int i = loop->i_part[j], *const signal = &loop->i_signal[j];
    const double *const share = loop->step + (size_t)j * (size_t)loop->n;
    double *const residual = e->loops->residual_at;
    wr_cursor cursor = wr_cursor_start(), cursor_before = wr_cursor_start();
    for (int node = 0; node < n_node; node++) {
        const double t_s = e->loops->t_s[node];
        double *const r = residual + 2 * (size_t)node, before, slope_before;
        wr_wave_eval_many(w->now[i], &cursor, t_s, 1, signal, &r[0], &r[1]);
        wr_wave_eval_many(w->before[i], &cursor_before, t_s, 1, signal, &before, &slope_before);
        r[0] -= before;
        r[1] -= slope_before;
    }
    for (int k = 0; k < loop->n; k++) {
        wr_wave *const next = w->next[loop->i_part[k]];
        if (!is_moved(e, loop->i_part[k]) || !(share[k] != 0.0))
            continue;
        for (int node = 0; node < next->n_node; node++) {
            const size_t at = (size_t)node * (size_t)next->n_signal + (size_t)loop->i_signal[k];
            next->value[at] += share[k] * residual[2 * node];
            next->slope[at] += share[k] * residual[2 * node + 1];
        }
    }
}

/* Copies the sweep's waves to joint nodes, which change no cubic, and adds the step. */
static wrsim_status move_waves(const wr_engine *e, const wr_loop_waves *w)
{
    const int n_node = unite_times(e, w);
    if (n_node < 0)
        return WRSIM_E_LIMIT;
    for (int i = 0; i < e->n; i++) {
        const wr_wave *const now = w->now[i];
        wr_cursor cursor = wr_cursor_start();
        if (e->net->node[i].is_mixed && !is_moved(e, i))
            WR_TRY(wr_wave_copy(w->next[i], now));
        if (!is_moved(e, i))
            continue;
        wr_wave_clear(w->next[i]);
        for (int node = 0; node < n_node; node++) {
            const double t_s = e->loops->t_s[node];
            double *value, *slope;
            WR_TRY(wr_wave_extend(w->next[i], t_s, &value, &slope));
            const wr_piece piece = wr_wave_piece(now, &cursor, t_s);
            wr_piece_values(&piece, t_s, now->n_signal, value);
            wr_piece_slopes(&piece, t_s, now->n_signal, slope);
        }
    }
    int n_loop;
    const wr_start_loop *const loop = wr_start_loops(e->loops->start, &n_loop);
    for (int l = 0; l < n_loop; l++)
        for (int j = 0; j < loop[l].n; j++)
            if (is_moved(e, loop[l].i_part[j]))
                move_by_residual(e, w, &loop[l], j, n_node);
    return WRSIM_OK;
}

int wr_engine_step_loops(wr_engine *e, const wr_loop_waves *w, double *ret_error)
{
    wr_loops *const loops = e->loops;
    if (!loops->start || !loops->is_solved || loops->is_off)
        return 0;
    const double residual = e->sweep->mixed_change, last = loops->residual[0];
    const int n = loops->n_step++;
    loops->is_stuck = n >= SOONEST && residual > NOISE &&
                      !(residual <= LEAST_FALL * LEAST_FALL * loops->residual[1]);
    loops->residual[1] = last;
    loops->residual[0] = residual;
    loops->is_off = loops->is_stuck || move_waves(e, w) < 0;
    if (loops->is_off)
        return -1;
    const double ratio = n > 0 && last > 0.0 ? residual / last : 0.0;
    const double r = residual > NOISE ? ratio : wr_min(ratio, LEAST_FALL);
    *ret_error = (double)INFINITY;
    if (n == 0)
        *ret_error = wr_max(e->contraction->amplification, UNSEEN) * residual;
    else if (r < 1.0)
        *ret_error = e->contraction->amplification * residual / (1.0 - r);
    return 1;
}
