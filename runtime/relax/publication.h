/* What a subsystem has published: its last two waves, each with the number under which it came.
 *
 * Every producer has its own; nobody publishes for all. A reader asks for the last wave from before a number, its
 * own task's: in a synchronous sweep, where all wait for each other, that is the wave of the sweep before (or of an
 * earlier level), whether the producer has finished meanwhile or not. The older of the two is written over.
 *
 * Thread: one publishes, any read; a wave is written before it is published, and not while a reader may be given it.
 * Real-time: yes.
 */
#ifndef WR_PUBLICATION_H
#define WR_PUBLICATION_H

#include <stdatomic.h>
#include <stdint.h>

#include "subsystems/waves/wave.h"

typedef struct wr_publication {
    const wr_wave *wave[2];
    /* Twice the last one's number, and which of the two it is. Relaxed: who may read it has met the producer at a barrier
     * since; who may not, reads the other one. */
    _Atomic int64_t last;
} wr_publication;

/* Numbers grow. */
static inline void wr_publish(wr_publication *p, const wr_wave *wave, int64_t number)
{
    const int64_t last = atomic_load_explicit(&p->last, memory_order_relaxed);
    const int to = 1 - (int)(last & 1);
    WR_ASSERT(number > last >> 1);
    p->wave[to] = wave;
    atomic_store_explicit(&p->last, 2 * number + to, memory_order_relaxed);
}

/* The last one. */
static inline const wr_wave *wr_publication_last(const wr_publication *p)
{
    return p->wave[atomic_load_explicit(&p->last, memory_order_relaxed) & 1];
}

/* The last one from before that number: of two the last but one at most, as a producer publishes once under each. */
static inline const wr_wave *wr_publication_before(const wr_publication *p, int64_t number)
{
    const int64_t last = atomic_load_explicit(&p->last, memory_order_relaxed);
    return p->wave[(last & 1) ^ (last >> 1 >= number)];
}

#endif
