/* Paced runs of 200 to 100000 steps allocate nothing and, if the system locks the memory, cause no page fault. The workers make only the
 * system calls that sleep, wait for other workers, or end a run. Variants add a recorder, a trace, a live view, watched delay errors, and
 * the engine with its events. A filter of the kernel ends a process whose workers make another system call, so each run has a child process.
 *
 * With FMUs, wrsim's own code allocates nothing, also if an FMU allocates.
 *
 * argv[1]: the folder of the models, argv[2]: the folder of the sample FMUs, "" without the module fmi.
 */
#include "wr_test.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc_guard.h"
#include "cli/trace.h"
#include "runtime/record/recorder.h"
#include "runtime/sim/simulation.h"
#include "wrsim/wrsim.h"

/* Two decays, an input that a host sets, and a relay with events. */
static const char text[] =
    "simulation = { stop = 1e6, communication_step = 0.01 }\n"
    "relaxation = { scheme = \"slack\" }\n"
    "scheduler = { pin = false }\n"
    "realtime = { rate = 1.0, lock_memory = true, misses = 3, of = 20, catch_up = 1e6 }\n"
    "component = [{ name = \"a\", model = \"dahlquist\" }, { name = \"b\", model = \"dahlquist\" "
    "},\n"
    "             { name = \"c\", model = \"dahlquist\" }, { name = \"d\", model = \"relay\" }]\n"
    "connection = [{ from = \"a.x\", to = \"b.u\" }, { from = \"b.x\", to = \"c.u\" }]\n"
    "port = [{ name = \"u\", to = \"a.u\" }, { name = \"x\", from = \"c.x\" }]\n";

/* Two FMUs, of which the second has events, with the settings of the first text. %s: folder, FMU, folder. */
static const char fmu_text[] =
    "simulation = { stop = 1e6, communication_step = 0.01 }\n"
    "relaxation = { scheme = \"slack\" }\n"
    "scheduler = { pin = false }\n"
    "realtime = { rate = 1.0, lock_memory = true, misses = 3, of = 20, catch_up = 1e6 }\n"
    "component = [{ name = \"a\", fmu = \"%s/%s.fmu\" }, { name = \"b\", fmu = "
    "\"%s/thermostat_2.fmu\" },\n"
    "             { name = \"c\", model = \"dahlquist\" }]\n"
    "connection = [{ from = \"a.y\", to = \"b.u\" }, { from = \"b.y\", to = \"c.u\" }]\n"
    "port = [{ name = \"u\", to = \"a.u\" }, { name = \"x\", from = \"c.x\" }]\n";

enum { N_WARM = 200, MOST_SET = 8 };
/* Longest time until the recorder's thread has written the rows, if other programs use the cores (assumed). */
static const int64_t RECORDER_NS = 10000000000;

typedef struct variant {
    const char *name;
    const char *config; /* file in the folder of the models; NULL: a text above */
    const char *fmu;    /* the first FMU of fmu_text; NULL: the text without FMUs */
    int allocates;      /* the first FMU allocates memory in every computation */
    double step_s;
    int n_step, n_worker;
    int n_period;             /* periods in a step; 0: one */
    int is_fake;              /* the clock jumps to each due time instead of sleeping */
    int has_port, has_events; /* a host sets a port in each step; the run has events */
    int is_recorded;          /* results go to a temporary file */
    int is_traced; /* the run has the observer of a trace, whose buffers are too small for the run */
    int is_live;   /* a process reads the rows and steps of the run */
    int is_stalled; /* the file is a pipe that the test does not read, which soon accepts no more bytes */
    const char *set[MOST_SET]; /* overrides, ended by NULL */
} variant;

/* ---- a clock that jumps to each due time ---- */

static _Atomic int64_t now_ns; /* relaxed: no other data depend on this number */

static int64_t read_fake(void *context)
{
    return atomic_load_explicit(&now_ns, memory_order_relaxed);
}

static void sleep_fake(void *context, int64_t due_ns)
{
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

/* Installs the filter until the calling thread ends. Returns 0, or -1 if the kernel refuses. */
static int forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        LET(SYS_futex),
        LET(SYS_clock_nanosleep),
        LET(SYS_restart_syscall),
        /* Worker 0 is the calling thread, which restores its own settings after the run. */
        LET(SYS_prctl),
        LET(SYS_sched_setaffinity),
        LET(SYS_sched_getaffinity),
        /* The test itself makes these calls. */
        LET(SYS_getrusage),
        LET(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* Counts workers with the filter. relaxed: the team's barrier orders the accesses. */
static atomic_int n_forbidden;
static atomic_long n_fault;

static void forbid_worker(void *context, int i_worker)
{
    if (forbid_system_calls() == 0)
        atomic_fetch_add_explicit(&n_forbidden, 1, memory_order_relaxed);
}

static void count_faults(void *context, int i_worker)
{
    struct rusage used;
    if (getrusage(RUSAGE_THREAD, &used) == 0)
        atomic_fetch_add_explicit(&n_fault, used.ru_minflt + used.ru_majflt, memory_order_relaxed);
}

/* Returns the page faults of all workers, and of no other thread. */
static long faults(wrsim *sim)
{
    atomic_store_explicit(&n_fault, 0, memory_order_relaxed);
    wr_team_run(sim->team, sim->n_worker, count_faults, NULL);
    return atomic_load_explicit(&n_fault, memory_order_relaxed);
}

/* ---- a process that reads the rows and steps ---- */

static wr_live *live; /* NULL: the variant has no viewer */
static _Atomic int64_t
    *n_read; /* [WR_LIVE_RINGS] entries that the process has read; relaxed: counts only */

static void read_live(void)
{
    static const int column[] = {0, 1};
    static double value[2 << 16];
    for (int64_t next[WR_LIVE_RINGS] = {0};;)
        for (int i = 0; i < WR_LIVE_RINGS; i++) {
            int64_t first;
            const int n =
                wr_live_read(live, (wr_live_ring)i, next[i], 2, column, 1 << 16, value, &first);
            next[i] = n > 0 ? first + n : next[i];
            atomic_fetch_add_explicit(&n_read[i], n, memory_order_relaxed);
        }
}

/* Starts the process before the run is prepared, because a fork makes the pages of this process fault. The process ends with this process.
 * Returns 0, or -1 if the system refuses. */
static int start_viewer(void)
{
    const pid_t program = getpid();
    live = wr_live_create();
    n_read = mmap(NULL, WR_LIVE_RINGS * sizeof *n_read, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t reader = live && n_read != MAP_FAILED ? fork() : -1;
    if (reader == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == program)
            read_live();
        _exit(1);
    }
    return reader < 0 ? -1 : 0;
}

/* Returns 1 if the process has read steps and rows of the run, and the memory has all steps. */
static int is_shown(const variant *v)
{
    wr_live_view view;
    wr_live_view_get(live, &view);
    return view.n_row >= N_WARM && view.n_step == (int64_t)N_WARM + v->n_step &&
           atomic_load_explicit(&n_read[WR_LIVE_ROWS], memory_order_relaxed) > 0 &&
           atomic_load_explicit(&n_read[WR_LIVE_STEPS], memory_order_relaxed) > 0;
}

/* ---- runs ---- */

enum outcome {
    FINE = 0,
    NOT_PREPARED = 10,
    NOT_RUN,
    ALLOCATED,
    FAULTED,
    NO_FILTER,
    NOT_JUDGED,
    NO_EVENTS,
    NOT_RECORDED,
    NOT_SHOWN,
    OTHER_FOREIGN
};

static wrsim_config *read_config(const variant *v, const char *file, wrsim_error *err)
{
    char workers[64], output[600], path[600], with_fmus[2048];
    const char *set[MOST_SET + 3] = {workers, output, "realtime.rate=1"};
    int n = 3;
    wrsim_config *config = NULL;
    snprintf(workers, sizeof workers, "scheduler.workers=%d", v->n_worker);
    snprintf(output, sizeof output, "output.file=\"%s\"", v->is_recorded ? file : "");
    for (int i = 0; i < MOST_SET && v->set[i]; i++)
        set[n++] = v->set[i];
    snprintf(path, sizeof path, "%s/%s", wr_test_arg(1), v->config ? v->config : "");
    snprintf(with_fmus, sizeof with_fmus, fmu_text, wr_test_arg(2), v->fmu ? v->fmu : "",
             wr_test_arg(2));
    const char *const from = v->fmu ? with_fmus : text;
    if (v->config)
        (void)wrsim_config_from_file(path, set, n, NULL, NULL, &config, err);
    else
        (void)wrsim_config_from_text(from, strlen(from), "paced.toml", set, n, NULL, NULL, &config,
                                     err);
    return config;
}

static wrsim *prepare(const variant *v, const char *file)
{
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_config *config = read_config(v, file, &err);
    wrsim_status status = config ? wrsim_create(config, NULL, NULL, &sim, &err) : WRSIM_E_CONFIG;
    wrsim_config_destroy(&config);
    if (status >= 0)
        sim->live = live;
    if (status >= 0 && v->is_fake)
        sim->pace_clock = (wr_pacer_clock){.now = read_fake, .sleep_until = sleep_fake};
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    if (status >= 0 && v->is_traced)
        status = wrsim_observe(sim, wr_trace_observer(wr_trace_create(sim, 3000)), &err);
    if (status < 0)
        print_error("%s\n", err.text);
    return status < 0 ? NULL : sim;
}

/* Advances the run step by step, as a host. */
static int advance(const variant *v, wrsim *sim, int from, int to)
{
    double value;
    const int out = 1;
    for (int i = from; i < to; i++) {
        if ((v->has_port && wrsim_port_set(sim, 0, (double)(i % 7)) < 0) ||
            wrsim_advance(sim, v->step_s * (i + 1), NULL) != WRSIM_OK ||
            (v->has_port && wrsim_port_get_many(sim, 1, &out, &value) < 0))
            return -1;
    }
    return 0;
}

static int64_t count_events(const wrsim *sim)
{
    wrsim_stats all;
    int64_t n = 0;
    wrsim_stats_get(sim, &all);
    for (int i = 0; i < all.n_subsystem; i++) {
        wrsim_subsystem_stats part;
        wrsim_stats_subsystem(sim, i, &part);
        n += part.n_state_event;
    }
    return n;
}

/* Calls of the allocator by the FMU, in memory that the child shares with the test. */
static long *n_foreign;

/* Runs the watched steps: half of them in one call, half in steps of a host. */
static enum outcome watched(const variant *v, wrsim *sim)
{
    int n_exempt;
    wrsim_realtime_stats r;
    const int64_t n_event = count_events(sim);
    wr_alloc_guard_exempt_unnamed("wr-worker", &n_exempt);
    if (v->fmu && wr_alloc_guard_separate(v->fmu) <= 0)
        return OTHER_FOREIGN;
    wr_alloc_guard_arm();
    wr_team_run(sim->team, sim->n_worker, forbid_worker, NULL);
    if (atomic_load_explicit(&n_forbidden, memory_order_relaxed) != v->n_worker)
        return NO_FILTER;
    const long before = faults(sim);
    if (wrsim_advance(sim, v->step_s * (N_WARM + v->n_step / 2), NULL) != WRSIM_OK ||
        advance(v, sim, N_WARM + v->n_step / 2, N_WARM + v->n_step) < 0)
        return NOT_RUN;
    const long after = faults(sim);
    const int n_own = wr_alloc_guard_disarm();
    *n_foreign = wr_alloc_guard_foreign();
    if (n_own > 0)
        return ALLOCATED;
    /* A step has several computations, of four or six calls each. */
    if (v->allocates ? *n_foreign < 4L * v->n_step : *n_foreign > 0)
        return OTHER_FOREIGN;
    wrsim_stats_realtime(sim, &r);
    if (r.lock_refusal == 0 && after > before)
        return FAULTED;
    if (r.n_step != (int64_t)(N_WARM + v->n_step) * (v->n_period > 0 ? v->n_period : 1))
        return NOT_JUDGED;
    return v->has_events && count_events(sim) <= n_event ? NO_EVENTS : FINE;
}

/* Returns 1 if the recorder has written rows to the file. */
static int has_rows(const char *file)
{
    struct stat about;
    return stat(file, &about) == 0 && about.st_size > 10000;
}

/* Replaces the file by a pipe. Returns the open end for reading, which the test does not read during the run. */
static int make_pipe(const char *file)
{
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    const int end = open(file, O_RDONLY | O_NONBLOCK);
    assert_true(end >= 0);
    return end;
}

/* Returns 1 if the pipe contains at least 16 KiB with a line break. */
static int has_text(int end)
{
    char part[16384];
    const ssize_t n = read(end, part, sizeof part);
    close(end);
    return n == sizeof part && memchr(part, '\n', sizeof part) != NULL;
}

/* Runs a variant in the child. Returns the exit code of the child. */
static enum outcome run(const variant *v, const char *file)
{
    wr_alloc_guard_forget_threads();
    if (v->is_live && start_viewer() < 0)
        return NOT_RUN;
    wrsim *const sim = prepare(v, file);
    if (!sim)
        return NOT_PREPARED;
    if (advance(v, sim, 0, N_WARM) < 0)
        return NOT_RUN;
    const enum outcome outcome = watched(v, sim);
    if (outcome == FINE && v->is_recorded && !v->is_stalled) /* the recorder's thread may be late */
        (void)wr_recorder_hurry(sim->recorder, RECORDER_NS);
    return outcome == FINE && v->is_live && !is_shown(v) ? NOT_SHOWN : outcome;
}

static void check(const variant *v)
{
    char file[] = P_tmpdir "/wrsim-paced-XXXXXX.csv";
    const int made = mkstemps(file, 4);
    assert_true(made >= 0);
    close(made);
    const int end = v->is_stalled ? make_pipe(file) : -1;
    n_foreign =
        mmap(NULL, sizeof *n_foreign, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(n_foreign != MAP_FAILED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run(v, file));
    int status = 0, outcome = NOT_RUN;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        print_error("%s: ended by signal %d: a system call that is not allowed?\n", v->name,
                    WTERMSIG(status));
    else
        outcome = WEXITSTATUS(status);
    if (outcome == FINE && v->is_recorded && !(v->is_stalled ? has_text(end) : has_rows(file)))
        outcome = NOT_RECORDED;
    static const char *const ends[] = {".csv", ".csv.json", ".events.csv", ".windows.csv"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[sizeof file + 16];
        snprintf(name, sizeof name, "%.*s%s", (int)(sizeof file - sizeof ".csv"), file, ends[i]);
        unlink(name);
    }
    if (outcome == NO_FILTER)
        skip();
    if (outcome != FINE)
        print_error("%s, %d workers: outcome %d\n", v->name, v->n_worker, outcome);
    if (v->fmu)
        print_message("# %s, %d workers, %d steps: %ld calls of the allocator by the FMU\n", v->fmu,
                      v->n_worker, v->n_step, *n_foreign);
    munmap(n_foreign, sizeof *n_foreign);
    assert_int_equal(outcome, FINE);
}

/* Checks a variant with one worker and with two. */
static void check_both(variant v)
{
    for (v.n_worker = 1; v.n_worker <= 2; v.n_worker++)
        check(&v);
}

/* The filter ends a process that makes a system call outside of the list. */
TEST(filter_works)
{
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

TEST(many_steps)
{
    check_both((variant){.name = "many",
                         .step_s = 0.01,
                         .n_step = 30000,
                         .is_fake = 1,
                         .has_port = 1,
                         .has_events = 1});
}

TEST(trace)
{
    check_both((variant){.name = "traced",
                         .step_s = 0.01,
                         .n_step = 20000,
                         .is_fake = 1,
                         .has_port = 1,
                         .is_recorded = 1,
                         .is_traced = 1,
                         .has_events = 1});
}

TEST(recorder)
{
    check_both((variant){.name = "recorded",
                         .step_s = 0.01,
                         .n_step = 20000,
                         .is_fake = 1,
                         .has_port = 1,
                         .is_recorded = 1,
                         .has_events = 1});
}

TEST(live_view)
{
    check_both((variant){.name = "live",
                         .step_s = 0.01,
                         .n_step = 20000,
                         .is_fake = 1,
                         .has_port = 1,
                         .is_recorded = 1,
                         .is_live = 1,
                         .has_events = 1});
}

/* A disk that accepts no more bytes delays no worker. The rows written before stay readable. */
TEST(stalled_disk)
{
    check_both((variant){.name = "stalled",
                         .step_s = 0.01,
                         .n_step = 100000,
                         .is_fake = 1,
                         .has_port = 1,
                         .is_recorded = 1,
                         .is_stalled = 1});
}

/* slack.watch estimates the delay error in every period, with very small limits. */
TEST(watch)
{
    check_both((variant){.name = "watched",
                         .step_s = 0.01,
                         .n_step = 20000,
                         .is_fake = 1,
                         .has_port = 1,
                         .has_events = 1,
                         .set = {"slack.watch=1", "slack.eps_loc=1e-9", "slack.eps_glo=1e-9"}});
}

TEST(real_clock)
{
    check_both((variant){.name = "real clock",
                         .step_s = 0.01,
                         .n_step = 2000,
                         .has_port = 1,
                         .is_recorded = 1,
                         .set = {"realtime.rate=1000"}});
}

/* The engine with one solver and bounded work, and the split engine with error control and watched delay errors. */
TEST(engine)
{
    check(&(variant){.name = "engine_rack",
                     .config = "engine/engine_rack.toml",
                     .step_s = 500e-6,
                     .n_step = 2000,
                     .n_worker = 1,
                     .is_fake = 1,
                     .has_events = 1,
                     .is_recorded = 1,
                     .set = {"realtime.priority=0", "realtime.jitter=false", "realtime.wait=sleep",
                             "scheduler.pin=false"}});
    check_both(
        (variant){.name = "engine_loop",
                  .config = "engine/engine_loop.toml",
                  .step_s = 500e-6,
                  .n_step = 200,
                  .n_period = 5,
                  .is_fake = 1,
                  .has_events = 1,
                  .set = {"slack.watch=1", "realtime.lock_memory=true", "scheduler.pin=false"}});
}

/* FMUs with and without allocations of their own, of both versions of FMI. */
TEST(fmus)
{
    static const char *const name[] = {"oscillator_2", "oscillator_3", "allocates_2",
                                       "allocates_3"};
    if (!wr_test_arg(2)[0])
        skip();
    for (int i = 0; i < 4; i++)
        check_both((variant){.name = "fmus",
                             .fmu = name[i],
                             .allocates = i >= 2,
                             .step_s = 0.01,
                             .n_step = 1000,
                             .is_fake = 1,
                             .has_port = 1,
                             .has_events = 1});
}

int main(void) { return wr_alloc_guard_works() ? wr_test_run() : WR_TEST_SKIP; }
