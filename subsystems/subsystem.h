/* A subsystem integrates a window against the waveforms of its producers, and publishes its own waveform.
 *
 * Callers use the functions of this file and the members of wr_subsystem. The kinds are: components with a solver (ode_subsystem.h),
 * a model that advances itself (external_stepper.h), recorded signals (replay.h), values that a host sets (port_player.h). A new
 * kind is a file pair with a table of operations and a row in runtime/sim/subsystem_kinds.c.
 *
 * wr_subsystem_advance() integrates one window against source[], writes wave, and stores the rows to be recorded. restore()
 * returns to the start of the window.
 *
 * Calls in a window:
 *     save -> advance (sweep 1) -> [restore -> advance (sweep k)]* -> the engine takes the rows
 * A subsystem without rollback advances once, after the other subsystems have converged with its prediction.
 *
 * Thread: one at a time. Real-time: save, restore, advance and effects of input changes, as documented by the kind.
 */
#ifndef WR_SUBSYSTEM_H
#define WR_SUBSYSTEM_H

#include <stdint.h>

#include "base/arena.h"
#include "base/auto_free.h"
#include "base/state_io.h"
#include "subsystems/model_host/fault.h"
#include "subsystems/pause.h"
#include "subsystems/step_lengths.h"
#include "subsystems/step_watch.h"
#include "subsystems/subsystem_ops.h"
#include "subsystems/waves/wave.h"
#include "wrsim/observer.h"
#include "wrsim/stats.h"

typedef enum wr_row_kind {
    WR_ROW_COMMUNICATION, /* at a communication point */
    WR_ROW_EVENT_LEFT,    /* left side of a stop: an event, or a jump of an input */
    WR_ROW_EVENT_RIGHT,   /* right side of the stop */
    WR_ROW_NODE, /* at a node of the published wave; only runtime/sim/recording.c makes such rows */
    WR_ROW_KIND_COUNT
} wr_row_kind;

/* Flags of a subsystem. */
enum {
    WR_SUBSYSTEM_CANNOT_RESTORE = 1 << 0, /* no rollback: one advance per window */
    WR_SUBSYSTEM_GRID_ONLY = 1 << 1,      /* advances by whole communication steps */
    WR_SUBSYSTEM_HAS_TOLERANCE = 1 << 2,  /* looser tolerances make an advance cheaper */
    WR_SUBSYSTEM_RESTARTS = 1 << 3,  /* the solver restarts after a rollback, which costs work */
    WR_SUBSYSTEM_NO_STATE = 1 << 4,  /* wr_subsystem_state() cannot read the solver's state */
    WR_SUBSYSTEM_IS_PLAYED = 1 << 5, /* waveforms are known in advance; no inputs */
    WR_SUBSYSTEM_PAUSES = 1 << 6,    /* advance() obeys wr_subsystem.pause */
    WR_SUBSYSTEM_NO_KEEP =
        1 << 7, /* the solver may keep Jacobians, which wr_subsystem_keep() omits */
    WR_SUBSYSTEM_OWN_STATE = 1 << 8, /* a model has an own state */
    WR_SUBSYSTEM_NO_BYTES = 1 << 9,  /* an own state has no bytes for wr_subsystem_state() */
    WR_SUBSYSTEM_NO_PROBE = 1 << 10, /* a model allows event() for events of the run only */
    WR_SUBSYSTEM_DEFERS = 1 << 12,   /* wr_subsystem_accept() ends steps, or fires events */
    WR_SUBSYSTEM_STEPS = 1 << 11,    /* a model with a stepper: shorter windows shorten its steps */
    WR_SUBSYSTEM_SHORT_WINDOWS =
        1 << 13 /* set by the engine: windows end at events of a subsystem that defers them */
};

/* The first event of an advance that returns WRSIM_TERMINATE. */
typedef struct wr_run_end {
    double t_s; /* INFINITY: none */
    int i_component;
    int is_final; /* 1: the event has fired after the acceptance of its window (wr_held_event), so later advances keep it */
    const char *message; /* constant text of the model; NULL: none */
} wr_run_end;

/* An event of a model without rollback, at which an advance has ended. The event fires after the acceptance of the window. */
typedef struct wr_held_event {
    double t_s; /* INFINITY: none */
    /* The window ends at least after_s and at most span_s after the event, so events of other subsystems that belong to the same instant are in
     * the window, too. */
    double after_s, span_s;
    int round;  /* number of the event's round at its instant, from 0 on */
    int is_own; /* 1: a state event that follows from no jump of an input */
} wr_held_event;

/* Stops of the accepted course, which a rollback takes back. Part of the saved state. */
typedef struct wr_stop_counts {
    int64_t n, n_state, n_time,
        n_jump; /* all stops; stops with a state event, a time event, a jump of an input */
} wr_stop_counts;

typedef struct wr_subsystem_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD, WRSIM_STATS_NOTHING)
    int64_t
        n_effect_rhs; /* right-hand sides outside of the solver's steps: effects of inputs, and the search for pulses (pulse_search.c) */
    int64_t
        n_turn; /* stops with a large change of slopes, or with changes that depend on inputs or on the stop's time (ode_stop.c) */
    int64_t n_locate; /* evaluations of indicators inside steps by the search for events */
    int64_t n_output; /* evaluations of recorded outputs and inputs, at most one for each row */
    wr_step_lengths step_length; /* lengths of accepted steps of a subsystem with states */
} wr_subsystem_stats;

/* Members that every window reads come first. The kind writes each member whose comment names no other writer. */
struct wr_subsystem {
    const wr_subsystem_ops *ops;
    void *inside;           /* object of the kind */
    wr_wave *wave;          /* advance() writes the wave; the kind places the first wave */
    const wr_wave **source; /* [n_source] set by the caller of advance() */
    const wr_pause *pause;  /* set by the engine if the subsystem is alone; NULL: no pause */
    unsigned flags;         /* WR_SUBSYSTEM_... */
    unsigned char purpose;  /* wrsim_purpose of points that are evaluated now */
    int n_source, n_external, n_published, n_x, n_d;
    double t_s;       /* current time */
    double *x, *d;    /* [n_x], [n_d] current values */
    double *external; /* [n_external] inputs at the current time */
    double *unseen;   /* [n_x] estimated effect on the states of input changes that steps missed */
    int has_unseen;   /* unseen may differ from zero */
    double
        step_rhs; /* right-hand sides per step in the last advance with a new Jacobian; 0: unknown */
    double turn_s; /* time of the last stop that stats.n_turn counts */
    int has_state_events;
    int is_check; /* set by the engine: the advance checks the last advance (wr_subsystem_confirms()) */
    int is_after_check; /* set by the engine: the next advance repeats the advance before the check */
    /* In the last advance an input jumped before the own event that causes the jump (jump_causes.c). Or an own event and a jump of one
     * instant had different times (ode_step.c). */
    int has_deferred;
    int has_shared; /* in a ring: an input jumped at the instant of an own state event */
    int parts_instant; /* an own event just after the window's end may belong to the instant of a jump before the end */
    int has_effect; /* effect is valid for the last advance */
    double *effect; /* [n_x] effect of the input change on the states (wr_subsystem_effect()) */
    int n_row, n_recorded;
    wr_fault fault;       /* fault of the last failed operation */
    wr_step_watch *watch; /* set by the owner: advance() stores points in watch; NULL: none */
    wr_run_end end;       /* of the last advance */
    wr_held_event held;   /* of the last advance */
    /* Set by the engine; -1: none. At the window's end another subsystem has an event that waits for the acceptance, in this round. Later
     * rounds, and the row of the window's end, are left to the next window, which begins with the effects of that event. */
    int last_round;
    int is_instant; /* set by the engine; 1: the window only passes an instant, so the row of its start is recorded at its end */
    int may_end;    /* set by the owner; 1: an event may end the run (WRSIM_TERMINATE) */
    const atomic_int *stop; /* set by the owner; 1: an advance with many events ends early if
                               pause is NULL (relaxed); NULL: never */
    int cap_row;
    double *row_time_s;      /* [cap_row] rows of the window, in time order */
    unsigned char *row_kind; /* [cap_row] wr_row_kind */
    double *row_value;       /* [cap_row * n_recorded] */
    const int *external_source,
        *external_signal; /* [n_external] source of each input, and signal in the source's wave */
    const int *signal_state;         /* [n_published] state that equals the signal; -1: none */
    const double *nominal_published; /* [n_published] nominal values, in the units of the signals */
    /* Tolerances of the coupling: rtol |value| + atol, in the unit of the variable. */
    double rtol;
    const double *atol_x, *atol_published, *atol_external; /* [n_x], [n_published], [n_external] */
    double work_per_rhs;                                   /* counted work of one right-hand side */
    const char *name;
    const wrsim_observer *observer; /* set by the owner: receives steps and events; NULL: none */
    int i_observed;                 /* set by the owner: number of the subsystem for the observer */
    wr_stop_counts *stops;          /* NULL: the kind counts no stops */
    struct wr_event_log *log;       /* event log of the last advance; NULL: none */
    size_t
        near_bytes; /* size of the memory that windows read, from the start of this struct; 0: unknown */
    double integration_s; /* wall time of integrations, s; the driver adds; not part of the state */
    wr_subsystem_stats stats; /* last, because a window reads few bins of step_length */
};

/* Points count for a purpose until the end of the block. */
typedef struct wr_purpose_scope {
    unsigned char *at, before;
} wr_purpose_scope;
static inline void wr_purpose_end(const wr_purpose_scope *scope) { *scope->at = scope->before; }
#define WR_POINTS_FOR(s, name)                                                                     \
    WR_AUTO(wr_purpose_end)                                                                        \
    __attribute__((unused)) const wr_purpose_scope purpose_scope = {&(s)->purpose, (s)->purpose};  \
    (s)->purpose = WRSIM_PURPOSE_##name

/* Frees memory outside of the arena, and sets the pointer to NULL. Accepts NULL. */
static inline void wr_subsystem_destroy(wr_subsystem **subsystem)
{
    if (subsystem && *subsystem && (*subsystem)->ops->destroy)
        (*subsystem)->ops->destroy(*subsystem);
    if (subsystem)
        *subsystem = NULL;
}

/* Counts a stop of the present course. causes: sum of WRSIM_CAUSE_... */
static inline void wr_subsystem_count_stop(wr_subsystem *s, unsigned causes)
{
    s->stops->n++;
    s->stops->n_state += (causes & WRSIM_CAUSE_STATE) != 0;
    s->stops->n_time += (causes & WRSIM_CAUSE_TIME) != 0;
    s->stops->n_jump += (causes & WRSIM_CAUSE_INPUT_JUMP) != 0;
}

/* Reports a stop at t_s to the observer. causes: sum of WRSIM_CAUSE_... */
static inline void wr_subsystem_observe_event(const wr_subsystem *s, double t_s, unsigned causes)
{
    if (!s->observer || !s->observer->event)
        return;
    const wrsim_event_record event = {
        .i_subsystem = s->i_observed, .time_s = t_s, .causes = causes};
    s->observer->event(s->observer->user, &event);
}

/* Reports an accepted step to the observer, and the numbers of accepted and rejected steps so far. */
static inline void wr_subsystem_observe_step(const wr_subsystem *s, double start_s, double end_s,
                                             int64_t n_step, int64_t n_rejected)
{
    if (!s->observer || !s->observer->step)
        return;
    const wrsim_step_record step = {.i_subsystem = s->i_observed,
                                    .start_s = start_s,
                                    .end_s = end_s,
                                    .n_step = n_step,
                                    .n_rejected = n_rejected};
    s->observer->step(s->observer->user, &step);
}

/* Defines a function wr_subsystem_NAME that calls an operation. If the kind does not have the operation, the function returns `missing`. */
#define WR_SUBSYSTEM_OPTION(type, name, parameters, arguments, missing)                            \
    static inline type wr_subsystem_##name parameters                                              \
    {                                                                                              \
        return s->ops->name ? s->ops->name arguments : (missing);                                  \
    }

/* ---- start: calls in this order, each for all subsystems before the next call (runtime/relax/start_events.c) ----
 *
 * external[n_external]: inputs at the start time. All functions return WRSIM_OK, or a negative status with fault set. Phase: setup. Kinds
 * without events need only begin() and published(). */

/* Sets states and discrete states to their start values, and modes to 0. */
static inline wrsim_status wr_subsystem_begin(wr_subsystem *s) { return s->ops->begin(s); }

/* Sets modes by the signs of the indicators. *ret_n_changed: number of changed modes. Indicators may depend on modes, also of other
 * subsystems, so calls must repeat until no mode changes. */
static inline wrsim_status wr_subsystem_find_modes(wr_subsystem *s, const double *external,
                                                   int *ret_n_changed)
{
    *ret_n_changed = 0;
    return s->ops->find_modes ? s->ops->find_modes(s, external, ret_n_changed) : WRSIM_OK;
}

/* Computes start values by init_from_inputs() of the models. *ret_has_changed: 1 if values have changed by more than rounding. */
static inline wrsim_status wr_subsystem_init_from_inputs(wr_subsystem *s, const double *external,
                                                         int *ret_has_changed)
{
    *ret_has_changed = 0;
    return s->ops->init_from_inputs ? s->ops->init_from_inputs(s, external, ret_has_changed)
                                    : WRSIM_OK;
}

/* Fires the initial events, the first round of the first instant. external: inputs before all initial events. *ret_n_due: number of
 * time events that are due at once. */
static inline wrsim_status wr_subsystem_fire_initial(wr_subsystem *s, const double *external,
                                                     int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_initial ? s->ops->fire_initial(s, external, ret_n_due) : WRSIM_OK;
}

/* Sets modes for the inputs `external` after all events of a round, and marks the events of the next round. *ret_n_flip: number of changed
 * modes. Calls must repeat until no mode changes. */
static inline wrsim_status wr_subsystem_follow(wr_subsystem *s, const double *external,
                                               int *ret_n_flip)
{
    *ret_n_flip = 0;
    return s->ops->follow ? s->ops->follow(s, external, ret_n_flip) : WRSIM_OK;
}

/* Returns whether a published signal keeps its last value until an event that is due (subsystems/group/group_stale.h). */
WR_SUBSYSTEM_OPTION(int, is_stale, (const wr_subsystem *s, int i_signal), (s, i_signal), 0)

/* Fires the events that are due in the next round, if any. *ret_n_due: as in wr_subsystem_fire_initial(). */
static inline wrsim_status wr_subsystem_fire_next(wr_subsystem *s, int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_next ? s->ops->fire_next(s, ret_n_due) : WRSIM_OK;
}

/* Prepares the first advance, and makes wr_subsystem_published() valid. */
WR_SUBSYSTEM_OPTION(wrsim_status, start, (wr_subsystem * s), (s), WRSIM_OK)

/* Writes the published outputs at the current time, and their slopes. ret_slope NULL: no slopes. */
static inline wrsim_status wr_subsystem_published(wr_subsystem *s, double *ret_value,
                                                  double *ret_slope)
{
    return s->ops->published(s, ret_value, ret_slope);
}

/* ---- single outputs, for algebraic loops across subsystems ---- */

/* Places the plan of a signal that is no state: for the signal alone, or (is_whole) for all outputs of the calls that compute it. Returns
 * NULL when out of memory. A kind without this operation has one plan, which reads no input and gives all outputs. */
const wr_output_plan *wr_subsystem_plan(wr_subsystem *s, wr_arena *arena, int i_signal,
                                        int is_whole);

/* Flags in ret_is_read[n_external] the inputs that a plan reads; plan NULL: the inputs of indicators. */
void wr_subsystem_plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_read);

/* Flags in ret_is_given[n_published] the signals that a plan gives. */
void wr_subsystem_plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_given);

/* Writes the outputs of a plan at the current point, with the inputs `external`, into ret_value[n_published]. */
wrsim_status wr_subsystem_outputs(wr_subsystem *s, const wr_output_plan *plan,
                                  const double *external, double *ret_value);

/* Appends the path from an input to a signal at one instant, as "b.u -> b.m -> c.u -> c.y". Setup only. */
static inline void wr_subsystem_path_text(const wr_subsystem *s, int i_external, int i_signal,
                                          char *text, size_t text_bytes)
{
    if (s->ops->path_text)
        s->ops->path_text(s, i_external, i_signal, text, text_bytes);
}

/* Sets the factor >= 1 by which an algebraic loop across subsystems amplifies errors of the published waves. After the call the waves
 * follow the outputs closer by the factor. */
static inline void wr_subsystem_set_amplification(wr_subsystem *s, double amplification)
{
    if (s->ops->set_amplification)
        s->ops->set_amplification(s, amplification);
}

/* ---- windows ---- */

/* Saves the state at the start of a window. The cost is proportional to the size of the state. */
static inline void wr_subsystem_save(wr_subsystem *s)
{
    if (s->ops->save)
        s->ops->save(s);
}

/* Ends an accepted window, before the caller passes on the rows of the window. After a fault sets *ret_sound_s, s: rows up to this time are
 * right; NaN: no row of the window is right. */
WR_SUBSYSTEM_OPTION(wrsim_status, accept, (wr_subsystem * s, double *ret_sound_s), (s, ret_sound_s),
                    WRSIM_OK)

/* Returns to the state of the last save. Requires a kind with rollback. */
static inline void wr_subsystem_restore(wr_subsystem *s) { s->ops->restore(s); }

/* Returns whether wr_subsystem_state() can read and write the state. Without own states of models (io->has_no_own), own states may lack
 * bytes. */
static inline int wr_subsystem_has_state_but_own(const wr_subsystem *s)
{
    return s->ops->state && !(s->flags & WR_SUBSYSTEM_NO_STATE);
}
static inline int wr_subsystem_has_state(const wr_subsystem *s)
{
    return wr_subsystem_has_state_but_own(s) && !(s->flags & WR_SUBSYSTEM_NO_BYTES);
}

/* Reads or writes the state between two windows, with counters, and without waves and rows. A subsystem that has read a state continues as
 * the subsystem that wrote the state, with no fault set. Requires wr_subsystem_has_state(). */
static inline void wr_subsystem_state(wr_subsystem *s, wr_state_io *io) { s->ops->state(s, io); }

/* Returns whether wr_subsystem_keep() is available. */
static inline int wr_subsystem_can_keep(const wr_subsystem *s)
{
    return s->ops->keep && wr_subsystem_has_state_but_own(s) &&
           !(s->flags & (WR_SUBSYSTEM_NO_KEEP | WR_SUBSYSTEM_DEFERS));
}

/* Reads or writes all data that an advance changes, except counters, the wave, the contents of rows, and s->watch. A read restores the end
 * of the last advance before the write, with the results of that advance. The last save stays as it is. So a caller can advance again
 * without a save, and then restore this end. The own states of models are in the slot, and not in the bytes. */
static inline void wr_subsystem_keep(wr_subsystem *s, wr_state_io *io, wr_own_slot slot)
{
    s->ops->keep(s, io, slot);
}

/* Counts the points of an integration ahead apart from other points since the last save (wr_ahead_turn). */
static inline void wr_subsystem_turn_ahead(wr_subsystem *s, wr_ahead_turn turn)
{
    if (s->ops->turn_ahead)
        s->ops->turn_ahead(s, turn);
}

/* Integrates from t_s to t_end_s, or to a pause, against source[], with the tolerances multiplied by tolerance_factor >= 1. Writes the
 * wave and the rows (wr_row_kind). Returns WRSIM_STOPPED if s->stop has ended the advance early, or a negative status with fault set. In
 * both cases call restore() or close_in() before the next advance. */
static inline wrsim_status wr_subsystem_advance(wr_subsystem *s, double t_end_s,
                                                double tolerance_factor)
{
    return s->ops->advance(s, t_end_s, tolerance_factor);
}

/* Returns WR_RUNAWAY_NONE if no state diverges or is about to overflow. Else returns the cause, and sets *ret_fault to the expected fault.
 * The test costs right-hand sides. Call the function after faults only. */
WR_SUBSYSTEM_OPTION(wr_runaway, runs_away, (wr_subsystem * s, wr_fault *ret_fault), (s, ret_fault),
                    WR_RUNAWAY_NONE)

/* Locates a fault after a failed advance() from the last save(). Halves the window until the error of the fault's time is at most the
 * tolerance of events, or WR_FAULT_SHARE communication steps. Sets s->fault to the located fault. Returns the time up to which the
 * subsystem has advanced without a fault, with rows and wave. For faults that do not depend on ends of steps, returns t_s at once. */
WR_SUBSYSTEM_OPTION(double, close_in, (wr_subsystem * s, double tolerance_factor),
                    (s, tolerance_factor), s->t_s)

/* Returns the time of the next known time event, s; INFINITY: none. *ret_gap_s: time from the announcement of the event to the event, s. */
double wr_subsystem_next_event(const wr_subsystem *subsystem, double *ret_gap_s);

/* ---- effects of input changes ---- */

/* Estimates the change at the end of the last window, of length_s, by a change[n_external] of the inputs. Returns the largest change of a
 * state, in tolerances, or of a published output, in units of output_weight. A stepper with rollback returns 0. INFINITY: unknown. */
double wr_subsystem_effect(wr_subsystem *subsystem, const double *change, double length_s,
                           const double *output_weight);

/* Find the directional derivatives of the right-hand side, ret_dx[n_x], and of the published outputs, ret_dy[n_published]. The derivatives
 * are at the current point along x_change[n_x] and u_change[n_external], in the units of the variables. Modes and discrete states are
 * constant. Return 0, or 1 if the derivative is unknown; the result is then unset. State and counters do not change. */
WR_SUBSYSTEM_OPTION(int, tangent,
                    (wr_subsystem * s, const double *x_change, const double *u_change,
                     double *ret_dx),
                    (s, x_change, u_change, ret_dx), 1)
WR_SUBSYSTEM_OPTION(int, tangent_outputs,
                    (wr_subsystem * s, const double *x_change, const double *u_change,
                     double *ret_dy),
                    (s, x_change, u_change, ret_dy), 1)

/* Finds the directional derivatives of right-hand side and published outputs along d_change[n_d] of discrete states, like
 * wr_subsystem_tangent(). */
WR_SUBSYSTEM_OPTION(int, tangent_discrete,
                    (wr_subsystem * s, const double *d_change, double *ret_dx, double *ret_dy),
                    (s, d_change, ret_dx, ret_dy), 1)

/* Places the pattern of the derivatives of x' and of the computed published outputs (rows) by states and inputs (columns). NULL: unknown,
 * or out of memory. Setup only. */
WR_SUBSYSTEM_OPTION(const wr_matrix *, pattern, (const wr_subsystem *s, wr_arena *arena),
                    (s, arena), NULL)

/* Places memory for cap_event events, and with has_points for the points of an advance. Returns 0; -1: the arena is exhausted; 1: the kind
 * stores no points. */
WR_SUBSYSTEM_OPTION(int, place_watch,
                    (const wr_subsystem *s, wr_arena *arena, int has_points, int cap_event,
                     wr_step_watch *ret_watch),
                    (s, arena, has_points, cap_event, ret_watch), 1)

/* Evaluates the right-hand side at a point of an earlier advance, with other inputs and the present memory of instances, into ret_dx[n_x].
 * State and counters do not change. Requires a kind that stores points. Returns 0, or 1 if the model fails or if a model of the subsystem
 * has an own state. */
static inline int wr_subsystem_rhs_at(wr_subsystem *s, const wr_step_point *at,
                                      const double *external, double *ret_dx)
{
    return s->ops->rhs_at(s, at, external, ret_dx);
}

/* Evaluates the published outputs, ret_y[n_published], like wr_subsystem_rhs_at(). */
static inline int wr_subsystem_outputs_at(wr_subsystem *s, const wr_step_point *at,
                                          const double *external, double *ret_y)
{
    return s->ops->outputs_at(s, at, external, ret_y);
}

/* Evaluates the recorded variables, ret_row[n_recorded], like wr_subsystem_rhs_at(). */
WR_SUBSYSTEM_OPTION(int, row_at,
                    (wr_subsystem * s, const wr_step_point *at, const double *external,
                     double *ret_row),
                    (s, at, external, ret_row), 1)

/* Returns the delay of an event of round 0 by errors at its time, s, limited to -most_s ... most_s. x_error[n_x], u_error[n_external] and
 * d_error[n_d]: errors of states, inputs and discrete states. The delay is the error of the indicator over its slope, or the error of the
 * announced time. 0: unknown; infinite: the indicator is constant, or the delay is unknown; NaN: the event does not occur without the
 * errors, or a turn is an event without the errors. *ret_margin: least factor on the errors that creates or removes the event; infinite: no
 * factor creates or removes the event. Evaluates as wr_subsystem_rhs_at(); infinite with an own state. */
static inline double wr_subsystem_event_shift(wr_subsystem *s, const wr_event_point *event,
                                              const double *x_error, const double *u_error,
                                              const double *d_error, double most_s,
                                              double *ret_margin)
{
    return s->ops->event_shift(s, event, x_error, u_error, d_error, most_s, ret_margin);
}

/* Finds the states ret_x[n_x] and discrete states ret_d[n_d] after the event's first pass. Before the event, states, inputs and discrete
 * states differ by `by` times change[], and the event is by_s later. Evaluates and returns as wr_subsystem_rhs_at(), and returns 1 if a
 * model with the event has WRSIM_CAP_NO_PROBE. */
static inline int wr_subsystem_event_after(wr_subsystem *s, const wr_event_point *event,
                                           const double *const change[3], double by, double by_s,
                                           double *ret_x, double *ret_d)
{
    return s->ops->event_after(s, event, change, by, by_s, ret_x, ret_d);
}

/* Returns whether a published output depends on an input at the same instant. */
WR_SUBSYSTEM_OPTION(int, passes_on, (const wr_subsystem *s, int i_external), (s, i_external), 0)

/* Returns whether a state event is due at the present time after `change` of the inputs, or the indicators fail; 0 if no input jumps. */
static inline int wr_subsystem_is_event_due(wr_subsystem *s, const double *change)
{
    return s->has_state_events && s->ops->is_event_due && s->ops->is_event_due(s, change);
}

/* Adds `by` to the counted values of indicators. Returns the new count. */
WR_SUBSYSTEM_OPTION(int64_t, count_values, (wr_subsystem * s, int64_t by), (s, by), 0)

/* Returns whether a value of an input differs from the present value by a jump at which a step ends. */
WR_SUBSYSTEM_OPTION(int, is_jump, (const wr_subsystem *s, int i_external, double value),
                    (s, i_external, value), 0)

/* Returns whether a change of an input at the end of the last window acts at the same instant. The change acts if an output or an
 * indicator depends directly on the input, or if an instant at the end had several rounds. A change also acts on a subsystem with state
 * events in a ring if the last advance ends with a jump. A change also acts on this subsystem if a located event may cause a jump at the
 * end of `wave`. wave: new wave of the input's source. */
WR_SUBSYSTEM_OPTION(int, follows_at_end,
                    (const wr_subsystem *s, int i_external, const wr_wave *wave),
                    (s, i_external, wave), 0)

/* Returns whether an input has jumped at the end of the last window. */
WR_SUBSYSTEM_OPTION(int, has_jump_at_end, (const wr_subsystem *s), (s), 0)

/* Places the causes of the jumps of a subsystem in a ring. i_member: number of the subsystem in the run; -1: the subsystem has no state
 * events. Returns 0, or -1 when the arena is exhausted. Setup only. */
WR_SUBSYSTEM_OPTION(int, place_causes, (wr_subsystem * s, wr_arena *arena, int i_member),
                    (s, arena, i_member), 0)

/* Returns whether an advance with is_check has located each own state event of the previous advance again. The order of events and their
 * indicators are the same, and the times differ little. */
WR_SUBSYSTEM_OPTION(int, confirms, (const wr_subsystem *s), (s), 1)

/* Returns the largest difference that a check allows between two times of one event, s. */
WR_SUBSYSTEM_OPTION(double, checked_span, (const wr_subsystem *s), (s), 0.0)

/* Returns the activity of a subsystem at an instant of its last advance. Kinds without the operation return WR_INSTANT_GROUNDED. */
WR_SUBSYSTEM_OPTION(wr_instant_kind, instant_at, (const wr_subsystem *s, double t_s), (s, t_s),
                    WR_INSTANT_GROUNDED)

/* Returns whether changes of the states and inputs at the end of the last advance by 4 tolerances can cause a state event. */
WR_SUBSYSTEM_OPTION(int, is_event_near, (wr_subsystem * s), (s), 0)

/* Finds the first instant, from number i_instant on, at which all state events follow from jumps of inputs. *ret_t_s: time of the instant.
 * Returns the number of the next instant; -1: no such instant exists. */
WR_SUBSYSTEM_OPTION(int, next_answer, (const wr_subsystem *s, int i_instant, double *ret_t_s),
                    (s, i_instant, ret_t_s), -1)

/* Returns a number for the order, in the last integration, of own events, jumps of a source's wave, and events that follow from these
 * jumps. Different numbers mean different orders. */
WR_SUBSYSTEM_OPTION(uint64_t, order, (const wr_subsystem *s, int i_source, const wr_wave *wave),
                    (s, i_source, wave), 0)

/* ---- faults, counters ---- */

/* Writes the fault as text, with the subsystem's name. */
void wr_subsystem_fault_text(const wr_subsystem *subsystem, wrsim_error *ret_err);

/* Returns the number of right-hand sides so far, without restarts. A stepper returns the number of its steps. Other subsystems without a
 * solver return the number of advances. */
WR_SUBSYSTEM_OPTION(int64_t, n_rhs, (const wr_subsystem *s), (s), s->stats.n_integration)

/* Returns the cost of all points so far by component.cost, s; 0 if points are not counted. */
WR_SUBSYSTEM_OPTION(double, point_cost, (const wr_subsystem *s), (s), 0.0)

#endif
