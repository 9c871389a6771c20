/* A subsystem: a group, its integrator, its events, and what it publishes over a window.
 *
 * wr_subsystem_advance() integrates one window against given input waves. It lands on events of its
 * own indicators, on time events and on jumps of its inputs, restarts itself only, writes its
 * output wave, and keeps the rows to be recorded. Nothing outside is changed until
 * wr_subsystem_commit(); wr_subsystem_restore() goes back to the start of the window.
 *
 * Life of a window, for one subsystem:
 *     save -> advance (sweep 1) -> [restore -> advance (sweep k)]* -> commit
 *
 * Thread: one at a time. Real-time: advance, save, restore, commit, with rt-safe models and
 * integrators.
 */
#ifndef WR_SUBSYSTEM_H
#define WR_SUBSYSTEM_H

#include "base/ahead.h"
#include "subsystems/group.h"
#include "subsystems/integrators/integrator.h"
#include "subsystems/wave/wave.h"

/* How a subsystem is built. */
typedef struct wr_subsystem_config {
    const char *name;
    wr_arena *arena;
    wr_component *const *components;
    int n_components;
    const wr_group_edge *edges; /* inside and external */
    int n_edges;
    int n_external;
    const int *source;        /* [n_external] which source drives it, 0 .. n_source - 1 */
    const int *source_signal; /* [n_external] which signal of that source's wave */
    int n_source;
    const int *published; /* [n_published] group outputs that make up the wave */
    int n_published;
    const int *recorded_kind;  /* [n_recorded] wrsim_kind: STATE, DISCRETE, INPUT or OUTPUT */
    const int *recorded_index; /* [n_recorded] group index in that kind */
    int n_recorded;
    const wr_integrator_ops *integrator;
    wr_integ_options options;
    double coupling_rtol; /* relative tolerance of what is read and published; 0: the solver's */
    double start_s;
    double communication_step_s; /* grid t = start_s + i * step */
    double event_tolerance_s;    /* width of the bracket an event is located to */
    int max_event_iterations;    /* at one instant, before it is an error */
    int max_stuck_events;        /* consecutive events within chatter_time_s: an error */
    double chatter_time_s;
    int cap_node; /* nodes of the wave per window */
    int cap_row;  /* recorded rows per window */
    double
        jump_limit; /* jumps of inputs above jump_limit * (rtol * (|u| + nominal)) are landed on */
    int record_events; /* 1: rows at events too (left and right values) */
} wr_subsystem_config;

typedef enum wr_row_kind {
    WR_ROW_COMMUNICATION, /* at a communication point */
    WR_ROW_EVENT_LEFT,    /* just before an event */
    WR_ROW_EVENT_RIGHT,   /* just after it */
    WR_ROW_KIND_COUNT
} wr_row_kind;

typedef struct wr_subsystem_stats {
    int64_t n_advance;     /* windows integrated, sweeps counted */
    int64_t n_effect_rhs;  /* right-hand sides spent on wr_subsystem_effect() */
    int64_t n_state_event; /* stops at state events (all sweeps) */
    int64_t n_time_event;  /* stops at time events */
    int64_t n_input_jump;  /* stops at jumps of inputs */
    int64_t n_turn;      /* stops after which states go on otherwise, or d has what others act on */
    int64_t n_indicator; /* evaluations of the indicators */
    int64_t n_locate;    /* indicator evaluations spent on locating */
    int64_t n_flip;      /* indicators that fired */
    int64_t n_output;    /* evaluations of all outputs */
} wr_subsystem_stats;

/* What every window reads comes first. */
typedef struct wr_subsystem {
    wr_group *group;
    const wr_integrator_ops *ops;
    wr_integrator *integrator;
    struct wr_subsystem_work *work;
    wr_ahead *ahead;        /* fetched while right-hand sides are evaluated; NULL: nothing */
    wr_wave *wave;          /* written by advance */
    const wr_wave **source; /* [n_source] set by the engine before advance */
    int n_source, n_external;
    double t_s;          /* current time */
    double *x, *d;       /* [n_x], [n_d] current */
    unsigned char *mode; /* [n_z] */
    double *external;    /* [n_external] inputs at the current time */
    double *unseen; /* [n_x] of the last advance: what its steps missed of inputs and what that has
                            done to the states, about; 0 unless has_unseen */
    int has_unseen;
    int has_effect; /* since the last advance the effect was asked for, and ... */
    double *effect; /* ... [n_x] this is it on the states, in their units */
    int n_row, n_recorded;
    wr_subsystem_stats stats;
    wr_fault fault; /* of the last failed advance */
    /* Rows of the window, in time order. */
    int cap_row;
    double *row_time_s;      /* [cap_row] */
    unsigned char *row_kind; /* [cap_row] wr_row_kind */
    double *row_value;       /* [cap_row * n_recorded] */
    const int *external_source, *external_signal;
    const char *name;
    size_t near_bytes; /* from here on, side by side: what windows read; 0: not known */
} wr_subsystem;

/* Builds a subsystem. Errors go to diag, NULL on failure. */
wr_subsystem *wr_subsystem_create(const wr_subsystem_config *config, wr_diag *diag);
void wr_subsystem_destroy(wr_subsystem **subsystem);

/* ---- start: in this order, each for all subsystems before the next (runtime/relax/engine_start.c) ----
 *
 * external[n_external] are the inputs at start_s. All return WRSIM_OK or a negative status with fault set.
 * Phase: setup. */

/* Start values of states and discrete states, from the description and init(); modes are 0. */
wrsim_status wr_subsystem_begin(wr_subsystem *subsystem);

/* Modes by the signs of the indicators, once; *ret_n_changed. Indicators may depend on modes, here and, through
 * outputs, elsewhere: again until none changes. */
wrsim_status wr_subsystem_find_modes(wr_subsystem *subsystem, const double *external,
                                     int *ret_n_changed);

/* Outputs that a plan of the group computes, into their places in ret_y[n_y]. May be called between any two
 * of these. */
wrsim_status wr_subsystem_outputs(wr_subsystem *subsystem, const wr_plan *plan,
                                  const double *external, double *ret_y);

/* Initial events: the first round of the first instant. external: the inputs before anybody's.
 * *ret_n_due: time events that are due at once. */
wrsim_status wr_subsystem_fire_initial(wr_subsystem *subsystem, const double *external,
                                       int *ret_n_due);

/* All have fired their events of a round, and the inputs are external now: finds what that makes due.
 * *ret_n_due: how many state events. */
wrsim_status wr_subsystem_follow(wr_subsystem *subsystem, const double *external, int *ret_n_due);

/* Fires what is due in the next round; where nothing is, the round passes. *ret_n_due as of the first. */
wrsim_status wr_subsystem_fire_next(wr_subsystem *subsystem, int *ret_n_due);

/* Starts the integrator. On return, wr_subsystem_published() gives the outputs. */
wrsim_status wr_subsystem_start(wr_subsystem *subsystem);

/* All of it for a subsystem that is alone, or whose inputs are known. */
wrsim_status wr_subsystem_init(wr_subsystem *subsystem, const double *external);

/* The group's output that is published as this signal of the wave. */
int wr_subsystem_output_of(const wr_subsystem *subsystem, int i_signal);

/* Outputs that make up the wave, and their slopes, at the current time. */
wrsim_status wr_subsystem_published(wr_subsystem *subsystem, double *ret_value, double *ret_slope);

/* Keeps all state (x, d, modes, integrator) as the start of the next window. O(n_x). */
void wr_subsystem_save(wr_subsystem *subsystem);
/* Back to the last save. */
void wr_subsystem_restore(wr_subsystem *subsystem);

/* Integrates from t_s to t_end_s against source[], with the tolerances multiplied by
 * tolerance_factor >= 1. Writes wave and rows (at communication points in (start, end], at events).
 * On failure a negative status; fault says why; restore() is then the only thing to do next. */
wrsim_status wr_subsystem_advance(wr_subsystem *subsystem, double t_end_s, double tolerance_factor);

/* After a failed advance() from the last save(): integrates shorter and shorter windows until the fault's time
 * is known to the tolerance of events, whatever the steps and the window were: some 20 to 40 windows. fault is
 * the one closed in on. Returns up to where all is sound, where the subsystem then is, with the rows and the wave
 * until there. Faults that do not depend on where a step ends are left as they are. */
double wr_subsystem_close_in(wr_subsystem *subsystem, double tolerance_factor);

/* The time event known next, s, INFINITY if there is none; *ret_gap_s: how long before it became known. */
double wr_subsystem_next_event(const wr_subsystem *subsystem, double *ret_gap_s);

/* Is that time a communication point, but for rounding? */
int wr_subsystem_is_on_grid(const wr_subsystem *subsystem, double t_s);

/* Is this value of an input so far from the one last read, at the present time, that a jump between the
 * two would be landed on? */
int wr_subsystem_is_jump(const wr_subsystem *subsystem, int i_external, double value);

/* Does what happens to an input at the end of the window just integrated act at that very instant: does an
 * output or an indicator read it directly, or has an event there gone on for several rounds? */
int wr_subsystem_follows_at_end(const wr_subsystem *subsystem, int i_external);

/* The order of its own events of the last integration and the jumps of a source's wave, and where it answered
 * those, as a number: another one means another order. */
uint64_t wr_subsystem_order(const wr_subsystem *subsystem, int i_source, const wr_wave *wave);

/* Does a published output depend on an input at the same instant? */
int wr_subsystem_passes_on(const wr_subsystem *subsystem, int i_external);

/* What is published comes back through an algebraic loop across subsystems that makes so much of what it is off, >= 1:
 * waves are as much closer to the outputs from now on. */
void wr_subsystem_set_amplification(wr_subsystem *subsystem, double amplification);

/* Has an input jumped there? */
int wr_subsystem_has_jump_at_end(const wr_subsystem *subsystem);

/* About how far the window just integrated, of length_s, would have ended elsewhere if the inputs had
 * been different by change[n_external]: the largest change of a state, in units of rtol |x| +
 * atol_state, or of a published output, in units of output_weight. INFINITY where the model fails. */
double wr_subsystem_effect(wr_subsystem *subsystem, const double *change, double length_s,
                           double rtol, const double *atol_state, const double *output_weight);

/* The directional derivative of the right-hand side, ret_dx[n_x], and of what is published,
 * ret_dy[n_published], at the current point along x_change[n_x] and u_change[n_external], all in the
 * variables' own units; modes and discrete states stay as they are. Return 0, or 1 where the model
 * fails: the result is then unset. Nothing that integrating reads is changed, and nothing is counted. */
int wr_subsystem_tangent(wr_subsystem *subsystem, const double *x_change, const double *u_change,
                         double *ret_dx);
int wr_subsystem_tangent_outputs(wr_subsystem *subsystem, const double *x_change,
                                 const double *u_change, double *ret_dy);

/* Absolute tolerances of the coupling for states, published outputs and inputs, in this order, in their
 * units. */
void wr_subsystem_absolute(const wr_subsystem *subsystem, double *ret);

/* The state that is published as this signal of the wave; -1: it is computed. */
int wr_subsystem_signal_state(const wr_subsystem *subsystem, int i_signal);

/* Makes the fault into text with the subsystem's name. */
void wr_subsystem_fault_text(const wr_subsystem *subsystem, wrsim_error *ret_err);

#endif
