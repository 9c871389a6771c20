/* A subsystem integrates a window against the waveforms of its producers, and publishes its own waveform.
 *
 * Callers use the table of operations and the members of the struct below. Kinds: components with a solver (ode_subsystem.h),
 * a model that advances itself (external_stepper.h), recorded signals (replay.h), values that a host sets (port_player.h). A new
 * kind is a file pair with a table of operations and a row in runtime/sim/subsystem_kinds.c.
 *
 * wr_subsystem_advance() integrates one window against source[], writes wave, and stores the rows to be recorded. restore()
 * returns to the start of the window.
 *
 * Calls in a window:
 *     save -> advance (sweep 1) -> [restore -> advance (sweep k)]* -> the engine takes the rows
 * A subsystem without rollback is advanced once, after the others have converged with its prediction.
 *
 * Thread: one at a time. Real-time: save, restore, advance and judging, if the kind says so.
 */
#ifndef WR_SUBSYSTEM_H
#define WR_SUBSYSTEM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sparse.h"
#include "base/state_io.h"
#include "subsystems/model_host/fault.h"
#include "subsystems/step_lengths.h"
#include "subsystems/step_watch.h"
#include "subsystems/waves/wave.h"
#include "wrsim/observer.h"
#include "wrsim/stats.h"

typedef enum wr_row_kind {
    WR_ROW_COMMUNICATION, /* at a communication point */
    WR_ROW_EVENT_LEFT,    /* just before an event */
    WR_ROW_EVENT_RIGHT,   /* just after the event */
    WR_ROW_NODE,          /* at a node of the published wave */
    WR_ROW_KIND_COUNT
} wr_row_kind;

/* Properties. */
enum {
    WR_SUBSYSTEM_CANNOT_RESTORE = 1 << 0, /* no rollback: one advance per window */
    WR_SUBSYSTEM_GRID_ONLY = 1 << 1,      /* advances by whole communication steps */
    WR_SUBSYSTEM_HAS_TOLERANCE = 1 << 2,  /* looser tolerances make an advance cheaper */
    WR_SUBSYSTEM_RESTARTS = 1 << 3,  /* the solver restarts in every window, which costs work */
    WR_SUBSYSTEM_NO_STATE = 1 << 4,  /* the solver's state cannot be read */
    WR_SUBSYSTEM_IS_PLAYED = 1 << 5, /* waveforms are known in advance; no inputs */
    WR_SUBSYSTEM_PAUSES = 1 << 6     /* advance() pauses as wr_subsystem.pause says */
};

/* Conditions for a pause: the advance of a subsystem that is alone returns before its end, after a step. The next advance
 * continues. Results and counters do not depend on pauses. */
typedef struct wr_pause {
    int n_step; /* after this many steps at most; 0: never */
    /* or when this flag is set (relaxed: only the flag matters); NULL: never */
    const atomic_int *is_wanted;
} wr_pause;

typedef struct wr_subsystem_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD, WRSIM_STATS_NOTHING)
    int64_t n_effect_rhs; /* right-hand sides in wr_subsystem_effect() */
    int64_t n_turn;       /* stops that change slopes or discrete states */
    int64_t n_locate;     /* evaluations of indicators to locate events */
    int64_t n_output;     /* evaluations of all outputs */
    int64_t n_refined;    /* nodes of waves inside steps (all sweeps, failed integrations too) */
    wr_step_lengths step_length; /* of all steps with states */
} wr_subsystem_stats;

typedef struct wr_subsystem wr_subsystem;

/* Activity of a subsystem at an instant of its last advance. */
typedef enum wr_instant_kind {
    WR_INSTANT_NONE,
    WR_INSTANT_ANSWERED, /* only events that follow from jumps of inputs */
    WR_INSTANT_GROUNDED  /* an own event, found on the left of all jumps or announced */
} wr_instant_kind;

/* Plan to compute some published outputs from the inputs at one instant; defined by the kind. */
typedef struct wr_output_plan wr_output_plan;

/* If simulation.event_tolerance is "auto", the time of a fault is located to this share of a
 * communication step. Two faults closer together count as one. */
#define WR_FAULT_SHARE 1e-8

/* Does a state diverge with its inputs, or also with its inputs held? */
typedef enum wr_runaway { WR_RUNAWAY_NONE, WR_RUNAWAY_DRIVEN, WR_RUNAWAY_OWN } wr_runaway;

/* The operations. Every kind has the first block. Other members may be NULL; the functions below say what follows. An
 * operation that returns a negative status has set subsystem->fault. */
typedef struct wr_subsystem_ops {
    const char *kind; /* as [[subsystem]] kind names it */
    wrsim_status (*begin)(wr_subsystem *);
    wrsim_status (*published)(wr_subsystem *, double *ret_value, double *ret_slope);
    wrsim_status (*advance)(wr_subsystem *, double t_end_s, double tolerance_factor);
    void (*destroy)(wr_subsystem *);

    void (*save)(wr_subsystem *);
    void (*restore)(wr_subsystem *);
    void (*state)(wr_subsystem *, wr_state_io *);
    /* start */
    wrsim_status (*find_modes)(wr_subsystem *, const double *external, int *ret_n_changed);
    wrsim_status (*fire_initial)(wr_subsystem *, const double *external, int *ret_n_due);
    wrsim_status (*follow)(wr_subsystem *, const double *external, int *ret_n_flip);
    wrsim_status (*fire_next)(wr_subsystem *, int *ret_n_due);
    wrsim_status (*start)(wr_subsystem *);
    /* outputs one by one */
    const wr_output_plan *(*plan)(wr_subsystem *, wr_arena *, int i_signal, int is_whole);
    void (*plan_reads)(const wr_subsystem *, const wr_output_plan *, unsigned char *ret_is_read);
    void (*plan_gives)(const wr_subsystem *, const wr_output_plan *, unsigned char *ret_is_given);
    wrsim_status (*outputs)(wr_subsystem *, const wr_output_plan *, const double *external,
                            double *ret_value);
    void (*path_text)(const wr_subsystem *, int i_external, int i_signal, char *text,
                      size_t text_bytes);
    void (*set_amplification)(wr_subsystem *, double amplification);
    /* judging */
    double (*effect)(wr_subsystem *, const double *change, double length_s,
                     const double *output_weight);
    int (*tangent)(wr_subsystem *, const double *x_change, const double *u_change, double *ret_dx);
    int (*tangent_outputs)(wr_subsystem *, const double *x_change, const double *u_change,
                           double *ret_dy);
    int (*tangent_discrete)(wr_subsystem *, const double *d_change, double *ret_dx, double *ret_dy);
    const wr_matrix *(*pattern)(const wr_subsystem *, wr_arena *);
    int (*place_watch)(const wr_subsystem *, wr_arena *, int has_points, int cap_event,
                       wr_step_watch *);
    int (*rhs_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_dx);
    int (*outputs_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_y);
    int (*row_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_row);
    double (*event_shift)(wr_subsystem *, const wr_event_point *, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin);
    int (*event_after)(wr_subsystem *, const wr_event_point *, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d);
    int (*passes_on)(const wr_subsystem *, int i_external);
    int (*is_event_due)(wr_subsystem *, const double *change);
    int (*is_jump)(const wr_subsystem *, int i_external, double value);
    int (*follows_at_end)(const wr_subsystem *, int i_external);
    int (*has_jump_at_end)(const wr_subsystem *);
    uint64_t (*order)(const wr_subsystem *, int i_source, const wr_wave *);
    double (*next_event)(const wr_subsystem *, double *ret_gap_s);
    int (*place_causes)(wr_subsystem *, wr_arena *, int i_member);
    int (*confirms)(const wr_subsystem *);
    double (*checked_span)(const wr_subsystem *);
    wr_instant_kind (*instant_at)(const wr_subsystem *, double t_s);
    int (*next_answer)(const wr_subsystem *, int i_instant, double *ret_t_s);
    /* faults, counters */
    double (*close_in)(wr_subsystem *, double tolerance_factor);
    wr_runaway (*runs_away)(wr_subsystem *, wr_fault *ret_fault);
    void (*fault_text)(const wr_subsystem *, wrsim_error *ret_err);
    int64_t (*n_rhs)(const wr_subsystem *);
} wr_subsystem_ops;

/* Members that every window reads come first. The kind writes all members except wave and source. */
struct wr_subsystem {
    const wr_subsystem_ops *ops;
    void *inside;           /* the kind's object */
    wr_wave *wave;          /* written by advance; the kind places the first one */
    const wr_wave **source; /* [n_source] set before advance */
    const wr_pause *pause;  /* set by the engine if the subsystem is alone; NULL: no pause */
    unsigned flags;         /* WR_SUBSYSTEM_... */
    int n_source, n_external, n_published, n_x, n_d;
    double t_s;       /* current time */
    double *x, *d;    /* [n_x], [n_d] current */
    double *external; /* [n_external] inputs at the current time */
    /* [n_x] estimated effect on the states of input changes inside steps of the last advance; 0 unless has_unseen */
    double *unseen;
    int has_unseen;
    /* right-hand sides per step in the last advance that evaluated a Jacobian, Jacobians included; 0 before */
    double step_rhs;
    int has_state_events;
    /* Set by the engine: the advance checks the last one, without its event times and causes (wr_subsystem_confirms) */
    int is_check;
    int is_after_check; /* set by the engine: the next advance repeats the advance before the check */
    /* Of the last advance: */
    /* an input jumped before the own event that causes the jump (jump_causes.c), or at the instant of an own event that came
     * at another time (event_order.c) */
    int has_deferred;
    int has_shared; /* an input from the subsystem's ring jumped at the instant of an own state event */
    int parts_instant; /* an own event is due just after the window's end, at the instant of a jump before the end */
    int has_effect; /* wr_subsystem_effect() has been called since the last advance */
    double *effect; /* [n_x] its result for the states, in their units */
    int n_row, n_recorded;
    wr_subsystem_stats stats;
    wr_fault fault;       /* of the last failed operation */
    wr_step_watch *watch; /* points stored by advance, set by the owner; NULL: none */
    /* Not 0: a window with many events ends early (relaxed: only the flag matters); NULL: each window is finished. */
    const atomic_int *stop;
    /* Rows of the window, in time order. */
    int cap_row;
    double *row_time_s;      /* [cap_row] */
    unsigned char *row_kind; /* [cap_row] wr_row_kind */
    double *row_value;       /* [cap_row * n_recorded] */
    /* Source of input j, and signal of the source's wave. */
    const int *external_source, *external_signal; /* [n_external] */
    const int *signal_state;         /* [n_published] state that equals the signal; -1: none */
    const double *nominal_published; /* [n_published] in their units */
    /* Tolerances of the coupling: rtol |value| + atol, in the unit of the variable. */
    double rtol;
    const double *atol_x, *atol_published, *atol_external; /* [n_x], [n_published], [n_external] */
    double work_per_rhs;                                   /* counted work of one right-hand side */
    const char *name;
    const wrsim_observer *observer; /* gets steps and events; NULL: none */
    int i_observed;                 /* number of the subsystem for the observer */
    size_t near_bytes; /* size of the memory that windows read, from this struct on; 0: unknown */
};

/* Frees memory outside of the arena. Accepts NULL and nulls the pointer. */
static inline void wr_subsystem_destroy(wr_subsystem **subsystem)
{
    if (subsystem && *subsystem && (*subsystem)->ops->destroy)
        (*subsystem)->ops->destroy(*subsystem);
    if (subsystem)
        *subsystem = NULL;
}

/* Reports a stop at the current time to the observer; causes: sum of WRSIM_CAUSE_... */
static inline void wr_subsystem_observe_event(const wr_subsystem *s, double t_s, unsigned causes)
{
    if (!s->observer || !s->observer->event)
        return;
    const wrsim_event_record event = {
        .i_subsystem = s->i_observed, .time_s = t_s, .causes = causes};
    s->observer->event(s->observer->user, &event);
}

/* ---- start: calls in this order, each for all subsystems before the next call (runtime/relax/initial.c) ----
 *
 * external[n_external]: inputs at start_s. All return WRSIM_OK, or a negative status with fault set. Phase: setup. Kinds without
 * events have only begin() and published(). */

/* Sets states and discrete states to their start values, and modes to 0. */
static inline wrsim_status wr_subsystem_begin(wr_subsystem *s) { return s->ops->begin(s); }

/* Sets modes by the signs of the indicators; *ret_n_changed of them change. Indicators may depend on modes, also of other
 * subsystems, so the caller repeats this until no mode changes. */
static inline wrsim_status wr_subsystem_find_modes(wr_subsystem *s, const double *external,
                                                   int *ret_n_changed)
{
    *ret_n_changed = 0;
    return s->ops->find_modes ? s->ops->find_modes(s, external, ret_n_changed) : WRSIM_OK;
}

/* Fires the initial events, the first round of the first instant. external: inputs before all initial events. *ret_n_due: number of
 * time events that are due at once. */
static inline wrsim_status wr_subsystem_fire_initial(wr_subsystem *s, const double *external,
                                                     int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_initial ? s->ops->fire_initial(s, external, ret_n_due) : WRSIM_OK;
}

/* After all events of a round: sets modes for the inputs `external`, and marks the events of the next round. *ret_n_flip: number of
 * changed modes. The caller repeats this until no mode changes. */
static inline wrsim_status wr_subsystem_follow(wr_subsystem *s, const double *external,
                                               int *ret_n_flip)
{
    *ret_n_flip = 0;
    return s->ops->follow ? s->ops->follow(s, external, ret_n_flip) : WRSIM_OK;
}

/* Fires the events that are due in the next round, if any. *ret_n_due as for wr_subsystem_fire_initial(). */
static inline wrsim_status wr_subsystem_fire_next(wr_subsystem *s, int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_next ? s->ops->fire_next(s, ret_n_due) : WRSIM_OK;
}

/* Prepares the first advance. Afterwards wr_subsystem_published() is valid. */
static inline wrsim_status wr_subsystem_start(wr_subsystem *s)
{
    return s->ops->start ? s->ops->start(s) : WRSIM_OK;
}

/* Writes the published outputs at the current time, and their slopes (NULL: not wanted). */
static inline wrsim_status wr_subsystem_published(wr_subsystem *s, double *ret_value,
                                                  double *ret_slope)
{
    return s->ops->published(s, ret_value, ret_slope);
}

/* ---- single outputs, for algebraic loops across subsystems ---- */

/* Makes the plan of a signal that is no state: for the signal alone, or (is_whole) for all outputs of the same calls. Placed in
 * arena; NULL when out of memory. A kind without this operation has one plan, which reads no input and gives all outputs. */
const wr_output_plan *wr_subsystem_plan(wr_subsystem *s, wr_arena *arena, int i_signal,
                                        int is_whole);

/* Sets ret_is_read[n_external] to which inputs a plan reads; plan NULL: the indicators. */
void wr_subsystem_plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_read);

/* Sets ret_is_given[n_published] to which signals a plan gives. */
void wr_subsystem_plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_given);

/* Writes the outputs of a plan at the current point, with the inputs `external`, to their places in ret_value[n_published]. */
wrsim_status wr_subsystem_outputs(wr_subsystem *s, const wr_output_plan *plan,
                                  const double *external, double *ret_value);

/* Appends the path from an input to a signal at the same instant: "b.u -> b.m -> c.u -> c.y". Setup only. */
static inline void wr_subsystem_path_text(const wr_subsystem *s, int i_external, int i_signal,
                                          char *text, size_t text_bytes)
{
    if (s->ops->path_text)
        s->ops->path_text(s, i_external, i_signal, text, text_bytes);
}

/* An algebraic loop across subsystems amplifies errors of the published waves by this factor, >= 1. The waves follow the outputs
 * closer by the factor from now on. */
static inline void wr_subsystem_set_amplification(wr_subsystem *s, double amplification)
{
    if (s->ops->set_amplification)
        s->ops->set_amplification(s, amplification);
}

/* ---- windows ---- */

/* Saves the state at the start of a window. O(n_x). */
static inline void wr_subsystem_save(wr_subsystem *s)
{
    if (s->ops->save)
        s->ops->save(s);
}

/* Returns to the last save. Not for kinds without rollback. */
static inline void wr_subsystem_restore(wr_subsystem *s) { s->ops->restore(s); }

/* Can the state be read and written? */
static inline int wr_subsystem_has_state(const wr_subsystem *s)
{
    return s->ops->state && !(s->flags & WR_SUBSYSTEM_NO_STATE);
}

/* Reads or writes the state between two windows, with counters, and without waves and rows. A subsystem that has read a state
 * continues as the subsystem that wrote it, with no fault set. Requires wr_subsystem_has_state(). */
static inline void wr_subsystem_state(wr_subsystem *s, wr_state_io *io) { s->ops->state(s, io); }

/* Integrates from t_s to t_end_s, or to a pause, against source[], with the tolerances multiplied by tolerance_factor >= 1. Writes
 * wave and rows (at communication points in (start, end], at events). WRSIM_STOPPED: s->stop has ended the advance early.
 * Negative status: failure, with fault set. After both, restore() must be the next call. */
static inline wrsim_status wr_subsystem_advance(wr_subsystem *s, double t_end_s,
                                                double tolerance_factor)
{
    return s->ops->advance(s, t_end_s, tolerance_factor);
}

/* Does a state diverge, or is it about to overflow? If so, *ret_fault is the fault to come. Costs right-hand sides, so it is called
 * after faults only. */
static inline wr_runaway wr_subsystem_runs_away(wr_subsystem *s, wr_fault *ret_fault)
{
    return s->ops->runs_away ? s->ops->runs_away(s, ret_fault) : WR_RUNAWAY_NONE;
}

/* After a failed advance() from the last save(): integrates 20 to 40 shorter windows until the fault's time is known to the
 * tolerance of events, independent of steps and window. Then fault is the located fault. Returns the time up to which the
 * subsystem has advanced without a fault, with rows and wave up to there. A fault that does not depend on ends of steps is not
 * located, nor a fault of a kind without this operation. */
static inline double wr_subsystem_close_in(wr_subsystem *s, double tolerance_factor)
{
    return s->ops->close_in ? s->ops->close_in(s, tolerance_factor) : s->t_s;
}

/* Time of the next known time event, s; INFINITY: none. *ret_gap_s: time from the instant at which it became known. */
double wr_subsystem_next_event(const wr_subsystem *subsystem, double *ret_gap_s);

/* ---- effects of input changes ---- */

/* Estimates the change at the end of the last window, of length_s, that a change of the inputs by change[n_external] causes: the
 * largest change of a state, in tolerances, or of a published output, in units of output_weight. INFINITY: unknown. */
double wr_subsystem_effect(wr_subsystem *subsystem, const double *change, double length_s,
                           const double *output_weight);

/* Directional derivatives of the right-hand side, ret_dx[n_x], and of the published outputs, ret_dy[n_published], at the current
 * point along x_change[n_x] and u_change[n_external], in the units of the variables; modes and discrete states are constant.
 * Return 0, or 1 if the derivative is unknown; the result is then unset. State and counters do not change. */
static inline int wr_subsystem_tangent(wr_subsystem *s, const double *x_change,
                                       const double *u_change, double *ret_dx)
{
    return s->ops->tangent ? s->ops->tangent(s, x_change, u_change, ret_dx) : 1;
}
static inline int wr_subsystem_tangent_outputs(wr_subsystem *s, const double *x_change,
                                               const double *u_change, double *ret_dy)
{
    return s->ops->tangent_outputs ? s->ops->tangent_outputs(s, x_change, u_change, ret_dy) : 1;
}

/* Both derivatives along d_change[n_d] of discrete states. */
static inline int wr_subsystem_tangent_discrete(wr_subsystem *s, const double *d_change,
                                                double *ret_dx, double *ret_dy)
{
    return s->ops->tangent_discrete ? s->ops->tangent_discrete(s, d_change, ret_dx, ret_dy) : 1;
}

/* Pattern of the derivatives of states and computed published outputs (rows) by states and inputs (columns). Placed in arena;
 * NULL: unknown, or out of memory. Setup only. */
static inline const wr_matrix *wr_subsystem_pattern(const wr_subsystem *s, wr_arena *arena)
{
    return s->ops->pattern ? s->ops->pattern(s, arena) : NULL;
}

/* Places memory for cap_event events, and for the points of an advance if has_points, in arena. 0; -1: the arena is exhausted;
 * 1: this kind stores none. */
static inline int wr_subsystem_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points,
                                           int cap_event, wr_step_watch *ret_watch)
{
    return s->ops->place_watch ? s->ops->place_watch(s, arena, has_points, cap_event, ret_watch)
                               : 1;
}

/* The right-hand side at a point of an earlier advance, with other inputs, ret_dx[n_x]. Returns 0, or 1 if the model fails there.
 * The memory of instances is the present one. State and counters do not change. */
static inline int wr_subsystem_rhs_at(wr_subsystem *s, const wr_step_point *at,
                                      const double *external, double *ret_dx)
{
    return s->ops->rhs_at(s, at, external, ret_dx);
}

/* The same for the published outputs, ret_y[n_published]. */
static inline int wr_subsystem_outputs_at(wr_subsystem *s, const wr_step_point *at,
                                          const double *external, double *ret_y)
{
    return s->ops->outputs_at(s, at, external, ret_y);
}

/* The same for the recorded variables, ret_row[n_recorded]. */
static inline int wr_subsystem_row_at(wr_subsystem *s, const wr_step_point *at,
                                      const double *external, double *ret_row)
{
    return s->ops->row_at ? s->ops->row_at(s, at, external, ret_row) : 1;
}

/* Delay of an event of round 0 by errors at its time, s, limited to -most_s ... most_s. x_error[n_x], u_error[n_external] and
 * d_error[n_d]: errors of states, inputs and discrete states. The delay is the error of the indicator over its slope, or the
 * error of the announced time. 0: unknown; infinite: the indicator is constant; NaN: without the errors there is no event. For a
 * turn NaN means that without the errors there is an event. *ret_margin: factor on the errors from which they create or remove
 * the event; infinite: none does. As wr_subsystem_rhs_at(). */
static inline double wr_subsystem_event_shift(wr_subsystem *s, const wr_event_point *event,
                                              const double *x_error, const double *u_error,
                                              const double *d_error, double most_s,
                                              double *ret_margin)
{
    return s->ops->event_shift(s, event, x_error, u_error, d_error, most_s, ret_margin);
}

/* States ret_x[n_x] and discrete states ret_d[n_d] after the event's first pass, if states, inputs and discrete states before the
 * event differ by `by` times change[], and the event is by_s later. Returns 0, or 1 if the model fails. As wr_subsystem_rhs_at(). */
static inline int wr_subsystem_event_after(wr_subsystem *s, const wr_event_point *event,
                                           const double *const change[3], double by, double by_s,
                                           double *ret_x, double *ret_d)
{
    return s->ops->event_after(s, event, change, by, by_s, ret_x, ret_d);
}

/* Does a published output depend on an input at the same instant? */
static inline int wr_subsystem_passes_on(const wr_subsystem *s, int i_external)
{
    return s->ops->passes_on && s->ops->passes_on(s, i_external);
}

/* Is a state event due at the present time if the inputs change by `change`? Changes smaller than jumps do not count. */
static inline int wr_subsystem_is_event_due(wr_subsystem *s, const double *change)
{
    return s->has_state_events && s->ops->is_event_due && s->ops->is_event_due(s, change);
}

/* Does this value of an input differ from the value last read, at the present time, by a jump on which a step ends? */
static inline int wr_subsystem_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return s->ops->is_jump && s->ops->is_jump(s, i_external, value);
}

/* Does a change of an input at the end of the last window act at the same instant? Either an output or an indicator depends directly
 * on the input, or an event there has had several rounds. */
static inline int wr_subsystem_follows_at_end(const wr_subsystem *s, int i_external)
{
    return s->ops->follows_at_end && s->ops->follows_at_end(s, i_external);
}

/* Has an input jumped at the end of the last window? */
static inline int wr_subsystem_has_jump_at_end(const wr_subsystem *s)
{
    return s->ops->has_jump_at_end && s->ops->has_jump_at_end(s);
}

/* Places the causes of a subsystem's jumps. i_member: number of the subsystem among the subsystems with state events; -1: it has no
 * state events. Returns 0, or -1 when the arena is exhausted. Setup only. */
static inline int wr_subsystem_place_causes(wr_subsystem *s, wr_arena *arena, int i_member)
{
    return s->ops->place_causes ? s->ops->place_causes(s, arena, i_member) : 0;
}

/* After an advance with is_check: has each own state event of the advance before come again by its indicator, with values from before
 * the event? */
static inline int wr_subsystem_confirms(const wr_subsystem *s)
{
    return s->ops->confirms ? s->ops->confirms(s) : 1;
}

/* Largest difference between the times of an event in the last advance and in the advance that checks it, s. */
static inline double wr_subsystem_checked_span(const wr_subsystem *s)
{
    return s->ops->checked_span ? s->ops->checked_span(s) : 0.0;
}

/* Activity of a subsystem at an instant of its last advance. Kinds without inputs are grounded. */
static inline wr_instant_kind wr_subsystem_instant_at(const wr_subsystem *s, double t_s)
{
    return s->ops->instant_at ? s->ops->instant_at(s, t_s) : WR_INSTANT_GROUNDED;
}

/* Finds the first instant, from number i_instant on, at which all state events follow from jumps of inputs; *ret_t_s is its time.
 * Returns the number of the next instant; -1: there is no such instant. */
static inline int wr_subsystem_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s)
{
    return s->ops->next_answer ? s->ops->next_answer(s, i_instant, ret_t_s) : -1;
}

/* A number for the order of the subsystem's own events in the last integration, the jumps of a source's wave, and the events that
 * follow from these jumps. Different numbers mean different orders. */
static inline uint64_t wr_subsystem_order(const wr_subsystem *s, int i_source, const wr_wave *wave)
{
    return s->ops->order ? s->ops->order(s, i_source, wave) : 0;
}

/* ---- faults, counters ---- */

/* Writes the fault as text, with the subsystem's name. */
void wr_subsystem_fault_text(const wr_subsystem *subsystem, wrsim_error *ret_err);

/* Number of right-hand sides so far; of kinds without right-hand sides: of steps or advances. */
static inline int64_t wr_subsystem_n_rhs(const wr_subsystem *s)
{
    return s->ops->n_rhs ? s->ops->n_rhs(s) : s->stats.n_integration;
}

#endif
