/* Ring of accepted waveforms. See history.h.
 *
 * Thread: as said there. Real-time: yes.
 */
#include "runtime/relax/history.h"

#include <string.h>

wr_history *wr_history_place(wr_arena *arena, int n_signal, int cap_node)
{
    wr_history *const h = WR_NEW(arena, wr_history);
    if (!h)
        return NULL;
    const size_t n = (size_t)n_signal * (size_t)cap_node;
    h->n_signal = n_signal;
    h->cap_node = cap_node;
    h->t_s = WR_NEW_ARRAY(arena, double, cap_node);
    h->value = WR_NEW_ARRAY(arena, double, n);
    h->slope = WR_NEW_ARRAY(arena, double, n);
    return h->t_s && h->value && h->slope ? h : NULL;
}

void wr_history_append(wr_history *h, const wr_wave *wave)
{
    const size_t row = (size_t)h->n_signal, bytes = row * sizeof(double);
    int first = 0;
    /* The last window's end is this one's start, unless it jumps just there. */
    if (h->n_written > 0 && wave->t_s[0] <= wr_history_time(h, h->n_written - 1) &&
        memcmp(wave->value, wr_history_value(h, h->n_written - 1), bytes) == 0)
        first = 1;
    for (int i = first; i < wave->n_node; i++) {
        const size_t at = (size_t)(h->n_written % h->cap_node);
        h->t_s[at] = wave->t_s[i];
        memcpy(h->value + at * row, wave->value + (size_t)i * row, bytes);
        memcpy(h->slope + at * row, wave->slope + (size_t)i * row, bytes);
        h->n_written++;
    }
}

static int64_t oldest(const wr_history *h)
{
    const int64_t first = h->n_shown - h->cap_node / 2;
    return first > 0 ? first : 0;
}

int wr_history_has(const wr_history *h, double t_s)
{
    return h->n_shown >= 2 && wr_history_time(h, oldest(h)) <= t_s &&
           t_s < wr_history_time(h, h->n_shown - 1);
}

int64_t wr_history_find(const wr_history *h, double t_s)
{
    int64_t low = oldest(h), high = h->n_shown - 1; /* time(low) <= t < time(high) */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (wr_history_time(h, middle) <= t_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cubic Hermite on one stretch, as in wave.c. */
void wr_history_eval(const wr_history *h, int64_t node, double t_s, double *ret_value,
                     double *ret_slope)
{
    const double t0 = wr_history_time(h, node), length = wr_history_time(h, node + 1) - t0;
    const double *const y0 = wr_history_value(h, node), *const y1 = wr_history_value(h, node + 1);
    const double *const s0 = wr_history_slope(h, node), *const s1 = wr_history_slope(h, node + 1);
    if (!(length > 0.0)) {
        memcpy(ret_value, y1, (size_t)h->n_signal * sizeof *y1);
        memcpy(ret_slope, s1, (size_t)h->n_signal * sizeof *s1);
        return;
    }
    const double r = (t_s - t0) / length, q = 1.0 - r;
    const double v1 = r * r * (3.0 - 2.0 * r), dv1 = 6.0 * r * q / length;
    const double b0 = length * r * q * q, b1 = -length * r * r * q;
    const double db0 = q * (1.0 - 3.0 * r), db1 = r * (3.0 * r - 2.0);
    for (int i = 0; i < h->n_signal; i++) {
        const double rise = y1[i] - y0[i];
        ret_value[i] = y0[i] + v1 * rise + (b0 * s0[i] + b1 * s1[i]);
        ret_slope[i] = dv1 * rise + (db0 * s0[i] + db1 * s1[i]);
    }
}
