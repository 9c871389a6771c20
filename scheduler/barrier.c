/* Gate and barrier that spin, then sleep. See barrier.h.
 *
 * The barrier counts arrivals; a growing passage number replaces the sense flag (J. Mellor-Crummey and M. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991, section 3.1). Threads sleep by the futex system call (U. Drepper,
 * "Futexes are tricky", 2011). The kernel compares the passage again before the thread sleeps, so a thread never sleeps through an opening.
 *
 * Thread: any. Real-time: yes. */
#include "scheduler/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Number of reads of the gate between two readings of the clock. A pause takes 40 to 140 cycles on x86 (assumed). So the clock takes a
 * few percent of the loop, and the spin time is exact to a microsecond. */
enum { READS_PER_CLOCK = 16 };

/* Calls the system for the passage of a gate. A gate of one process uses the faster private futexes. */
static void call_futex(wr_gate *gate, int operation, unsigned value, const struct timespec *until)
{
    const int scope = gate->is_shared ? 0 : FUTEX_PRIVATE_FLAG;
    syscall(SYS_futex, &gate->passage, operation | scope, value, until, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

unsigned wr_gate_seen(wr_gate *gate)
{
    /* acquire: the loads by which the caller decides to wait must not precede this load. Otherwise the caller could read the passage number
     * of an opening, but data from before the opening, and wait endlessly. */
    return atomic_load_explicit(&gate->passage, memory_order_acquire);
}

void wr_gate_open(wr_gate *gate)
{
    /* relaxed: a hint for is_worth_spinning; a wrong value only costs time. */
    atomic_store_explicit(&gate->opener_cpu, sched_getcpu() + 1, memory_order_relaxed);
    /* seq_cst: releases the opener's writes to the acquire loads in wr_gate_wait, and precedes the load of n_sleeper in the single order.
     * So this thread reads the sleeper's count, or the sleeper reads the new passage (partner: the pair "add to n_sleeper, load passage" in
     * wr_gate_wait). */
    atomic_fetch_add_explicit(&gate->passage, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&gate->n_sleeper, memory_order_seq_cst) > 0)
        call_futex(gate, FUTEX_WAKE, INT_MAX, NULL);
}

/* Returns 1 if spin_ns > 0, unless the last opener and the last waiter with spin_ns > 0 ran on this CPU. The kernel sometimes wakes an
 * unpinned thread on the CPU of the thread that has opened the gate. Spinning then delays the other thread by the whole spin. One of two
 * threads is the last opener, the other thread the last waiter. So a spin is useless only if both hints name this CPU. */
static int is_worth_spinning(wr_gate *gate, int64_t spin_ns)
{
    if (spin_ns <= 0)
        return 0;
    const int here = sched_getcpu() + 1;
    /* relaxed: hints (partners: wr_gate_open, and this function in another thread). */
    const int opener = atomic_load_explicit(&gate->opener_cpu, memory_order_relaxed);
    const int waiter = atomic_load_explicit(&gate->waiter_cpu, memory_order_relaxed);
    if (waiter != here)
        atomic_store_explicit(&gate->waiter_cpu, here, memory_order_relaxed);
    return opener != here || waiter != here;
}

/* Spins until the gate opens or the spin time ends. Returns 1 if the gate is open, else 0. */
static int spin(wr_gate *gate, unsigned seen, int64_t spin_ns)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    do {
        for (int i = 0; i < READS_PER_CLOCK; i++) {
            /* acquire: partner is the opening in wr_gate_open. */
            if (atomic_load_explicit(&gate->passage, memory_order_acquire) != seen)
                return 1;
            wr_pause_cpu();
        }
    } while (wr_clock_monotonic_ns() - start_ns < spin_ns);
    return 0;
}

int wr_gate_spin(wr_gate *gate, unsigned seen, int64_t spin_ns)
{
    /* acquire: partner is the opening in wr_gate_open. */
    if (atomic_load_explicit(&gate->passage, memory_order_acquire) != seen)
        return 1;
    return is_worth_spinning(gate, spin_ns) && spin(gate, seen, spin_ns);
}

int wr_gate_yield(wr_gate *gate, unsigned seen, int64_t spin_ns, int64_t wait_ns)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    do {
        if (spin(gate, seen, spin_ns))
            return 1;
        sched_yield();
    } while (wr_clock_monotonic_ns() - start_ns < wait_ns);
    return 0;
}

int wr_gate_wait(wr_gate *gate, unsigned seen, int64_t spin_ns)
{
    if (wr_gate_spin(gate, seen, spin_ns))
        return 0;
    /* seq_cst on both: partner is the pair "add to passage, load n_sleeper" in wr_gate_open. The load also acquires the
     * opener's data. */
    atomic_fetch_add_explicit(&gate->n_sleeper, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&gate->passage, memory_order_seq_cst) == seen)
        /* The system call may return early, for example after a signal. */
        call_futex(gate, FUTEX_WAIT, seen, NULL);
    /* relaxed: a count that is too high for a moment costs one needless wake-up. */
    atomic_fetch_sub_explicit(&gate->n_sleeper, 1, memory_order_relaxed);
    return 1;
}

int wr_gate_wait_until(wr_gate *gate, unsigned seen, int64_t until_ns)
{
    enum { NS_PER_S = 1000000000 };
    const struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    /* seq_cst: as in wr_gate_wait. */
    atomic_fetch_add_explicit(&gate->n_sleeper, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&gate->passage, memory_order_seq_cst) == seen)
        /* FUTEX_WAIT_BITSET takes a moment of CLOCK_MONOTONIC; FUTEX_WAIT takes a duration. */
        call_futex(gate, FUTEX_WAIT_BITSET, seen, &until);
    /* relaxed: as in wr_gate_wait. */
    atomic_fetch_sub_explicit(&gate->n_sleeper, 1, memory_order_relaxed);
    /* acquire: partner is the opening in wr_gate_open. */
    return atomic_load_explicit(&gate->passage, memory_order_acquire) != seen;
}

wr_arrival wr_barrier_wait(wr_barrier *barrier, int n_party, int64_t spin_ns,
                           void (*serial)(void *context), void *context)
{
    const unsigned seen = wr_gate_seen(&barrier->gate);
    /* acq_rel: each arrival releases the writes of its thread. The last arrival acquires the writes of all threads for serial() (partner:
     * this line in other threads). */
    const int n_before = atomic_fetch_add_explicit(&barrier->n_arrived, 1, memory_order_acq_rel);
    if (n_before + 1 < n_party)
        return wr_gate_wait(&barrier->gate, seen, spin_ns) ? WR_ARRIVAL_SLEPT : WR_ARRIVAL_SPUN;
    if (serial)
        serial(context);
    /* relaxed: the opening orders this store before later arrivals. */
    atomic_store_explicit(&barrier->n_arrived, 0, memory_order_relaxed);
    wr_gate_open(&barrier->gate);
    return WR_ARRIVAL_LAST;
}
