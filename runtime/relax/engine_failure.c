/* Failures of windows that do not contract. See engine_failure.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_failure.h"

#include <stdio.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_parts.h"
#include "runtime/relax/engine_progress.h"

double wr_engine_worst_coupling(const wr_engine *e, int *ret_part, int *ret_signal)
{
    double worst = 0.0;
    *ret_part = *ret_signal = -1;
    for (int i = 0; i < e->n; i++) {
        const double *const delta = wr_record_delta(&e->record[i], e->value[i]);
        for (int j = 0; j < e->record[i].n_signal; j++)
            if (delta[j] > worst) {
                worst = delta[j];
                *ret_part = i;
                *ret_signal = j;
            }
    }
    return worst;
}

/* A window may be kept open by events and jumps alone, or by a check of them (engine_causes.c). */
static int find_unsettled(const wr_engine *e)
{
    int i_missed = -1;
    for (int i = e->n - 1; i >= 0; i--) {
        if (e->window->n_refuted > 0 && e->record[i].is_refuted)
            return i;
        if (e->record[i].has_missed)
            i_missed = i;
    }
    return i_missed;
}

static void set_unsettled(wr_engine *e, int i)
{
    const char *const name = e->net->node[i].name;
    if (e->record[i].parts_instant) {
        wr_error_set(
            &e->control->failure, WRSIM_E_CONTRACT,
            "an event of '%s' belongs to an instant that the end of a window of %.3g s divides, "
            "and "
            "the window cannot be shorter; put the subsystems whose events answer one another "
            "into one, or lower relaxation.window.min",
            name, e->window->length_s);
        return;
    }
    wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                 "relaxation does not settle: after %d sweeps of a window of %.3g s the events of "
                 "'%s' and the jumps of its inputs still come in another order or number; put the "
                 "subsystems whose events answer one another into one, or lower "
                 "relaxation.window.min",
                 e->sweep->i, e->window->length_s, name);
}

/* Is there a solver with fixed steps? Unstable steps do not contract either. */
static int has_fixed_steps(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->net->node[i].n_x > 0 && !(e->net->node[i].flags & WR_SUBSYSTEM_HAS_TOLERANCE))
            return 1;
    return 0;
}

/* The effect of a change on its readers counts: a small change of a signal may have a large effect. */
static void set_slow(wr_engine *e, const char *signal, double delta)
{
    char contraction[48] = ""; /* of accelerated sweeps it says nothing */
    if (e->contraction->now > 0.0)
        snprintf(contraction, sizeof contraction, " (contraction %.2f per sweep)",
                 e->contraction->now);
    wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                 "relaxation does not contract: after %d sweeps of a window of %.3g s '%s' still "
                 "changes by %.3g tolerances%s%s; put it and what it drives into one subsystem, "
                 "%slower relaxation.window.min, or %s",
                 e->sweep->i, e->window->length_s, signal, delta, contraction,
                 delta < 1.0 ? ", and what it drives by more" : "",
                 has_fixed_steps(e) ? "ask wrsim stability whether its steps are stable, " : "",
                 e->mix->method ? "raise relaxation.max_sweeps"
                                : "set relaxation.acceleration = \"anderson\"");
}

void wr_engine_set_contract_failure(wr_engine *e)
{
    int i_part, i_signal;
    const double delta = wr_engine_worst_coupling(e, &i_part, &i_signal);
    const int is_slow = delta > e->options.convergence && e->window->n_refuted == 0;
    const int i_unsettled = is_slow ? -1 : find_unsettled(e);
    if (i_unsettled >= 0)
        i_part = i_unsettled;
    const wr_net_node *const worst = i_part >= 0 ? &e->net->node[i_part] : NULL;
    if (i_unsettled >= 0)
        set_unsettled(e, i_unsettled);
    else
        set_slow(e, worst ? worst->signal_name[i_signal] : "?", delta);
    e->control->failure.time_s = e->window->t_s;
    if (worst)
        snprintf(e->control->failure.subsystem, sizeof e->control->failure.subsystem, "%s",
                 worst->name);
}
