/* Extrapolation of waveforms, degree chosen per signal. See predict.h.
 *
 * Symbols: t end of the window, y value, s slope there; polynomials in (time - t).
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

typedef struct past {
    candidate candidate;
    double score[WR_PREDICT_DEGREES]; /* decayed error in tolerance units */
    double t_s;                       /* where the candidates start */
} past;

struct wr_predict {
    int n_signal, fixed_degree;
    int has_past, has_offer;
    past *accepted, *offered; /* [n_signal] */
    int *degree;              /* [n_signal] */
    double *value, *slope;    /* [n_signal] work space */
    int *all;                 /* 0 .. n_signal - 1 */
};

wr_predict *wr_predict_place(wr_arena *arena, int n_signal, int fixed_degree)
{
    wr_predict *const p = WR_NEW(arena, wr_predict);
    if (!p)
        return NULL;
    p->n_signal = n_signal;
    p->fixed_degree = fixed_degree;
    p->accepted = WR_NEW_ARRAY(arena, past, n_signal);
    p->offered = WR_NEW_ARRAY(arena, past, n_signal);
    p->degree = WR_NEW_ARRAY(arena, int, n_signal);
    p->value = WR_NEW_ARRAY(arena, double, n_signal);
    p->slope = WR_NEW_ARRAY(arena, double, n_signal);
    p->all = WR_NEW_ARRAY(arena, int, n_signal);
    if (!p->accepted || !p->offered || !p->degree || !p->value || !p->slope || !p->all)
        return NULL;
    for (int i = 0; i < n_signal; i++)
        p->all[i] = i;
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
        p->degree[i] = 0;
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

/* Largest error of each degree's prediction on this window, in tolerance units. */
static void score(const past *before, const wr_wave *wave, int i_signal, double weight,
                  double ret_error[WR_PREDICT_DEGREES])
{
    for (int degree = 0; degree < WR_PREDICT_DEGREES; degree++)
        ret_error[degree] = 0.0;
    for (int i = 1; i < wave->n_node; i++) {
        const double y = wave->value[(size_t)i * (size_t)wave->n_signal + (size_t)i_signal];
        const double tau = wave->t_s[i] - before->t_s;
        for (int degree = 0; degree < WR_PREDICT_DEGREES; degree++)
            ret_error[degree] =
                wr_max(ret_error[degree],
                       fabs(candidate_value(&before->candidate, degree, tau) - y) / weight);
    }
}

static int choose_degree(const wr_predict *p, const past *now)
{
    if (now->candidate.is_after_jump)
        return 0;
    if (p->fixed_degree >= 0)
        return p->fixed_degree;
    if (!p->has_past)
        return 1;
    int best = 0;
    for (int degree = 1; degree < WR_PREDICT_DEGREES; degree++)
        if (now->score[degree] < now->score[best])
            best = degree;
    return best;
}

wrsim_status wr_predict_offer(wr_predict *p, const wr_wave *wave, const double *weight,
                              wr_wave *ret_wave)
{
    const double end_s = wr_wave_end(wave), start_s = wr_wave_start(wave);
    const size_t n = (size_t)p->n_signal, last = (size_t)(wave->n_node - 1) * n;
    for (int i = 0; i < p->n_signal; i++) {
        past *const now = &p->offered[i];
        const int from = stretch_start(wave, i, weight[i]);
        const size_t first = (size_t)from * n + (size_t)i, at_end = last + (size_t)i;
        now->t_s = end_s;
        now->candidate = make_candidate(wave->value[first], wave->slope[first], wave->value[at_end],
                                        wave->slope[at_end], end_s - wave->t_s[from], from > 0);
        if (p->has_past) {
            double error[WR_PREDICT_DEGREES];
            score(&p->accepted[i], wave, i, weight[i], error);
            for (int degree = 0; degree < WR_PREDICT_DEGREES; degree++)
                now->score[degree] =
                    wr_max(error[degree], SCORE_MEMORY * p->accepted[i].score[degree]);
        }
        p->degree[i] = choose_degree(p, now);
    }
    p->has_offer = 1;

    wr_wave_clear(ret_wave);
    const double length_s = end_s - start_s;
    for (int node = 0; node < 2; node++) {
        const double tau = node * length_s;
        for (int i = 0; i < p->n_signal; i++) {
            p->value[i] = candidate_value(&p->offered[i].candidate, p->degree[i], tau);
            p->slope[i] = candidate_slope(&p->offered[i].candidate, p->degree[i], tau);
        }
        WR_TRY(wr_wave_append(ret_wave, end_s + tau, p->value, p->slope));
    }
    return WRSIM_OK;
}

void wr_predict_accept(wr_predict *p)
{
    if (!p->has_offer)
        return;
    past *const accepted = p->accepted;
    p->accepted = p->offered;
    p->offered = accepted;
    p->has_past = 1;
    p->has_offer = 0;
}

int wr_predict_degree(const wr_predict *p, int i_signal) { return p->degree[i_signal]; }
