/* The flag noSetFMUStatePriorToCurrentPoint of co-simulation steps, and a check of FMUs that repeat steps if the flag is false.
 *
 * The flag promises that the caller goes back to no state before the start of the step (FMI 2.0, section 4.2.2; FMI 3.0, section 4.2.1).
 * wrsim goes back to the start of the window, so the flag is true in the first step of a window, and false in the other steps.
 *
 * Some FMUs take false as a request to repeat the last step, as newStep in FMI 1.0, so a window advances by one step only. The check makes
 * both halves of a step with the flag false, goes back, makes the first half with the flag true, and goes back. The flag must not change
 * results. If the second half keeps an output, and the half with the flag true has another result, the FMU repeats steps. The halves have
 * the inputs of the last step before the window.
 *
 * The check happens at the start of a window, if a window before has had several steps and an output has changed since the start of the
 * last window. After a check whose results agree the number of windows doubles until the next check. A run has at most WR_CS_REPEAT_CHECKS
 * checks. A check takes three steps, no copy of the state, and two returns. FMUs in event mode have no check, because a check may not run
 * across an event.
 *
 * Thread: as callbacks in wrsim/model.h. Real-time: as the FMU allows.
 */
#ifndef WR_CS_REPEAT_H
#define WR_CS_REPEAT_H

#include "wrsim/model.h"

enum {
    WR_CS_REPEAT_ARRAYS = 5,  /* arrays of outputs that the check needs */
    WR_CS_REPEAT_CHECKS = 16, /* most checks of a run (assumed) */
};

typedef struct wr_cs_repeat {
    int n_output;
    double *y;        /* [WR_CS_REPEAT_ARRAYS][n_output] see cs_repeat.c */
    int64_t n_window; /* windows so far */
    int64_t n_next;   /* windows at the next check */
    int64_t n_step;   /* steps since the start of the window */
    int n_check;      /* checks so far */
    int is_new;       /* 1: the window has no integration yet */
    int has_false;    /* 1: a step has had the flag false */
    int has_failed;   /* 1: the FMU repeats steps, so all further steps fail */
} wr_cs_repeat;

/* Calls of the FMU. Each returns 0, or a value other than 0 that a callback of the model returns. */
typedef struct wr_cs_repeat_calls {
    /* Makes a step with the present inputs. Returns a value other than 0 also for an event and for an early return. */
    int (*make)(wrsim_instance *, double t_s, double end_s, int may_forget);
    int (*read)(wrsim_instance *, double *ret_y);
    int (*go_back)(wrsim_instance *, int slot); /* slot 0: the start of the window */
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
static inline void wr_cs_repeat_end_step(wr_cs_repeat *repeat) { repeat->n_step++; }

#endif
