/* The process of a live view. See live_view.h. Thread: as live_view.h. Real-time: no. */
#include "cli/live/live_view.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/module.h"
#include "cli/live/live_answers.h"
#include "offline/report/report_template.h"

/* Pauses, all assumed. A viewer that has asked within VIEWER_NS before the end of the run gets as much time to read the end: 12 polls of the
 * page. A viewer that has read the end asks no more, so the server ends QUIET_NS after the last request. */
static const int64_t VIEWER_NS = 3000000000, QUIET_NS = 1000000000;

enum {
    PAUSE_NS = 100000000, /* pause between two reads of the state of the run (assumed) */
    FIRST_DESCRIPTOR = 3  /* lower descriptors are standard input, output and error */
};

struct wr_live_view_process {
    wr_live *live;
    pid_t child;
    int port;
};

/* Message of the process to the program. */
typedef struct started {
    int port;
    wrsim_error err; /* status WRSIM_OK: the server has started */
} started;

/* ---- the process ---- */

/* Gives all signals of the terminal to the run, and drops descriptors that would keep pipes and files of the program open. */
static void separate(int report)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < WR_COUNT_OF(ignored); i++)
        signal(ignored[i], SIG_IGN);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < FIRST_DESCRIPTOR && nowhere >= 0; fd++)
        (void)dup2(nowhere, fd);
    (void)close_range(FIRST_DESCRIPTOR, (unsigned)report - 1, 0);
    (void)close_range((unsigned)report + 1, ~0U, 0);
}

/* Makes the calling thread, and threads that it starts later, run only if no other program wants the CPU. */
static void yield_to_others(void)
{
    const struct sched_param lowest = {.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_IDLE, &lowest);
}

/* Leaves the workers' CPUs if the process may use others. Threads that exist keep their CPUs, so each call moves one thread. */
static void leave_cpus(const wr_live *live, const cpu_set_t *permitted)
{
    int cpu[WR_LIVE_CPUS];
    cpu_set_t set = *permitted;
    const int n = wr_live_cpus(live, cpu);
    for (int i = 0; i < n; i++)
        if (cpu[i] < CPU_SETSIZE)
            CPU_CLR((size_t)cpu[i], &set);
    (void)sched_setaffinity(0, sizeof set, CPU_COUNT(&set) > 0 ? &set : permitted);
}

/* Answers on the thread of the server. */
typedef struct service {
    wr_live_answers answers;
    cpu_set_t permitted;
} service;

static void answer(void *context, const wr_http_request *request, wr_http_answer *ret_answer)
{
    service *const s = context;
    leave_cpus(s->answers.live, &s->permitted);
    wr_live_answer(&s->answers, request, ret_answer);
}

/* Waits until the run has ended and viewers have read the end. */
static void stay(const service *s, wr_live *live, pid_t program)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int64_t ended_ns = 0;
    for (;;) {
        nanosleep(&pause, NULL);
        const int64_t now_ns = wr_clock_monotonic_ns();
        const int64_t asked_ns = atomic_load_explicit(&s->answers.asked_ns, memory_order_relaxed);
        wr_live_view view;
        wr_live_view_get(live, &view);
        leave_cpus(live, &s->permitted);
        if (view.state != WR_LIVE_ENDED && getppid() != program)
            wr_live_end(live, "its program was ended by a signal.");
        else if (view.state != WR_LIVE_ENDED)
            continue;
        ended_ns = ended_ns ? ended_ns : now_ns;
        const int has_read = asked_ns >= ended_ns;
        if (asked_ns == 0 ||
            (has_read ? now_ns - asked_ns > QUIET_NS : now_ns - asked_ns > VIEWER_NS))
            return;
        if (now_ns - ended_ns > 2 * VIEWER_NS) /* a viewer that asks without end */
            return;
    }
}

static void serve(wr_live *live, int port, int report, pid_t program)
{
    started message = {0};
    service s = {.answers = {.live = live}};
    wr_http_server *server = NULL;
    separate(report);
    (void)sched_getaffinity(0, sizeof s.permitted, &s.permitted);
    const wr_http_ops *const ops = wr_module_load(WR_MODULE_HTTP, &message.err);
    yield_to_others();
    if (ops)
        server = ops->start(port, answer, &s, &message.port, &message.err);
    if (write(report, &message, sizeof message) == sizeof message && server) {
        close(report);
        stay(&s, live, program);
    }
    if (server)
        ops->stop(&server);
}

/* ---- the program ---- */

static wr_live_view_process *fail(wr_live_view_process *process, int error_number, wrsim_error *err)
{
    wr_error_set(err, WRSIM_E_MEMORY,
                 "the process of the live view cannot start: %s; end other processes",
                 strerror(error_number));
    if (process)
        wr_live_destroy(&process->live);
    free(process);
    return NULL;
}

wr_live_view_process *wr_live_view_start(int port, wrsim_error *err)
{
    int ends[2];
    if (wr_live_template[0].n_bytes == 0) {
        wr_error_set(
            err, WRSIM_E_CONFIG,
            "this build of wrsim has no page for --live, because it found no Dygraphs; install "
            "libjs-dygraphs, or set the meson option dygraphs, and build again");
        return NULL;
    }
    wr_live_view_process *const process = calloc(1, sizeof *process);
    if (process)
        process->live = wr_live_create();
    if (!process || !process->live)
        return fail(process, ENOMEM, err);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(process, errno, err);
    const pid_t program = getpid();
    process->child = fork();
    if (process->child == 0) {
        serve(process->live, port, ends[1], program);
        _exit(0);
    }
    close(ends[1]);
    started message = {.err = {.status = WRSIM_E_MEMORY}};
    ssize_t n = -1;
    while (process->child > 0 && n < 0) {
        n = read(ends[0], &message, sizeof message);
        if (n < 0 && errno != EINTR)
            break;
    }
    const int error_number = process->child < 0 ? errno : ECHILD;
    close(ends[0]);
    if (n == sizeof message && message.err.status >= 0) {
        process->port = message.port;
        return process;
    }
    if (process->child > 0)
        (void)waitpid(process->child, NULL, 0);
    if (n != sizeof message)
        return fail(process, error_number, err);
    *err = message.err;
    wr_live_destroy(&process->live);
    free(process);
    return NULL;
}

wr_live *wr_live_view_memory(wr_live_view_process *process) { return process->live; }
int wr_live_view_port(const wr_live_view_process *process) { return process->port; }

void wr_live_view_end(wr_live_view_process **process, const char *text)
{
    if (!process || !*process)
        return;
    wr_live_view view;
    wr_live_view_get((*process)->live, &view);
    if (view.state != WR_LIVE_ENDED)
        wr_live_end((*process)->live, text);
    while (waitpid((*process)->child, NULL, 0) < 0 && errno == EINTR)
        ;
    wr_live_destroy(&(*process)->live);
    free(*process);
    *process = NULL;
}
