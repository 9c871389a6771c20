/* Publication of a subsystem: its last two waves, each with its number of publication (wr_batch_number()). A reader takes the last wave
 * with a number below the number of its batch, even if the producer has published again. This wave comes from an earlier batch, or is
 * a prediction or a guess. A new wave replaces the older of the two.
 *
 * Thread: the producer's task or the serial section publishes, any thread reads. A wave is complete before its publication. While a reader
 * may use the wave, the producer does not write the wave. Real-time: yes. */
#ifndef WR_PUBLICATION_H
#define WR_PUBLICATION_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/relax/history.h"

typedef struct wr_publication {
    const wr_wave *wave[2];
    /* Twice the last wave's number, plus its index in `wave`. Relaxed: a barrier orders the producer and a reader of the last wave. All
     * other readers get the other wave. */
    _Atomic int64_t last;
} wr_publication;

/* Publishes a wave. The number exceeds the number of the last publication. */
static inline void wr_publish(wr_publication *p, const wr_wave *wave, int64_t number)
{
    const int64_t last = atomic_load_explicit(&p->last, memory_order_relaxed);
    const int to = 1 - (int)(last & 1);
    WR_ASSERT(number > last >> 1);
    p->wave[to] = wave;
    atomic_store_explicit(&p->last, 2 * number + to, memory_order_relaxed);
}

/* Returns the last published wave. */
static inline const wr_wave *wr_publication_last(const wr_publication *p)
{
    return p->wave[atomic_load_explicit(&p->last, memory_order_relaxed) & 1];
}

/* Returns the last wave with a number below `number`. Two waves suffice, because a producer publishes once under each number. */
static inline const wr_wave *wr_publication_before(const wr_publication *p, int64_t number)
{
    const int64_t last = atomic_load_explicit(&p->last, memory_order_relaxed);
    return p->wave[(last & 1) ^ (last >> 1 >= number)];
}

/* The waves of one subsystem that other subsystems read. Each object lies on a cache line of its own. */
typedef struct wr_waves {
    _Alignas(WR_CACHE_LINE) wr_publication publication;
    const wr_wave *fresh;     /* wave of the last integration */
    const wr_wave *predicted; /* wave predicted for the window after `fresh` */
    wr_history *history;      /* NULL: no period */
    wr_wave *prediction
        [2]; /* two predictions, used in turn, because consumers may still read the present prediction */
} wr_waves;

/* Publishes the wave of an integration. The other prediction than i_prediction is the prediction of the next window. */
static inline void wr_waves_publish(wr_waves *w, const wr_wave *wave, int64_t number,
                                    int i_prediction)
{
    w->fresh = wave;
    wr_publish(&w->publication, wave, number);
    w->predicted = w->prediction[1 - i_prediction];
}

/* Returns the last published wave. Thread: serial, or the producer's task. */
static inline const wr_wave *wr_waves_shown(const wr_waves *w)
{
    return wr_publication_last(&w->publication);
}

#endif
