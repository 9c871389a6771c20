/* What a thread asks the system for so that nothing delays it: a priority, a core, exact timers, memory that is there.
 *
 * Everything may be refused; each answer says what was asked and what came of it, and nothing else changes.
 *
 * Thread: each function acts on its calling thread, but for memory locks, which belong to the process. Real-time: no
 * (setup only).
 */
#ifndef WR_RT_THREAD_H
#define WR_RT_THREAD_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_rt_answer {
    int64_t asked;  /* priority, CPU, bytes, or ns; 0 for locks */
    int is_granted; /* otherwise failure says why not */
    int failure;    /* error number as of errno; 0 = granted */
} wr_rt_answer;

/* What a thread had before; zeroed at first. */
typedef struct wr_rt_thread {
    int is_raised, is_sharpened; /* what there is to be restored */
    int policy, priority;
    int64_t slack_ns;
} wr_rt_thread;

/* SCHED_FIFO with a priority of 1 to 99. Threads started from here on inherit it. */
wr_rt_answer wr_rt_thread_raise(wr_rt_thread *before, int priority);

/* By how much the kernel may delay the thread's sleeps: 50 us for ordinary threads as they come, nothing for SCHED_FIFO.
 * slack_ns >= 1. */
wr_rt_answer wr_rt_thread_sharpen(wr_rt_thread *before, int64_t slack_ns);

/* Gives back what was granted to this thread by the two above. Granted, too, if there is nothing to give back; asked is the
 * priority. */
wr_rt_answer wr_rt_thread_restore(wr_rt_thread *before);

/* Pins to one CPU. */
wr_rt_answer wr_rt_thread_pin(int cpu);

/* Locks all memory of the process, what it gets later included: for all who ask, until the last of them lets go. With a
 * limit on locked memory it may be granted, and memory be refused later. A refused one must not be let go. */
wr_rt_answer wr_rt_thread_lock_memory(void);
/* Lets one of these locks go; EPERM if nobody has any. */
wr_rt_answer wr_rt_thread_unlock_memory(void);

/* Touches as many bytes of the stack as lie below here; ENOMEM if it has not that many, with some to spare. */
wr_rt_answer wr_rt_thread_touch_stack(size_t bytes);

/* Makes every page that [memory, memory + bytes) has a part in present, as writing there would; contents stay. ENOMEM or
 * EINVAL where there is none or it cannot be written, and EINVAL from kernels before 5.14. */
wr_rt_answer wr_rt_thread_touch(void *memory, size_t bytes);

/* Blocks what might interrupt the thread, and those that it starts; faults of its own stay deliverable. The former mask goes to
 * ret_old. */
void wr_rt_thread_block_signals(sigset_t *ret_old);

#endif
