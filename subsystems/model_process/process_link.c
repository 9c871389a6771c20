/* Starts, calls and ends the process of a component. See process_link.h. Thread: one owner. Real-time: wr_process_link_call(). */
#include "subsystems/model_process/process_link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/fp_mode.h"
#include "base/module.h"
#include "subsystems/model_process/process_setup.h"

extern char **environ;

enum {
    /* Lowest number of own descriptors, above the descriptors of the process (process_setup.h). */
    LEAST_DESCRIPTOR = 10,
    CHECK_NS =
        50000000, /* time between two checks whether the process still exists, ns (assumed) */
    PATIENCE_NS = 2000000000, /* time for a call to return after a request to stop, ns (assumed) */
    END_NS = 1000000000       /* time for the process to end by itself, ns (assumed) */
};

/* ---- start and end ---- */

/* Moves a descriptor above the descriptors of the process. Returns the new descriptor, or -1. */
static int move_up(int descriptor)
{
    const int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR);
    if (descriptor >= 0)
        close(descriptor);
    return moved;
}

/* Starts the program with its two descriptors, in a process group of its own: Ctrl-C reaches wrsim only. Returns 0 or an error number. */
static int spawn(wr_process_link *link, char *program, const char *path, int other_end)
{
    char parent[24], file[PATH_MAX];
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    snprintf(file, sizeof file, "%s", path ? path : "");
    char *const argv[] = {program, parent, file, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        rc |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        rc |= posix_spawnattr_setsigmask(&attributes, &none);
        rc |= posix_spawn_file_actions_adddup2(&actions, other_end, WR_PROCESS_SOCKET);
        rc |= posix_spawn_file_actions_adddup2(&actions, link->memory_fd, WR_PROCESS_MEMORY);
        rc |= posix_spawn_file_actions_addclosefrom_np(&actions, WR_PROCESS_MEMORY + 1);
        if (rc == 0)
            rc = posix_spawn(&link->pid, program, &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

int wr_process_link_start(wr_process_link *link, const char *path, wrsim_error *err)
{
    char program[PATH_MAX];
    int pair[2] = {-1, -1};
    link->socket = link->memory_fd = link->cpu = -1;
    link->waits = (wr_process_waits){.cpu = -1, .caller_cpu = -1};
    if (!wr_module_find_file(WR_PROCESS_PROGRAM, program)) {
        wr_error_set(err, WRSIM_E_CONFIG,
                     "the process of a component needs the program '%s', which does not exist; "
                     "install wrsim completely, or name its folder in WRSIM_MODULES",
                     program);
        return -1;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        link->socket = move_up(pair[0]);
        pair[1] = move_up(pair[1]);
    }
    link->memory_fd = move_up(memfd_create("wrsim-component", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const int is_open = link->socket >= 0 && pair[1] >= 0 && link->memory_fd >= 0;
    const int number = is_open ? spawn(link, program, path, pair[1]) : errno;
    if (pair[1] >= 0)
        close(pair[1]);
    if (is_open && number == 0)
        return 0;
    link->pid = 0;
    wr_process_link_end(link);
    wr_error_set(err, WRSIM_E_MEMORY,
                 "the process of a component cannot start the program '%s': %s; %s", program,
                 strerror(number),
                 number == EMFILE || number == ENFILE
                     ? "raise the limit of open files (ulimit -n), or set process = \"own\" for "
                       "fewer components"
                 : number == EAGAIN || number == ENOMEM
                     ? "end other programs, or set process = \"own\" for fewer components"
                     : "install wrsim completely");
    return -1;
}

/* Waits for the end of the process up to END_NS. Returns whether the process has ended. */
static int has_ended_by_itself(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const int64_t start_ns = wr_clock_monotonic_ns();
    while (wr_clock_monotonic_ns() - start_ns < END_NS) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

void wr_process_link_end(wr_process_link *link)
{
    const int is_serving = link->channel != NULL;
    wr_process_link_unmap(link);
    if (link->socket >= 0) {
        (void)shutdown(link->socket,
                       SHUT_RDWR); /* a forked process may have a copy of the socket */
        close(link->socket);
    }
    if (link->memory_fd >= 0)
        close(link->memory_fd);
    link->socket = link->memory_fd = -1;
    if (link->pid > 0 && !link->is_dead && (is_serving || !has_ended_by_itself(link->pid))) {
        kill(link->pid, SIGKILL);
        while (waitpid(link->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    link->pid = 0;
}

/* ---- the end of a process that should work ---- */

/* Returns the parentheses after the name of a callback; "" for another text. */
static const char *marks_of(const char *doing) { return strchr(doing, ' ') ? "" : "()"; }

/* Sets the message of a process that has ended with `how`. */
static void describe_end(wr_process_link *link, const siginfo_t *how, const char *doing)
{
    char cause[128];
    if (how->si_code == CLD_EXITED)
        snprintf(cause, sizeof cause, "ended with exit code %d", how->si_status);
    else if (how->si_code == CLD_KILLED || how->si_code == CLD_DUMPED)
        snprintf(cause, sizeof cause, "was killed by signal %d (%s)", how->si_status,
                 sigdescr_np(how->si_status) ? sigdescr_np(how->si_status) : "unknown");
    else
        snprintf(cause, sizeof cause, "ended for an unknown reason");
    const int is_sigkill = how->si_code == CLD_KILLED && how->si_status == SIGKILL;
    snprintf(link->message, sizeof link->message, "the process of its model %s during %s%s; %s",
             cause, doing, marks_of(doing),
             is_sigkill ? "a user or the system killed the process, for example because memory was "
                          "exhausted"
                        : "debug the model");
    link->is_dead = 1;
}

/* Returns whether the process has ended, and notes its end. */
static int has_ended(wr_process_link *link, const char *doing, int options)
{
    siginfo_t how = {.si_pid = 0};
    int rc;
    while ((rc = waitid(P_PID, (id_t)link->pid, &how, WEXITED | options)) < 0 && errno == EINTR)
        ;
    if (rc == 0 && how.si_pid == 0)
        return 0;
    if (rc < 0) /* the host program waits for all its processes itself */
        how.si_code = 0;
    describe_end(link, &how, doing);
    return 1;
}

/* Kills a process that does not answer. why: text after "the process of its model". */
static void give_up(wr_process_link *link, const char *doing, const char *why)
{
    kill(link->pid, SIGKILL);
    (void)has_ended(link, doing, 0);
    snprintf(link->message, sizeof link->message,
             "the process of its model %s %s%s, and wrsim has killed the process; debug the model",
             why, doing, marks_of(doing));
}

void wr_process_link_note_end(wr_process_link *link, const char *doing)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const int64_t start_ns = wr_clock_monotonic_ns();
    if (link->is_dead)
        return;
    /* The end of a process closes its socket some time before the parent can wait for the process. */
    while (!has_ended(link, doing, WNOHANG) && wr_clock_monotonic_ns() - start_ns < END_NS)
        nanosleep(&pause, NULL);
    if (!link->is_dead)
        give_up(link, doing, "gave no valid answer during");
}

/* ---- CPUs ---- */

/* Pins a process, or the calling thread (pid 0), to a CPU. Does nothing for a CPU below 0. Returns 0, or -1. */
static int pin(pid_t pid, int cpu)
{
    cpu_set_t set;
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(pid, sizeof set, &set);
}

void wr_process_link_set_waits(wr_process_link *link, const wr_process_waits *waits)
{
    link->waits = *waits;
    (void)pin(link->pid, waits->cpu);
}

/* ---- shared memory ---- */

static void *map(const wr_process_link *link, size_t offset, size_t n_bytes)
{
    /* posix_fallocate() reports a lack of memory. Without it, the first write would end wrsim by SIGBUS. */
    if (n_bytes > SSIZE_MAX / 2 ||
        posix_fallocate(link->memory_fd, (off_t)offset, (off_t)n_bytes) != 0)
        return NULL;
    void *const memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                              link->memory_fd, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

int wr_process_link_map(wr_process_link *link, const wr_process_sizes *sizes)
{
    wr_process_link_unmap(link);
    const size_t n_bytes = wr_process_arrays_place(sizes, NULL).n_bytes;
    /* The memory of a new instance has zeros. */
    if (fallocate(link->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, INT64_MAX) != 0)
        return -1;
    link->channel = map(link, 0, n_bytes);
    /* If the process made the file shorter, the next access would end wrsim by SIGBUS. */
    if (!link->channel || fcntl(link->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        return -1;
    link->at = wr_process_arrays_place(sizes, link->channel);
    link->channel->request.is_shared = link->channel->reply.is_shared = 1;
    return 0;
}

int wr_process_link_map_own(wr_process_link *link, size_t n_bytes)
{
    if (n_bytes == 0)
        return 0;
    link->own = map(link, wr_process_own_offset(&link->at), n_bytes);
    link->own_bytes = n_bytes;
    return link->own ? 0 : -1;
}

void wr_process_link_unmap(wr_process_link *link)
{
    if (link->own)
        munmap(link->own, link->own_bytes);
    if (link->channel)
        munmap(link->channel, link->at.n_bytes);
    link->own = NULL;
    link->channel = NULL;
}

/* ---- calls ---- */

/* Kills the process if its present call has lasted PATIENCE_NS after a request to stop. Returns whether the process is killed. */
static int is_overdue(wr_process_link *link, const char *doing)
{
    /* relaxed: a request that is seen late costs CHECK_NS. */
    if (!link->waits.is_stop_asked ||
        !atomic_load_explicit(link->waits.is_stop_asked, memory_order_relaxed))
        return 0;
    const int64_t now_ns = wr_clock_monotonic_ns();
    link->asked_ns = link->asked_ns ? link->asked_ns : now_ns;
    if (now_ns - link->asked_ns < PATIENCE_NS)
        return 0;
    give_up(link, doing, "did not return within 2 s after the request to stop from");
    return 1;
}

/* Waits for a reply after a spin without success. Returns 0, or -1 if the process has ended. */
static int wait_longer(wr_process_link *link, unsigned seen, wr_process_call call)
{
    const char *const doing = wr_process_call_name(call);
    int64_t checked_ns = wr_clock_monotonic_ns();
    for (;;) {
        if (wr_gate_wait_until(&link->channel->reply, seen, checked_ns + CHECK_NS))
            return 0;
        const int64_t now_ns = wr_clock_monotonic_ns();
        if (now_ns - checked_ns < CHECK_NS)
            continue; /* a signal */
        checked_ns = now_ns;
        if (has_ended(link, doing, WNOHANG) || is_overdue(link, doing))
            return -1;
    }
}

/* Opens the request, and waits for the reply. Returns as wr_process_link_call(). */
static int exchange(wr_process_link *link, wr_process_call call)
{
    wr_process_channel *const channel = link->channel;
    if (link->is_dead)
        return -1;
    if (link->waits.moves) {
        const int here = sched_getcpu();
        if (here != link->cpu)
            (void)pin(link->pid, here);
        link->cpu = here;
    }
    const unsigned seen = wr_gate_seen(&channel->reply);
    wr_gate_open(&channel->request);
    if (wr_gate_spin(&channel->reply, seen, link->waits.spin_ns))
        return 0;
    return wait_longer(link, seen, call);
}

int wr_process_link_call(wr_process_link *link, wr_process_call call)
{
    link->asked_ns = 0;
    return exchange(link, call);
}

int wr_process_link_go_on(wr_process_link *link, wr_process_call call)
{
    return is_overdue(link, wr_process_call_name(call)) ? -1 : exchange(link, call);
}

static int compare_times(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

int wr_process_link_measure(wr_process_link *link)
{
    enum { N_MEASURED = 101 }; /* calls of the median (assumed); together below 10 ms */
    int64_t time_ns[N_MEASURED];
    cpu_set_t before;
    int rc = 0;
    /* During setup this thread may be on the CPU of the process. The run calls from the CPU of a worker. */
    const int is_moved =
        sched_getaffinity(0, sizeof before, &before) == 0 && pin(0, link->waits.caller_cpu) == 0;
    link->channel->call = WR_PROCESS_NOTHING;
    link->channel->fp_mode = wr_fp_mode_get();
    for (int i = 0; i < N_MEASURED && rc == 0; i++) {
        const int64_t start_ns = wr_clock_monotonic_ns();
        rc = wr_process_link_call(link, WR_PROCESS_INIT);
        time_ns[i] = wr_clock_monotonic_ns() - start_ns;
    }
    if (is_moved)
        (void)sched_setaffinity(0, sizeof before, &before);
    if (rc < 0)
        return -1;
    qsort(time_ns, N_MEASURED, sizeof *time_ns, compare_times);
    link->counts.call_cost_us = 1e-3 * (double)time_ns[N_MEASURED / 2];
    return 0;
}

void wr_process_link_leave(wr_process_link *link)
{
    if (!link->channel)
        return;
    link->channel->call = WR_PROCESS_DONE;
    link->channel->number = 0;
    (void)wr_process_link_call(link, WR_PROCESS_INIT);
    wr_process_link_unmap(link);
}
