/* Checks that an FMU does not repeat steps. See cs_repeat.h. Thread: as cs_repeat.h. Real-time: as the FMU allows. */
#include "subsystems/model_host/fmi/cs_repeat.h"

#include <math.h>
#include <string.h>

/* Outputs: at the start of the window, after the first and the second step with the flag false, after the step with the flag true, and at
 * the start of the last window. */
enum { START, FIRST_FALSE, SECOND_FALSE, IS_TRUE, LAST, N_ARRAY };
_Static_assert((int)N_ARRAY == (int)WR_CS_REPEAT_ARRAYS, "the header has the number");

/* Relative difference of two results that count as the same (assumed). FMUs choose their internal steps: a repeated step of Wheel, an FMU of
 * fmiCpp, deviates by 3e-5. */
static const double SAME = 1e-4;

static double *values(const wr_cs_repeat *r, int a)
{
    return r->y + (size_t)a * (size_t)r->n_output;
}

void wr_cs_repeat_enter(wr_cs_repeat *repeat, int is_new)
{
    repeat->n_window += is_new;
    repeat->n_step = 0;
    repeat->is_new = is_new;
}

/* Returns whether outputs have changed since the start of the last window, and stores the outputs. */
static int have_outputs_changed(wr_cs_repeat *r)
{
    int has_changed = 0;
    for (int i = 0; i < r->n_output; i++)
        has_changed |= fabs(values(r, START)[i] - values(r, LAST)[i]) > 0.0;
    memcpy(values(r, LAST), values(r, START), (size_t)r->n_output * sizeof *r->y);
    return has_changed;
}

/* Makes the first n halves of a step, stores the outputs after each of them, and goes back. Returns 0, or another value if the FMU cannot go
 * back. *ret_is_done: 1 if all halves succeed. */
static int make_pass(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                     const wrsim_step *step, int n, int may_forget, int *ret_is_done)
{
    const double middle_s = step->t_s + (step->end_s - step->t_s) / 2.0;
    int rc = 0;
    for (int k = 0; rc == 0 && k < n; k++) {
        rc = calls->make(self, k ? middle_s : step->t_s, k ? step->end_s : middle_s, may_forget);
        if (rc == 0)
            rc = calls->read(self, values(r, may_forget ? IS_TRUE : FIRST_FALSE + k));
    }
    *ret_is_done = rc == 0;
    self->message = NULL; /* of a step that fails */
    return calls->go_back(self, 0);
}

/* Checks the FMU at the start of the window. The steps with the flag false come first, because a step with the flag true replaces the step
 * that an FMU repeats. */
static int check(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                 const wrsim_step *step)
{
    int is_done, rc = make_pass(self, r, calls, step, 2, 0, &is_done);
    if (rc == 0 && is_done)
        rc = make_pass(self, r, calls, step, 1, 1, &is_done);
    r->n_check++;
    for (int i = 0; rc == 0 && is_done && i < r->n_output; i++) {
        const double first = values(r, FIRST_FALSE)[i], right = values(r, IS_TRUE)[i];
        const double change = fabs(right - values(r, START)[i]);
        if (!(change > 0.0))
            continue;
        if (fabs(first - right) <= SAME * change)
            r->n_next = 2 * r->n_window;
        else
            r->has_failed |= fabs(values(r, SECOND_FALSE)[i] - first) <= SAME * fabs(first - right);
    }
    return rc;
}

int wr_cs_repeat_begin_step(wrsim_instance *self, wr_cs_repeat *repeat,
                            const wr_cs_repeat_calls *calls, const wrsim_step *step)
{
    wr_cs_repeat *const r = repeat;
    int rc = 0;
    r->has_false |= r->n_step == 1;
    if (r->is_new && r->n_step == 0 && r->has_false && r->n_window >= r->n_next &&
        r->n_check < WR_CS_REPEAT_CHECKS) {
        rc = calls->read(self, values(r, START));
        if (rc == 0 && have_outputs_changed(r))
            rc = check(self, r, calls, step);
    }
    r->is_new = 0;
    if (rc == 0 && r->has_failed) {
        self->message =
            "a step of the FMU repeats the last step if noSetFMUStatePriorToCurrentPoint is false, "
            "as windows of several steps need; set relaxation.window.control = \"fixed\" and "
            "relaxation.window.initial (scheme \"slack\": slack.period) to "
            "simulation.communication_step, or ask the maker of the FMU";
        rc = -1;
    }
    return rc;
}
