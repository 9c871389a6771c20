/* Checks that an FMU does not stand still. See cs_repeat.h. Thread: as cs_repeat.h. Real-time: as the FMU allows. */
#include "subsystems/model_host/fmi/cs_repeat.h"

#include <math.h>
#include <string.h>

/* Outputs: at the start, after each quarter, after the whole step, and at the start of the last window with a check. */
enum { START, QUARTER, WHOLE = QUARTER + 4, LAST, N_ARRAY };
_Static_assert((int)N_ARRAY == (int)WR_CS_REPEAT_ARRAYS, "the header has the number");

/* Largest change of an output that stands still, relative to the change in the first quarter (assumed, for rounding). */
static const double ROUNDING = 1e-6;
/* Least distance of an FMU that stands still from the end of the whole step, relative to the change in this step. An FMU that repeats the
 * first or the second quarter lacks about 3/4 or 1/2. A fast FMU that reaches its equilibrium in a quarter lacks nothing. */
static const double DISTANCE = 0.25;

static double change(const wr_cs_repeat *r, int a, int b, int i)
{
    return fabs(r->y[(size_t)a * (size_t)r->n_output + (size_t)i] -
                r->y[(size_t)b * (size_t)r->n_output + (size_t)i]);
}

void wr_cs_repeat_enter(wr_cs_repeat *repeat, int is_new)
{
    repeat->n_window += is_new;
    repeat->n_step = 0;
}

/* Returns whether a check is due, and stores the outputs at the start of the window. */
static int is_due(wr_cs_repeat *r)
{
    const int64_t n = r->n_window;
    int has_changed = 0;
    for (int i = 0; i < r->n_output; i++)
        has_changed |= change(r, START, LAST, i) > 0.0;
    memcpy(r->y + LAST * (size_t)r->n_output, r->y, (size_t)r->n_output * sizeof *r->y);
    return has_changed && (!r->is_settled || (n & (n - 1)) == 0);
}

/* Makes the quarters or the whole step, and goes back. Returns 0, or < 0 if the FMU cannot go back. *ret_is_done: 1 if all steps succeed. */
static int make_pass(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                     const wrsim_step *step, int n, int *ret_is_done)
{
    double *y = r->y + (n == 1 ? WHOLE : QUARTER) * (size_t)r->n_output;
    int rc = calls->set_inputs(self, step->u);
    double t_s = step->t_s;
    for (int k = 1; rc == 0 && k <= n; k++) {
        const double end_s = k == n ? step->end_s : step->t_s + (step->end_s - step->t_s) * k / n;
        rc = calls->make(self, t_s, end_s, k == 1);
        if (rc == 0)
            rc = calls->read(self, y);
        y += r->n_output;
        t_s = end_s;
    }
    *ret_is_done = rc == 0;
    self->message = NULL; /* of a step that fails */
    return calls->go_back(self);
}

static int stands_still(const wr_cs_repeat *r, int i)
{
    const double first = change(r, QUARTER, START, i);
    return first > 0.0 && change(r, QUARTER + 2, QUARTER + 1, i) <= ROUNDING * first &&
           change(r, QUARTER + 3, QUARTER + 2, i) <= ROUNDING * first &&
           change(r, WHOLE, QUARTER + 3, i) > DISTANCE * change(r, WHOLE, START, i);
}

static int check(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                 const wrsim_step *step)
{
    int is_done, rc = make_pass(self, r, calls, step, 4, &is_done);
    if (rc == 0 && is_done)
        rc = make_pass(self, r, calls, step, 1, &is_done);
    if (rc || !is_done)
        return rc;
    for (int i = 0; i < r->n_output; i++) {
        r->has_failed |= stands_still(r, i);
        r->is_settled |= change(r, QUARTER + 3, QUARTER + 1, i) > 0.0;
    }
    return 0;
}

int wr_cs_repeat_begin_step(wrsim_instance *self, wr_cs_repeat *repeat,
                            const wr_cs_repeat_calls *calls, const wrsim_step *step)
{
    wr_cs_repeat *const r = repeat;
    int rc = 0;
    r->has_false |= r->n_step == 1;
    if (r->n_step == 0 && r->has_false && !r->has_failed) {
        rc = calls->read(self, r->y);
        if (rc == 0 && is_due(r))
            rc = check(self, r, calls, step);
    }
    if (rc == 0 && r->has_failed) {
        self->message =
            "a step of the FMU repeats the last step if noSetFMUStatePriorToCurrentPoint is false, "
            "as windows of several steps need; set relaxation.window.control = \"fixed\" and "
            "relaxation.window.initial to simulation.communication_step, or ask the maker of the "
            "FMU";
        rc = -1;
    }
    return rc;
}
