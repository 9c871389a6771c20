/* Ring of accepted waveforms. See history.h. Thread: as in history.h. */
#include "runtime/relax/history.h"

#include <string.h>

wr_history *wr_history_place(wr_arena *arena, int n_signal, int cap_node)
{
    wr_history *const h = WR_NEW(arena, wr_history);
    if (!h)
        return NULL;
    h->n_signal = n_signal;
    for (h->cap_node = 1; h->cap_node < cap_node;)
        h->cap_node *= 2;
    const size_t n = (size_t)n_signal * (size_t)h->cap_node;
    h->t_s = WR_NEW_ARRAY(arena, double, h->cap_node);
    return h->t_s && WR_NEW_DOUBLES(arena, n, &h->value, &h->slope) == 0 ? h : NULL;
}

void wr_history_append(wr_history *h, const wr_wave *wave)
{
    const size_t row = (size_t)h->n_signal, bytes = row * sizeof(double);
    int first = 0;
    /* The last window's end equals this window's start, unless the wave jumps at this time. */
    if (h->n_written > 0 && wave->t_s[0] <= wr_history_time(h, h->n_written - 1) &&
        memcmp(wave->value, wr_history_value(h, h->n_written - 1), bytes) == 0)
        first = 1;
    for (int i = first; i < wave->n_node; i++) {
        const size_t at = wr_history_at(h, h->n_written);
        h->t_s[at] = wave->t_s[i];
        memcpy(h->value + at * row, wave->value + (size_t)i * row, bytes);
        memcpy(h->slope + at * row, wave->slope + (size_t)i * row, bytes);
        h->n_written++;
    }
}

void wr_history_state(wr_history *h, wr_state_io *io)
{
    const int64_t n_written = wr_state_count(io, h->n_written, INT64_MAX - 1);
    const int64_t n_shown = wr_state_count(io, h->n_shown, n_written);
    wr_state_agree(io, h->cap_node);
    if (wr_state_reads(io)) {
        h->n_written = n_written;
        h->n_shown = n_shown;
    }
    WR_STATE(io, h->oldest_s);
    WR_STATE(io, h->newest_s);
    const size_t n = (size_t)(n_written < h->cap_node ? n_written : h->cap_node);
    WR_STATE_ARRAY(io, h->t_s, n);
    WR_STATE_ARRAY(io, h->value, n * (size_t)h->n_signal);
    WR_STATE_ARRAY(io, h->slope, n * (size_t)h->n_signal);
}

static int64_t oldest(const wr_history *h)
{
    const int64_t first = h->n_shown - h->cap_node / 2;
    return first > 0 ? first : 0;
}

void wr_history_show(wr_history *h)
{
    if (h->n_shown == h->n_written)
        return;
    h->n_shown = h->n_written;
    h->oldest_s = wr_history_time(h, oldest(h));
    h->newest_s = wr_history_time(h, h->n_shown - 1);
}

int64_t wr_history_find(const wr_history *h, int64_t node, double t_s)
{
    if (node < oldest(h) || wr_history_time(h, node) > t_s) {
        int64_t high = h->n_shown - 1; /* time(node) <= t_s < time(high) */
        for (node = oldest(h); high - node > 1;) {
            const int64_t middle = node + (high - node) / 2;
            if (wr_history_time(h, middle) <= t_s)
                node = middle;
            else
                high = middle;
        }
        return node;
    }
    while (node < h->n_shown - 2 && wr_history_time(h, node + 1) <= t_s)
        node++;
    return node;
}
