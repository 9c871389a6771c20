/* The waves of one subsystem that other subsystems read.
 *
 * Thread: the subsystem's task publishes; the serial section publishes between two batches. Real-time: plain data.
 */
#ifndef WR_ENGINE_WAVES_H
#define WR_ENGINE_WAVES_H

#include "runtime/relax/history.h"
#include "runtime/relax/publication.h"

/* Each object lies on a cache line of its own. */
typedef struct wr_waves {
    _Alignas(WR_CACHE_LINE) wr_publication publication;
    const wr_wave *fresh;     /* wave of the last integration */
    const wr_wave *predicted; /* wave predicted for the next window */
    wr_history *history;      /* NULL: no period */
    wr_wave *prediction[2];   /* in turn: consumers may still read the present prediction */
} wr_waves;

/* The last published wave. Serial. */
static inline const wr_wave *wr_waves_shown(const wr_waves *w)
{
    return wr_publication_last(&w->publication);
}

#endif
