/* Start values of all subsystems. See start_events.h. Thread: one owner. Real-time: no (setup). */
#include "runtime/relax/start_events.h"

#include "base/diag.h"

/* Fills err if subsystem i has failed. */
static wrsim_status checked(const wr_start_events *a, int i, wrsim_status status, wrsim_error *err)
{
    if (status < 0)
        wr_subsystem_fault_text(a->part[i].subsystem, err);
    return status;
}

/* Finds modes that agree with their indicators. If the modes still change after max_event_iterations + 1 updates, initial events settle
 * the modes. */
static wrsim_status find_modes(const wr_start_events *a, wr_start *start, wrsim_error *err)
{
    for (int iteration = 0, n_changed = 1; n_changed > 0 && iteration <= a->max_event_iterations;
         iteration++) {
        n_changed = 0;
        WR_TRY(wr_start_propagate(start, WR_START_INDICATORS, err));
        for (int i = 0; i < a->n_part; i++) {
            int n = 0;
            const wrsim_status status =
                wr_subsystem_find_modes(a->part[i].subsystem, wr_start_inputs(start, i), &n);
            WR_TRY(checked(a, i, status, err));
            n_changed += n;
        }
    }
    return WRSIM_OK;
}

/* Computes start values by init_from_inputs(), until no value changes. Finds the modes for the new values. On return all published signals
 * are known. */
static wrsim_status init_from_inputs(const wr_start_events *a, wr_start *start, wrsim_error *err)
{
    for (int iteration = 0, i_changed = 0; i_changed >= 0; iteration++) {
        i_changed = -1;
        WR_TRY(wr_start_propagate(start, WR_START_ALL, err));
        for (int i = 0; i < a->n_part; i++) {
            int has_changed = 0;
            const wrsim_status status = wr_subsystem_init_from_inputs(
                a->part[i].subsystem, wr_start_inputs(start, i), &has_changed);
            WR_TRY(checked(a, i, status, err));
            i_changed = has_changed ? i : i_changed;
        }
        if (i_changed >= 0 && iteration > a->max_event_iterations + a->n_part)
            return wr_error_set(err, WRSIM_E_CONTRACT,
                                "at the start the values of init_from_inputs() in '%s' do not "
                                "settle after %d calls; compute values that depend on one another "
                                "in one component",
                                a->part[i_changed].subsystem->name, iteration);
        if (i_changed >= 0)
            WR_TRY(find_modes(a, start, err));
    }
    return WRSIM_OK;
}

static wrsim_status observe_values(const wr_start_events *a, const wr_start *start,
                                   wrsim_error *err)
{
    for (const wr_observer *o = a->observer; o; o = o->next)
        for (int i = 0; o->start && i < a->n_part; i++) {
            const wrsim_status status = o->start(o->context, i, wr_start_outputs(start, i));
            if (status < 0)
                return wr_error_set(err, status,
                                    "the values published at the start cannot be recorded: %s; "
                                    "check the output files",
                                    wrsim_status_text(status));
        }
    return WRSIM_OK;
}

/* Updates modes after a round until no mode changes. *n_flip counts the changed modes. */
static wrsim_status follow_all(const wr_start_events *a, wr_start *start, int *n_flip,
                               wrsim_error *err)
{
    *n_flip = 0;
    for (int n_changed = 1, iteration = 0; n_changed > 0; iteration++) {
        n_changed = 0;
        WR_TRY(wr_start_propagate(start, WR_START_ALL, err));
        for (int i = 0; i < a->n_part; i++) {
            int n = 0;
            const wrsim_status status =
                wr_subsystem_follow(a->part[i].subsystem, wr_start_inputs(start, i), &n);
            WR_TRY(checked(a, i, status, err));
            n_changed += n;
        }
        *n_flip += n_changed;
        if (n_changed > 0 && iteration > a->max_event_iterations)
            return wr_error_set(err, WRSIM_E_CHATTER,
                                "at the start the modes of several subsystems change one another "
                                "without end; give their indicators hysteresis, or put the "
                                "subsystems into one");
    }
    return WRSIM_OK;
}

/* Returns whether the events of subsystem i wait for a further round. Then the subsystem reads a stale signal of another subsystem, and
 * publishes no stale signal. */
static int waits(const wr_start_events *a, int i)
{
    const wr_wiring *const part = &a->part[i];
    const wr_subsystem *const s = part->subsystem;
    int any = 0;
    for (int j = 0; j < s->n_external && !any; j++)
        any = wr_subsystem_is_stale(a->part[part->producer[s->external_source[j]]].subsystem,
                                    s->external_signal[j]);
    for (int k = 0; k < s->n_published && any; k++)
        any = !wr_subsystem_is_stale(s, k);
    return any;
}

wrsim_status wr_start_events_find(const wr_start_events *a, wr_start *start, wrsim_error *err)
{
    for (int i = 0; i < a->n_part; i++)
        WR_TRY(checked(a, i, wr_subsystem_begin(a->part[i].subsystem), err));
    WR_TRY(find_modes(a, start, err));
    WR_TRY(init_from_inputs(a, start, err));
    /* Rounds of the first instant: initial events, then all events that follow. Each subsystem limits its rounds. */
    for (int round = 0, n_due = 1; n_due > 0; round++) {
        int n_flip;
        WR_TRY(observe_values(a, start, err));
        n_due = 0; /* time events that are due in the next round, and changed modes */
        for (int i = 0; i < a->n_part; i++) {
            wr_subsystem *const s = a->part[i].subsystem;
            int n = 0;
            if (round > 0 && round <= a->max_event_iterations && waits(a, i)) {
                n_due++;
                continue;
            }
            const wrsim_status status =
                round == 0 ? wr_subsystem_fire_initial(s, wr_start_inputs(start, i), &n)
                           : wr_subsystem_fire_next(s, &n);
            WR_TRY(checked(a, i, status, err));
            n_due += n;
        }
        WR_TRY(follow_all(a, start, &n_flip, err));
        n_due += n_flip;
    }
    return WRSIM_OK;
}
