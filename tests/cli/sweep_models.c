/* A plug-in for tests of `wrsim sweep`. The state of "sweep.ending" decays. After t = 0.5 s the model ends its process in the way of the
 * parameter `how` (1 to 5; 0: never). With how = 6 the model only prints. The state of "sweep.waiting" decays, too. Each right-hand side
 * pauses until a file "haste" or "haste_N" exists, N being the parameter `number`.
 *
 * Thread: one at a time per instance. Real-time: no.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/harness/wr_model.h"
#include "wrsim/model.h"

enum { P_HOW, N_PARAM };
enum { GOES_ON, EXITS, ABORTS, IS_KILLED, IS_STOPPED, EXITS_AS_STOPPED, PRINTS };

static const wrsim_variable params[] = {
    {.name = "how",
     .unit = "1",
     .description =
         "1 exit(0), 2 abort(), 3 SIGKILL, 4 SIGTERM, 5 exit_group(130), 6 puts() always",
     .min = 0.0,
     .max = 6.0,
     .flags = WRSIM_INTEGER}};
static const wrsim_variable state = {
    .name = "x", .unit = "1", .description = "decays", .start = 1.0, .nominal = 1.0};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_STATE, &state);
}

RHS(rhs)
{
    const int how = at->t_s > 0.5 ? (int)self->param[P_HOW] : GOES_ON;
    if (how == EXITS)
        exit(0);
    if (how == ABORTS)
        abort();
    if (how == IS_KILLED)
        raise(SIGKILL);
    if (how == IS_STOPPED)
        raise(SIGTERM);
    if (how == EXITS_AS_STOPPED)
        syscall(SYS_exit_group, 130); /* runs no handler of the program */
    if (self->param[P_HOW] == PRINTS)
        puts("by the way");
    ret_dx[0] = -at->x[0];
}

static const wrsim_model ending = {.abi = WRSIM_MODEL_ABI,
                                   .struct_size = sizeof(wrsim_model),
                                   .name = "sweep.ending",
                                   .description = "ends the process it runs in",
                                   .params = params,
                                   .n_param = N_PARAM,
                                   .describe = describe,
                                   .rhs = rhs};

static const wrsim_variable number_params[] = {{.name = "number",
                                                .unit = "1",
                                                .description = "of the run",
                                                .min = 0.0,
                                                .max = 1e6,
                                                .flags = WRSIM_INTEGER}};

RHS(waiting_rhs)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    char own[32];
    snprintf(own, sizeof own, "haste_%d", (int)self->param[0]);
    if (access("haste", F_OK) != 0 && access(own, F_OK) != 0)
        (void)nanosleep(&pause, NULL);
    ret_dx[0] = -at->x[0] / (1.0 + self->param[0]);
}

static const wrsim_model waiting = {.abi = WRSIM_MODEL_ABI,
                                    .struct_size = sizeof(wrsim_model),
                                    .name = "sweep.waiting",
                                    .description = "pauses until a file exists",
                                    .params = number_params,
                                    .n_param = 1,
                                    .describe = describe,
                                    .rhs = waiting_rhs};

PLUGIN(&ending, &waiting)
