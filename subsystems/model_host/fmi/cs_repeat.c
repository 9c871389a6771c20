/* Checks that an FMU does not repeat steps. See cs_repeat.h. Thread: as cs_repeat.h. Real-time: as the FMU allows. */
#include "subsystems/model_host/fmi/cs_repeat.h"

#include <math.h>
#include <string.h>

/* Outputs: at the start of the window, after each half, after the whole step, and at the start of the last window. */
enum { START, FIRST_HALF, SECOND_HALF, WHOLE, LAST, N_ARRAY };
_Static_assert((int)N_ARRAY == (int)WR_CS_REPEAT_ARRAYS, "the header has the number");

/* Largest change of an output that keeps its value, relative to the change in the first half (assumed, for rounding). */
static const double ROUNDING = 1e-6;
/* Least change in the whole step, relative to the change in the first half, of an FMU that repeats steps (assumed). The ratio is about 2 at
 * slow motion, and 1 if the FMU reaches an equilibrium in the first half. */
static const double FARTHER = 1.25;

static double value(const wr_cs_repeat *r, int a, int i)
{
    return r->y[(size_t)a * (size_t)r->n_output + (size_t)i];
}

void wr_cs_repeat_enter(wr_cs_repeat *repeat, int is_new)
{
    repeat->n_window += is_new;
    repeat->n_step = 0;
    repeat->is_new = is_new;
    repeat->has_start = 0;
}

/* Returns whether outputs have changed since the start of the last window, and stores the outputs. */
static int have_outputs_changed(wr_cs_repeat *r)
{
    int has_changed = 0;
    for (int i = 0; i < r->n_output; i++)
        has_changed |=
            value(r, START, i) < value(r, LAST, i) || value(r, START, i) > value(r, LAST, i);
    memcpy(r->y + LAST * (size_t)r->n_output, r->y, (size_t)r->n_output * sizeof *r->y);
    return has_changed;
}

/* Makes n equal steps, stores the outputs after each of them, and goes back. Returns 0, or another value if the FMU cannot go back.
 * *ret_is_done: 1 if all steps succeed. */
static int make_pass(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                     const double *u, int n, int *ret_is_done)
{
    double *y = r->y + (n == 1 ? WHOLE : FIRST_HALF) * (size_t)r->n_output;
    double t_s = r->start_s;
    int rc = u ? calls->set_inputs(self, u) : 0;
    for (int k = 1; rc == 0 && k <= n; k++) {
        const double end_s = r->start_s + r->last_s * k / n;
        rc = calls->make(self, t_s, end_s, k == 1);
        if (rc == 0)
            rc = calls->read(self, y);
        y += r->n_output;
        t_s = end_s;
    }
    *ret_is_done = rc == 0;
    self->message = NULL; /* of a step that fails */
    return calls->go_back(self, WR_CS_REPEAT_START);
}

/* Checks the FMU at the start of the window. u: new inputs; NULL: the inputs of the last step. */
static int check(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                 const double *u)
{
    int is_done, rc = make_pass(self, r, calls, u, 2, &is_done);
    if (rc == 0 && is_done)
        rc = make_pass(self, r, calls, u, 1, &is_done);
    for (int i = 0; rc == 0 && is_done && i < r->n_output; i++) {
        const double first = value(r, FIRST_HALF, i) - value(r, START, i);
        const double second = value(r, SECOND_HALF, i) - value(r, FIRST_HALF, i);
        const double whole = value(r, WHOLE, i) - value(r, START, i);
        if (fabs(second) > ROUNDING * fabs(first))
            r->n_next = 2 * r->n_window;
        else
            r->has_failed |= whole * first > FARTHER * first * first;
    }
    return rc;
}

/* Checks the FMU with new inputs, if no output changes with the inputs of the last step. Returns to the present state. */
static int check_at_rest(wrsim_instance *self, wr_cs_repeat *r, const wr_cs_repeat_calls *calls,
                         const double *u)
{
    int is_at_rest = 0;
    int rc = calls->keep(self, WR_CS_REPEAT_PRESENT);
    if (rc == 0)
        rc = calls->go_back(self, WR_CS_REPEAT_START);
    if (rc == 0)
        rc = calls->read(self, r->y);
    if (rc == 0)
        rc = make_pass(self, r, calls, NULL, 2, &is_at_rest);
    for (int i = 0; i < r->n_output; i++)
        is_at_rest = is_at_rest && !(fabs(value(r, FIRST_HALF, i) - value(r, START, i)) > 0.0) &&
                     !(fabs(value(r, SECOND_HALF, i) - value(r, START, i)) > 0.0);
    if (rc == 0 && is_at_rest)
        rc = check(self, r, calls, u);
    if (rc == 0)
        rc = calls->go_back(self, WR_CS_REPEAT_PRESENT);
    calls->forget(self, WR_CS_REPEAT_PRESENT);
    r->n_rest++;
    return rc;
}

static int have_inputs_changed(const wr_cs_repeat *r, const double *u)
{
    int has_changed = 0;
    for (int i = 0; i < r->n_input; i++)
        has_changed |= u[i] < r->u[i] || u[i] > r->u[i];
    return has_changed;
}

int wr_cs_repeat_begin_step(wrsim_instance *self, wr_cs_repeat *repeat,
                            const wr_cs_repeat_calls *calls, const wrsim_step *step)
{
    wr_cs_repeat *const r = repeat;
    int rc = 0;
    r->has_false |= r->n_step == 1;
    if (r->n_step == 0) {
        r->has_start = 1;
        r->start_s = step->t_s;
    }
    /* A step that ends after this step could end after the run. */
    const int is_possible = r->has_start && r->has_false && !r->has_failed && r->last_s > 0.0 &&
                            r->start_s + r->last_s * (1.0 - ROUNDING) <= step->end_s;
    if (is_possible && r->is_new && r->n_step == 0 && r->n_window >= r->n_next) {
        rc = calls->read(self, r->y);
        if (rc == 0 && have_outputs_changed(r))
            rc = check(self, r, calls, NULL);
    }
    if (rc == 0 && is_possible && r->n_next == 0 && r->n_rest < WR_CS_REPEAT_RESTS &&
        have_inputs_changed(r, step->u))
        rc = check_at_rest(self, r, calls, step->u);
    r->is_new = 0;
    memcpy(r->u, step->u, (size_t)r->n_input * sizeof *r->u);
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
