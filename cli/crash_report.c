/* See crash_report.h.
 *
 * The handlers call async-signal-safe functions only. The handlers read the thread's record of model calls
 * (subsystems/model_host/calling.h), write text and end the process. The signal handlers run on a stack of their own, so that the handlers
 * also report a stack overflow.
 *
 * Thread: as crash_report.h. Real-time: no.
 */
#include "cli/crash_report.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/number.h"
#include "base/open_file.h"
#include "runtime/sim/recording.h"
#include "subsystems/group/group_called.h"

enum {
    /* size of the handlers' stack, bytes (assumed); a signal frame with all vector registers needs up to 12 KiB */
    STACK_BYTES = 65536,
    LINE_BYTES = 1024,
    /* largest time for the recorder to write its rows, ns (assumed); a fast disk needs a few milliseconds */
    FLUSH_NS = 1000000000,
    END_S = 2 /* wait for the end of the reporting thread, s; longer than FLUSH_NS */
};

static const struct {
    int number;
    const char *text;
} fatal[] = {
    {SIGSEGV, "SIGSEGV (invalid memory access or stack overflow)"},
    {SIGBUS, "SIGBUS (memory access beyond the end of a file)"},
    {SIGFPE, "SIGFPE (integer division by zero, or a floating-point trap that a model left on)"},
    {SIGILL, "SIGILL (invalid instruction)"},
    {SIGABRT, "SIGABRT (abort() was called)"},
};

static wrsim *volatile watched;
static volatile sig_atomic_t is_ending;
static atomic_flag is_reporting = ATOMIC_FLAG_INIT;

typedef struct line {
    char text[LINE_BYTES];
    size_t n;
} line;

/* Appends a text, with '?' for control characters; truncates a text that is too long. */
static void add(line *l, const char *text)
{
    for (; *text && l->n + 1 < sizeof l->text; text++)
        l->text[l->n++] = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
}

static void print(line *l)
{
    int error_number;
    l->text[l->n++] = '\n';
    (void)wr_open_file_write_all(STDERR_FILENO, l->text, l->n, &error_number);
}

/* Appends the thread's last model call. */
static void add_call(line *l)
{
    wr_calling call;
    char t_s[WR_NUMBER_CAP + 1];
    if (!wr_group_called(&call)) {
        add(l, " outside of any model call; report this error of wrsim");
        return;
    }
    const int is_check = strcmp(call.callback, "checking") == 0;
    const int is_file =
        is_check || strcmp(call.callback, "opening") == 0 || strcmp(call.callback, "closing") == 0;
    add(l, " in or after ");
    add(l, call.callback);
    add(l, is_file ? " plug-in '" : "() of component '");
    add(l, call.owner);
    add(l, "'");
    if (isfinite(call.t_s)) {
        t_s[wr_number_print(call.t_s, t_s)] = '\0';
        add(l, " at t = ");
        add(l, t_s);
        add(l, " s");
    }
    add(l, is_check
               ? "; set n_param to the number of elements of params, and end the list of models "
                 "by NULL"
           : is_file ? "; debug the plug-in"
                     : "; debug the model");
}

/* Ends the process. If several threads fail, often by one fault, the first thread reports. The other threads wait for the end. */
static _Noreturn void report(const char *cause)
{
    line crash = {.n = 0}, rows = {.n = 0};
    if (atomic_flag_test_and_set_explicit(&is_reporting, memory_order_relaxed)) {
        sleep(END_S);
        _exit(wrsim_status_exit_code(WRSIM_E_CRASH));
    }
    add(&crash, "wrsim: error: ");
    add(&crash, cause);
    add_call(&crash);
    print(&crash);
    const wr_crash_flush flushed =
        watched ? wr_recording_flush(watched, FLUSH_NS) : WR_FLUSH_NO_FILE;
    add(&rows, flushed == WR_FLUSH_DONE ? "wrsim: results of all accepted windows are kept"
                                        : "wrsim: the last results may be missing");
    if (flushed != WR_FLUSH_NO_FILE)
        print(&rows);
    _exit(wrsim_status_exit_code(WRSIM_E_CRASH));
}

static void on_fatal_signal(int number)
{
    for (size_t i = 0; i < WR_COUNT_OF(fatal); i++)
        if (fatal[i].number == number)
            report(fatal[i].text);
}

static void on_exit_call(void)
{
    if (!is_ending)
        report("exit() was called");
}

void wr_crash_report_install(void)
{
    /* The main thread's stack for handlers; scheduler/team.c places a stack for handlers in each thread. */
    static char memory[STACK_BYTES] __attribute__((aligned(16)));
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE))
        /* without the handlers' stack a stack overflow gives no report */
        (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < WR_COUNT_OF(fatal); i++) {
        struct sigaction old, action = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};
        sigfillset(&action.sa_mask);
        if (sigaction(fatal[i].number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(fatal[i].number, &action, NULL);
    }
    (void)atexit(on_exit_call);
    (void)at_quick_exit(on_exit_call);
}

void wr_crash_report_watch(wrsim *sim)
{
    watched = sim;
    /* Exit handlers run in reverse order, so this handler runs before the handlers of libraries that the run has loaded. */
    if (sim)
        (void)atexit(on_exit_call);
}

void wr_crash_report_end(void) { is_ending = 1; }
