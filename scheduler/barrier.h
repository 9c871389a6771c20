/* Gates and barriers: a waiting thread spins briefly, then sleeps. wr_gate_wait_until() does not spin, and wr_gate_yield() does not sleep.
 *
 * A gate is a growing counter. A thread waits until the counter differs from the value that the thread has read. A barrier is a counter of
 * arrivals with a gate. On a busy machine spinning takes time from other threads. So the spin time is bounded and may be zero. If the last
 * opener and the last waiter with spin time ran on the CPU of a waiting thread, this thread sleeps at once.
 *
 * Thread: any. Real-time: yes (a wait ends when the other threads arrive). */
#ifndef WR_BARRIER_H
#define WR_BARRIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"

/* Pauses in a loop that waits for another thread: the other hardware thread of the core gets more resources. */
static inline void wr_pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst); /* prevents the compiler from merging iterations */
#endif
}

typedef struct wr_gate {
    atomic_uint passage;   /* number of openings; sleeping threads wait on this word */
    atomic_uint n_sleeper; /* threads that sleep or are about to sleep */
    atomic_int opener_cpu; /* hint: CPU of the last opener, plus 1; 0: none */
    atomic_int waiter_cpu; /* hint: CPU of the last waiter with spin_ns > 0, plus 1; 0: none */
    int is_shared;         /* 1: threads of several processes use the gate; constant */
} wr_gate;

/* Returns the passage number for wr_gate_wait. The caller reads the number before the data by which the caller decides to wait. */
unsigned wr_gate_seen(wr_gate *gate);

/* Ends the waits of all threads. The caller's earlier writes are then visible to these threads. */
void wr_gate_open(wr_gate *gate);

/* Waits until the passage number differs from `seen`. Returns 0 if the wait ends before or during the spin, else 1. */
int wr_gate_wait(wr_gate *gate, unsigned seen, int64_t spin_ns);

/* Spins like wr_gate_wait(), but does not sleep. Returns 1 if the passage number differs from `seen`, else 0. */
int wr_gate_spin(wr_gate *gate, unsigned seen, int64_t spin_ns);

/* Waits at most wait_ns without sleeping. After each spin of spin_ns > 0 the thread lets other threads of its CPU run. So this
 * wait does not delay the other thread if both share a CPU. Returns 1 if the passage number differs from `seen`, else 0. */
int wr_gate_yield(wr_gate *gate, unsigned seen, int64_t spin_ns, int64_t wait_ns);

/* Waits like wr_gate_wait() without spinning, at most until until_ns (wr_clock_monotonic_ns). The call may return early. Returns 1 if
 * the passage number differs from `seen`, else 0. */
int wr_gate_wait_until(wr_gate *gate, unsigned seen, int64_t until_ns);

/* Arrivals and gate have separate cache lines, because different threads write the two members at different times. */
typedef struct wr_barrier {
    _Alignas(WR_CACHE_LINE) atomic_int n_arrived;
    _Alignas(WR_CACHE_LINE) wr_gate gate;
} wr_barrier;

typedef enum wr_arrival {
    WR_ARRIVAL_LAST, /* the thread has arrived last, and has run serial() without a wait */
    WR_ARRIVAL_SPUN,
    WR_ARRIVAL_SLEPT
} wr_arrival;

/* Waits for all n_party threads. The last thread runs serial(context), if not NULL, before any thread continues. Returns how the calling
 * thread waited. */
wr_arrival wr_barrier_wait(wr_barrier *barrier, int n_party, int64_t spin_ns,
                           void (*serial)(void *context), void *context);

#endif
