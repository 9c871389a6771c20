/* The flag noSetFMUStatePriorToCurrentPoint of co-simulation steps, and a check of FMUs that stand still if the flag is false.
 *
 * The flag promises that the caller goes back to no state before the start of the step (FMI 2.0, section 4.2.2; FMI 3.0, section 4.2.1).
 * wrsim goes back to the start of the window, so the flag is true in the first step of a window, and false in the other steps.
 *
 * Some FMUs take false as a request to repeat the last step, as newStep in FMI 1.0, so a window advances by one step only. The check makes
 * four quarters of a step with the flags of a window, goes back, makes the whole step, and goes back. If outputs change in the first
 * quarter, keep their values in the last two quarters, and have other values after the whole step, the FMU stands still.
 *
 * The first check happens after a window of several steps. The check is repeated until the last two quarters change an output, and then in
 * the windows 4, 8, 16 and so on. While the outputs do not change from window to window, there is no check.
 *
 * Thread: as callbacks in wrsim/model.h. Real-time: as the FMU allows.
 */
#ifndef WR_CS_REPEAT_H
#define WR_CS_REPEAT_H

#include "wrsim/model.h"

enum { WR_CS_REPEAT_ARRAYS = 7 /* arrays of outputs that the check needs */ };

typedef struct wr_cs_repeat {
    int n_output;
    double *y;        /* [WR_CS_REPEAT_ARRAYS][n_output] see cs_repeat.c */
    int64_t n_window; /* windows so far */
    int64_t n_step;   /* steps since the start of the window */
    int has_false;    /* 1: a step has had the flag false */
    int is_settled;   /* 1: a check has seen that outputs change */
    int has_failed;   /* 1: the FMU stands still, so all further steps fail */
} wr_cs_repeat;

/* Calls of the FMU. Each returns 0, or a value other than 0 that a callback of the model returns. */
typedef struct wr_cs_repeat_calls {
    int (*set_inputs)(wrsim_instance *, const double *u);
    /* Makes a step. Returns a value other than 0 also for an event and for an early return. */
    int (*make)(wrsim_instance *, double t_s, double end_s, int may_forget);
    int (*read)(wrsim_instance *, double *ret_y);
    int (*go_back)(wrsim_instance *); /* to the start of the window */
} wr_cs_repeat_calls;

/* The FMU is at the start of a window. is_new: the window begins; 0: wrsim has gone back. */
void wr_cs_repeat_enter(wr_cs_repeat *repeat, int is_new);
/* Returns the flag of the next step. */
static inline int wr_cs_repeat_may_forget(const wr_cs_repeat *repeat)
{
    return repeat->n_step == 0;
}
/* Before a step of a started FMU: checks the FMU if a check is due. The caller counts n_step after the step. */
int wr_cs_repeat_begin_step(wrsim_instance *self, wr_cs_repeat *repeat,
                            const wr_cs_repeat_calls *calls, const wrsim_step *step);

#endif
