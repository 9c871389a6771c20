/* A subsystem integrates a window against the waveforms of its producers and publishes its own.
 *
 * Callers use the table of operations and the numbers of the struct below. Kinds: components with a solver (ode_subsystem.h),
 * recorded signals (replay.h), values that a host sets (port_player.h). A new kind is a file pair with a table of its own
 * and a row in runtime/sim/subsystem_kinds.c.
 *
 * wr_subsystem_advance() integrates one window against source[], writes wave, and keeps the rows to be recorded.
 * Nothing outside is changed until the engine takes the rows; restore() goes back to the start of the window.
 *
 * Life of a window, for one subsystem:
 *     save -> advance (sweep 1) -> [restore -> advance (sweep k)]* -> the rows are taken
 * One that cannot restore is advanced once, after the others have agreed with its prediction.
 *
 * Thread: one at a time. Real-time: save, restore, advance and what judges them, as far as the kind says so.
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
    WR_ROW_EVENT_RIGHT,   /* just after it */
    WR_ROW_NODE,          /* at a node of the published wave */
    WR_ROW_KIND_COUNT
} wr_row_kind;

/* What it can and cannot. */
enum {
    WR_SUBSYSTEM_CANNOT_RESTORE = 1 << 0, /* no way back: one advance per window */
    WR_SUBSYSTEM_GRID_ONLY = 1 << 1,      /* advances from one communication point to another */
    WR_SUBSYSTEM_HAS_TOLERANCE = 1 << 2,  /* looser tolerances make an advance cheaper */
    WR_SUBSYSTEM_RESTARTS = 1 << 3,       /* its solver starts anew in every window, which costs */
    WR_SUBSYSTEM_NO_STATE = 1 << 4,       /* what is inside of its solver cannot be had */
    WR_SUBSYSTEM_IS_PLAYED = 1 << 5,      /* what it publishes is known ahead: it reads nothing */
    WR_SUBSYSTEM_PAUSES = 1 << 6          /* heeds wr_subsystem.pause */
};

/* When an advance of a subsystem that is alone comes back before its end, after a step: its rows are handed over, others
 * hear of the time, the next advance goes on. Nothing that it computes or counts depends on where. */
typedef struct wr_pause {
    int n_step; /* after so many steps at the latest, 0: never; ... */
    const atomic_int
        *is_wanted; /* ... or when this is set (relaxed: the flag alone matters); NULL: never */
} wr_pause;

typedef struct wr_subsystem_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_NOTHING, WRSIM_STATS_FIELD, WRSIM_STATS_NOTHING)
    int64_t n_effect_rhs; /* right-hand sides spent on wr_subsystem_effect() */
    int64_t n_turn;       /* stops after which states or the discrete state change their course */
    int64_t n_locate;     /* evaluations of the indicators spent on locating */
    int64_t n_output;     /* evaluations of all outputs */
    int64_t n_refined;    /* nodes of waves inside steps (all sweeps, failed integrations too) */
    wr_step_lengths step_length; /* of all steps with states */
} wr_subsystem_stats;

typedef struct wr_subsystem wr_subsystem;

/* Activity of a subsystem at an instant of its last advance: none; answers to jumps of its inputs
 * only; or an own event that came first, found on the left of all jumps or announced. */
typedef enum wr_instant_kind {
    WR_INSTANT_NONE,
    WR_INSTANT_ANSWERED,
    WR_INSTANT_GROUNDED
} wr_instant_kind;

/* How some of the published outputs are computed from the inputs at one instant; the kind's own. */
typedef struct wr_output_plan wr_output_plan;

/* If simulation.event_tolerance is "auto", the time of a fault is located to this share of a
 * communication step. Two faults that lie closer together are taken for one. */
#define WR_FAULT_SHARE 1e-8

/* Does a state run away? With its inputs, or also with its inputs held? */
typedef enum wr_runaway { WR_RUNAWAY_NONE, WR_RUNAWAY_DRIVEN, WR_RUNAWAY_OWN } wr_runaway;

/* The operations. Those in the first block every kind has; the others may be NULL, which means what the function
 * below says of it. All that return a status set subsystem->fault where it is negative. */
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
    const wr_sparsity *(*pattern)(const wr_subsystem *, wr_arena *);
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

/* What every window reads comes first. Written by the kind, but for wave and source. */
struct wr_subsystem {
    const wr_subsystem_ops *ops;
    void *inside;           /* the kind's own */
    wr_wave *wave;          /* written by advance; the first one is the kind's, with its room */
    const wr_wave **source; /* [n_source] set before advance */
    const wr_pause *pause;  /* it is alone; NULL: it goes to the end. The engine's */
    unsigned flags;         /* WR_SUBSYSTEM_... */
    int n_source, n_external, n_published, n_x, n_d;
    double t_s;       /* current time */
    double *x, *d;    /* [n_x], [n_d] current */
    double *external; /* [n_external] inputs at the current time */
    double *unseen; /* [n_x] of the last advance: what its steps missed of inputs and what that has
                            done to the states, about; 0 unless has_unseen */
    int has_unseen;
    double
        step_rhs; /* right-hand sides per step, with those of its Jacobians, of the last advance that made one; 0 until then */
    int has_state_events;
    int is_check; /* the engine's: the advance checks the last one, without its times and without causes (wr_subsystem_confirms) */
    int is_after_check; /* the engine's: the next advance repeats the one before the check */
    /* Of the last advance: */
    int has_deferred; /* a jump of an input had an own event as its cause that had not come (jump_causes.c), or one of the instant of
                         an own event came at another time (event_order.c) */
    int has_shared; /* at the instant of an own state event an input jumped that comes from the subsystem's ring */
    int parts_instant; /* an own event is due just after the window's end, at the instant of a jump before it */
    int has_effect; /* since the last advance the effect was asked for, and ... */
    double *effect; /* ... [n_x] this is it on the states, in their units */
    int n_row, n_recorded;
    wr_subsystem_stats stats;
    wr_fault fault;       /* of the last failed operation */
    wr_step_watch *watch; /* where advance is to keep its points; NULL: nowhere. The owner's */
    /* Not 0: a stop is asked for, and a window with many events is not finished; NULL: it always is. Others set it (relaxed:
     * only the flag itself matters). */
    const atomic_int *stop;
    /* Rows of the window, in time order. */
    int cap_row;
    double *row_time_s;      /* [cap_row] */
    unsigned char *row_kind; /* [cap_row] wr_row_kind */
    double *row_value;       /* [cap_row * n_recorded] */
    /* Where input j comes from: a source, and a signal of its wave. */
    const int *external_source, *external_signal; /* [n_external] */
    const int *signal_state; /* [n_published] the state that a signal is; -1: it is computed */
    const double *nominal_published; /* [n_published] in their units */
    /* What a tolerance is for each variable (rtol |value| + atol): of the coupling, in their units. */
    double rtol;
    const double *atol_x, *atol_published, *atol_external; /* [n_x], [n_published], [n_external] */
    double work_per_rhs;                                   /* counted work of one right-hand side */
    const char *name;
    const wrsim_observer *observer; /* of steps and events; NULL: none. The simulation's */
    int i_observed;                 /* number of the subsystem for the observer */
    size_t near_bytes; /* from here on, side by side: what windows read; 0: not known */
};

/* Frees what is not in its arena. Accepts NULL and nulls the pointer. */
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

/* ---- start: in this order, each for all subsystems before the next (runtime/relax/initial.c) ----
 *
 * external[n_external] are the inputs at start_s. All return WRSIM_OK or a negative status with fault set.
 * Phase: setup. Kinds without events lack all but begin() and published(). */

/* Start values of states and discrete states; modes are 0. */
static inline wrsim_status wr_subsystem_begin(wr_subsystem *s) { return s->ops->begin(s); }

/* Modes by the signs of the indicators, once; *ret_n_changed. Indicators may depend on modes, here and, through
 * outputs, elsewhere: again until none changes. */
static inline wrsim_status wr_subsystem_find_modes(wr_subsystem *s, const double *external,
                                                   int *ret_n_changed)
{
    *ret_n_changed = 0;
    return s->ops->find_modes ? s->ops->find_modes(s, external, ret_n_changed) : WRSIM_OK;
}

/* Initial events: the first round of the first instant. external: the inputs before anybody's.
 * *ret_n_due: time events that are due at once. */
static inline wrsim_status wr_subsystem_fire_initial(wr_subsystem *s, const double *external,
                                                     int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_initial ? s->ops->fire_initial(s, external, ret_n_due) : WRSIM_OK;
}

/* All have fired their events of a round, and the inputs are external now: gives
 * indicators their modes and marks the events. *ret_n_flip: how many modes have changed; others see that, too, so again
 * until none does. */
static inline wrsim_status wr_subsystem_follow(wr_subsystem *s, const double *external,
                                               int *ret_n_flip)
{
    *ret_n_flip = 0;
    return s->ops->follow ? s->ops->follow(s, external, ret_n_flip) : WRSIM_OK;
}

/* Fires what is due in the next round; where nothing is, the round passes. *ret_n_due as of the first. */
static inline wrsim_status wr_subsystem_fire_next(wr_subsystem *s, int *ret_n_due)
{
    *ret_n_due = 0;
    return s->ops->fire_next ? s->ops->fire_next(s, ret_n_due) : WRSIM_OK;
}

/* Ready to advance. On return, wr_subsystem_published() gives the outputs. */
static inline wrsim_status wr_subsystem_start(wr_subsystem *s)
{
    return s->ops->start ? s->ops->start(s) : WRSIM_OK;
}

/* Outputs that make up the wave, and their slopes (NULL: not wanted), at the current time. */
static inline wrsim_status wr_subsystem_published(wr_subsystem *s, double *ret_value,
                                                  double *ret_slope)
{
    return s->ops->published(s, ret_value, ret_slope);
}

/* ---- outputs one by one: where subsystems are in algebraic loops with one another ---- */

/* How to compute that signal, which is no state, alone, or (is_whole) with all that the same calls give. Placed
 * in arena; NULL when out of memory. Kinds without it have one plan, which reads no input and gives all. */
const wr_output_plan *wr_subsystem_plan(wr_subsystem *s, wr_arena *arena, int i_signal,
                                        int is_whole);

/* Sets ret_is_read[n_external] to which inputs a plan reads; plan NULL: the indicators. */
void wr_subsystem_plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_read);

/* Sets ret_is_given[n_published] to which signals a plan gives. */
void wr_subsystem_plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_given);

/* What a plan gives, at the current point with those inputs, into its places in ret_value[n_published]. */
wrsim_status wr_subsystem_outputs(wr_subsystem *s, const wr_output_plan *plan,
                                  const double *external, double *ret_value);

/* Appends how an input acts on a signal at the same instant: "b.u -> b.m -> c.u -> c.y". Setup only. */
static inline void wr_subsystem_path_text(const wr_subsystem *s, int i_external, int i_signal,
                                          char *text, size_t text_bytes)
{
    if (s->ops->path_text)
        s->ops->path_text(s, i_external, i_signal, text, text_bytes);
}

/* What is published comes back through an algebraic loop across subsystems that makes so much of what it is off, >= 1:
 * waves are as much closer to the outputs from now on. */
static inline void wr_subsystem_set_amplification(wr_subsystem *s, double amplification)
{
    if (s->ops->set_amplification)
        s->ops->set_amplification(s, amplification);
}

/* ---- windows ---- */

/* Keeps all that changes as the start of the next window. O(n_x). */
static inline void wr_subsystem_save(wr_subsystem *s)
{
    if (s->ops->save)
        s->ops->save(s);
}

/* Back to the last save. Kinds that cannot restore are never asked to. */
static inline void wr_subsystem_restore(wr_subsystem *s) { s->ops->restore(s); }

/* Can all that changes be passed over? */
static inline int wr_subsystem_has_state(const wr_subsystem *s)
{
    return s->ops->state && !(s->flags & WR_SUBSYSTEM_NO_STATE);
}

/* Between two windows: passes over all that changes after creation, counters included, but for the waves, which are the
 * engine's, and rows, which it has taken. After reading it goes on as the one that wrote; no fault is set. Only where
 * wr_subsystem_has_state(). */
static inline void wr_subsystem_state(wr_subsystem *s, wr_state_io *io) { s->ops->state(s, io); }

/* Integrates from t_s to t_end_s, or where it is alone to a pause before, against source[], with the tolerances multiplied by
 * tolerance_factor >= 1. Writes wave and rows (at communication points in (start, end], at events).
 * WRSIM_STOPPED where s->stop has ended it early: as after a failure, restore() is the only thing to do next.
 * On failure a negative status; fault says why; restore() is then the only thing to do next. */
static inline wrsim_status wr_subsystem_advance(wr_subsystem *s, double t_end_s,
                                                double tolerance_factor)
{
    return s->ops->advance(s, t_end_s, tolerance_factor);
}

/* Does a state of the subsystem run away from its present value, or is it about to overflow? If so, sets the fault to come.
 * For faults only: it costs right-hand sides. */
static inline wr_runaway wr_subsystem_runs_away(wr_subsystem *s, wr_fault *ret_fault)
{
    return s->ops->runs_away ? s->ops->runs_away(s, ret_fault) : WR_RUNAWAY_NONE;
}

/* After a failed advance() from the last save(): integrates shorter and shorter windows until the fault's time
 * is known to the tolerance of events, whatever the steps and the window were: some 20 to 40 windows. fault is
 * the one closed in on. Returns up to where all is sound, where the subsystem then is, with the rows and the wave
 * until there. Faults that do not depend on where a step ends are left as they are, and so are those of kinds that do
 * not close in. */
static inline double wr_subsystem_close_in(wr_subsystem *s, double tolerance_factor)
{
    return s->ops->close_in ? s->ops->close_in(s, tolerance_factor) : s->t_s;
}

/* The time event known next, s, INFINITY if there is none; *ret_gap_s: how long before it became known. */
double wr_subsystem_next_event(const wr_subsystem *subsystem, double *ret_gap_s);

/* ---- judging what changes of inputs come to ---- */

/* About how far the window just integrated, of length_s, would have ended elsewhere if the inputs had
 * been different by change[n_external]: the largest change of a state, in tolerances, or of a published output, in
 * units of output_weight. INFINITY where that is not to be had. */
double wr_subsystem_effect(wr_subsystem *subsystem, const double *change, double length_s,
                           const double *output_weight);

/* The directional derivative of the right-hand side, ret_dx[n_x], and of what is published,
 * ret_dy[n_published], at the current point along x_change[n_x] and u_change[n_external], all in the
 * variables' own units; modes and discrete states stay as they are. Return 0, or 1 where it is not to be had: the
 * result is then unset. Nothing that integrating reads is changed, and nothing is counted. */
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

/* Derivatives of both along d_change[n_d] of discrete states. */
static inline int wr_subsystem_tangent_discrete(wr_subsystem *s, const double *d_change,
                                                double *ret_dx, double *ret_dy)
{
    return s->ops->tangent_discrete ? s->ops->tangent_discrete(s, d_change, ret_dx, ret_dy) : 1;
}

/* Which of the derivatives of states and of published outputs that are computed (rows), by states and inputs (columns), may be
 * other than 0. Placed in arena; NULL: not known, or out of memory. Setup only. */
static inline const wr_sparsity *wr_subsystem_pattern(const wr_subsystem *s, wr_arena *arena)
{
    return s->ops->pattern ? s->ops->pattern(s, arena) : NULL;
}

/* Room for the points of an advance and cap_event events, or for events only, in arena: 0, -1 when that is exhausted, or 1: this
 * kind keeps none. */
static inline int wr_subsystem_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points,
                                           int cap_event, wr_step_watch *ret_watch)
{
    return s->ops->place_watch ? s->ops->place_watch(s, arena, has_points, cap_event, ret_watch)
                               : 1;
}

/* The right-hand side at a point of an earlier advance, with other inputs, ret_dx[n_x]. Return 0, or 1 where the model
 * fails there. What instances remember is as it is now. Nothing that integrating reads is changed, and nothing is
 * counted. */
static inline int wr_subsystem_rhs_at(wr_subsystem *s, const wr_step_point *at,
                                      const double *external, double *ret_dx)
{
    return s->ops->rhs_at(s, at, external, ret_dx);
}

/* The same of what it publishes, ret_y[n_published]. */
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

/* Delay of an event of round 0, s, up to most_s either way. x_error[n_x], u_error[n_external] and
 * d_error[n_d] are the errors of states, inputs and discrete states at its time. For a state event
 * it is the error of the indicator over its slope, for a time event the error of the announced
 * time. 0: it cannot be found; infinite: the indicator does not move; NaN: without the errors there is no event. Of a turn NaN
 * says that without the errors there is an event. *ret_margin: errors larger by this factor decide whether there is an event;
 * infinite if no errors do. As wr_subsystem_rhs_at(). */
static inline double wr_subsystem_event_shift(wr_subsystem *s, const wr_event_point *event,
                                              const double *x_error, const double *u_error,
                                              const double *d_error, double most_s,
                                              double *ret_margin)
{
    return s->ops->event_shift(s, event, x_error, u_error, d_error, most_s, ret_margin);
}

/* What the event's first pass leaves, ret_x[n_x] and ret_d[n_d], where states, inputs and discrete states before it were moved
 * by `by` times change[] of each, and it was by_s later. Returns 0, or 1 where the model fails. As wr_subsystem_rhs_at(). */
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

/* Would a state event be due at the present time if inputs moved by a change? Smaller changes than jumps are not asked for. */
static inline int wr_subsystem_is_event_due(wr_subsystem *s, const double *change)
{
    return s->has_state_events && s->ops->is_event_due && s->ops->is_event_due(s, change);
}

/* Is this value of an input so far from the one last read, at the present time, that a jump between the
 * two would be landed on? */
static inline int wr_subsystem_is_jump(const wr_subsystem *s, int i_external, double value)
{
    return s->ops->is_jump && s->ops->is_jump(s, i_external, value);
}

/* Does what happens to an input at the end of the window just integrated act at that very instant: does an
 * output or an indicator read it directly, or has an event there gone on for several rounds? */
static inline int wr_subsystem_follows_at_end(const wr_subsystem *s, int i_external)
{
    return s->ops->follows_at_end && s->ops->follows_at_end(s, i_external);
}

/* Has an input jumped there? */
static inline int wr_subsystem_has_jump_at_end(const wr_subsystem *s)
{
    return s->ops->has_jump_at_end && s->ops->has_jump_at_end(s);
}

/* Places the causes of a subsystem's jumps; i_member: its number among the subsystems with state
 * events, -1: it has none. Setup only. Returns 0, or -1 when the arena is exhausted. Kinds without
 * events keep no causes. */
static inline int wr_subsystem_place_causes(wr_subsystem *s, wr_arena *arena, int i_member)
{
    return s->ops->place_causes ? s->ops->place_causes(s, arena, i_member) : 0;
}

/* After an advance with is_check: has each own state event of the advance before come again by its
 * indicator, on values from before the event? */
static inline int wr_subsystem_confirms(const wr_subsystem *s)
{
    return s->ops->confirms ? s->ops->confirms(s) : 1;
}

/* The largest difference, s, between the times of one event in the last advance and in an advance that checks it. */
static inline double wr_subsystem_checked_span(const wr_subsystem *s)
{
    return s->ops->checked_span ? s->ops->checked_span(s) : 0.0;
}

/* Activity of a subsystem at an instant of its last advance. Kinds without inputs are grounded. */
static inline wr_instant_kind wr_subsystem_instant_at(const wr_subsystem *s, double t_s)
{
    return s->ops->instant_at ? s->ops->instant_at(s, t_s) : WR_INSTANT_GROUNDED;
}

/* Finds the first instant, from number i_instant on, whose state events follow from jumps of inputs alone; *ret_t_s is its time.
 * Returns the number of the instant after it, -1 if absent. */
static inline int wr_subsystem_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s)
{
    return s->ops->next_answer ? s->ops->next_answer(s, i_instant, ret_t_s) : -1;
}

/* The order of its own events of the last integration and the jumps of a source's wave, and where it answered
 * those, as a number: another one means another order. */
static inline uint64_t wr_subsystem_order(const wr_subsystem *s, int i_source, const wr_wave *wave)
{
    return s->ops->order ? s->ops->order(s, i_source, wave) : 0;
}

/* ---- faults, counters ---- */

/* Makes the fault into text with the subsystem's name. */
void wr_subsystem_fault_text(const wr_subsystem *subsystem, wrsim_error *ret_err);

/* Right-hand sides evaluated so far; of kinds without any, advances. */
static inline int64_t wr_subsystem_n_rhs(const wr_subsystem *s)
{
    return s->ops->n_rhs ? s->ops->n_rhs(s) : s->stats.n_integration;
}

#endif
