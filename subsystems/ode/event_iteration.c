/* Fires the events of an instant until no event is due (event iteration; docs/METHODS.md, Hybrid models). See subsystem.h.
 *
 * A fired indicator keeps its new mode at this instant while |z| is within its band (wr_ode_band_of()). The sign of such a small value is
 * rounding. An event may reverse the motion while z is in the band (a bounce). Right after the event z then leaves the band to its old
 * side. If z returns within the same step, the step's end shows no sign change. So the search also covers the beginning of the first step
 * after such an event.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#include <math.h>
#include <string.h>

#include "subsystems/group/group_stale.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_log.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"

wrsim_status wr_ode_indicators_here(wr_subsystem *s)
{
    const wr_group_point point = wr_ode_point(s);
    s->stats.n_indicator_evaluation++;
    return wr_group_indicators_before_rhs(wr_ode_of(s)->group, &point, wr_ode_z(s)) != 0
               ? wr_ode_group_fault(s)
               : WRSIM_OK;
}

/* Counts the sign changes of each indicator, for the text of a chattering fault. */
static void count_flips(wr_subsystem *s, int is_new_streak)
{
    wr_ode *const work = wr_ode_of(s);
    if (is_new_streak)
        memset(work->instant->streak_flips, 0,
               (size_t)work->group->n_z * sizeof *work->instant->streak_flips);
    for (int k = 0; k < work->instant->n_fired; k++)
        work->instant->streak_flips[work->instant->fired_index[k]]++;
}

/* Factor on simulation.max_stuck_events for stops at state or time events. If simulation.chatter_time is "auto", the subsystem counts these
 * stops within at least DENSE_SHARE of the run (both assumed). A run at the default limit throughout would have 3e10 stops. */
enum { EVENTS_OF_ALL_KINDS = 100 };
static const double DENSE_SHARE = 3e-7;

/* Automatic time in which more than simulation.max_stuck_events stops at state events are chattering, in event_tolerance, or in
 * wr_ode_least_time() if longer (assumed). Shorter and shorter bounces end with one event per one to four tolerances (ode_step.c), which
 * gives at least 250 events. */
enum { CHATTER_TOLERANCES = 1000 };

static double chatter_time(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->instant->chatter_time_s > 0.0
               ? work->instant->chatter_time_s
               : CHATTER_TOLERANCES * wr_max(wr_ode_fixed_tolerance(s), wr_ode_least_time(s->t_s));
}

static wrsim_status chatter_fault(wr_subsystem *s, const char *message)
{
    const wr_group *const group = wr_ode_of(s)->group;
    int worst = 0;
    for (int i = 1; i < group->n_z; i++)
        if (wr_ode_of(s)->instant->streak_flips[i] > wr_ode_of(s)->instant->streak_flips[worst])
            worst = i;
    const int c = group->owner_z[worst];
    s->fault = (wr_fault){.status = WRSIM_E_CHATTER,
                          .t_s = s->t_s,
                          .i_component = c,
                          .kind = WRSIM_INDICATOR,
                          .i_variable = worst - group->z_start[c],
                          .message = message};
    memcpy(wr_ode_of(s)->instant->fault_flips, wr_ode_of(s)->instant->streak_flips,
           (size_t)group->n_z * sizeof *wr_ode_of(s)->instant->fault_flips);
    return WRSIM_E_CHATTER;
}

/* An event stores values if the event has another result at a point PROBE_UNITS coupling tolerances away. Inputs move PROBE_INPUTS
 * times as far as states, so that the changes by inputs and states do not cancel (both assumed). */
static const double PROBE_UNITS = 30.0, PROBE_INPUTS = 1.7;
/* Change of the time in probe_event(), as a share of the window (assumed). */
static const double PROBE_TIME = 1e-3;

/* Repeats the event at a point moved by `units` tolerances. Returns 0 if the discrete states and the memory equal the event's results. */
static int probe_event(wr_subsystem *s, const wr_group_point *point, double units)
{
    wr_ode *const work = wr_ode_of(s);
    double *const x_moved = wr_scratch(s, WR_X_MOVED);
    wr_group *const group = work->group;
    const double part = units * wr_ode_coupling_rtol(s);
    for (int i = 0; i < group->n_x; i++)
        x_moved[i] = point->x[i] + part * wr_ode_size(s, point->x[i], group->nominal_x[i]);
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] =
            point->external[i] +
            PROBE_INPUTS * units * wr_ode_input_tolerance(s, i, point->external[i]);
    memcpy(wr_scratch(s, WR_D_PROBE), work->instant->d_before, (size_t)group->n_d * sizeof *s->d);
    wr_group_point moved = *point;
    moved.t_s += copysign(PROBE_TIME, units) * wr_ode_window_length(s);
    moved.x = x_moved;
    moved.external = wr_scratch(s, WR_EXTERNAL_MOVED);
    const wr_fault fault = group->fault;
    wr_ode_copy(wr_scratch(s, WR_X_STEP), x_moved, group->n_x);
    wr_ode_keep_memory(s);
    wr_ode_undo_event_memory(s);
    const int rc = wr_group_event(group, &moved, work->instant->fired, work->instant->due, 0,
                                  wr_scratch(s, WR_X_STEP), wr_scratch(s, WR_D_PROBE));
    const int is_other_memory = wr_ode_is_other_memory(s);
    wr_ode_take_back_memory(s);
    group->fault = fault;
    return rc != 0 || is_other_memory ||
           memcmp(wr_scratch(s, WR_D_PROBE), s->d, (size_t)group->n_d * sizeof *s->d) != 0;
}

/* Returns whether the last event stores values of inputs, states or time in discrete states or memory. Counters and flags do not count as
 * such values. The function returns 0 where no caller needs the result: without inputs, or after a state's change. Every event of a window
 * with stored values counts, because inputs act up to the last of these events (runtime/relax/sensitivity.h). */
static int has_stored(wr_subsystem *s, const wr_group_point *point)
{
    const wr_ode *const work = wr_ode_of(s);
    const size_t d_bytes = (size_t)work->group->n_d * sizeof *s->d;
    const int is_same_d = d_bytes == 0 || memcmp(work->instant->d_before, s->d, d_bytes) == 0;
    const int is_own = wr_group_has_own(work->group);
    if (s->n_external == 0 || work->instant->is_state_changed ||
        (is_same_d && !is_own && !wr_ode_has_changed_memory(s)))
        return 0;
    if (!wr_group_may_probe(work->group, work->instant->due))
        return 1;
    return probe_event(s, point, PROBE_UNITS) != 0 || probe_event(s, point, -PROBE_UNITS) != 0;
}

/* Returns an indicator of a due component with own modes whose sign differs from its mode, although its event is not in fired; -1: none. wrsim
 * takes such a sign for an error of the inputs, but the component would take it for a change. */
static int find_doubtful(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    for (int i = 0; i < group->n_z; i++)
        if (work->instant->due[group->owner_z[i]] != 0 &&
            wr_group_has_own_modes(group, group->owner_z[i]) && !work->instant->fired[i] &&
            (wr_ode_z(s)[i] > 0.0) != work->mode[i])
            return i;
    return -1;
}

/* Ends the run with a reason that concerns indicator i. Returns WRSIM_E_CONTRACT. */
static wrsim_status refuse_indicator(wr_subsystem *s, int i, const char *why)
{
    const wr_group *const group = wr_ode_of(s)->group;
    wr_ode_fault(s, WRSIM_E_CONTRACT, s->t_s, why);
    s->fault.i_component = group->owner_z[i];
    s->fault.kind = WRSIM_INDICATOR;
    s->fault.i_variable = i - group->z_start[group->owner_z[i]];
    return WRSIM_E_CONTRACT;
}

/* Fires the indicators in fired and the time events in due, in one round. */
static wrsim_status fire_once(wr_subsystem *s, int is_initial)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    for (int k = 0; k < work->instant->n_fired; k++) {
        const int i = work->instant->fired_index[k];
        work->mode[i] = work->instant->fired[i] > 0;
        if (!work->instant->has_fired[i])
            work->instant->has_fired_index[work->instant->n_has_fired++] = i;
        work->instant->has_fired[i] = 1;
        s->stats.n_active_indicator += !work->instant->has_ever_fired[i];
        work->instant->has_ever_fired[i] = 1;
        work->instant->due[work->group->owner_z[i]] |= WR_DUE_STATE;
        work->instant->n_flip_now++;
    }
    const int i_doubtful = wr_ode_is_firing_held(s) ? find_doubtful(s) : -1;
    if (i_doubtful >= 0) {
        return refuse_indicator(
            s, i_doubtful,
            "its model has no rollback, and this indicator is near zero at two events in "
            "succession, so errors of the inputs might cause a third event. Put its component and "
            "the components that it reads into one subsystem");
    }
    wr_ode_copy(wr_scratch(s, WR_X_BEFORE), s->x, group->n_x);
    wr_ode_copy(work->instant->d_before, s->d, group->n_d);
    wr_ode_begin_event_memory(s);
    const wr_group_point point = {.t_s = s->t_s,
                                  .x = wr_scratch(s, WR_X_BEFORE),
                                  .d = work->instant->d_before,
                                  .external = s->external,
                                  .mode = work->mode};
    s->stats.n_event_pass++;
    if (wr_group_event(group, &point, work->instant->fired, work->instant->due, is_initial, s->x,
                       s->d) != 0)
        return wr_ode_group_fault(s);
    const char *message;
    const int c = wr_group_ended_by(group, &message);
    if (c >= 0 && (!s->may_end || is_initial)) {
        wr_ode_fault(s, WRSIM_E_CALLBACK, s->t_s,
                     is_initial
                         ? "its initial event ends the run, so the run has no results; end "
                           "the run at a later event"
                         : "its event ends the run, but this run cannot end within a "
                           "window; set simulation.stop below this time, or use --monolithic");
        s->fault.i_component = c;
        return WRSIM_E_CALLBACK;
    }
    if (c >= 0 && !(s->end.t_s < (double)INFINITY))
        s->end = (wr_run_end){.t_s = s->t_s,
                              .i_component = c,
                              .is_final = wr_ode_is_firing_held(s),
                              .message = message};
    work->instant->is_state_changed |=
        group->n_x > 0 &&
        memcmp(wr_scratch(s, WR_X_BEFORE), s->x, (size_t)group->n_x * sizeof *s->x) != 0;
    work->instant->has_stored = work->instant->has_stored || is_initial || has_stored(s, &point);
    wr_ode_log_round(s);
    memset(work->instant->due, 0, (size_t)group->n_component);
    return WRSIM_OK;
}

/* Returns whether the changed sign of indicator i is only an error of the inputs. An event before a jump of its instant leaves the
 * indicator near zero. With errors of the waves, the jump may move the indicator back across zero. The function then widens the indicator's
 * band to its value. */
static int is_in_error(wr_subsystem *s, const double *moved, int i)
{
    wr_ode *const work = wr_ode_of(s);
    if (!moved || wr_ode_n_jump(s) == 0 || work->instant->n_round == 0 ||
        !wr_ode_is_within_reach(s, i))
        return 0;
    wr_ode_widen(s, i, fabs(wr_ode_z(s)[i]));
    return 1;
}

/* Where the modes change: between two rounds of an instant, or at the start of a window whose inputs have jumped. */
typedef enum wr_look { LOOK_BETWEEN_ROUNDS, LOOK_AT_START } wr_look;

/* Returns whether the changed sign of indicator i is rounding, so that the indicator keeps its mode. See flip_modes(). */
static int keeps_mode(wr_subsystem *s, wr_look when, const double *moved, int holds_band, int i)
{
    const wr_ode *const work = wr_ode_of(s);
    if (when == LOOK_AT_START)
        return wr_ode_is_in_band(s, i, wr_ode_z(s));
    return work->instant->has_fired[i] &&
           (holds_band || work->mode[i] == work->instant->mode_before[i]) &&
           (fabs(wr_ode_z(s)[i]) <= wr_ode_band_of(s, moved, i) || is_in_error(s, moved, i));
}

int wr_ode_mark_own_modes(wr_subsystem *s, const int *index, int n)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    wr_group_stale *const stale = group->stale;
    const size_t n_bytes = (size_t)group->n_component;
    int n_due = 0, n_held = 0;
    memset(stale->is_due, 0, n_bytes);
    memset(stale->is_held, 0, n_bytes);
    for (int k = 0; k < work->instant->n_fired + n; k++) {
        const int i = k < n ? index[k] : work->instant->fired_index[k - n];
        stale->is_due[group->owner_z[i]] = wr_group_has_own_modes(group, group->owner_z[i]);
    }
    if (wr_group_mark_stale(group, stale->is_due) == 0)
        return 0;
    for (int c = 0; c < group->n_component; c++) {
        stale->is_held[c] = stale->is_due[c] &&
                            wr_group_reads_stale(group, group->z_start[c], group->z_start[c + 1]);
        n_due += stale->is_due[c];
        n_held += stale->is_held[c];
    }
    if (n_held == n_due)
        memset(stale->is_held, 0, n_bytes);
    return n_due;
}

/* Removes from index[n] the indicators that wait for an event of a component with its own modes, and restores their modes. *n_silent:
 * number of modes that have changed without an event. Returns the number of remaining indicators. */
static int hold_stale(wr_subsystem *s, int *index, int n, int *n_silent)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_group_stale *const stale = group->stale;
    if (wr_ode_mark_own_modes(s, index, n) == 0)
        return n;
    int n_left = 0;
    for (int k = 0; k < n; k++) {
        const int c = group->owner_z[index[k]];
        if (!(stale->is_due[c] ? stale->is_held[c]
                               : wr_group_reads_stale(group, index[k], index[k] + 1)))
            index[n_left++] = index[k];
        else if (!stale->is_due[c])
            wr_group_stale_hold(group, index[k]);
    }
    for (int i = 0; i<group->n_z && * n_silent> 0; i++)
        if (work->mode[i] != stale->mode[i] && wr_group_reads_stale(group, i, i + 1)) {
            work->mode[i] = stale->mode[i];
            --*n_silent;
        }
    return n_left;
}

/* Sets the modes to the signs of the indicators, adds indicators with an event to fired, and returns the number of changed modes. An
 * indicator that fired at this instant, or at the end of the last window, and is within its band keeps its mode, because its sign is
 * rounding. If holds_band is 0, a mode that changed in this round may change again. The mode may belong to a branch that the models leave at
 * once. An indicator that reads a stale output keeps its mode until the event of the stale output (group_stale.h). */
static int flip_modes(wr_subsystem *s, wr_look when, const double *moved, int holds_band)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_instant *const at = work->instant;
    const int has_stale = work->group->stale != NULL;
    int *const index = wr_scratch_index(s);
    int n;
    if (has_stale)
        memcpy(work->group->stale->mode, work->mode, (size_t)work->group->n_z);
    int n_due = wr_ode_take_modes(s, index, &n);
    n_due = wr_ode_drop_carried(s, s->t_s, wr_ode_z(s), index, n_due);
    if (has_stale) {
        int n_kept = 0;
        for (int k = 0; k < n_due; k++)
            if (!keeps_mode(s, when, moved, holds_band, index[k]))
                index[n_kept++] = index[k];
        n_due = hold_stale(s, index, n_kept, &n);
    }
    for (int k = 0; k < n_due; k++) {
        const int i = index[k];
        if (!has_stale && keeps_mode(s, when, moved, holds_band, i))
            continue;
        work->mode[i] = wr_ode_z(s)[i] > 0.0;
        if (!at->fired[i])
            at->fired_index[at->n_fired++] = i;
        at->fired[i] = work->mode[i] ? 1 : -1;
        n++;
    }
    if (n == 0)
        return 0;
    int n_left = 0;
    for (int k = 0; k < at->n_fired; k++) {
        const int i = at->fired_index[k];
        if ((at->fired[i] > 0) == (work->mode[i] != 0) && work->mode[i] != at->mode_before[i])
            at->fired_index[n_left++] = i;
        else
            at->fired[i] = 0;
    }
    at->n_fired = n_left;
    wr_group_forget(work->group);
    return n;
}

/* Finds the next time events, and marks the due events. Returns the number of due events, or a negative number on a fault. */
static int find_times(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    const double next_time_s = wr_group_next_time(work->group, &point, work->instant->time_next);
    wr_ode_announce(s, next_time_s);
    if (isnan(next_time_s))
        return wr_ode_group_fault(s);
    int n = 0;
    for (int c = 0; c < work->group->n_component && wr_time_is_due(s->t_s, next_time_s); c++)
        if (wr_time_is_due(s->t_s, work->instant->time_next[c])) {
            work->instant->due[c] |= WR_DUE_TIME;
            n++;
        }
    return n;
}

/* Passes the jumps of inputs in a round. *ret_n_more: number of sources with later rounds. */
static void go_to_round(wr_subsystem *s, int round, int *ret_n_more)
{
    int n_moved;
    *ret_n_more = wr_ode_pass_jumps(s, round, &n_moved);
    if (n_moved == 0)
        return;
    wr_ode_read_inputs(s, s->t_s, s->external, wr_ode_needs_slopes(s));
    wr_ode_log_jumps(s, round);
    wr_group_forget(wr_ode_of(s)->group);
}

static int is_any_due(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    int any = work->instant->n_fired > 0;
    for (int c = 0; c < work->group->n_component && !any; c++)
        any = work->instant->due[c] != 0;
    return any;
}

void wr_ode_begin_instant(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    work->instant->n_flip_now = work->instant->n_round = 0;
    wr_ode_begin_rounds(s);
    work->instant->has_changed = work->instant->is_state_changed = work->instant->has_stored = 0;
    work->instant->instant_s = s->t_s;
    if (work->group->stale)
        wr_group_stale_begin(work->group);
    wr_ode_begin_instant_causes(s);
    for (int k = 0; k < work->instant->n_has_fired; k++)
        work->instant->has_fired[work->instant->has_fired_index[k]] = 0;
    work->instant->n_has_fired = 0;
}

int wr_ode_fire_round(wr_subsystem *s, int is_initial)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t d_bytes = (size_t)work->group->n_d * sizeof *s->d;
    int n_due = 0;
    if (is_initial || is_any_due(s)) {
        wr_ode_count_firing(s);
        WR_TRY(fire_once(s, is_initial));
        work->instant->has_changed |=
            work->instant->is_state_changed ||
            (d_bytes > 0 && memcmp(work->instant->d_before, s->d, d_bytes) != 0) ||
            wr_ode_has_changed_memory(s) || wr_group_has_own(work->group);
        n_due = find_times(s);
    }
    work->instant->n_round++;
    wr_ode_set_fired(s, NULL, 0, NULL);
    wr_ode_copy_bytes(work->instant->mode_before, work->mode, (size_t)work->group->n_z);
    return n_due;
}

/* Restores the modes from before the events in fired. */
static void restore_fired_modes(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    for (int k = 0; k < work->instant->n_fired; k++) {
        const int i = work->instant->fired_index[k];
        work->mode[i] = work->instant->fired[i] < 0;
    }
    if (work->instant->n_fired > 0)
        wr_group_forget(work->group);
}

/* Evaluates the indicators, and changes modes, until no mode changes. Returns the number of indicators with an event, or a negative number on
 * a fault. *ret_n_flip: number of changes. */
static int look(wr_subsystem *s, wr_look when, const double *moved, int *ret_n_flip)
{
    wr_ode *const work = wr_ode_of(s);
    *ret_n_flip = 0;
    WR_TRY(wr_ode_settle(s));
    for (int n_look = 0; work->group->n_z > 0; n_look++) {
        if (n_look > 0)
            WR_TRY(wr_ode_settle(s)); /* modes have changed */
        WR_TRY(wr_ode_indicators_here(s));
        /* A mode that has not settled after half of the passes may differ only by rounding. */
        const int n_flip =
            flip_modes(s, when, moved, n_look > work->instant->max_event_iterations / 2);
        if (n_flip == 0)
            break;
        *ret_n_flip += n_flip;
        if (n_look >= work->instant->max_event_iterations) {
            if (wr_ode_may_leave(s))
                break;
            count_flips(s, 1);
            return chatter_fault(s, "modes cause one another endlessly");
        }
    }
    return work->instant->n_fired;
}

int wr_ode_look_again(wr_subsystem *s, const double *moved, int *ret_n_flip)
{
    return look(s, LOOK_BETWEEN_ROUNDS, moved, ret_n_flip);
}

int wr_ode_look_at_start(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_flip;
    wr_ode_set_fired(s, NULL, 0, NULL);
    wr_ode_copy_bytes(work->instant->mode_before, work->mode, (size_t)work->group->n_z);
    const int n_due = look(s, LOOK_AT_START, NULL, &n_flip);
    restore_fired_modes(s);
    return n_due;
}

void wr_ode_end_instant(wr_subsystem *s, const double *moved)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->instant->is_state_changed)
        work->course->n_before = 0;
    /* An indicator within its band may return, so the search covers the beginning of the next step. */
    work->course->needs_probe =
        wr_ode_set_bands(s, work->instant->has_fired_index, work->instant->n_has_fired, moved,
                         work->instant->is_state_changed) > 0;
    s->stats.n_flip += work->instant->n_flip_now;
}

/* Sets the fault of a component that announces time events without end. Returns the status of the fault. */
static wrsim_status time_fault(wr_subsystem *s, const char *message)
{
    wr_ode *const work = wr_ode_of(s);
    int c = 0;
    while (c + 1 < work->group->n_component && !(work->instant->due[c] & WR_DUE_TIME))
        c++;
    wr_ode_fault(s, WRSIM_E_CHATTER, s->t_s, message);
    s->fault.i_component = c;
    return WRSIM_E_CHATTER;
}

static const char too_many[] = "too many events occur within simulation.chatter_time";

wrsim_status wr_ode_check_dense(wr_subsystem *s, int is_time)
{
    wr_ode *const work = wr_ode_of(s);
    wr_event_streak *const streak = work->streak;
    if (!is_time && wr_ode_counts_late(s))
        return WRSIM_OK; /* bounded_work.c bounds the work */
    const double dense_s = work->instant->chatter_time_s > 0.0
                               ? work->instant->chatter_time_s
                               : wr_max(chatter_time(s), DENSE_SHARE * work->instant->run_s);
    if (streak->n_dense == 0 || s->t_s - streak->dense_s > dense_s) {
        streak->dense_s = s->t_s;
        streak->n_dense = 0;
    }
    if (++streak->n_dense / EVENTS_OF_ALL_KINDS < work->instant->max_stuck_events)
        return WRSIM_OK;
    int is_asked = 0;
    for (int c = 0; c < work->group->n_component; c++)
        is_asked |= work->instant->due[c] & WR_DUE_ASKED;
    return !is_time ? chatter_fault(s, too_many)
           : is_asked
               ? time_fault(
                     s, "it asks for too many events at the ends of steps within "
                        "simulation.chatter_time; change the model, or the step_completed() of a "
                        "plug-in")
               : time_fault(s, "it announces too many time events within simulation.chatter_time; "
                               "change the model, or the next_time() of a plug-in");
}

wrsim_status wr_ode_check_rounds(wr_subsystem *s)
{
    if (!is_any_due(s)) /* only other subsystems have further rounds */
        return WRSIM_OK;
    if (wr_ode_of(s)->instant->n_round >= wr_ode_of(s)->instant->max_event_iterations &&
        wr_ode_of(s)->instant->n_fired == 0)
        return time_fault(s,
                          "it announces a time event at the present time, up to rounding; change "
                          "the model, or the next_time() of a plug-in");
    count_flips(s, wr_ode_of(s)->instant->n_round == 1);
    return wr_ode_of(s)->instant->n_round >= wr_ode_of(s)->instant->max_event_iterations
               ? chatter_fault(s, "events cause one another endlessly")
               : WRSIM_OK;
}

/* Defers due events to the next step, and passes the remaining rounds of jumps. */
static wrsim_status leave_due(wr_subsystem *s, int n_more)
{
    wr_ode *const work = wr_ode_of(s);
    while (n_more > 0)
        go_to_round(s, ++work->instant->n_round, &n_more);
    restore_fired_modes(s);
    wr_ode_set_fired(s, NULL, 0, NULL);
    memset(work->instant->due, 0, (size_t)work->group->n_component);
    return work->group->n_z > 0 ? wr_ode_indicators_here(s) : WRSIM_OK;
}

/* Returns whether an event is due whose model has no rollback, in a run that repeats windows. */
static int is_held_due(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    int any = 0;
    if (!wr_group_holds_events(group))
        return 0;
    for (int k = 0; k < work->instant->n_fired && !any; k++)
        any = wr_group_holds_event(group, group->owner_z[work->instant->fired_index[k]]);
    for (int c = 0; c < group->n_component && !any; c++)
        any = work->instant->due[c] != 0 && wr_group_holds_event(group, c);
    return any;
}

/* Returns whether the next round belongs to the next window (wr_subsystem.last_round). A waiting event fires after the other subsystems have
 * integrated the window. These subsystems see only the values after the event's round, so the next round belongs to the next window, too. */
static int is_left(const wr_subsystem *s)
{
    if (wr_ode_is_firing_held(s))
        return wr_ode_n_round(s) > s->held.round;
    return s->last_round >= 0 && wr_ode_n_round(s) > s->last_round &&
           wr_time_close(s->t_s, wr_ode_window_end(s));
}

/* Ends the run if an indicator has held its mode at this instant because of a stale output, and has no event. Without the stale output its
 * sign changes and returns. With the stale output the sign never changes. Only the true dependence of the output on inputs decides. An FMU
 * may declare no dependencies, or more than its outputs have. */
static wrsim_status check_held_modes(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    int i = 0;
    while (i < group->n_z && !(group->stale->has_held[i] && !work->instant->has_fired[i] &&
                               (wr_ode_z(s)[i] > 0.0) == work->mode[i]))
        i++;
    if (i == group->n_z)
        return WRSIM_OK;
    return refuse_indicator(
        s, i,
        "a jump changes the sign of this indicator, and an event of an FMU that the component "
        "reads changes the sign back at the same instant. The order of both is unknown, because an "
        "output of the FMU may depend on the jump directly. In modelDescription.xml, declare "
        "exactly the dependencies that this output has");
}

wrsim_status wr_ode_fire_rounds(wr_subsystem *s, const double *moved)
{
    WR_POINTS_FOR(s, EVENT);
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    for (;;) {
        int n_more, n_flip;
        if (is_held_due(s))
            return WRSIM_STOPPED;
        const int is_watched = s->watch && (at->n_round == 0 || is_any_due(s));
        if (is_watched)
            wr_ode_watch_round(s);
        const int n_time = wr_ode_fire_round(s, 0);
        if (n_time < 0)
            return (wrsim_status)n_time;
        WR_TRY(wr_ode_amend_round(s));
        if (is_watched)
            wr_ode_watch_fired(s);
        go_to_round(s, at->n_round, &n_more);
        const int n_state = wr_ode_look_again(s, moved, &n_flip);
        if (n_state < 0)
            return (wrsim_status)n_state;
        if (n_time + n_state + n_more == 0)
            break;
        WR_TRY(wr_ode_note_round(s, at->n_round));
        if (is_any_due(s) && is_left(s)) {
            wr_ode_leave_events(s);
            WR_TRY(leave_due(s, n_more));
            break;
        }
        if ((is_any_due(s) && at->n_round >= at->max_event_iterations) && wr_ode_may_leave(s)) {
            WR_TRY(leave_due(s, n_more));
            break;
        }
        WR_TRY(wr_ode_check_rounds(s));
    }
    if (wr_ode_of(s)->group->stale)
        WR_TRY(check_held_modes(s));
    wr_ode_end_instant(s, moved);
    return WRSIM_OK;
}

wrsim_status wr_ode_fire(wr_subsystem *s, const double *moved)
{
    wr_ode_begin_instant(s);
    return wr_ode_fire_rounds(s, moved);
}

double wr_ode_next_event(const wr_subsystem *s, double *ret_gap_s)
{
    *ret_gap_s = wr_ode_next_time(s) - wr_ode_announced(s);
    return wr_ode_next_time(s);
}

wrsim_status wr_ode_check_streak(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_event_streak *const streak = work->streak;
    if (wr_ode_counts_late(s))
        return WRSIM_OK; /* bounded_work.c bounds the work */
    const int is_new = streak->n == 0 || s->t_s - streak->start_s > chatter_time(s);
    count_flips(s, is_new);
    if (is_new) {
        streak->start_s = s->t_s;
        streak->n = 0;
    }
    if (++streak->n > work->instant->max_stuck_events)
        return chatter_fault(s, too_many);
    return WRSIM_OK;
}
