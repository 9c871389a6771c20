/* The flag noSetFMUStatePriorToCurrentPoint of co-simulation steps, and a check of FMUs that repeat steps if the flag is false.
 *
 * The flag promises that the caller goes back to no state before the start of the step (FMI 2.0, section 4.2.2; FMI 3.0, section 4.2.1).
 * wrsim goes back to the start of the window, so the flag is true in the first step of a window, and false in the other steps.
 *
 * Some FMUs take false as a request to repeat the last step, as newStep in FMI 1.0, so a window advances by one step only. The check makes
 * both halves of a step with the flags of a window, goes back, makes the whole step, and goes back. If an output changes in the first half,
 * keeps its value in the second half, and changes farther in the whole step, the FMU repeats steps. The step has the length and the inputs
 * of the last step before the window, because outputs of some FMUs depend on the length of the step or on changes of inputs.
 *
 * The first check happens after a window of several steps. The check is repeated until the second half changes an output, and then each
 * time the number of windows has doubled. While the outputs do not change from window to window, the FMU is at rest. If then an input
 * changes, the check uses the new inputs at the start of the window, at most WR_CS_REPEAT_RESTS times.
 *
 * Thread: as callbacks in wrsim/model.h. Real-time: as the FMU allows.
 */
#ifndef WR_CS_REPEAT_H
#define WR_CS_REPEAT_H

#include "wrsim/model.h"

enum {
    WR_CS_REPEAT_ARRAYS = 5, /* arrays of outputs that the check needs */
    WR_CS_REPEAT_RESTS =
        16 /* most checks at rest, because an input may change in each step (assumed) */
};

typedef struct wr_cs_repeat {
    int n_input, n_output;
    double *u;        /* [n_input] inputs of the last step */
    double *y;        /* [WR_CS_REPEAT_ARRAYS][n_output] see cs_repeat.c */
    int64_t n_window; /* windows so far */
    int64_t n_next;   /* windows at the next check */
    int64_t n_step;   /* steps since the start of the window */
    double last_s;    /* length of the last step */
    double start_s;   /* start of the window */
    int is_new;       /* 1: the window has no integration yet */
    int has_start;    /* 1: the FMU can step from the start of the window */
    int n_rest;       /* checks at rest */
    int has_false;    /* 1: a step has had the flag false */
    int has_failed;   /* 1: the FMU repeats steps, so all further steps fail */
} wr_cs_repeat;

/* Slots of kept states: the start of the window, and the present state during a check. */
enum { WR_CS_REPEAT_START, WR_CS_REPEAT_PRESENT };
/* Calls of the FMU. Each returns 0, or a value other than 0 that a callback of the model returns. */
typedef struct wr_cs_repeat_calls {
    /* Makes a step with the present inputs. Returns a value other than 0 also for an event and for an early return. */
    int (*make)(wrsim_instance *, double t_s, double end_s, int may_forget);
    int (*read)(wrsim_instance *, double *ret_y);
    int (*set_inputs)(wrsim_instance *, const double *u);
    int (*go_back)(wrsim_instance *, int slot); /* WR_CS_REPEAT_START: to the start of the window */
    int (*keep)(wrsim_instance *, int slot);
    void (*forget)(wrsim_instance *, int slot);
} wr_cs_repeat_calls;

/* The FMU is at the start of a window. is_new: the window begins; 0: wrsim has gone back. */
void wr_cs_repeat_enter(wr_cs_repeat *repeat, int is_new);
/* Returns the flag of the next step. */
static inline int wr_cs_repeat_may_forget(const wr_cs_repeat *repeat)
{
    return repeat->n_step == 0;
}
/* Before a step of a started FMU: checks the FMU if a check is due. */
int wr_cs_repeat_begin_step(wrsim_instance *self, wr_cs_repeat *repeat,
                            const wr_cs_repeat_calls *calls, const wrsim_step *step);
/* After a step. length_s: 0 if the step has ended early, so that the next window has no check. */
static inline void wr_cs_repeat_end_step(wr_cs_repeat *repeat, double length_s)
{
    repeat->n_step++;
    repeat->last_s = length_s;
}

#endif
