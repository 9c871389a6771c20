/* Extrapolation of waveforms, candidate chosen per signal. See predict.h.
 *
 * Symbols: t is the window's end, tau the time since t, y and s value and slope at t. Polynomials are in tau.
 * Candidates from history, with t_h the corresponding time there and r the ratio of rates:
 *     y(tau) = y_h(t_h + r tau) + (y - y_h(t_h)) + (s - r s_h(t_h)) tau exp(-tau / T)
 *
 * Thread: the subsystem's worker. Real-time: yes. */
#include "runtime/relax/predict.h"

#include <math.h>
#include <string.h>

#include "subsystems/waves/hermite.h"

/* Factor per window on a candidate's old score (assumed). An old error has an effect for about three windows. */
static const double SCORE_MEMORY = 0.7;

/* The scores use at most SAMPLES intervals of a window, and in each interval the point at the share INSIDE (both assumed). */
enum { SAMPLES = 2 };
static const double INSIDE = 0.9;

/* The prediction uses at most every THIN-th node of history between jumps, because events and stability make steps shorter than accuracy
 * requires (docs/lab/2026-11-22-what-helped.md). */
enum { THIN = 2 };

/* A jump of history that is at most this share (assumed) of the period before tau = 0 belongs to the predicted window. */
static const double ROUNDING = 1e-9;

/* Share of the period in which the slow slope correction decays to 1/e: 10 ms of the engine model's period of 48 ms. The fast correction
 * decays in a tenth of this share (docs/lab/2026-11-22-prediction-and-windows.md). Variant 0 corrects no slope, variant 1 decays fast
 * and variant 2 slowly. */
static const double SLOW_DECAY = 1.0 / 4.8;

/* Columns of a frame, n_signal numbers each. Polynomials are y, y + s tau, y + s tau + q2 tau^2, and
 * y + s tau + q3 tau^2 + c3 tau^3. Errors are decayed, in tolerance units; INFINITY: unknown. */
enum { Y, S, Q2, Q3, C3, ERRORS, COLUMNS = ERRORS + WR_PREDICT_DEGREES };
/* More columns for each source: offset and slope between its history and the signals, and errors. */
enum { OFFSET, SLOPE, SOURCE_ERRORS, SOURCE_COLUMNS = SOURCE_ERRORS + WR_PREDICT_VARIANTS };

/* Position of a frame in the histories. */
typedef struct background {
    wr_predict_past from;
    /* node of each history found last; at first the last node before tau = 0 */
    int64_t node[WR_PREDICT_SOURCES];
} background;

/* Data at the end of a window. */
typedef struct frame {
    double t_s;       /* time at which tau = 0 */
    double *column;   /* [(COLUMNS + n_source * SOURCE_COLUMNS) * n_signal] */
    background *past; /* NULL without sources */
} frame;

/* A signal of the prediction: q[0] + q[1] tau + q[2] tau^2 + q[3] tau^3, or history + q[0] + q[1] fade(tau) (fade_at()). */
typedef struct member {
    int i_signal, variant;
    double q[4];
} member;

struct wr_predict {
    int n_signal, n_source, fixed_degree;
    int has_past, has_offer;
    int n_polynomial, n_from[WR_PREDICT_SOURCES]; /* number of signals by origin */
    frame accepted, offered;
    double *value, *slope; /* [n_signal] work space */
    int *choice;           /* [n_signal] candidate of each signal */
    int *start;            /* [n_signal] node at which the last interval without jumps begins */
    member *member;        /* [n_signal] n_polynomial polynomials, then n_from[s] of each source */
    wr_predict_count count;
};

wr_predict *wr_predict_place(wr_arena *arena, int n_signal, int n_source, int fixed_degree)
{
    wr_predict *const p = WR_NEW(arena, wr_predict);
    const int n_column = COLUMNS + n_source * SOURCE_COLUMNS;
    double *const room = WR_NEW_ARRAY(arena, double, (2 * n_column + 2) * n_signal);
    int *const list = WR_NEW_ARRAY(arena, int, 2 * n_signal);
    member *const members = WR_NEW_ARRAY(arena, member, n_signal);
    background *const past = n_source > 0 ? WR_NEW_ARRAY(arena, background, 2) : NULL;
    if (!p || !room || !list || !members || (n_source > 0 && !past))
        return NULL;
    *p = (wr_predict){.n_signal = n_signal, .n_source = n_source, .fixed_degree = fixed_degree};
    p->accepted = (frame){.column = room, .past = past};
    p->offered = (frame){.column = room + n_column * n_signal, .past = past ? past + 1 : NULL};
    p->value = room + 2 * n_column * n_signal;
    p->slope = p->value + n_signal;
    p->choice = list;
    p->start = list + n_signal;
    p->member = members;
    return p;
}

static double *column(const wr_predict *p, const frame *f, int i_column)
{
    return f->column + i_column * p->n_signal;
}

static double *source_column(const wr_predict *p, const frame *f, int i_source, int i_column)
{
    return column(p, f, COLUMNS + i_source * SOURCE_COLUMNS + i_column);
}

/* Returns the source and variant of a candidate from history. */
static int source_of(int choice) { return (choice - WR_PREDICT_DEGREES) / WR_PREDICT_VARIANTS; }
static int variant_of(int choice) { return (choice - WR_PREDICT_DEGREES) % WR_PREDICT_VARIANTS; }

wrsim_status wr_predict_start(wr_predict *p, double t_s, const double *value, wr_wave *ret_wave)
{
    p->has_past = p->has_offer = 0;
    wr_wave_clear(ret_wave);
    memset(p->slope, 0, (size_t)p->n_signal * sizeof *p->slope);
    for (int i = 0; i < p->n_signal; i++)
        p->choice[i] = 0;
    WR_TRY(wr_wave_append(ret_wave, t_s, value, p->slope));
    return wr_wave_append(ret_wave, t_s + 1.0, value, p->slope);
}

/* ---- polynomials ---- */

/* Finds the polynomials through the ends of each signal's last interval without jumps: (y0, s0) at -L, (y, s) at 0. With A = (y0 - y + s L)
 * / L^2 = q - c L and B = (s - s0) / (2 L) = q - 3/2 c L (cubic Hermite). */
static void attach_polynomials(wr_predict *p, const wr_wave *wave, const double *weight)
{
    frame *const f = &p->offered;
    memset(p->start, 0, (size_t)p->n_signal * sizeof *p->start);
    for (int k = 1; wave->n_jump > 0 && k < wave->n_node; k++) {
        const double *const right = wave->value + k * p->n_signal;
        for (int i = 0; i < p->n_signal && !(wave->t_s[k] > wave->t_s[k - 1]); i++)
            if (fabs(right[i] - right[i - p->n_signal]) > weight[i])
                p->start[i] = k;
    }
    const double *const value = wave->value, *const slope = wave->slope;
    double *const at_end = column(p, f, Y), *const slope_at_end = column(p, f, S);
    double *const q2 = column(p, f, Q2), *const q3 = column(p, f, Q3), *const c3 = column(p, f, C3);
    const int last = (wave->n_node - 1) * p->n_signal;
    for (int i = 0; i < p->n_signal; i++) {
        const int first = p->start[i] * p->n_signal;
        const double y = value[last + i], s = slope[last + i];
        const double length_s = f->t_s - wave->t_s[p->start[i]];
        at_end[i] = y;
        slope_at_end[i] = s;
        q2[i] = q3[i] = c3[i] = 0.0;
        if (length_s > 0.0) {
            const double a = (value[first + i] - y + s * length_s) / (length_s * length_s);
            q2[i] = (s - slope[first + i]) / (2.0 * length_s);
            c3[i] = 2.0 * (a - q2[i]) / length_s;
            q3[i] = a + c3[i] * length_s;
        }
    }
}

/* ---- history ---- */

static int is_usable(const wr_predict_source *source, double tau)
{
    return source->history && wr_history_has(source->history, source->t_s + source->rate * tau);
}

/* Returns the number of leading signals that this producer and the source share. One of the two may publish a further signal, the phase. */
static int n_known(const wr_predict *p, const wr_predict_source *source)
{
    const int n = source->history->n_signal;
    return n < p->n_signal ? n : p->n_signal;
}

/* tau exp(-tau / T) and its slope, per variant. */
typedef struct fading {
    double value, slope;
} fading;

static void fade_at(const frame *f, double tau, fading ret_fade[WR_PREDICT_VARIANTS])
{
    const double share = tau / (SLOW_DECAY * f->past->from.period_s), slow = exp(-share);
    const double slow_2 = slow * slow, slow_8 = slow_2 * slow_2 * slow_2 * slow_2;
    const double fast = slow_8 * slow_2;
    ret_fade[0] = (fading){0.0, 0.0};
    ret_fade[1] = (fading){tau * fast, fast * (1.0 - 10.0 * share)};
    ret_fade[2] = (fading){tau * slow, slow * (1.0 - share)};
}

/* Sets the corrections that make history meet the signals at tau = 0, on the left of a jump at tau = 0. Drops a source that does not cover
 * the horizon. */
static void attach_history(wr_predict *p, const wr_predict_past *from, double horizon_s)
{
    if (p->n_source == 0)
        return;
    frame *const f = &p->offered;
    f->past->from = (wr_predict_past){.period_s = 0.0};
    if (!from || !(from->period_s > 0.0) || p->fixed_degree >= 0)
        return;
    f->past->from = *from;
    for (int s = 0; s < WR_PREDICT_SOURCES; s++) {
        const wr_predict_source *const source = &from->source[s];
        if (s >= p->n_source || !is_usable(source, 0.0) || !is_usable(source, horizon_s)) {
            f->past->from.source[s].history = NULL;
            continue;
        }
        /* Finds the last node that is more than rounding before tau = 0. The search begins at the node of the last judgement. */
        const double before_s = source->t_s - ROUNDING * from->period_s;
        const background *const last = p->accepted.past;
        f->past->node[s] = wr_history_find(
            source->history, last->from.source[s].history == source->history ? last->node[s] : -1,
            wr_history_has(source->history, before_s) ? before_s : source->t_s);
        const int n = n_known(p, source);
        const wr_piece there = wr_history_piece(source->history, f->past->node[s]);
        wr_piece_values(&there, source->t_s, n, p->value);
        wr_piece_slopes(&there, source->t_s, n, p->slope);
        double *const offset = source_column(p, f, s, OFFSET);
        double *const slope = source_column(p, f, s, SLOPE);
        for (int i = 0; i < n; i++) {
            offset[i] = column(p, f, Y)[i] - p->value[i];
            slope[i] = column(p, f, S)[i] - source->rate * p->slope[i];
        }
    }
}

/* ---- scores ---- */

/* Raises the largest errors of the accepted frame's polynomials to their errors at the time tau, if larger. */
static void judge_polynomials(wr_predict *p, const double *restrict y, double tau)
{
    const frame *const before = &p->accepted;
    const double *const hold = column(p, before, Y), *const s = column(p, before, S);
    const double *const q2 = column(p, before, Q2), *const q3 = column(p, before, Q3);
    const double *const c3 = column(p, before, C3);
    double *restrict const error = column(p, &p->offered, ERRORS);
    const int n = p->n_signal;
    for (int i = 0; i < n; i++) {
        const double off = hold[i] - y[i];
        error[i] = wr_max(error[i], fabs(off));
        error[n + i] = wr_max(error[n + i], fabs(off + tau * s[i]));
        error[2 * n + i] = wr_max(error[2 * n + i], fabs(off + tau * (s[i] + tau * q2[i])));
        error[3 * n + i] =
            wr_max(error[3 * n + i], fabs(off + tau * (s[i] + tau * (q3[i] + tau * c3[i]))));
    }
}

/* Raises the largest errors of a source's candidates to their errors at the time tau, if larger. The values of the history are in
 * p->slope. */
static void judge_source(wr_predict *p, int i_source, const double *restrict y, double tau)
{
    const frame *const before = &p->accepted;
    const double *restrict const base = p->slope;
    const double *const offset = source_column(p, before, i_source, OFFSET);
    const double *const slope = source_column(p, before, i_source, SLOPE);
    fading fade[WR_PREDICT_VARIANTS];
    fade_at(before, tau, fade);
    const int n = n_known(p, &before->past->from.source[i_source]);
    for (int v = 0; v < WR_PREDICT_VARIANTS; v++) {
        double *restrict const error = source_column(p, &p->offered, i_source, SOURCE_ERRORS + v);
        for (int i = 0; i < n; i++)
            error[i] =
                wr_max(error[i], fabs(base[i] + offset[i] - y[i] + slope[i] * fade[v].value));
    }
}

/* Judges the accepted frame's candidates inside some intervals of the next window. The judgement uses no nodes, because a jump at a node
 * may differ by rounding in history. Returns the number of intervals. */
static int judge(wr_predict *p, const wr_wave *wave)
{
    frame *const before = &p->accepted;
    const int n = wave->n_node - 1, step = (n + SAMPLES - 1) / SAMPLES;
    int n_judged = 0;
    wr_cursor cursor = wr_cursor_start();
    for (int k = 1 + (n - 1) % step; k <= n; k += step) {
        const double length_s = wave->t_s[k] - wave->t_s[k - 1];
        if (!(length_s > 0.0))
            continue;
        const double t_s = wave->t_s[k - 1] + INSIDE * length_s, tau = t_s - before->t_s;
        const wr_piece here = wr_wave_piece(wave, &cursor, t_s);
        wr_piece_values(&here, t_s, p->n_signal, p->value);
        judge_polynomials(p, p->value, tau);
        for (int s = 0; s < p->n_source; s++) {
            const wr_predict_source *const source = &before->past->from.source[s];
            if (!is_usable(source, tau))
                continue;
            const double then_s = source->t_s + source->rate * tau;
            before->past->node[s] = wr_history_find(source->history, before->past->node[s], then_s);
            const wr_piece there = wr_history_piece(source->history, before->past->node[s]);
            wr_piece_values(&there, then_s, n_known(p, source), p->slope);
            judge_source(p, s, p->value, tau);
        }
        n_judged++;
    }
    return n_judged;
}

/* Sets the error of each of n_candidate candidates to the larger of the new error and the decayed old error. */
static void weigh(int n_candidate, int n, const double *restrict per_weight,
                  const double *restrict old, double *restrict now)
{
    for (; n_candidate > 0; n_candidate--, old += n, now += n)
        for (int i = 0; i < n; i++)
            now[i] = wr_max(now[i] * per_weight[i],
                            old[i] < (double)INFINITY ? SCORE_MEMORY * old[i] : 0.0);
}

/* Scores all candidates. If the wave has no interval for the judgement, the candidates keep their old scores. */
static void score(wr_predict *p, const wr_wave *wave, const double *weight)
{
    const int n = p->n_signal;
    const frame *const before = &p->accepted;
    double *const now = column(p, &p->offered, ERRORS), *const old = column(p, before, ERRORS);
    const size_t bytes =
        (size_t)n * sizeof *now * (size_t)(WR_PREDICT_DEGREES + p->n_source * SOURCE_COLUMNS);
    memset(now, 0, bytes); /* attach_history() writes offsets and slopes */
    const int is_judged = judge(p, wave) > 0;
    double *restrict const per_weight = p->value;
    for (int i = 0; i < n; i++)
        per_weight[i] = 1.0 / weight[i];
    if (is_judged)
        weigh(WR_PREDICT_DEGREES, n, per_weight, old, now);
    else
        memcpy(now, old, bytes);
    for (int s = 0; s < p->n_source; s++) {
        double *const errors = source_column(p, &p->offered, s, SOURCE_ERRORS);
        if (!before->past->from.source[s].history)
            for (int i = 0; i < WR_PREDICT_VARIANTS * n; i++)
                errors[i] = (double)INFINITY;
        else if (is_judged)
            weigh(WR_PREDICT_VARIANTS, n, per_weight, source_column(p, before, s, SOURCE_ERRORS),
                  errors);
    }
}

static int choose(const wr_predict *p, int i)
{
    const frame *const f = &p->offered;
    const int is_after_jump = p->start[i] > 0;
    if (p->fixed_degree >= 0)
        return is_after_jump ? 0 : p->fixed_degree;
    if (!p->has_past)
        return is_after_jump ? 0 : 1;
    int best = 0;
    const double *error = column(p, f, ERRORS) + i;
    double least = *error;
    for (int c = 1; c < WR_PREDICT_DEGREES && !is_after_jump; c++) {
        error += p->n_signal;
        if (*error < least) {
            least = *error;
            best = c;
        }
    }
    for (int s = 0; s < p->n_source; s++) {
        const wr_predict_source *const source = &f->past->from.source[s];
        if (!source->history || i >= n_known(p, source))
            continue;
        error = source_column(p, f, s, SOURCE_ERRORS) + i;
        for (int v = 0; v < WR_PREDICT_VARIANTS; v++, error += p->n_signal)
            if (*error < least) {
                least = *error;
                best = WR_PREDICT_DEGREES + s * WR_PREDICT_VARIANTS + v;
            }
    }
    return best;
}

/* Chooses a candidate for each signal, and lists the signals by origin. */
static void choose_all(wr_predict *p)
{
    int n = 0;
    for (int i = 0; i < p->n_signal; i++) {
        const int degree = p->choice[i] = choose(p, i);
        if (degree >= WR_PREDICT_DEGREES)
            continue;
        const double *const at = p->offered.column + i;
        member *const m = &p->member[n++];
        *m = (member){.i_signal = i, .q = {at[Y * p->n_signal]}};
        if (degree > 0)
            m->q[1] = at[S * p->n_signal];
        if (degree > 1)
            m->q[2] = at[(degree == 2 ? Q2 : Q3) * p->n_signal];
        if (degree > 2)
            m->q[3] = at[C3 * p->n_signal];
    }
    p->n_polynomial = n;
    for (int s = 0; s < p->n_source; s++) {
        const int before = n;
        for (int i = 0; i < p->n_signal && n < p->n_signal; i++)
            if (p->choice[i] >= WR_PREDICT_DEGREES && source_of(p->choice[i]) == s)
                p->member[n++] = (member){.i_signal = i,
                                          .variant = variant_of(p->choice[i]),
                                          .q = {source_column(p, &p->offered, s, OFFSET)[i],
                                                source_column(p, &p->offered, s, SLOPE)[i]}};
        p->n_from[s] = n - before;
    }
}

/* ---- the prediction's wave ---- */

/* A position in a history: the piece that begins with a node, and the time in the piece. */
typedef struct place {
    const double *y0, *y1, *s0, *s1;
    wr_hermite at;
} place;

static place in_stretch(const wr_history *h, int64_t node, double t_s)
{
    const wr_piece p = wr_history_piece(h, node);
    return (place){
        .y0 = p.y0, .y1 = p.y1, .s0 = p.s0, .s1 = p.s1, .at = wr_hermite_at(p.t0_s, p.t1_s, t_s)};
}

/* Writes the signals of one source, with slopes multiplied by `rate`. */
static void write_source(int n, const member *m, double rate, const place *there,
                         const fading *fade, double *ret_value, double *ret_slope)
{
    const wr_hermite at = there->at;
    for (; n > 0; n--, m++) {
        const int i = m->i_signal;
        const double y0 = there->y0[i], y1 = there->y1[i], s0 = there->s0[i], s1 = there->s1[i];
        const fading by = fade[m->variant];
        ret_value[i] = wr_hermite_value(&at, y0, y1, s0, s1) + m->q[0] + m->q[1] * by.value;
        ret_slope[i] = rate * wr_hermite_slope(&at, y0, y1, s0, s1) + m->q[1] * by.slope;
    }
}

static wrsim_status write_node(wr_predict *p, double tau, const place *places, wr_wave *wave)
{
    const frame *const f = &p->offered;
    const member *m = p->member;
    double *value, *slope;
    WR_TRY(wr_wave_extend(wave, f->t_s + tau, &value, &slope));
    for (; m < p->member + p->n_polynomial; m++) {
        value[m->i_signal] = m->q[0] + tau * (m->q[1] + tau * (m->q[2] + tau * m->q[3]));
        slope[m->i_signal] = m->q[1] + tau * (2.0 * m->q[2] + tau * 3.0 * m->q[3]);
    }
    if (p->n_polynomial < p->n_signal) {
        fading fade[WR_PREDICT_VARIANTS];
        fade_at(f, tau, fade);
        for (int s = 0; s < p->n_source; s++) {
            write_source(p->n_from[s], m, f->past->from.source[s].rate, &places[s], fade, value,
                         slope);
            m += p->n_from[s];
        }
    }
    return WRSIM_OK;
}

/* Iterator over the nodes of one history within the horizon. Both sources are similar waveforms, so the source with most signals gives the
 * nodes, about WR_PREDICT_NODES / 4 between jumps at most. The other source adds its jumps only. */
typedef struct walk {
    const wr_predict_source *source;
    int64_t node, end; /* the next node, and the end of the nodes */
    int64_t passed;    /* the last passed node */
    int stride;
} walk;

static double tau_of(const walk *w)
{
    return (wr_history_time(w->source->history, w->node) - w->source->t_s) / w->source->rate;
}

static int is_jump(const walk *w)
{
    const wr_history *const h = w->source->history;
    return wr_history_time(h, w->node) >= wr_history_time(h, w->node + 1) ||
           wr_history_time(h, w->node) <= wr_history_time(h, w->node - 1);
}

static walk begin_walk(const wr_predict *p, int i_source, double horizon_s)
{
    const frame *const f = &p->offered;
    const wr_predict_source *const source = &f->past->from.source[i_source];
    walk w = {.source = source, .passed = f->past->node[i_source]};
    if (p->n_from[i_source] == 0)
        return w;
    w.node = w.passed + 1;
    w.end = wr_history_find(source->history, w.passed, source->t_s + source->rate * horizon_s) + 1;
    int i_most = 0; /* the source with most signals */
    for (int s = 1; s < p->n_source; s++)
        i_most = p->n_from[s] > p->n_from[i_most] ? s : i_most;
    const int n_node = (int)(w.end - w.node), is_most = i_source == i_most;
    w.stride = is_most ? THIN + n_node / (WR_PREDICT_NODES / 4) : n_node;
    while (w.node < w.end && (tau_of(&w) <= 0.0 || !is_most) && !is_jump(&w))
        w.node++;
    return w;
}

/* Finds the position of tau in each used history. At the next node of iterator `at` the position is exact. */
static void find_places(const wr_predict *p, walk *walks, const walk *at, double tau, place *places)
{
    for (int s = 0; s < p->n_source; s++) {
        walk *const w = &walks[s];
        if (p->n_from[s] == 0)
            continue;
        const wr_history *const h = w->source->history;
        if (w == at) {
            const double *const y = wr_history_value(h, w->node), *const s0 =
                                                                      wr_history_slope(h, w->node);
            places[s] = (place){.y0 = y, .y1 = y, .s0 = s0, .s1 = s0, .at = {.ds0 = 1.0}};
            w->passed = w->node;
        } else {
            const double t_s = w->source->t_s + w->source->rate * tau;
            w->passed = wr_history_find(h, w->passed, t_s);
            places[s] = in_stretch(h, w->passed, t_s);
        }
    }
}

/* Returns the iterator with the earliest next node; NULL without nodes. */
static walk *next_walk(const wr_predict *p, walk *walks)
{
    walk *next = NULL;
    for (int s = 0; s < p->n_source; s++)
        if (walks[s].node < walks[s].end && (!next || tau_of(&walks[s]) < tau_of(next)))
            next = &walks[s];
    return next;
}

static wrsim_status write_wave(wr_predict *p, double horizon_s, wr_wave *wave)
{
    const frame *const f = &p->offered;
    walk walks[WR_PREDICT_SOURCES];
    place places[WR_PREDICT_SOURCES];
    wr_wave_clear(wave);
    if (p->n_polynomial == p->n_signal) { /* two nodes represent any cubic */
        WR_TRY(write_node(p, 0.0, NULL, wave));
        return write_node(p, horizon_s, NULL, wave);
    }
    for (int s = 0; s < p->n_source; s++) {
        const wr_predict_source *const source = &f->past->from.source[s];
        walks[s] = begin_walk(p, s, horizon_s);
        if (p->n_from[s] > 0)
            places[s] = in_stretch(source->history, f->past->node[s], source->t_s);
    }
    WR_TRY(write_node(p, 0.0, places, wave));
    for (walk *next = next_walk(p, walks); next && wave->n_node < wave->cap_node - 1;
         next = next_walk(p, walks)) {
        if (!(tau_of(next) < horizon_s))
            break;
        const double tau = wr_max(tau_of(next), wr_wave_end(wave) - f->t_s);
        find_places(p, walks, next, tau, places);
        WR_TRY(write_node(p, tau, places, wave));
        for (int i = 0; i < next->stride; i++)
            if (++next->node >= next->end || is_jump(next))
                break;
    }
    find_places(p, walks, NULL, horizon_s, places);
    return write_node(p, horizon_s, places, wave);
}

wrsim_status wr_predict_offer(wr_predict *p, const wr_wave *wave, const double *weight,
                              const wr_predict_past *from, double horizon_s, wr_wave *ret_wave)
{
    p->offered.t_s = wr_wave_end(wave);
    if (p->has_past)
        score(p, wave, weight);
    attach_polynomials(p, wave, weight);
    attach_history(p, from, horizon_s);
    choose_all(p);
    p->has_offer = 1;
    return write_wave(p, horizon_s, ret_wave);
}

void wr_predict_accept(wr_predict *p)
{
    if (!p->has_offer)
        return;
    p->count.n_polynomial += p->n_polynomial;
    for (int s = 0; s < p->n_source; s++)
        p->count.n_history[s] += p->n_from[s];
    const frame accepted = p->accepted;
    p->accepted = p->offered;
    p->offered = accepted;
    p->has_past = 1;
    p->has_offer = 0;
}

static void frame_state(const wr_predict *p, frame *f, wr_state_io *io,
                        const wr_history *const history[WR_PREDICT_SOURCES])
{
    WR_STATE(io, f->t_s);
    WR_STATE_ARRAY(io, f->column, (COLUMNS + p->n_source * SOURCE_COLUMNS) * p->n_signal);
    for (int s = 0; s < p->n_source; s++) {
        wr_predict_source *const source = &f->past->from.source[s];
        const int is_there = (int)wr_state_count(io, source->history != NULL, history[s] != NULL);
        WR_STATE(io, source->t_s);
        WR_STATE(io, source->rate);
        if (wr_state_reads(io))
            source->history = is_there ? history[s] : NULL;
        WR_STATE(io, f->past->node[s]);
    }
    if (p->n_source > 0)
        WR_STATE(io, f->past->from.period_s);
}

void wr_predict_state(wr_predict *p, wr_state_io *io,
                      const wr_history *const history[WR_PREDICT_SOURCES])
{
    wr_state_agree(io, p->n_signal);
    wr_state_agree(io, p->n_source);
    WR_STATE(io, p->has_past);
    WR_STATE(io, p->has_offer);
    WR_STATE(io, p->n_polynomial);
    WR_STATE(io, p->n_from);
    frame_state(p, &p->accepted, io, history);
    frame_state(p, &p->offered, io, history);
    WR_STATE_ARRAY(io, p->choice, p->n_signal);
    WR_STATE(io, p->count);
}

wr_predict_count wr_predict_counted(const wr_predict *p) { return p->count; }

int wr_predict_choice(const wr_predict *p, int i_signal) { return p->choice[i_signal]; }
