/* Extrapolation of waveforms, candidate chosen per signal. See predict.h.
 *
 * Symbols: t end of the window, tau time since then, y value, s slope at t; polynomials in tau.
 * History, with t_h the time there and r its rate:
 *     y(tau) = y_h(t_h + r tau) + (y - y_h(t_h)) + (s - r s_h(t_h)) tau exp(-tau / T)
 *
 * Thread: the subsystem's worker. Real-time: yes.
 */
#include "runtime/relax/predict.h"

#include <math.h>
#include <string.h>

/* Share of its old score that a degree keeps per window: about three windows of memory. */
static const double SCORE_MEMORY = 0.7;

/* The candidates of one signal: y + s tau, then + q[2] tau^2, or + q[3] tau^2 + c tau^3. */
typedef struct candidate {
    double y, s;
    double q2;     /* degree 2: slope at both ends of the stretch */
    double q3, c3; /* degree 3: values and slopes at both ends */
    int is_after_jump;
} candidate;

/* A window judges the predictions made for it in this many intervals at most, at this share of them. */
enum { SAMPLES = 4 };
static const double INSIDE = 0.9;

/* Jumps of history this near to tau = 0 belong to the window to come; share of the period. */
static const double ROUNDING = 1e-9;

/* T of the slope correction, shares of the period: 1 ms and 10 ms of an engine's 48 ms
 * (DESIGN 14.2, 14.19). Variant 0 corrects no slope. */
static const double DECAY[WR_PREDICT_VARIANTS] = {0.0, 1.0 / 48.0, 1.0 / 4.8};

typedef struct past {
    candidate candidate;
    double score[WR_PREDICT_CANDIDATES]; /* decayed error in tolerance units; INFINITY = unknown */
    double offset[WR_PREDICT_SOURCES], slope[WR_PREDICT_SOURCES]; /* corrections of history */
} past;

/* What was known at the end of a window. */
typedef struct frame {
    double t_s; /* tau = 0 */
    wr_predict_past from;
    past *signal; /* [n_signal] */
} frame;

struct wr_predict {
    int n_signal, fixed_degree;
    int has_past, has_offer;
    wr_predict_count count;
    frame accepted, offered;
    int *choice;                                                       /* [n_signal] */
    double *value, *slope;                                             /* [n_signal] work space */
    double *base[WR_PREDICT_SOURCES], *base_slope[WR_PREDICT_SOURCES]; /* [n_signal] y_h, s_h */
};

wr_predict *wr_predict_place(wr_arena *arena, int n_signal, int fixed_degree)
{
    wr_predict *const p = WR_NEW(arena, wr_predict);
    double *const work = WR_NEW_ARRAY(arena, double, (2 + 2 * WR_PREDICT_SOURCES) * n_signal);
    if (!p || !work)
        return NULL;
    p->n_signal = n_signal;
    p->fixed_degree = fixed_degree;
    p->accepted.signal = WR_NEW_ARRAY(arena, past, n_signal);
    p->offered.signal = WR_NEW_ARRAY(arena, past, n_signal);
    p->choice = WR_NEW_ARRAY(arena, int, n_signal);
    if (!p->accepted.signal || !p->offered.signal || !p->choice)
        return NULL;
    p->value = work;
    p->slope = work + n_signal;
    for (int s = 0; s < WR_PREDICT_SOURCES; s++) {
        p->base[s] = work + (2 + 2 * s) * n_signal;
        p->base_slope[s] = work + (3 + 2 * s) * n_signal;
    }
    return p;
}

static double candidate_value(const candidate *c, int degree, double tau)
{
    switch (degree) {
    case 0:
        return c->y;
    case 1:
        return c->y + tau * c->s;
    case 2:
        return c->y + tau * (c->s + tau * c->q2);
    default:
        return c->y + tau * (c->s + tau * (c->q3 + tau * c->c3));
    }
}

static double candidate_slope(const candidate *c, int degree, double tau)
{
    switch (degree) {
    case 0:
        return 0.0;
    case 1:
        return c->s;
    case 2:
        return c->s + tau * 2.0 * c->q2;
    default:
        return c->s + tau * (2.0 * c->q3 + tau * 3.0 * c->c3);
    }
}

/* Polynomials through the ends of the last smooth stretch: (y0, s0) at -length, (y, s) at 0. With
 * A = (y0 - y + s L) / L^2 = q - c L and B = (s - s0) / (2 L) = q - 3/2 c L (cubic Hermite). */
static candidate make_candidate(double y0, double s0, double y, double s, double length_s,
                                int is_after_jump)
{
    candidate c = {.y = y, .s = s, .is_after_jump = is_after_jump};
    if (length_s > 0.0) {
        const double a = (y0 - y + s * length_s) / (length_s * length_s);
        const double b = (s - s0) / (2.0 * length_s);
        c.q2 = b;
        c.c3 = 2.0 * (a - b) / length_s;
        c.q3 = a + c.c3 * length_s;
    }
    return c;
}

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

/* First node of the stretch that ends the wave and in which the signal does not jump. */
static int stretch_start(const wr_wave *wave, int i_signal, double weight)
{
    for (int i = wave->n_node - 2; i >= 0; i--) {
        const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal;
        if (wave->t_s[i + 1] <= wave->t_s[i] &&
            fabs(left[wave->n_signal + i_signal] - left[i_signal]) > weight)
            return i + 1;
    }
    return 0;
}

/* ---- history ---- */

/* Of a candidate on history. */
static int source_of(int choice) { return (choice - WR_PREDICT_DEGREES) / WR_PREDICT_VARIANTS; }

static int variant_of(int choice) { return (choice - WR_PREDICT_DEGREES) % WR_PREDICT_VARIANTS; }

static int is_usable(const wr_predict_source *source, double tau)
{
    return source->history && wr_history_has(source->history, source->t_s + source->rate * tau);
}

/* The last node that lies before tau = 0 by more than rounding. */
static int64_t node_before(const wr_predict_source *source, double period_s)
{
    const double before_s = source->t_s - ROUNDING * period_s;
    return wr_history_find(source->history,
                           wr_history_has(source->history, before_s) ? before_s : source->t_s);
}

/* Signals that a source knows, too: the first ones. Of two subsystems that follow one another one
 * may publish the phase besides; where it is not known it counts as 0. */
static int n_known(const wr_predict *p, const wr_predict_source *source)
{
    const int n = source->history->n_signal;
    return n < p->n_signal ? n : p->n_signal;
}

/* y_h and s_h of all signals. */
static void read_history(wr_predict *p, const frame *f, int i_source, double tau)
{
    const wr_predict_source *const source = &f->from.source[i_source];
    const double t_s = source->t_s + source->rate * tau;
    wr_history_eval(source->history, wr_history_find(source->history, t_s), t_s, n_known(p, source),
                    p->base[i_source], p->base_slope[i_source]);
}

/* The same at tau = 0, left of a jump that is there. */
static void read_left(wr_predict *p, const frame *f, int i_source)
{
    const wr_predict_source *const source = &f->from.source[i_source];
    wr_history_eval(source->history, node_before(source, f->from.period_s), source->t_s,
                    n_known(p, source), p->base[i_source], p->base_slope[i_source]);
}

/* tau exp(-tau / T) and its slope, per variant. */
typedef struct fading {
    double value, slope;
} fading;

static void fade_at(const frame *f, double tau, fading ret_fade[WR_PREDICT_VARIANTS])
{
    ret_fade[0] = (fading){0.0, 0.0};
    for (int v = 1; v < WR_PREDICT_VARIANTS; v++) {
        const double share = tau / (DECAY[v] * f->from.period_s), decay = exp(-share);
        ret_fade[v] = (fading){tau * decay, decay * (1.0 - share)};
    }
}

/* Values and slopes that history gives for a signal, from what read_history() left. */
static double history_value(const wr_predict *p, const frame *f, int i_source, int i,
                            const fading *fade, double *ret_slope)
{
    const past *const known = &f->signal[i];
    *ret_slope = f->from.source[i_source].rate * p->base_slope[i_source][i] +
                 known->slope[i_source] * fade->slope;
    return p->base[i_source][i] + known->offset[i_source] + known->slope[i_source] * fade->value;
}

/* Sets the corrections that make history meet the signals at tau = 0; a source that does not reach
 * over the horizon is dropped. */
static void attach_history(wr_predict *p, frame *f, const wr_predict_past *from, double horizon_s,
                           const double *value, const double *slope)
{
    f->from = (wr_predict_past){.period_s = 0.0};
    if (!from || !(from->period_s > 0.0))
        return;
    f->from = *from;
    for (int s = 0; s < WR_PREDICT_SOURCES; s++) {
        if (!is_usable(&from->source[s], 0.0) || !is_usable(&from->source[s], horizon_s)) {
            f->from.source[s].history = NULL;
            continue;
        }
        read_left(p, f, s);
        for (int i = 0; i < p->n_signal; i++) {
            f->signal[i].offset[s] = value[i] - p->base[s][i];
            f->signal[i].slope[s] = slope[i] - from->source[s].rate * p->base_slope[s][i];
        }
    }
}

/* ---- scores ---- */

/* Errors of all candidates of the accepted frame at one time, into the largest so far. */
static void judge_point(wr_predict *p, const double *y, double tau, const double *weight)
{
    const frame *const before = &p->accepted;
    for (int i = 0; i < p->n_signal; i++) {
        double *const error = p->offered.signal[i].score;
        for (int degree = 0; degree < WR_PREDICT_DEGREES; degree++)
            error[degree] =
                wr_max(error[degree],
                       fabs(candidate_value(&before->signal[i].candidate, degree, tau) - y[i]) /
                           weight[i]);
    }
    for (int s = 0; s < WR_PREDICT_SOURCES; s++) {
        if (!is_usable(&before->from.source[s], tau))
            continue;
        read_history(p, before, s, tau);
        fading fade[WR_PREDICT_VARIANTS];
        fade_at(before, tau, fade);
        for (int i = 0; i < p->n_signal; i++) {
            const past *const known = &before->signal[i];
            double *const error =
                p->offered.signal[i].score + WR_PREDICT_DEGREES + s * WR_PREDICT_VARIANTS;
            const double off = p->base[s][i] + known->offset[s] - y[i];
            for (int v = 0; v < WR_PREDICT_VARIANTS; v++)
                error[v] =
                    wr_max(error[v], fabs(off + known->slope[s] * fade[v].value) / weight[i]);
        }
    }
}

/* Judges the accepted frame's candidates by the window that followed it: inside its intervals, since
 * a jump at a node comes a rounding earlier or later in history. */
static void score(wr_predict *p, const wr_wave *wave, const double *weight)
{
    const frame *const before = &p->accepted;
    const int n = wave->n_node - 1, step = (n + SAMPLES - 1) / SAMPLES;
    int n_judged = 0;
    wr_cursor cursor = wr_cursor_start();
    for (int i = 0; i < p->n_signal; i++)
        memset(p->offered.signal[i].score, 0, sizeof p->offered.signal[i].score);
    for (int k = n; k > 0; k -= step) {
        const double length_s = wave->t_s[k] - wave->t_s[k - 1];
        if (!(length_s > 0.0))
            continue;
        const double t_s = wave->t_s[k - 1] + INSIDE * length_s;
        wr_wave_eval_run(wave, &cursor, t_s, 0, p->n_signal, p->value, NULL);
        judge_point(p, p->value, t_s - before->t_s, weight);
        n_judged++;
    }
    for (int i = 0; i < p->n_signal; i++)
        for (int c = 0; c < WR_PREDICT_CANDIDATES; c++) {
            double *const now = &p->offered.signal[i].score[c];
            const double old = before->signal[i].score[c];
            if (c >= WR_PREDICT_DEGREES && !before->from.source[source_of(c)].history)
                *now = (double)INFINITY;
            else if (n_judged == 0)
                *now = old;
            else if (isfinite(old))
                *now = wr_max(*now, SCORE_MEMORY * old);
        }
}

static int choose(const wr_predict *p, const frame *f, int i)
{
    const past *const now = &f->signal[i];
    if (p->fixed_degree >= 0)
        return now->candidate.is_after_jump ? 0 : p->fixed_degree;
    if (!p->has_past)
        return now->candidate.is_after_jump ? 0 : 1;
    int best = 0;
    for (int c = 1; c < WR_PREDICT_CANDIDATES; c++) {
        if (c < WR_PREDICT_DEGREES ? now->candidate.is_after_jump
                                   : !f->from.source[source_of(c)].history)
            continue;
        if (now->score[c] < now->score[best])
            best = c;
    }
    return best;
}

/* ---- the prediction's wave ---- */

static wrsim_status write_node(wr_predict *p, double tau, wr_wave *wave)
{
    const frame *const f = &p->offered;
    fading fade[WR_PREDICT_VARIANTS] = {{0.0, 0.0}};
    if (f->from.period_s > 0.0)
        fade_at(f, tau, fade);
    for (int i = 0; i < p->n_signal; i++) {
        const int c = p->choice[i];
        if (c < WR_PREDICT_DEGREES) {
            p->value[i] = candidate_value(&f->signal[i].candidate, c, tau);
            p->slope[i] = candidate_slope(&f->signal[i].candidate, c, tau);
        } else {
            p->value[i] = history_value(p, f, source_of(c), i, &fade[variant_of(c)], &p->slope[i]);
        }
    }
    return wr_wave_append(wave, f->t_s + tau, p->value, p->slope);
}

/* Nodes of one history within the horizon, thinned to what the wave can take. Jumps stay. */
typedef struct walk {
    const wr_predict_source *source;
    int64_t node, end;
    int stride, is_used;
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

static void skip(walk *w)
{
    for (int i = 0; i < w->stride; i++)
        if (++w->node >= w->end || is_jump(w))
            return;
}

static walk begin_walk(const frame *f, int i_source, double horizon_s, int is_used)
{
    walk w = {.source = &f->from.source[i_source], .is_used = is_used};
    if (!is_used)
        return w;
    const wr_history *const h = w.source->history;
    w.node = node_before(w.source, f->from.period_s) + 1;
    w.end = wr_history_find(h, w.source->t_s + w.source->rate * horizon_s) + 1;
    w.stride = 1 + (int)((w.end - w.node) / (WR_PREDICT_NODES / 4));
    while (w.node < w.end && tau_of(&w) <= 0.0 && !is_jump(&w))
        w.node++;
    return w;
}

/* y_h and s_h of every used history at tau; at a history's own node exactly that node. */
static void read_all(wr_predict *p, const walk *walks, const walk *at, double tau)
{
    for (int s = 0; s < WR_PREDICT_SOURCES; s++) {
        if (!walks[s].is_used)
            continue;
        if (&walks[s] == at) {
            const size_t bytes = (size_t)n_known(p, at->source) * sizeof(double);
            memcpy(p->base[s], wr_history_value(at->source->history, at->node), bytes);
            memcpy(p->base_slope[s], wr_history_slope(at->source->history, at->node), bytes);
        } else {
            read_history(p, &p->offered, s, tau);
        }
    }
}

static wrsim_status write_wave(wr_predict *p, double horizon_s, wr_wave *wave)
{
    int is_used[WR_PREDICT_SOURCES] = {0};
    for (int i = 0; i < p->n_signal; i++)
        if (p->choice[i] >= WR_PREDICT_DEGREES)
            is_used[source_of(p->choice[i])] = 1;
    walk walks[WR_PREDICT_SOURCES];
    for (int s = 0; s < WR_PREDICT_SOURCES; s++)
        walks[s] = begin_walk(&p->offered, s, horizon_s, is_used[s]);
    wr_wave_clear(wave);
    for (int s = 0; s < WR_PREDICT_SOURCES; s++)
        if (is_used[s])
            read_left(p, &p->offered, s);
    WR_TRY(write_node(p, 0.0, wave));
    while (wave->n_node < wave->cap_node - 1) {
        walk *next = NULL;
        for (int s = 0; s < WR_PREDICT_SOURCES; s++)
            if (walks[s].is_used && walks[s].node < walks[s].end &&
                (!next || tau_of(&walks[s]) < tau_of(next)))
                next = &walks[s];
        if (!next || !(tau_of(next) < horizon_s))
            break;
        const double tau = wr_max(tau_of(next), wave->t_s[wave->n_node - 1] - p->offered.t_s);
        read_all(p, walks, next, tau);
        WR_TRY(write_node(p, tau, wave));
        skip(next);
    }
    read_all(p, walks, NULL, horizon_s);
    return write_node(p, horizon_s, wave);
}

wrsim_status wr_predict_offer(wr_predict *p, const wr_wave *wave, const double *weight,
                              const wr_predict_past *from, double horizon_s, wr_wave *ret_wave)
{
    frame *const f = &p->offered;
    const size_t n = (size_t)p->n_signal, last = (size_t)(wave->n_node - 1) * n;
    f->t_s = wr_wave_end(wave);
    if (p->has_past)
        score(p, wave, weight);
    for (int i = 0; i < p->n_signal; i++) {
        const int start = stretch_start(wave, i, weight[i]);
        const size_t first = (size_t)start * n + (size_t)i, at_end = last + (size_t)i;
        f->signal[i].candidate =
            make_candidate(wave->value[first], wave->slope[first], wave->value[at_end],
                           wave->slope[at_end], f->t_s - wave->t_s[start], start > 0);
    }
    attach_history(p, f, p->fixed_degree < 0 ? from : NULL, horizon_s, wave->value + last,
                   wave->slope + last);
    for (int i = 0; i < p->n_signal; i++)
        p->choice[i] = choose(p, f, i);
    p->has_offer = 1;
    return write_wave(p, horizon_s, ret_wave);
}

void wr_predict_accept(wr_predict *p)
{
    if (!p->has_offer)
        return;
    for (int i = 0; i < p->n_signal; i++) {
        const int c = p->choice[i];
        *(c < WR_PREDICT_DEGREES ? &p->count.n_polynomial : &p->count.n_history[source_of(c)]) += 1;
    }
    const frame accepted = p->accepted;
    p->accepted = p->offered;
    p->offered = accepted;
    p->has_past = 1;
    p->has_offer = 0;
}

wr_predict_count wr_predict_counted(const wr_predict *p) { return p->count; }

int wr_predict_choice(const wr_predict *p, int i_signal) { return p->choice[i_signal]; }
