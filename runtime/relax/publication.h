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

#include "subsystems/wave/wave.h"

typedef struct wr_publication {
    const wr_wave *wave[2];
    /* Relaxed: who sees a number that it may read has met the producer at a barrier since. */
    _Atomic int64_t number[2];
} wr_publication;

static inline int64_t wr_publication_number(const wr_publication *p, int i)
{
    return atomic_load_explicit(&p->number[i], memory_order_relaxed);
}

/* Numbers grow. */
static inline void wr_publish(wr_publication *p, const wr_wave *wave, int64_t number)
{
    const int older = wr_publication_number(p, 1) < wr_publication_number(p, 0);
    WR_ASSERT(number > wr_publication_number(p, 1 - older));
    p->wave[older] = wave;
    atomic_store_explicit(&p->number[older], number, memory_order_relaxed);
}

/* The last one. */
static inline const wr_wave *wr_publication_last(const wr_publication *p)
{
    return p->wave[wr_publication_number(p, 1) > wr_publication_number(p, 0)];
}

/* The last one from before that number. */
static inline const wr_wave *wr_publication_before(const wr_publication *p, int64_t number)
{
    const int64_t n0 = wr_publication_number(p, 0), n1 = wr_publication_number(p, 1);
    return p->wave[n1 < number && (n1 > n0 || n0 >= number)];
}

#endif
