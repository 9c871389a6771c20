/* See ticker.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "cli/ticker.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "scheduler/rt_thread.h"

struct wr_ticker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int is_over; /* protected by mutex */
    int64_t pause_ns;
    void (*tick)(void *context);
    void *context;
};

static void *tick_until_over(void *context)
{
    wr_ticker *const t = context;
    pthread_mutex_lock(&t->mutex);
    while (!t->is_over) {
        struct timespec until;
        /* a change of the wall clock does not disturb the ticker */
        clock_gettime(CLOCK_MONOTONIC, &until);
        const int64_t ns = until.tv_nsec + t->pause_ns;
        until.tv_sec += ns / 1000000000;
        until.tv_nsec = ns % 1000000000;
        pthread_cond_timedwait(&t->wake, &t->mutex, &until);
        if (!t->is_over)
            t->tick(t->context);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

wr_ticker *wr_ticker_start(int64_t pause_ns, void (*tick)(void *context), void *context)
{
    pthread_condattr_t clock;
    sigset_t before;
    wr_ticker *const t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (wr_ticker){.pause_ns = pause_ns, .tick = tick, .context = context};
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake, &clock);
    pthread_condattr_destroy(&clock);
    wr_rt_thread_block_signals(&before);
    const int failure = pthread_create(&t->thread, NULL, tick_until_over, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0)
        return t;
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    free(t);
    return NULL;
}

void wr_ticker_stop(wr_ticker **ticker)
{
    wr_ticker *const t = *ticker;
    if (!t)
        return;
    pthread_mutex_lock(&t->mutex);
    t->is_over = 1;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    free(t);
    *ticker = NULL;
}
