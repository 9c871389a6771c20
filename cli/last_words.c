/* See last_words.h.
 *
 * _exit() and pthread_exit() can be heard of in no other way than by being the first of that name that a plug-in finds: the
 * program exports its own. In processes that a plug-in has forked they do what they always do, as signals do.
 *
 * Thread: as there. Real-time: no.
 */
#include "cli/last_words.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/number.h"
#include "runtime/sim/rescue.h"
#include "subsystems/group_called.h"

enum {
    STACK_BYTES =
        65536, /* of the main thread's handlers; a frame with all registers takes up to 12 KiB */
    LINE_BYTES = 1024,
    WAIT_NS = 1000000000 /* for the recorder, which needs a few ms unless the disk is slow */
};

typedef struct fatal_signal {
    int number;
    const char *text;
} fatal_signal;

static const fatal_signal fatal[] = {
    {SIGSEGV, "SIGSEGV: memory that is not there, or a stack that is full"},
    {SIGBUS, "SIGBUS: memory that is not there, as of a file that was cut off"},
    {SIGFPE, "SIGFPE: a division by zero, or a trapped floating-point exception"},
    {SIGILL, "SIGILL: an instruction that this processor does not have"},
    {SIGABRT, "SIGABRT: abort() was called"},
    {SIGTRAP, "SIGTRAP: a breakpoint"},
    {SIGSYS, "SIGSYS: a system call that is forbidden"},
    {SIGALRM, "SIGALRM: a timer that nobody waits for"},
    {SIGVTALRM, "SIGVTALRM: a timer that nobody waits for"},
    {SIGPROF, "SIGPROF: a timer that nobody waits for"},
    {SIGUSR1, "SIGUSR1 was raised"},
    {SIGUSR2, "SIGUSR2 was raised"},
    {SIGIO, "SIGIO was raised"},
    {SIGXCPU, "SIGXCPU: the limit on processor time is reached"},
};

static wrsim *volatile saved_sim;
static volatile sig_atomic_t is_expected;
static atomic_int speaker; /* thread that ends the process; 0: none (acq_rel with itself) */
static pid_t own_process;

/* ---- text without stdio ---- */

typedef struct line {
    char text[LINE_BYTES];
    size_t n;
} line;

static void add(line *l, const char *text)
{
    for (; *text && l->n + 2 < sizeof l->text; text++)
        l->text[l->n++] = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
}

static void add_number(line *l, double value)
{
    char text[WR_NUMBER_CAP + 1];
    text[wr_number_print(value, text)] = '\0';
    add(l, text);
}

static void say(line *l)
{
    l->text[l->n++] = '\n';
    for (size_t i = 0; i < l->n;) {
        const ssize_t n_written = write(STDERR_FILENO, l->text + i, l->n - i);
        if (n_written <= 0)
            return;
        i += (size_t)n_written;
    }
}

/* ---- what is said ---- */

/* Where it happened, after a word such as "in". */
static void add_place(line *l, const char *word)
{
    wr_calling calling;
    if (!wr_group_called(&calling)) {
        add(l, ", outside of any call of a model");
        return;
    }
    const int is_file = /* opening, closing */
        strcmp(calling.callback, "opening") == 0 || strcmp(calling.callback, "closing") == 0;
    add(l, word);
    add(l, calling.callback);
    add(l, is_file ? " plug-in '" : "() of component '");
    add(l, calling.who);
    add(l, "'");
    if (calling.t_s - calling.t_s == 0.0) { /* finite */
        add(l, " at t = ");
        add_number(l, calling.t_s);
        add(l, " s");
    }
}

/* Rows, and how much of them is known to be in the file. */
static void save_rows(line *l)
{
    wrsim *const sim = saved_sim;
    if (!sim || !wr_rescue_has_file(sim))
        return;
    const int is_done = wr_rescue_rows(sim, WAIT_NS);
    add(l, is_done ? "wrsim: results of all accepted windows are kept"
                   : "wrsim: results that are older than a moment are kept");
    say(l);
}

static _Noreturn void end_process(int code)
{
    for (;;)
        syscall(SYS_exit_group, code);
}

/* Only the first thread to come here speaks; others, which often fail by the same fault, wait for the end that it brings. */
static void begin_speech(void)
{
    const int own = (int)syscall(SYS_gettid);
    int before = 0;
    if (atomic_compare_exchange_strong_explicit(&speaker, &before, own, memory_order_acq_rel,
                                                memory_order_acquire))
        return;
    if (before == own) /* it has failed while it spoke */
        end_process(wrsim_status_exit_code(WRSIM_E_CRASH));
    for (;;)
        pause();
}

static _Noreturn void end_with(const char *what, const char *word)
{
    line l = {.n = 0}, rows = {.n = 0};
    begin_speech();
    add(&l, "wrsim: error: ");
    add(&l, what);
    add_place(&l, word);
    say(&l);
    save_rows(&rows);
    end_process(wrsim_status_exit_code(WRSIM_E_CRASH));
}

/* ---- signals ---- */

/* The program's own code, as the linker lays it out. */
extern const char wr_text_begin[] __asm__("__executable_start");
extern const char wr_text_end[] __asm__("etext");

/* Is that instruction the program's own? Where registers cannot be read, none is. */
static int is_own(const void *context_at)
{
    const ucontext_t *const context = context_at;
#if defined __x86_64__
    const uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    const uintptr_t at = (uintptr_t)context->uc_mcontext.pc;
#else
    const uintptr_t at = 0;
    (void)context;
#endif
    return at >= (uintptr_t)wr_text_begin && at < (uintptr_t)wr_text_end;
}

/* Traps that a model has switched on, and left on, are switched off again where they have hit the program's own code, which
 * means what it divides: it goes on as if there were none. Returns whether that is done. */
static int switch_traps_off(void *context_at)
{
#if defined __x86_64__
    enum { ALL_MASKED = 0x1f80, FLAGS = 0x3f };
    ucontext_t *const context = context_at;
    fpregset_t registers = context->uc_mcontext.fpregs;
    if (!is_own(context) || !registers || (registers->mxcsr & ALL_MASKED) == ALL_MASKED)
        return 0;
    registers->mxcsr = (registers->mxcsr | ALL_MASKED) & ~(unsigned)FLAGS;
    return 1;
#else
    (void)context_at;
    return 0;
#endif
}

static const char *text_of(int number)
{
    for (size_t i = 0; i < WR_COUNT_OF(fatal); i++)
        if (fatal[i].number == number)
            return fatal[i].text;
    return "a signal";
}

static int is_from_others(const siginfo_t *info)
{
    return (info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE) &&
           info->si_pid != getpid();
}

/* As the signal would have, had it no handler. */
static void end_by(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    if (number == SIGFPE && info->si_code > 0 && switch_traps_off(context))
        return;
    if (getpid() != own_process)
        end_by(number);
    if (is_from_others(info)) {
        line rows = {.n = 0};
        begin_speech();
        save_rows(&rows);
        end_by(number);
    }
    const int is_sent = info->si_code <= 0; /* raise(), abort(), timers */
    end_with(text_of(number), is_sent ? ", in or after " : is_own(context) ? ", after " : ", in ");
}

/* The main thread's; workers have theirs (scheduler/team.c). */
static void use_own_stack(void)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    stack_t old;
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
        (void)sigaltstack(&own, NULL); /* refused: a full stack is not told */
}

/* ---- exit(), _exit(), pthread_exit() ---- */

static void on_exit_call(void)
{
    if (!is_expected && getpid() == own_process)
        end_with("exit() was called", ", in ");
}

/* _exit and pthread_exit of the program, by the linker (meson.build). */
void wr_last_words_exit(int code) __attribute__((visibility("default")));
void wr_last_words_thread_exit(void *result) __attribute__((visibility("default")));

void wr_last_words_exit(int code)
{
    if (!is_expected && getpid() == own_process)
        end_with("_exit() was called", ", in ");
    end_process(code);
}

void wr_last_words_thread_exit(void *result)
{
    wr_calling calling;
    if (getpid() == own_process && wr_group_called(&calling))
        end_with("pthread_exit() was called", ", in ");
    void *const symbol = dlsym(RTLD_NEXT, "pthread_exit");
    void (*next)(void *) __attribute__((noreturn));
    memcpy(&next, &symbol, sizeof next);
    next(result);
}

/* ---- for main ---- */

void wr_last_words_own(void) { own_process = getpid(); }

void wr_last_words_install(void)
{
    wr_last_words_own();
    use_own_stack();
    for (size_t i = 0; i < WR_COUNT_OF(fatal); i++) {
        struct sigaction old,
            action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigfillset(&action.sa_mask);
        if (sigaction(fatal[i].number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(fatal[i].number, &action, NULL);
    }
    (void)atexit(on_exit_call);
    (void)at_quick_exit(on_exit_call);
}

void wr_last_words_save(wrsim *sim)
{
    saved_sim = sim;
    if (sim)
        (void)atexit(on_exit_call);
}

void wr_last_words_expected(void) { is_expected = 1; }
