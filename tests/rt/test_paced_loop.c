/* A hundred thousand paced steps: no allocation, no page fault, and of system calls only sleeping, waiting for one another,
 * and what the ends of a run need. A filter of the kernel's ends a process that makes any other, so each run is a child.
 */
#include "wr_test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc_guard.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

/* Two masses and what a host sets; results go to a file that nobody keeps. */
static const char text[] =
    "simulation = { stop = 1e6, communication_step = 0.01 }\n"
    "relaxation = { scheme = \"slack\" }\n"
    "scheduler = { pin = false }\n"
    "realtime = { rate = 1.0, lock_memory = true, misses = 3, of = 20, catch_up = 1e6 }\n"
    "component = [{ name = \"a\", model = \"dahlquist\" }, { name = \"b\", model = \"dahlquist\" "
    "},\n"
    "             { name = \"c\", model = \"dahlquist\" }]\n"
    "connection = [{ from = \"a.x\", to = \"b.u\" }, { from = \"b.x\", to = \"c.u\" }]\n"
    "port = [{ name = \"u\", to = \"a.u\" }, { name = \"x\", from = \"c.x\" }]\n";

enum { N_WARM = 200, N_STEP = 100000, N_REAL = 2000 };
static const double STEP_S = 0.01;

/* ---- a clock that is as fast as the run ---- */

static _Atomic int64_t now_ns; /* relaxed: a number and no more */

static int64_t read_fake(void *context)
{
    (void)context;
    return atomic_load_explicit(&now_ns, memory_order_relaxed);
}

static void sleep_fake(void *context, int64_t due_ns)
{
    (void)context;
    int64_t before = atomic_load_explicit(&now_ns, memory_order_relaxed);
    while (before < due_ns &&
           !atomic_compare_exchange_weak_explicit(&now_ns, &before, due_ns, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/* ---- the filter ---- */

#define LET(number)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1),                                           \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* For all threads of the process, for good. 0, or -1 where the kernel does not let us. */
static int forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        LET(SYS_futex),
        LET(SYS_clock_nanosleep),
        LET(SYS_restart_syscall),
        /* Worker 0 is the caller's, and gets back what it had. */
        LET(SYS_prctl),
        LET(SYS_sched_setaffinity),
        LET(SYS_sched_getaffinity),
        /* The test's own. */
        LET(SYS_getrusage),
        LET(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* ---- runs ---- */

enum outcome { FINE = 0, NOT_PREPARED = 10, NOT_RUN, ALLOCATED, FAULTED, NO_FILTER, NOT_JUDGED };

static wrsim *prepare(int n_worker, int is_fake)
{
    char workers[64];
    snprintf(workers, sizeof workers, "scheduler.workers=%d", n_worker);
    const char *const set[] = {workers, is_fake ? "realtime.rate=1" : "realtime.rate=1000"};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status =
        wrsim_config_from_text(text, strlen(text), "paced.toml", set, 2, NULL, NULL, &config, &err);
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    wrsim_config_destroy(&config);
    if (status >= 0 && is_fake)
        sim->pace_clock = (wr_pacer_clock){.now = read_fake, .sleep_until = sleep_fake};
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    return status < 0 ? NULL : sim;
}

/* A host's loop. */
static int advance(wrsim *sim, int from, int to)
{
    double value;
    const int out = 1;
    for (int i = from; i < to; i++) {
        if (wrsim_port_set(sim, 0, (double)(i % 7)) < 0 ||
            wrsim_advance(sim, STEP_S * (i + 1), NULL) != WRSIM_OK ||
            wrsim_port_get_many(sim, 1, &out, &value) < 0)
            return -1;
    }
    return 0;
}

static long faults(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_minflt + used.ru_majflt : 0;
}

/* The child's; its exit code. Half of the steps are in one run, half by a host. */
static enum outcome run(int n_worker, int is_fake)
{
    int n_exempt;
    wrsim_realtime_stats r;
    const int n = is_fake ? N_STEP : N_REAL;
    wr_alloc_guard_forget_threads();
    wrsim *const sim = prepare(n_worker, is_fake);
    if (!sim)
        return NOT_PREPARED;
    if (advance(sim, 0, N_WARM) < 0)
        return NOT_RUN;
    wrsim_stats_realtime(sim, &r);
    wr_alloc_guard_exempt_unnamed("wr-worker", &n_exempt);
    wr_alloc_guard_arm();
    if (forbid_system_calls() != 0)
        return NO_FILTER;
    const long before = faults();
    if (wrsim_advance(sim, STEP_S * (N_WARM + n / 2), NULL) != WRSIM_OK ||
        advance(sim, N_WARM + n / 2, N_WARM + n) < 0)
        return NOT_RUN;
    const long n_fault = faults() - before;
    if (wr_alloc_guard_disarm() > 0)
        return ALLOCATED;
    if (r.lock_refusal == 0 && n_fault > 0)
        return FAULTED;
    wrsim_stats_realtime(sim, &r);
    return r.n_step == N_WARM + n ? FINE : NOT_JUDGED;
}

static void check(int n_worker, int is_fake)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run(n_worker, is_fake));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        print_error("ended by signal %d: a system call that is not allowed?\n", WTERMSIG(status));
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FILTER)
        skip();
    if (WEXITSTATUS(status) != FINE)
        print_error("%d workers, outcome %d\n", n_worker, WEXITSTATUS(status));
    assert_int_equal(WEXITSTATUS(status), FINE);
}

/* The filter does end a process. */
static void test_filter_works(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (forbid_system_calls() != 0)
            _exit(NO_FILTER);
        _exit((int)syscall(SYS_getppid) > 0 ? FINE : NOT_RUN);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
        skip();
    assert_true(WIFSIGNALED(status));
}

static void test_many_steps(void **state)
{
    (void)state;
    check(1, 1);
    check(2, 1);
}

static void test_real_clock(void **state)
{
    (void)state;
    check(1, 0);
    check(2, 0);
}

int main(void)
{
    if (!wr_alloc_guard_works())
        return WR_TEST_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter_works),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_real_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
