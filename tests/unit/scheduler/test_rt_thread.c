#include "wr_test.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "scheduler/rt_thread.h"

#ifdef __has_feature
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif

/* Sanitizers replace memory locking by a call without effect that succeeds. */
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer) ||                             \
    defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
enum { CAN_LOCK = 0 };
#else
enum { CAN_LOCK = 1 };
#endif

/* Runs a test in its own thread, so the settings end with the thread. */
static void run_in_thread(void *(*work)(void *), size_t stack_bytes)
{
    pthread_t thread;
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, NULL), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL);
}

enum { STACK_BYTES = 1 << 20 };

static void assert_refused(wr_rt_answer answer, int64_t asked, int failure)
{
    assert_int_equal(answer.asked, asked);
    assert_false(answer.is_granted);
    assert_int_equal(answer.failure, failure);
}

static void assert_granted(wr_rt_answer answer, int64_t asked)
{
    assert_int_equal(answer.asked, asked);
    assert_true(answer.is_granted);
    assert_int_equal(answer.failure, 0);
}

static int read_priority(void)
{
    struct sched_param now;
    assert_int_equal(sched_getparam(0, &now), 0);
    return now.sched_priority;
}

/* If the system forbids a higher priority, the call reports the refusal and changes nothing. */
static void *raise_and_restore(void *argument)
{
    const int policy = sched_getscheduler(0), priority = read_priority();
    wr_rt_thread before = {0};
    const wr_rt_answer first = wr_rt_thread_raise(&before, 10);
    if (first.is_granted) {
        assert_granted(first, 10);
        assert_int_equal(sched_getscheduler(0), SCHED_FIFO);
        assert_int_equal(read_priority(), 10);
        assert_granted(wr_rt_thread_raise(&before, 11), 11);
        assert_int_equal(read_priority(), 11);
    } else {
        assert_refused(first, 10, EPERM);
        assert_false(before.is_raised);
    }
    assert_granted(wr_rt_thread_restore(&before), priority);
    assert_int_equal(sched_getscheduler(0), policy);
    assert_int_equal(read_priority(), priority);
    assert_granted(wr_rt_thread_restore(&before), 0);
    return argument;
}

/* If the thread has a raised priority before the call, the restore returns to this priority. */
static void *raise_from_raised(void *argument)
{
    const struct sched_param low = {.sched_priority = 3};
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &low) != 0)
        return argument;
    wr_rt_thread before = {0};
    assert_granted(wr_rt_thread_raise(&before, 20), 20);
    assert_int_equal(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
    assert_granted(wr_rt_thread_restore(&before), 3);
    assert_int_equal(sched_getscheduler(0), SCHED_RR | SCHED_RESET_ON_FORK);
    assert_int_equal(read_priority(), 3);
    return argument;
}

static void *raise_wrongly(void *argument)
{
    static const int wrong[] = {0, -1, 100, INT32_MAX};
    const int policy = sched_getscheduler(0);
    wr_rt_thread before = {0};
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++)
        assert_refused(wr_rt_thread_raise(&before, wrong[i]), wrong[i], EINVAL);
    assert_false(before.is_raised);
    assert_int_equal(sched_getscheduler(0), policy);
    return argument;
}

TEST(priority)
{
    run_in_thread(raise_and_restore, STACK_BYTES);
    run_in_thread(raise_from_raised, STACK_BYTES);
    run_in_thread(raise_wrongly, STACK_BYTES);
}

/* Drops capabilities, real-time priorities and memory locks of the calling process. Returns 0 or an error number. */
static int drop_privileges(void)
{
    const struct rlimit none = {0};
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_MEMLOCK, &none) != 0 ||
        syscall(SYS_capset, &header, data) != 0)
        return errno;
    return 0;
}

/* Checks the answers of a process without privileges. Returns 0, WR_TEST_SKIP, or the number of the failed check. */
static int be_refused(void)
{
    const int policy = sched_getscheduler(0);
    wr_rt_thread before = {0};
    if (drop_privileges() != 0)
        return WR_TEST_SKIP;
    const wr_rt_answer priority = wr_rt_thread_raise(&before, 1);
    if (priority.is_granted || priority.failure != EPERM || before.is_raised)
        return 1;
    if (sched_getscheduler(0) != policy || !wr_rt_thread_restore(&before).is_granted)
        return 2;
    const wr_rt_answer lock = wr_rt_thread_lock_memory();
    if (CAN_LOCK && (lock.is_granted || lock.failure != EPERM))
        return 3;
    const wr_rt_answer unlock = wr_rt_thread_unlock_memory();
    if (CAN_LOCK && (unlock.is_granted || unlock.failure != EPERM))
        return 4;
    /* Timer slack and touching need no privileges. */
    return wr_rt_thread_sharpen(&before, 1).is_granted && wr_rt_thread_touch_stack(65536).is_granted
               ? 0
               : 5;
}

TEST(refusals)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(be_refused());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == WR_TEST_SKIP)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void *sharpen_and_restore(void *argument)
{
    const int old_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    wr_rt_thread before = {0};
    assert_refused(wr_rt_thread_sharpen(&before, 0), 0, EINVAL);
    assert_refused(wr_rt_thread_sharpen(&before, -5), -5, EINVAL);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), old_ns);
    assert_granted(wr_rt_thread_sharpen(&before, 2000), 2000);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 2000);
    assert_granted(wr_rt_thread_sharpen(&before, 1), 1);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1);
    assert_granted(wr_rt_thread_restore(&before), 0);
    assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), old_ns);
    /* The sharpening also works with a raised priority, in either order. */
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            assert_granted(wr_rt_thread_sharpen(&before, 1), 1);
        (void)wr_rt_thread_raise(&before, 5); /* if the system refuses, the assertions hold, too */
        if (i == 1)
            assert_granted(wr_rt_thread_sharpen(&before, 1), 1);
        assert_true(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) <= 1);
        assert_true(wr_rt_thread_restore(&before).is_granted);
        assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), old_ns);
    }
    return argument;
}

TEST(timer_slack) { run_in_thread(sharpen_and_restore, STACK_BYTES); }

/* Returns the locked memory of this process, KiB; -1 if the system does not report the number. */
static long read_locked(void)
{
    char line[256];
    long n_kib = -1;
    FILE *const file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (n_kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmLck:", 6) == 0)
            n_kib = strtol(line + 6, NULL, 10);
    fclose(file);
    return n_kib;
}

TEST(last_user_unlocks)
{
    assert_refused(wr_rt_thread_unlock_memory(), 0, EPERM);
    const wr_rt_answer first = wr_rt_thread_lock_memory();
    if (!first.is_granted) {
        assert_true(first.failure == ENOMEM || first.failure == EPERM);
        assert_int_equal(read_locked(), 0);
        assert_refused(wr_rt_thread_unlock_memory(), 0, EPERM);
        skip();
    }
    assert_granted(first, 0);
    assert_granted(wr_rt_thread_lock_memory(), 0);
    assert_granted(wr_rt_thread_unlock_memory(), 0);
    assert_true(!CAN_LOCK || read_locked() > 0);
    assert_granted(wr_rt_thread_unlock_memory(), 0);
    assert_int_equal(read_locked(), 0);
    assert_refused(wr_rt_thread_unlock_memory(), 0, EPERM);
}

/* The holder of a lock has locked memory, for any calls of other threads. */
static void *lock_and_unlock(void *argument)
{
    for (int i = 0; i < 30; i++) {
        const int is_held = wr_rt_thread_lock_memory().is_granted;
        if (CAN_LOCK && is_held)
            assert_true(read_locked() > 0);
        if (is_held)
            assert_true(wr_rt_thread_unlock_memory().is_granted);
    }
    return argument;
}

TEST(locks_of_many_threads)
{
    enum { N_THREAD = 4 };
    pthread_t thread[N_THREAD];
    for (int i = 0; i < N_THREAD; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, lock_and_unlock, NULL), 0);
    for (int i = 0; i < N_THREAD; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(read_locked(), 0);
    assert_refused(wr_rt_thread_unlock_memory(), 0, EPERM);
}

/* Returns the number of pages in memory. */
static int count_present(char *page, int n_page, size_t page_bytes)
{
    unsigned char is_present[1024];
    assert_true(n_page <= 1024);
    assert_int_equal(mincore(page, (size_t)n_page * page_bytes, is_present), 0);
    int n = 0;
    for (int i = 0; i < n_page; i++)
        n += is_present[i] & 1;
    return n;
}

static void *touch_stack(void *argument)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = STACK_BYTES / 2;
    const int n_page = (int)(bytes / page_bytes);
    char *const here = __builtin_frame_address(0);
    char *const lowest = here - (uintptr_t)here % page_bytes - bytes + page_bytes;
    assert_granted(wr_rt_thread_touch_stack(0), 0);
    assert_true(count_present(lowest, n_page, page_bytes) < n_page / 2);
    assert_granted(wr_rt_thread_touch_stack(bytes), (int64_t)bytes);
    assert_int_equal(count_present(lowest, n_page, page_bytes), n_page);
    /* No further page is touched: the lowest part of the stack is unchanged. */
    assert_int_equal(count_present(argument, n_page, page_bytes), 0);
    assert_refused(wr_rt_thread_touch_stack(4 * STACK_BYTES), 4 * STACK_BYTES, ENOMEM);
    assert_refused(wr_rt_thread_touch_stack(SIZE_MAX), -1, ENOMEM);
    return argument;
}

/* Runs on a new stack, because a stack of the system may have pages in memory. Sanitizers need a megabyte. */
TEST(stack_is_touched)
{
    enum { BYTES = 4 * STACK_BYTES };
    pthread_t thread;
    pthread_attr_t attributes;
    void *const stack =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_true(stack != MAP_FAILED);
    (void)madvise(stack, BYTES, MADV_NOHUGEPAGE); /* kernels without huge pages refuse */
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, touch_stack, stack), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL);
    munmap(stack, BYTES);
    assert_granted(wr_rt_thread_touch_stack(STACK_BYTES / 4),
                   STACK_BYTES / 4); /* on the main thread's stack */
}

static void *pin(void *argument)
{
    cpu_set_t set;
    const int cpu = sched_getcpu();
    assert_refused(wr_rt_thread_pin(-1), -1, EINVAL);
    assert_refused(wr_rt_thread_pin(INT32_MAX), INT32_MAX, EINVAL);
    assert_refused(wr_rt_thread_pin((1 << 20) - 1), (1 << 20) - 1,
                   EINVAL); /* this machine has no such CPU */
    const wr_rt_answer answer = wr_rt_thread_pin(cpu);
    if (answer.is_granted && pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0) {
        assert_granted(answer, cpu);
        assert_int_equal(CPU_COUNT(&set), 1);
        assert_int_equal(sched_getcpu(), cpu);
    }
    return argument;
}

TEST(pinning) { run_in_thread(pin, STACK_BYTES); }

static void *block_signals(void *argument)
{
    sigset_t before, old, now;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    wr_rt_thread_block_signals(&old);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    static const int blocked[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF};
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < WR_COUNT_OF(blocked); i++) {
        assert_int_equal(sigismember(&now, blocked[i]), 1);
        assert_int_equal(sigismember(&now, open[i]), sigismember(&before, open[i]));
        assert_int_equal(sigismember(&old, blocked[i]), sigismember(&before, blocked[i]));
    }
    return argument;
}

TEST(signals) { run_in_thread(block_signals, STACK_BYTES); }
