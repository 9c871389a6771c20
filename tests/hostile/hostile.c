/* A plug-in with one fault. The parameter deed names the fault. The parameters in and time select the callback and the simulated time from
 * which on the fault happens. run_hostile.py checks the reaction of the program.
 *
 * The model is x' = -x with time events, state events and all callbacks.
 *
 * Thread: one at a time per instance. Real-time: no.
 */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { PARAM_DEED, PARAM_IN, PARAM_TIME, PARAM_RETURN };

static const char *const deeds[] = {
    "none",    "exit",      "_exit",        "quick_exit", "segv",      "abort",   "fpe",
    "bus",     "ill",       "overflow",     "round",      "unmask",    "daz",     "print",
    "chdir",   "locale",    "fork",         "fork_exec",  "close",     "message", "fail",
    "control", "stdout_fd", "close_stdout", "spin",       "segv_both", "mute",    NULL};
static const char *const callbacks[] = {
    "rhs",  "output",   "indicator",      "event",   "next_time", "init",
    "done", "describe", "step_completed", "algebra", NULL};
enum {
    IN_RHS,
    IN_OUTPUT,
    IN_INDICATOR,
    IN_EVENT,
    IN_NEXT_TIME,
    IN_INIT,
    IN_DONE,
    IN_DESCRIBE,
    IN_STEP,
    IN_ALGEBRA
};

static int overflow(volatile char *above)
{
    volatile char here[4096];
    here[0] = above ? above[0] : 1;
    return here[0] == 2 ? 0 : overflow(here) + here[0];
}

static int *volatile nowhere;

/* Waits up to one second until a second thread calls this function. */
static void meet(void)
{
    static atomic_int n;
    atomic_fetch_add(&n, 1);
    for (int i = 0; i < 1000 && atomic_load(&n) < 2; i++)
        usleep(1000);
}

static void do_deed(const char *deed)
{
#define IS(name) (strcmp(deed, name) == 0)
    if (IS("exit"))
        exit(0);
    else if (IS("_exit"))
        _exit(0);
    else if (IS("quick_exit"))
        quick_exit(0);
    else if (IS("segv"))
        *nowhere = 1;
    else if (IS("abort"))
        abort();
    else if (IS("fpe")) {
        volatile int one = 1, nothing = 0;
        nothing = one / nothing;
    } else if (IS("bus"))
        raise(SIGBUS);
    else if (IS("ill"))
        __builtin_trap();
    else if (IS("overflow"))
        overflow(NULL);
    else if (IS("round"))
        fesetround(FE_UPWARD);
    else if (IS("unmask"))
        feenableexcept(FE_DIVBYZERO | FE_INVALID);
    else if (IS("daz"))
        fesetenv(FE_DFL_ENV);
    else if (IS("print"))
        printf("{ \"spoilt\": \n");
    else if (IS("stdout_fd"))
        (void)!write(STDOUT_FILENO, "spoilt", 6);
    else if (IS("chdir"))
        (void)!chdir("/");
    else if (IS("locale"))
        setlocale(LC_ALL, "de_DE.UTF-8");
    else if (IS("fork")) {
        if (fork() == 0)
            _exit(3);
    } else if (IS("fork_exec"))
        (void)!system("true");
    else if (IS("close"))
        for (int fd = 3; fd < 256; fd++)
            close(fd);
    else if (IS("close_stdout"))
        close(STDOUT_FILENO);
    else if (IS("spin"))
        for (;;)
            usleep(1000);
    else if (IS("segv_both")) {
        meet();
        *nowhere = 1;
    }
#undef IS
}

static int act(wrsim_instance *self, int in, double t_s)
{
    if ((int)self->param[PARAM_IN] != in || t_s < self->param[PARAM_TIME])
        return 0;
    const char *const deed = deeds[(int)self->param[PARAM_DEED]];
    do_deed(deed);
    if (strcmp(deed, "message") == 0)
        self->message = "\033[31mred\033[0m\nwrsim: all is well\r\a";
    if (strcmp(deed, "mute") == 0)
        self->message = "";
    return strcmp(deed, "message") == 0 || strcmp(deed, "fail") == 0 || strcmp(deed, "mute") == 0
               ? (int)self->param[PARAM_RETURN]
               : 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    const int is_control = strcmp(deeds[(int)self->param[PARAM_DEED]], "control") == 0;
    const wrsim_variable x = {.name = "x", .unit = "1", .start = 1.0},
                         y = {.name = "y",
                              .unit = is_control ? "m\033]0;title\a" : "1",
                              .description = is_control ? "\033[2J\x9b"
                                                          "31m"
                                                        : "x + 1"},
                         z = {.name = "z", .unit = "1"}, n = {.name = "n", .unit = "1"};
    const int rc = act(self, IN_DESCRIBE, (double)INFINITY);
    to->n_w = 1;
    to->time_scale_s = 0.15; /* about half a period of the indicator */
    if (rc)
        return rc;
    return to->add(to, WRSIM_STATE, &x) < 0 || to->add(to, WRSIM_OUTPUT, &y) < 0 ||
                   to->add(to, WRSIM_INDICATOR, &z) < 0 || to->add(to, WRSIM_DISCRETE, &n) < 0
               ? -1
               : 0;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    return act(self, IN_INIT, (double)INFINITY);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    ret_dx[0] = -at->x[0];
    return act(self, IN_RHS, at->t_s);
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    ret_y[0] = at->x[0] + 1.0;
    return act(self, IN_OUTPUT, at->t_s);
}

static int algebra(wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    ret_w[0] = at->x[0];
    return act(self, IN_ALGEBRA, at->t_s);
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = sin(20.0 * at->t_s + 1.0);
    return act(self, IN_INDICATOR, at->t_s);
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)what, (void)x;
    d[0] += 1.0;
    return act(self, IN_EVENT, at->t_s);
}

static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    act(self, IN_NEXT_TIME, at->t_s);
    return (floor(at->t_s * 16.0) + 1.0) / 16.0;
}

static int step_completed(wrsim_instance *self, const wrsim_point *at)
{
    return act(self, IN_STEP, at->t_s);
}

static void done(wrsim_instance *self) { act(self, IN_DONE, (double)INFINITY); }

static const wrsim_variable params[] = {[PARAM_DEED] = {.name = "deed", .choices = deeds},
                                        [PARAM_IN] = {.name = "in", .choices = callbacks},
                                        [PARAM_TIME] = {.name = "time", .unit = "s", .start = 0.5},
                                        [PARAM_RETURN] = {.name = "returned", .start = -7.0}};

static const wrsim_model model = {.abi = WRSIM_MODEL_ABI,
                                  .struct_size = sizeof(wrsim_model),
                                  .name = "hostile.deed",
                                  .description = "does one thing that it should not",
                                  .n_param = 4,
                                  .params = params,
                                  .describe = describe,
                                  .init = init,
                                  .rhs = rhs,
                                  .output = output,
                                  .algebra = algebra,
                                  .indicator = indicator,
                                  .event = event,
                                  .next_time = next_time,
                                  .step_completed = step_completed,
                                  .done = done};

PLUGIN(&model)

/* Variants of this plug-in with a fault while the program loads or unloads the plug-in. */
#ifdef WR_HOSTILE_LOAD
__attribute__((constructor)) static void load(void) { do_deed(WR_HOSTILE_LOAD); }
#endif
#ifdef WR_HOSTILE_UNLOAD
__attribute__((destructor)) static void unload(void) { do_deed(WR_HOSTILE_UNLOAD); }
#endif
