/* Linux calls for real-time threads. See rt_thread.h. Thread: any. Real-time: no. */
#include "scheduler/rt_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/check.h"

static wr_rt_answer granted(int64_t asked)
{
    return (wr_rt_answer){.asked = asked, .is_granted = 1};
}

static wr_rt_answer refused(int64_t asked, int failure)
{
    return (wr_rt_answer){.asked = asked, .failure = failure};
}

/* Returns the answer for the result of a system call that reports its failure in errno. */
static wr_rt_answer answer(int64_t asked, int result)
{
    return result == 0 ? granted(asked) : refused(asked, errno);
}

wr_rt_answer wr_rt_thread_raise(wr_rt_thread *before, int priority)
{
    /* The number 0 is the calling thread. sched_getscheduler() includes the flag SCHED_RESET_ON_FORK, which pthread_getschedparam()
     * drops. */
    const int policy = sched_getscheduler(0);
    struct sched_param old, wanted = {.sched_priority = priority};
    if (policy < 0 || sched_getparam(0, &old) != 0)
        return refused(priority, errno);
    const int keeps_flag = policy & SCHED_RESET_ON_FORK;
    if (sched_setscheduler(0, SCHED_FIFO | keeps_flag, &wanted) != 0)
        return refused(priority, errno);
    if (!before->is_raised) {
        before->policy = policy;
        before->priority = old.sched_priority;
    }
    before->is_raised = 1;
    return granted(priority);
}

/* Sets the timer slack. Real-time threads have no slack and report 0. Newer kernels ignore a new value for such threads. */
wr_rt_answer wr_rt_thread_sharpen(wr_rt_thread *before, int64_t slack_ns)
{
    if (slack_ns < 1)
        return refused(slack_ns, EINVAL);
    const int old_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (old_ns < 0 || prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns, 0, 0, 0) != 0)
        return refused(slack_ns, errno);
    if (!before->is_sharpened)
        before->slack_ns = old_ns;
    before->is_sharpened = 1;
    return granted(slack_ns);
}

wr_rt_answer wr_rt_thread_restore(wr_rt_thread *before)
{
    wr_rt_answer result = granted(before->priority);
    if (before->is_raised) {
        const struct sched_param old = {.sched_priority = before->priority};
        result = answer(before->priority, sched_setscheduler(0, before->policy, &old));
    }
    /* Real-time threads ignore the slack, so the call restores the policy first. prctl() interprets 0 as the slack at the thread's start,
     * so the call cannot restore 0. */
    if (before->is_sharpened && before->slack_ns > 0 &&
        prctl(PR_SET_TIMERSLACK, (unsigned long)before->slack_ns, 0, 0, 0) != 0)
        result = refused(before->slack_ns, errno);
    if (result.is_granted)
        *before = (wr_rt_thread){0};
    return result;
}

wr_rt_answer wr_rt_thread_pin(int cpu)
{
    enum { MAX_CPU = 1 << 20 };
    if (cpu < 0 || cpu >= MAX_CPU)
        return refused(cpu, EINVAL);
    cpu_set_t *const set = CPU_ALLOC((size_t)cpu + 1);
    const size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
    if (!set)
        return refused(cpu, ENOMEM);
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)cpu, bytes, set);
    const int failure = pthread_setaffinity_np(pthread_self(), bytes, set);
    CPU_FREE(set);
    return failure == 0 ? granted(cpu) : refused(cpu, failure);
}

/* mlockall() acts on the whole process, so the count is global. With an atomic count instead of a mutex, the last
 * user's munlockall() could undo a new user's mlockall(). */
static struct {
    pthread_mutex_t mutex;
    int n_user;
} memory_lock = {.mutex = PTHREAD_MUTEX_INITIALIZER};

wr_rt_answer wr_rt_thread_lock_memory(void)
{
    pthread_mutex_lock(&memory_lock.mutex);
    /* Each call locks again, because other code may have unlocked some memory since the last lock. */
    const wr_rt_answer result = answer(0, mlockall(MCL_CURRENT | MCL_FUTURE));
    memory_lock.n_user += result.is_granted;
    pthread_mutex_unlock(&memory_lock.mutex);
    return result;
}

wr_rt_answer wr_rt_thread_unlock_memory(void)
{
    wr_rt_answer result = granted(0);
    pthread_mutex_lock(&memory_lock.mutex);
    if (memory_lock.n_user == 0)
        result = refused(0, EPERM);
    else if (memory_lock.n_user > 1 || (result = answer(0, munlockall())).is_granted)
        memory_lock.n_user--;
    pthread_mutex_unlock(&memory_lock.mutex);
    return result;
}

enum { FRAME_BYTES = 8192, SPARE_BYTES = 65536 };

/* Writes to the stack by recursion, because the main thread's stack grows only by use. */
__attribute__((noinline)) static void touch_frames(size_t bytes)
{
    volatile char frame[FRAME_BYTES];
    for (size_t i = 0; i < FRAME_BYTES; i += 1024) /* no system has smaller pages */
        frame[i] = 0;
    if (bytes > FRAME_BYTES)
        touch_frames(bytes - FRAME_BYTES);
    /* The statement uses the address of the frame after the call. Otherwise clang reduces the array to the written bytes, or merges the
     * frames. */
    __asm__ volatile("" : : "r"(frame) : "memory");
}

wr_rt_answer wr_rt_thread_touch_stack(size_t bytes)
{
    pthread_attr_t about;
    void *lowest = NULL;
    size_t room = 0, all_bytes; /* room: bytes between the present frame and the end of the stack */
    if (pthread_getattr_np(pthread_self(), &about) == 0) {
        const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
        if (pthread_attr_getstack(&about, &lowest, &all_bytes) == 0 && frame > (uintptr_t)lowest)
            room = frame - (uintptr_t)lowest;
        pthread_attr_destroy(&about);
    }
    if (room < SPARE_BYTES || bytes > room - SPARE_BYTES)
        return refused((int64_t)bytes, ENOMEM);
    touch_frames(bytes);
    return granted((int64_t)bytes);
}

void wr_rt_thread_block_signals(sigset_t *ret_old)
{
    static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < WR_COUNT_OF(own_faults); i++)
        sigdelset(&set, own_faults[i]);
    pthread_sigmask(SIG_BLOCK, &set, ret_old);
}
