/* Finds the time of a fault, and writes its text. See subsystem.h.
 *
 * The integrator finds a value that is not finite at the end or in a stage of a step. So the time of the fault depends on steps and
 * windows. The time of a fault by too many events also depends on steps and windows. Before a run ends with such a fault, the search halves
 * the window. The time of the fault then has the tolerance of event times, or an error of WR_FAULT_SHARE communication steps.
 *
 * Thread: one at a time. Real-time: all but wr_ode_fault_text().
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "subsystems/event_log.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/stall_diagnosis.h"

/* ---- time of the fault ---- */

/* Returns whether the time of the fault depends on the steps. The search leaves other faults as they are. */
static int is_of_a_point(const wr_fault *fault)
{
    return fault->status == WRSIM_E_NAN || fault->status == WRSIM_E_CALLBACK ||
           fault->status == WRSIM_E_LOOP || fault->status == WRSIM_E_CHATTER;
}

/* Restores the start of the window. In a run of one subsystem, the function then advances to the end of the last step without a fault, and
 * keeps the rows. The search for the fault's time starts at the reached time. */
static void go_to_last_step(wr_subsystem *s, double tolerance_factor)
{
    const wr_pause *const pause = s->pause, part = {.n_step = wr_ode_n_made(s)};
    wr_ode_restore(s);
    s->n_row = 0;
    if (s->log)
        wr_event_log_clear(s->log);
    if (!pause || part.n_step == 0)
        return;
    s->pause = &part;
    if (wr_ode_advance(s, wr_ode_window_end(s), tolerance_factor) < 0) {
        wr_ode_restore(s); /* unexpected: the same steps succeeded before */
        s->n_row = 0;
        if (s->log)
            wr_event_log_clear(s->log);
    }
    s->pause = pause;
    wr_ode_save(s);
}

double wr_ode_close_in(wr_subsystem *s, double tolerance_factor)
{
    wr_fault fault = s->fault;
    if (!is_of_a_point(&fault) || (s->flags & WR_SUBSYSTEM_CANNOT_RESTORE)) {
        wr_ode_blame(s);
        return s->t_s;
    }
    const wr_subsystem_stats stats = s->stats;
    const wr_integ_stats integ_stats = wr_ode_of(s)->integrator
                                           ? *wr_integrator_stats(wr_ode_of(s)->integrator)
                                           : (wr_integ_stats){.n_step = 0};
    const wrsim_observer *const observer = s->observer;
    s->observer = NULL;
    go_to_last_step(s, tolerance_factor);
    wr_ode_of(s)->window->n_row_kept = s->n_row;
    if (s->log)
        s->log->n_kept = s->log->n;
    const wr_pause *const pause = s->pause, whole = {.n_step = 0};
    s->pause = pause ? &whole : NULL;
    const double start_s = s->t_s,
                 tolerance_s = wr_ode_fixed_tolerance(s) > 0.0
                                   ? wr_ode_fixed_tolerance(s)
                                   : WR_FAULT_SHARE * wr_ode_communication_step(s);
    double sound_s = start_s, faulty_s = fault.t_s;
    while (is_of_a_point(&fault) && faulty_s - sound_s > tolerance_s) {
        const double middle_s = sound_s + 0.5 * (faulty_s - sound_s);
        if (wr_time_close(middle_s, sound_s) || wr_time_close(middle_s, faulty_s))
            break;
        const wrsim_status status = wr_ode_advance(s, middle_s, tolerance_factor);
        if (status < 0) {
            fault = s->fault;
            faulty_s = wr_min(middle_s, fault.t_s);
        } else
            sound_s = middle_s;
        wr_ode_restore(s);
    }
    /* Statistics and observer exclude the search for the time. */
    s->stats = stats;
    if (wr_ode_of(s)->integrator)
        *wr_integrator_stats(wr_ode_of(s)->integrator) = integ_stats;
    s->n_row = wr_ode_of(s)->window->n_row_kept;
    if (s->log)
        wr_event_log_clear(s->log);
    if (sound_s > start_s && wr_ode_advance(s, sound_s, tolerance_factor) < 0)
        wr_ode_restore(s); /* unexpected: the same steps succeeded before */
    s->pause = pause;
    s->observer = observer;
    wr_ode_of(s)->window->n_row_kept = 0;
    if (s->log)
        s->log->n_kept = 0;
    s->fault = fault;
    wr_ode_blame(s);
    return s->t_s;
}

/* ---- text of the fault ---- */

void wr_ode_fault_text(const wr_subsystem *s, wrsim_error *ret_err)
{
    const int is_time = s->fault.status == WRSIM_E_CHATTER && s->fault.kind == WRSIM_KIND_COUNT;
    if (s->fault.status == WRSIM_E_CHATTER && !is_time) {
        char names[320];
        const size_t text_bytes = sizeof names;
        const wr_group *const group = wr_ode_of(s)->group;
        size_t used = 0;
        names[0] = '\0';
        for (int c = 0; c < group->n_component; c++)
            for (int i = group->z_start[c]; i < group->z_start[c + 1]; i++) {
                if (wr_ode_fault_flips(s, i) == 0 || used + 1 >= text_bytes)
                    continue;
                const wr_component *const component = group->component[c];
                const int n =
                    snprintf(names + used, text_bytes - used, "%s'%s.%s'", used > 0 ? ", " : "",
                             component->name,
                             component->variable[WRSIM_INDICATOR][i - group->z_start[c]].name);
                used += n > 0 ? (size_t)n : 0;
            }
        const char *const message =
            s->fault.message ? s->fault.message : "events repeat without end";
        wr_error_set(
            ret_err, WRSIM_E_CHATTER,
            "%s at t = %.9g s (event indicators %s); give them hysteresis, or make "
            "the switched quantity continuous%s",
            message, s->fault.t_s, names,
            strstr(message, "chatter_time")
                ? ". For a fast model, lower simulation.chatter_time and simulation.event_tolerance"
                : "");
        ret_err->time_s = s->fault.t_s;
    } else
        wr_group_fault_text(wr_ode_of(s)->group, &s->fault, ret_err);
}
