/* Waiting between threads: spin briefly, then sleep.
 *
 * A gate is a counter that only grows; threads wait until it leaves the value they have seen. A
 * barrier is an arrival counter and a gate. Spinning costs a busy machine the very time the others
 * need, so it is bounded by time, may be zero, and is left out where the other thread was last seen
 * on this very CPU: it could only come after we sleep.
 *
 * Thread: any. Real-time: yes (a wait ends when the others arrive; that is its purpose).
 */
#ifndef WR_BARRIER_H
#define WR_BARRIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"

/* Within a loop that waits for another thread: leaves the core's resources to whom it shares it with. */
static inline void wr_pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst); /* keeps the loop from being merged, no more */
#endif
}

typedef struct wr_gate {
    atomic_uint passage;   /* counts openings; also the word sleepers sleep on */
    atomic_uint n_sleeper; /* threads asleep or about to be */
    /* Hints: where the last opener and the last to begin waiting ran, plus 1; 0 = none yet. */
    atomic_int opener_cpu, waiter_cpu;
} wr_gate;

/* The passage to hand to wr_gate_wait: read before the event that leads to the opening. */
unsigned wr_gate_seen(wr_gate *gate);

/* Lets all waiting threads go; what was written before is seen by them. */
void wr_gate_open(wr_gate *gate);

/* Returns once the gate was opened after seen was read. Returns 1 if it had to sleep, else 0. */
int wr_gate_wait(wr_gate *gate, unsigned seen, int64_t spin_ns);

/* As wr_gate_wait() without spinning, but returns by until_ns (wr_clock_monotonic_ns), or sooner for no reason. Returns 1 if
 * the gate was opened. */
int wr_gate_wait_until(wr_gate *gate, unsigned seen, int64_t until_ns);

/* Arrivals and the gate are written by different threads at different moments: own cache lines. */
typedef struct wr_barrier {
    _Alignas(WR_CACHE_LINE) atomic_int n_arrived;
    _Alignas(WR_CACHE_LINE) wr_gate gate;
} wr_barrier;

typedef enum wr_arrival {
    WR_ARRIVAL_LAST, /* did not wait, ran serial */
    WR_ARRIVAL_SPUN,
    WR_ARRIVAL_SLEPT
} wr_arrival;

/* All n_party threads meet; the last one runs serial(context), if not NULL, before anybody goes on.
 * Tells how the calling thread fared. */
wr_arrival wr_barrier_wait(wr_barrier *barrier, int n_party, int64_t spin_ns,
                           void (*serial)(void *context), void *context);

#endif
