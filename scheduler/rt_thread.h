/* Requests of a thread to the system, which prevent delays: priority, core, exact timers, resident memory.
 *
 * The system may refuse each request. The answer contains the request and the result. A refusal changes nothing, except in
 * wr_rt_thread_restore().
 *
 * Thread: each function acts on the calling thread; memory locks act on the process. Real-time: no (setup only). */
#ifndef WR_RT_THREAD_H
#define WR_RT_THREAD_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_rt_answer {
    int64_t asked;  /* requested priority, CPU, bytes, or ns; 0 for locks */
    int is_granted; /* 1: granted; 0: failure has the reason */
    int failure;    /* errno of the refusal; 0: granted */
} wr_rt_answer;

/* Settings of a thread before the requests; initially zero. */
typedef struct wr_rt_thread {
    int is_raised, is_sharpened; /* 1: wr_rt_thread_restore() must restore priority, timer slack */
    int policy, priority;
    int64_t slack_ns;
} wr_rt_thread;

/* Requests SCHED_FIFO with a priority of 1 to 99. Threads that this thread starts later inherit the priority, unless SCHED_RESET_ON_FORK
 * is set. Returns the answer. */
wr_rt_answer wr_rt_thread_raise(wr_rt_thread *before, int priority);

/* Sets the timer slack, the largest delay of sleeps by the kernel, in ns, >= 1. Ordinary threads have 50 us by
 * default, SCHED_FIFO threads none. */
wr_rt_answer wr_rt_thread_sharpen(wr_rt_thread *before, int64_t slack_ns);

/* Restores the settings that wr_rt_thread_raise() and wr_rt_thread_sharpen() have changed, except a slack of 0. Without a changed
 * setting the answer is "granted". `asked` is the previous priority, or the previous slack if the system refuses the slack. */
wr_rt_answer wr_rt_thread_restore(wr_rt_thread *before);

/* Pins the thread to one CPU. Returns the answer. */
wr_rt_answer wr_rt_thread_pin(int cpu);

/* Locks all present and later memory of the process. The lock ends when the last user unlocks. With a limit on locked memory, the system
 * may grant the lock and refuse later allocations. After a refusal the caller must not call the unlock function. */
wr_rt_answer wr_rt_thread_lock_memory(void);
/* Releases one lock of wr_rt_thread_lock_memory(). The failure is EPERM without a lock. */
wr_rt_answer wr_rt_thread_unlock_memory(void);

/* Writes to at least `bytes` bytes of stack below the caller. The failure is ENOMEM if the stack has less than `bytes` plus 64 KiB left. */
wr_rt_answer wr_rt_thread_touch_stack(size_t bytes);

/* Blocks signals that could interrupt the thread and its later threads. The function does not block signals of faults, such as SIGSEGV.
 * ret_old receives the previous mask. */
void wr_rt_thread_block_signals(sigset_t *ret_old);

#endif
