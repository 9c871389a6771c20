/* Inside of a subsystem, shared by hybrid.c (life), hybrid_solver.c (its method), hybrid_advance.c (the window loop),
 * hybrid_locate.c (a step, and the first event in it), hybrid_fire.c (events at an instant),
 * hybrid_inputs.c (reading waves), hybrid_resolve.c (nodes of inputs inside of steps),
 * hybrid_own_time.c (equations that depend on time inside of steps), hybrid_order.c (own events and jumps of inputs),
 * hybrid_causes.c (causes of jumps), hybrid_publish.c (waves and rows),
 * hybrid_refine.c (nodes inside of steps), hybrid_bound.c (bounded work), hybrid_effect.c (what changes of inputs would do),
 * hybrid_tangent.c (how errors move on), hybrid_algebraic.c (algebraic variables), hybrid_watch.c (points that were passed), hybrid_state.c (all that changes, as bytes)
 * and hybrid_fault.c (what went wrong, and when).
 * Beside them only the peers in bench/ include it, which let other solvers integrate a subsystem and
 * have it handle its events.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_WORK_H
#define WR_HYBRID_WORK_H

#include <float.h>
#include <math.h>

#include "subsystems/events.h"
#include "subsystems/hybrid.h"
#include "subsystems/solvers/consistent.h"

/* Few indicators fire at once. */
enum { WR_BAND_LISTED = 8 };

/* How often a step may be halved for nodes inside of it, and to look for events. */
enum { WR_REFINE_LEVELS = 24, WR_LOOK_LEVELS = 20 };
/* With bounded work: so often, and so many evaluations to locate an event. */
enum { WR_REFINE_LEVELS_BOUNDED = 1, WR_LOCATE_BOUNDED = 20 };

/* State beside arrays; all of it is saved and restored. */
typedef struct wr_hybrid_clock {
    double t_s;
    double step_rhs;      /* as the subsystem's */
    int64_t i_grid;       /* next communication point to be recorded */
    double next_time_s;   /* earliest time event, */
    double announced_s;   /* known since */
    double clear_s;       /* since the last stop, no event has been expected before */
    double last_step_s;   /* length of the last accepted step */
    double step_before_s; /* of the one before */
    double last_tried_s;  /* length of the last step as the integrator made it */
    double reach_s;       /* longest of the last steps, forgotten by and by */
    double limit_s;       /* of the next step, where the last ones missed inputs; 0 = none */
    double time_event_s;  /* last time event of a component with no declared time scale */
    double crawl_s;  /* since then so many steps without an event, of the last few thousand, ... */
    double streak_s; /* time of the first event of a streak that may be chattering */
    int n_crawl;     /* ... are counted here; looks in a row that have found a jump of f */
    int n_jump_found;
    int n_streak; /* events in it */
    int n_dense;  /* the same of events of all kinds */
    double dense_s;
    int n_band;        /* indicators with a band, the first of which are in band_index */
    int n_before;      /* 0: z has jumped; 1: z_before is valid; 2: z_earlier too */
    int n_missed;      /* the last so many steps were aimed at events that did not come */
    int n_unlooked;    /* steps since the last one that was looked at inside, and after how many */
    int look_interval; /* the next one is; 0 counts as 1 */
    int z_turn;        /* where z and its like are in z_turning[] */
    unsigned char needs_probe; /* an indicator that has just fired is still near zero */
    unsigned char has_band;    /* nothing has moved since the last firing: band[] is valid */
    unsigned char is_dx_exact; /* dx is f at t_s, not only a slope of the dense output */
    unsigned char is_paused;   /* the last advance has not come to its end */
} wr_hybrid_clock;

/* An instant at which something was due here: events that were found or announced, or what jumps of inputs set
 * off. */
typedef struct wr_instant {
    double from_s; /* since when jumps of inputs waited for it, else t_s */
    double t_s;
    double found_s; /* when its state events were found, at t_s or before */
    double
        span_s; /* an integration that checks this one may find its state event so much earlier or later */
    int i_source; /* the only source whose jump it was about; -1: events of its own, or several sources */
    int i_z; /* the indicator of a state event of its own; -1: none. Several have an entry each */
    int is_shown;    /* a published output jumped */
    int is_grounded; /* its first event is an own one, announced or located on the left of all jumps */
    int has_fired; /* a state event fired */
} wr_instant;

/* Those of one integration; more are a reason for a shorter window. */
typedef struct wr_instants {
    double start_s; /* of the window */
    int n, cap;     /* cap 0: it has no inputs */
    wr_instant *at;
} wr_instants;

/* The cubic an input follows at present: when it began, and its factors by powers of the time since
 * then. Two inputs share a block, each number beside the other's, for one instruction takes two. */
enum {
    WR_CUBIC_LANES = 2,
    WR_CUBIC_START = 0,
    WR_CUBIC_0 = WR_CUBIC_START + WR_CUBIC_LANES,
    WR_CUBIC_1 = WR_CUBIC_0 + WR_CUBIC_LANES,
    WR_CUBIC_2 = WR_CUBIC_1 + WR_CUBIC_LANES,
    WR_CUBIC_3 = WR_CUBIC_2 + WR_CUBIC_LANES,
    WR_CUBIC_SIZE = WR_CUBIC_3 + WR_CUBIC_LANES /* of a block */
};

/* External inputs of one source. */
typedef struct wr_source_reader {
    int n;               /* external inputs it drives */
    const int *external; /* [n] which */
    const int *signal;   /* [n] which signals of its wave */
    double **cubic;      /* [n] what is read there at present */
    double *limit;       /* [n] jumps above it are landed on; valid for a wave that jumps */
    wr_cursor cursor;
    double low_s, high_s; /* its cubics are to be read for low < t <= high; NaN: not known */
    double jump_s;        /* next jump to land on, INFINITY = none */
    int i_left, n_round; /* at the present instant: node on its left, rounds after it; 0: no jump */
    const double *offset; /* [n] height of the jumps that are deferred; NULL: none is */
} wr_source_reader;

/* Jumps of a source that wait for an own firing round. */
typedef struct wr_deferral {
    int is_open;
    double *offset; /* [n of the reader] their height */
    wr_cause_set causes;
} wr_deferral;

/* Causes at the present instant (hybrid_causes.c). Of one integration, so neither saved nor part of the state. */
typedef struct wr_hybrid_causes {
    int i_member; /* -1: the subsystem has no state events, and its wave only passes causes on */
    int n_fired;  /* own firing rounds of this integration */
    int n_open;   /* sources with deferred jumps */
    wr_cause_set now; /* of the node published in the present round */
    wr_cause_set
        later; /* of inputs that act through an event; they are causes from the next firing round on */
    wr_deferral *deferral; /* [n_source] */
} wr_hybrid_causes;

/* Bounds of the work, and the stretch under way: begun anew with each advance, so not saved. */
typedef struct wr_bound {
    int is_on;
    int n_spare; /* steps beside those planned, of a method of fixed steps */
    int64_t
        budget; /* right-hand sides of a method with error control; 0: it is one of fixed steps */
    int fails;  /* else it goes on when they are used up */
    double step_s;   /* as planned */
    double end_s;    /* of the stretch */
    double length_s; /* of its steps, as planned */
    int n_left, n_spare_left, n_coarse_left;
    int64_t n_rhs_before;
    int is_planned; /* its steps are, ... */
    int is_coarse;  /* ... this one is a coarse one beside them, ... */
    int is_whole;   /* ... and this one goes to its end, whatever comes in it */
} wr_bound;

typedef struct wr_hybrid {
    wr_group *group;
    const wr_integrator_ops *solver; /* NULL without states, as its ... */
    wr_integrator *integrator;
    unsigned char *mode; /* [n_z] current */
    /* What every window reads, events or not. */
    wr_hybrid_clock *clock;
    /* State: blocks of equal layout; clock, band, z ... guess lead into now. */
    unsigned char *now, *saved;
    size_t state_bytes;
    unsigned char *memory, *memory_saved; /* [memory_bytes] what instances remember */
    unsigned char *memory_before,
        *memory_kept; /* [memory_bytes] before an event; while one is only tried */
    size_t memory_bytes;
    int n_published, n_published_computed;
    const int *published;
    const wr_plan *plan_published; /* NULL when all published outputs are states */
    int follows_inputs;            /* of those published some are computed from inputs directly */
    int is_held;     /* the computed ones depend on time, discrete states and modes alone */
    double inside_s; /* length of the step inside of which outputs are evaluated, else 0 */
    double known_s;  /* when refine's last level holds what is to be published; NaN: never */
    double *refine;  /* [WR_REFINE_LEVELS + 1][2 n_published] */
    int is_frozen;   /* inputs are external[], not waves: before the first window */
    int n_made;      /* steps of the advance under way, or the last one, since it began or paused */
    int n_row_kept;  /* rows that the next advance adds to */
    int is_node_pending;      /* the wave's first node waits for its slope */
    int is_wave_open;         /* the wave has a node to which rounds of an instant are added */
    wr_source_reader *reader; /* [n_source] */
    double *cubic;            /* [n_external, made even] * 5: cubics of all inputs, ... */
    double low_s, high_s;     /* ... to be read for low < t <= high; NaN: not known */
    double jump_s;            /* next jump of any source to land on, INFINITY = none */
    double *external_eval;    /* [n_external] */
    double eval_s;            /* time at which external_eval was read, or NaN */
    double *resolve;          /* [5 n_external] workspace */
    unsigned char *reaches_z; /* [n_external] indicators depend on it, maybe through outputs; */
    unsigned char *reaches_y; /* the same of published outputs */
    double *deviation;        /* [n_external] of inputs from what a step sees of them */
    int has_rough_inputs;     /* inside of the last step they deviate */
    int has_unseen_step;      /* unseen_step is what the last step missed, and will count with it */
    double reached_s;         /* end of the last step as the integrator made it */
    double *dx;               /* [n_x] slope at t_s */
    double *x_step, *dx_step; /* [n_x] */
    double *x_moved, *external_moved; /* [n_x], [n_external] for slopes of outputs */
    double *unseen_step;              /* [n_x] */
    double *external_slope;           /* [n_external] */
    double *y_moved, *y_back;         /* [n_y] */
    double *y_size; /* [n_published] largest so far, at accepted ends of steps; saved */
    double loosest; /* tolerance factor of a state */
    double *z;      /* [n_z] indicators at t_s */
    double *guess;  /* [n_guess] of the algebraic loops, while saved */

    /* Configuration. */
    wr_ode ode;
    /* With a mass matrix (hybrid_algebraic.c), else NULL. */
    wr_ode here; /* with inputs as they are at the present instant */
    wr_consistent *consistent;
    double *shift, *x_shown; /* [n_x] work */
    const wr_sparsity *kept; /* of the Jacobian; NULL: all of it */
    void *code_handle;       /* of generated code, NULL: none */
    double start_s, communication_step_s;
    double
        look_s; /* steps are searched at multiples of it (hybrid_own_time.c); INFINITY: they are not */
    double *look;                        /* [4 n_x] work of such a search; NULL if absent */
    double loosened;                     /* tolerance factor of the advance under way */
    double window_start_s, window_end_s; /* of the advance under way */
    double jump_limit, rtol, atol_factor, coupling_rtol;
    int looks_always; /* searches each step inside for events */
    double
        amplification; /* of the algebraic loop across subsystems that outputs are in; 0: they are in none */
    const double *nominal_external;
    double event_tolerance_s, chatter_time_s; /* 0: wr_hybrid_event_tolerance(), ... */
    double event_share;                       /* ... by this share of the last step; 0: not so */
    double run_s;
    int max_event_iterations, max_stuck_events, record_events;
    const int *recorded_kind, *recorded_index;
    const wr_plan *plan_recorded; /* NULL when no output or input is recorded */
    const double *nominal_z;

    /* Events. */
    int *band_index;   /* [WR_BAND_LISTED] */
    double *band;      /* [n_z] > 0: has just fired and may turn back; until it leaves this band */
    double *z_before;  /* [n_z] indicators at the start of the last step and of the one before, */
    double *z_earlier; /* [n_z] see clock->n_before */
    double *z_step;    /* [n_z] those at the end of the step, or before they jumped */
    double *z_turning; /* [4 n_z] these three and z: from step to step they change places */
    double *time_next; /* [n_component] announced time events */
    wr_events *events;
    int n_flip_now;                    /* indicators fired at the present instant */
    int is_found;                      /* state events begin it that no jump of an input has made */
    int has_changed, is_state_changed; /* at the present instant: x or d; x */
    double *z_probe[2];                /* [n_z] each */
    double *z_look;                    /* [(WR_LOOK_LEVELS + 4) n_z] a closer look at a step */
    double *z_moved;                   /* [n_z] 0 but for what was found last */
    unsigned char *mode_watch;         /* [n_z] workspace */
    double *z_watch;                   /* [n_z] workspace */
    unsigned char *sense;              /* [n_z] modes as they change silently within a step */
    int n_fired, *fired_index;         /* [n_z] where fired is not 0 */
    signed char *fired;                /* [n_z] */
    unsigned char *mode_before;        /* [n_z] modes before the present round */
    int n_has_fired, *has_fired_index; /* [n_z] where has_fired is 1 */
    unsigned char *has_fired;          /* [n_z] at the present instant */
    unsigned char *has_ever_fired;     /* [n_z] in any integration */
    int *event_index;                  /* [n_z] workspace */
    unsigned char *due;                /* [n_component] as in wr_group_event() */
    double *x_before, *d_before;       /* [n_x], [n_d] before an event */
    double *d_probe;                   /* [n_d] workspace */
    double *
        dx_left; /* [n_x] slopes at the end of the last window; is_at_start: an instant begins the window */
    int is_at_start;
    double *time_watch; /* [n_component] workspace */
    double
        bend; /* second derivative of the indicator that fired first in the last step; 0: unknown */
    int has_stored;             /* at the present instant d took over values that others act on */
    int has_shown;              /* a jump of what is published at the last instant */
    double *value, *slope;      /* [n_published] on the right of a stop */
    int n_round_shown;          /* of the present instant, nodes after that on its left */
    int n_round;                /* rounds at the last instant, */
    wr_instants instants, last; /* of this integration, and of the one before; not rolled back */
    wr_instants spare;          /* of the one before the last, while that is checked */
    int i_jumped;               /* the only source that jumps at the present instant; -1: several */
    int n_jump;                 /* sources that jumped there, */
    double instant_s;           /* and its time */
    double held_jump_s,
        held_until_s; /* the last jump that let an own event come first, until that time at most */
    double
        found_s; /* when the event of the last step was found, or INFINITY; it may come later, at a jump of its instant */
    wr_hybrid_causes *causes; /* NULL: in no ring with state events */
    int may_be_timed;         /* an indicator may change with the time alone; found at the start */
    wr_bound bound;
    int *streak_flips; /* [n_z] since the streak began; not rolled back */
    int *fault_flips;  /* [n_z] those of the last chattering fault */
} wr_hybrid;

static inline wr_hybrid *wr_hybrid_of(const wr_subsystem *s) { return s->inside; }

/* Shortest time that means anything at t_s. A quarter of it (hybrid_locate.c) is above the distance
 * up to which times count as equal (wr_time_close()). It is also the shortest step of the solvers
 * (step_control.c). */
static inline double wr_hybrid_least_time(double t_s) { return 64.0 * DBL_EPSILON * fabs(t_s); }

/* Largest error in time, s, of a state event that is found just after the current point. */
static inline double wr_hybrid_located_to(const wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    return wr_max(wr_max(work->event_tolerance_s, work->event_share * work->clock->last_step_s),
                  wr_hybrid_least_time(s->t_s));
}

/* Two integrations, or two subsystems, find one event at times that differ by up to this multiple
 * of its location error. 1000 times 1e-4 rtol of a step is a tenth of rtol: errors of states move
 * the event by as much. */
#define WR_SAME_EVENT 1e3

/* State events near the current point that are no further apart than this may be one event, s. */
static inline double wr_hybrid_event_tolerance(const wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    return wr_max(WR_SAME_EVENT * work->event_share * work->clock->last_step_s,
                  wr_hybrid_located_to(s));
}

/* Largest error in time of a state event, as a share of the part of a step in which it is found. */
double wr_hybrid_event_share(double rtol);

/* The operations (subsystem.h), each in the file of its job. */
extern const wr_subsystem_ops wr_hybrid_ops;
wrsim_status wr_hybrid_begin(wr_subsystem *s);
wrsim_status wr_hybrid_find_modes(wr_subsystem *s, const double *external, int *ret_n_changed);
wrsim_status wr_hybrid_fire_initial(wr_subsystem *s, const double *external, int *ret_n_due);
wrsim_status wr_hybrid_follow(wr_subsystem *s, const double *external, int *ret_n_flip);
wrsim_status wr_hybrid_fire_next(wr_subsystem *s, int *ret_n_due);
wrsim_status wr_hybrid_start(wr_subsystem *s);
wrsim_status wr_hybrid_published(wr_subsystem *s, double *ret_value, double *ret_slope);
void wr_hybrid_set_amplification(wr_subsystem *s, double amplification);
void wr_hybrid_save(wr_subsystem *s);
void wr_hybrid_restore(wr_subsystem *s);
void wr_hybrid_state(wr_subsystem *s, wr_state_io *io);
wrsim_status wr_hybrid_advance(wr_subsystem *s, double t_end_s, double tolerance_factor);
double wr_hybrid_close_in(wr_subsystem *s, double tolerance_factor);
double wr_hybrid_effect(wr_subsystem *s, const double *change, double length_s,
                        const double *output_weight);
int wr_hybrid_tangent(wr_subsystem *s, const double *x_change, const double *u_change,
                      double *ret_dx);
int wr_hybrid_tangent_outputs(wr_subsystem *s, const double *x_change, const double *u_change,
                              double *ret_dy);
/* Where it stands, into a point of s->watch. */
void wr_hybrid_watch(wr_subsystem *s, wr_step_point *point);
/* The step from there to here has been made. */
void wr_hybrid_watch_step(wr_subsystem *s, double step_s);
/* A round of events is about to be fired here; it has been; the instant is over, and has changed something or not. */
void wr_hybrid_watch_round(wr_subsystem *s);
void wr_hybrid_watch_fired(wr_subsystem *s);
/* left[n_x]: slopes before it. */
void wr_hybrid_watch_instant(wr_subsystem *s, int has_changed, const double *left);
double wr_hybrid_event_shift(wr_subsystem *s, const wr_event_point *event, const double *x_error,
                             const double *u_error, const double *d_error, double most_s,
                             double *ret_margin);
/* Stores in s->watch the turns of indicators in the step that ends at end_s. Finds the bend of the indicator that fires there. */
void wr_hybrid_watch_course(wr_subsystem *s, double end_s);
/* Copies a point into an event. */
void wr_hybrid_watch_at(const wr_subsystem *s, const wr_group_point *point, wr_event_point *event);
int wr_hybrid_tangent_discrete(wr_subsystem *s, const double *d_change, double *ret_dx,
                               double *ret_dy);
const wr_sparsity *wr_hybrid_pattern(const wr_subsystem *s, wr_arena *arena);
int wr_hybrid_outputs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                         double *ret_y);
int wr_hybrid_row_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                     double *ret_row);
int wr_hybrid_event_after(wr_subsystem *s, const wr_event_point *event,
                          const double *const change[3], double by, double by_s, double *ret_x,
                          double *ret_d);
int wr_hybrid_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points, int cap_event,
                          wr_step_watch *watch);
int wr_hybrid_rhs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                     double *ret_dx);
int wr_hybrid_passes_on(const wr_subsystem *s, int i_external);
int wr_hybrid_is_event_due(wr_subsystem *s, const double *change);
int wr_hybrid_is_jump(const wr_subsystem *s, int i_external, double value);
int wr_hybrid_follows_at_end(const wr_subsystem *s, int i_external);
int wr_hybrid_has_jump_at_end(const wr_subsystem *s);
uint64_t wr_hybrid_order(const wr_subsystem *s, int i_source, const wr_wave *wave);
double wr_hybrid_next_event(const wr_subsystem *s, double *ret_gap_s);
void wr_hybrid_fault_text(const wr_subsystem *s, wrsim_error *ret_err);

/* Is that time a communication point, but for rounding? */
int wr_hybrid_is_on_grid(const wr_subsystem *s, double t_s);

/* Sets z, z_before, z_earlier, and z_step by clock->z_turn. */
void wr_hybrid_place_z(wr_subsystem *s);

/* Records a fault that is the subsystem's own; returns its status. */
wrsim_status wr_hybrid_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message);
/* Takes the group's fault over; returns its status. */
wrsim_status wr_hybrid_group_fault(wr_subsystem *s);

/* Places the integrator and what it needs. Errors of the user's go to diag. */
wrsim_status wr_hybrid_solver_place(wr_subsystem *s, wr_arena *arena,
                                    const wr_hybrid_config *config, wr_diag *diag);
void wr_hybrid_solver_destroy(wr_hybrid *work);

/* Places what algebraic variables need where there is a mass matrix. After the integrator. */
wrsim_status wr_hybrid_algebraic_place(wr_subsystem *s, wr_arena *arena);
/* Makes the algebraic variables fit the equations at the present instant; what changes counts as changed by an event. */
wrsim_status wr_hybrid_settle(wr_subsystem *s);
/* x' at the present instant: f, or with a mass matrix what follows from it. */
wrsim_status wr_hybrid_slope_here(wr_subsystem *s, double *ret_dx);
/* With a mass matrix: makes f_moved[n_x], f with other inputs than those of f[n_x], a slope that over length_s does to the
 * states what the change of inputs does, at once or by and by. 0, or -1: it cannot be told. */
int wr_hybrid_algebraic_effect(wr_subsystem *s, const double *f, double length_s, double *f_moved);
/* What a change of f does at the present point (wr_consistent_split()). 0, or -1. */
int wr_hybrid_algebraic_split(wr_subsystem *s, const double *df, double *ret_rate,
                              const double **ret_shift);

/* External inputs at a time; with_slope also fills external_slope. */
void wr_hybrid_read_inputs(wr_subsystem *s, double t_s, double *ret_external, int with_slope);
/* The first node after t of any source's wave; INFINITY: there is none. */
double wr_hybrid_next_input_node(const wr_subsystem *s, double t_s);
/* A source's wave is another, or a jump in it was passed. */
void wr_hybrid_forget_source(wr_subsystem *s, int i_source);

/* Sets the height above which a jump of a source is landed on, from the inputs at the current time: WR_LEAST_JUMP of the value if
 * an indicator or a published output depends on the input directly, else the loosened tolerance. */
void wr_hybrid_set_limits(const wr_subsystem *s, int i_source);
/* Finds the next jump of a source that is to be landed on. */
void wr_hybrid_find_jump(wr_subsystem *s, int i_source);
/* Begins an instant, the current time: which sources jump, and in how many rounds. Returns how many do. */
int wr_hybrid_open_jumps(wr_subsystem *s);
/* Takes what those that jump are in that round, from 1 on; from its last round on each is on the right of its
 * jump. Returns how many have more rounds, *ret_n_moved: how many have moved in this one. */
int wr_hybrid_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved);

/* Values and slopes of the published outputs at the given point, whose slope is dx. ret_slope may be NULL,
 * dx then too. */
wrsim_status wr_hybrid_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                    double *ret_value, double *ret_slope);
/* The wave's last node has been reached: what published outputs have come to so far. */
void wr_hybrid_note_sizes(wr_subsystem *s);
/* wr_ode.computed_error of what is published. */
double wr_hybrid_computed_error(void *self, double t_s, const double *x, const double *error);
/* Appends a node to the wave, to be filled in by the caller: [n_published] values and slopes. */
wrsim_status wr_hybrid_add_node(wr_subsystem *s, double t_s, double **ret_value,
                                double **ret_slope);
/* Appends one with what published_at gives. After a failure its numbers are unset: the wave is not to
 * be read. */
wrsim_status wr_hybrid_publish(wr_subsystem *s, const wr_group_point *point, const double *dx);
/* Appends the nodes that the wave needs between the current point, which has one, and the end of the
 * integrator's last step. Modes and discrete states are still those of the step. */
wrsim_status wr_hybrid_publish_inside(wr_subsystem *s, double end_s);
/* The wave's node at the current point: where a step has just ended and its modes hold what was found for that
 * end. */
wrsim_status wr_hybrid_publish_here(wr_subsystem *s);
/* Is the wave's last node as good as these values, and over the rest of the window these slopes? slope
 * NULL: values only. */
int wr_hybrid_is_shown(const wr_subsystem *s, const double *value, const double *slope);
/* Shows values at a round of the present instant: a node, after one for each round before that showed nothing
 * new. */
wrsim_status wr_hybrid_show_round(wr_subsystem *s, int round, const double *value,
                                  const double *slope);
/* The same of the current point, if anything published has changed. */
wrsim_status wr_hybrid_note_round(wr_subsystem *s, int round);
/* Evaluates the recorded variables at a point, ret_row[n_recorded]. Returns 0, or 1 if a model
 * fails. */
int wr_hybrid_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row);
/* Appends a row of the recorded variables. */
wrsim_status wr_hybrid_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                                  double row_time_s);
/* Time of communication point i. */
double wr_hybrid_grid(const wr_subsystem *s, int64_t i);

/* ---- hybrid_resolve.c ---- */

/* Has the step to end_s, as the integrator has just made it, missed something that its inputs do inside of
 * it? Returns where it should have ended, end_s if it has not. Sets has_rough_inputs. */
double wr_hybrid_unseen(wr_subsystem *s, double end_s);
/* The last step counts, and what it has missed with it. */
void wr_hybrid_count_unseen(wr_subsystem *s);

/* How far a step may go that cannot be taken back, at most to stop_s. */
double wr_hybrid_ahead(wr_subsystem *s, double stop_s);

/* After a step that had to be cut the next ones grow by and by: where they have to end, at most at
 * stop_s; a step of that length was accepted. */
double wr_hybrid_limit(const wr_subsystem *s, double stop_s);
void wr_hybrid_grow_limit(wr_subsystem *s, double step_s);

/* ---- hybrid_own_time.c ---- */

/* Finds look_s from the time scales that the components declare. */
void wr_hybrid_find_time_scale(wr_subsystem *s);

/* Are long steps searched? Not where no component reads the time. */
static inline int wr_hybrid_is_searched(const wr_subsystem *s)
{
    return wr_hybrid_of(s)->look_s < (double)INFINITY;
}

/* The first time after t_s at which a step from the current point to end_s is searched; INFINITY:
 * there is none. */
double wr_hybrid_next_look(const wr_subsystem *s, double t_s, double end_s);

/* Has the step to end_s, as the integrator has just made it, missed a pulse of f in time? Returns a
 * time in the pulse at which it should have ended, or end_s. */
double wr_hybrid_own_time(wr_subsystem *s, double end_s);

/* Notes the time if a time event of a component without a declared time scale is due, or the
 * simulation begins: a pulse of f may begin here. */
void wr_hybrid_note_time_event(wr_subsystem *s);

/* The time to which a step that cannot be taken back may go after such an event, at most stop_s. */
double wr_hybrid_after_time_event(const wr_subsystem *s, double stop_s);

/* ---- hybrid_culprit.c ---- */

/* A step without an event has been accepted: a fault where a jump of f, which no event announces, has held the solver up for
 * thousands of them. */
wrsim_status wr_hybrid_check_crawl(wr_subsystem *s);
/* A solver has failed just after the current point, or what it came to is not finite: names in the fault whose doing that
 * is, where it can be told. */
void wr_hybrid_blame(wr_subsystem *s);
wr_runaway wr_hybrid_runs_away(wr_subsystem *s, wr_fault *ret_fault);

/* ---- hybrid_bound.c ---- */

/* An advance begins. */
void wr_hybrid_bound_begin(wr_subsystem *s);

/* Where the next step has to end, at most at *stop_s but for the last one, if the work is bounded. */
wrsim_status wr_hybrid_bound_step(wr_subsystem *s, double t_end_s, double *stop_s);

/* Are steps planned, so that none is made twice or searched inside? */
int wr_hybrid_is_planned(const wr_subsystem *s);

/* The step from from_s has ended, with n_state state events: counts what has come in the last one. */
wrsim_status wr_hybrid_bound_late(wr_subsystem *s, double from_s, int n_state);

/* Events at an instant do not come to rest: may they be left as they are? Counts it. */
int wr_hybrid_may_leave(wr_subsystem *s);

/* ---- hybrid_order.c ---- */

/* When to land on the next jump of an input: at the time of an own event that came a little later in the last integration,
 * which keeps its time. */
double wr_hybrid_landing(wr_subsystem *s);

/* At a jump of an input, on its left, without an event found there: does an own event lie within the tolerances of this instant?
 * Then both are one instant: the integration goes on with inputs on the left of the jump until the event comes. */
int wr_hybrid_lets_event_first(wr_subsystem *s);

/* The end of the instant that begins with the jump at jump_s, for a reader outside of rings: jumps of several waves that located events
 * caused are one instant if their times differ by less than their tolerance. Each of two subsystems finds a contact by itself, and
 * values between the two times belong to no instant. In a ring the later jump may follow from the reader's answer to the first. */
double wr_hybrid_end_of_instant(const wr_subsystem *s, double jump_s);

/* After an integration that checks the last one: has each own state event come again, in the same order and at about its time? */
int wr_hybrid_confirms(const wr_subsystem *s);
/* The largest time, s, by which a check may move the own state events of the last integration. */
double wr_hybrid_checked_span(const wr_subsystem *s);
/* The same for a state event that is due now, before its jumps are opened: in this time neither states nor inputs move by more than
 * some tolerances. 0 in no ring with state events. */
double wr_hybrid_event_span(wr_subsystem *s);
wr_instant_kind wr_hybrid_instant_at(const wr_subsystem *s, double t_s);
int wr_hybrid_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s);

/* Finds may_be_timed: models that are linear in the time declare the same time scale as models that do not read it. */
void wr_hybrid_find_timed(wr_subsystem *s);

/* The event of that indicator in the last integration that was nearest to a time; NULL: it had none. */
const wr_instant *wr_hybrid_last_event(const wr_subsystem *s, int i_z, double t_s);

/* When an event that was found at t in the last step, and had been there before, is to come, at most at reach_s;
 * NaN: when it was found, it has moved too far. */
double wr_hybrid_kept_time(wr_subsystem *s, const wr_instant *was, double t_s, double reach_s);

/* If the next jump of the inputs may belong to the instant of the own event found at t_s, returns the later of the two times
 * found; else NaN. */
double wr_hybrid_joined_time(const wr_subsystem *s, double t_s);
/* Does the next jump belong to that instant? z[n_z] are the indicators at t_s. Returns 1 if changes within the tolerances of
 * states and inputs explain the change of each fired indicator up to the jump. */
int wr_hybrid_is_joined(wr_subsystem *s, double t_s, const double *z);
/* Does a change of the present states and inputs by their tolerances at an instant make indicator i_z zero? */
int wr_hybrid_is_within_reach(wr_subsystem *s, int i_z);

/* The instant at the current time is over: n_state events of its own began it, or a time event, or jumps of
 * inputs. from_s: time of the first jump, which has waited for the instant; span_s: as wr_hybrid_event_span() gives it. */
wrsim_status wr_hybrid_note_instant(wr_subsystem *s, double from_s, double span_s, int n_state,
                                    int is_time);

/* A new integration begins. */
void wr_hybrid_turn_instants(wr_subsystem *s);

/* ---- hybrid_causes.c: nothing is done where causes are not kept ---- */

/* Places the causes of a subsystem; i_member >= 0: its number among the subsystems with state
 * events, -1: it has none. Setup only. 0, or -1 when the arena is exhausted. */
int wr_hybrid_place_causes(wr_subsystem *s, wr_arena *arena, int i_member);
/* An advance begins, an instant begins, a firing round begins. */
void wr_hybrid_begin_causes(wr_subsystem *s);
void wr_hybrid_begin_instant_causes(wr_subsystem *s);
void wr_hybrid_count_firing(wr_subsystem *s);
/* Writes the causes of the wave's last node. */
void wr_hybrid_publish_causes(wr_subsystem *s);
/* Before a round of a source's jump is read: takes over its causes, or defers the rest of the jump
 * and makes this round the reader's last. */
void wr_hybrid_take_causes(wr_subsystem *s, int i_source, int round);
/* Passes deferred jumps for which the own firing round has come. Returns the number of their
 * sources. */
int wr_hybrid_release(wr_subsystem *s);

/* ---- hybrid_fire.c ---- */

/* Indicators at the current point into z, where f may be wanted next; counted. */
wrsim_status wr_hybrid_indicators_here(wr_subsystem *s);

/* Makes fired what list holds: indices of indicators, with the signs of z. */
void wr_hybrid_set_fired(wr_subsystem *s, const int *index, int n, const double *z);

/* The current instant in superdense time (docs/NUMERICS.md): fires what is set in fired, and the times in due,
 * at the current point; in rounds then inputs pass their jumps, what is published is shown, and what has become
 * due fires, until nothing does. moved[n_z] is how far indicators moved over the last bracket, the band around zero in which one
 * that has fired keeps its mode; NULL: rounding only. x, d, mode and z are the new ones afterwards. */
wrsim_status wr_hybrid_fire(wr_subsystem *s, int is_initial, const double *moved);

/* The parts of it. A round fires what is due, with is_initial the initial events, and returns how many time
 * events are due at once then; looking again gives indicators their modes until none changes, so that all see what
 * others have switched, marks those that have changed, *ret_n_flip modes in all, and returns how many are due;
 * both negative on a fault. Something due after too many rounds is a fault. */
void wr_hybrid_begin_instant(wr_subsystem *s);
int wr_hybrid_fire_round(wr_subsystem *s, int is_initial);
int wr_hybrid_look_again(wr_subsystem *s, const double *moved, int *ret_n_flip);
wrsim_status wr_hybrid_check_rounds(wr_subsystem *s);
void wr_hybrid_end_instant(wr_subsystem *s, const double *moved);

/* Counts a stop at state events; a fault if too many are too close together. */
wrsim_status wr_hybrid_check_streak(wr_subsystem *s);
/* The same of a stop at events of any kind; is_time: at time events, which are marked as due. */
wrsim_status wr_hybrid_check_dense(wr_subsystem *s, int is_time);

/* ---- hybrid_locate.c ---- */

/* One step towards a stop, aimed at the first event to be expected before it, and taken again where one
 * is found far from its end. Returns how many indicators fire at *ret_end_s, negative on a fault. They
 * are set in fired, with their bands in z_moved; z_step has all indicators there, sense the modes. */
int wr_hybrid_step(wr_subsystem *s, double stop_s, double *ret_end_s);

/* ---- points ---- */

/* Share of a value: a smaller change of a signal at one instant counts as rounding. A larger change may carry an indicator through
 * zero, so its producer publishes it as a jump. */
static const double WR_LEAST_JUMP = 1e-12;

/* An input whose change is above this has jumped; where only derivatives depend on it, smaller jumps are stepped over. */
static inline double wr_hybrid_jump_limit(const wr_subsystem *s, int i_external,
                                          double tolerance_factor)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    return work->jump_limit * work->rtol * tolerance_factor *
           (fabs(s->external[i_external]) + work->nominal_external[i_external]);
}

/* What a state may err by in a step, and an input at any time, where its size is that. */
static inline double wr_hybrid_state_tolerance(const wr_subsystem *s, int i, double x)
{
    return wr_hybrid_of(s)->rtol * wr_hybrid_of(s)->group->tolerance_factor[i] *
           (fabs(x) + wr_hybrid_of(s)->atol_factor * wr_hybrid_of(s)->group->nominal_x[i]);
}
static inline double wr_hybrid_input_tolerance(const wr_subsystem *s, int i_external, double u)
{
    return wr_hybrid_of(s)->coupling_rtol *
           (fabs(u) + wr_hybrid_of(s)->atol_factor * wr_hybrid_of(s)->nominal_external[i_external]);
}

/* The cubic of an input. */
static inline double *wr_hybrid_cubic(const wr_hybrid *work, int i_external)
{
    return work->cubic + i_external / WR_CUBIC_LANES * WR_CUBIC_SIZE + i_external % WR_CUBIC_LANES;
}

/* State inside the last step, and slope if wanted; subsystems without states have none. */
static inline void wr_hybrid_state_at(wr_subsystem *s, double t_s, double *ret_x, double *ret_dx)
{
    if (wr_hybrid_of(s)->group->n_x > 0)
        wr_hybrid_of(s)->solver->dense(wr_hybrid_of(s)->integrator, t_s, ret_x, ret_dx);
}

/* Point inside the last step, inputs read; with all slopes that published_at wants: of the states in
 * dx_step, of the inputs in external_slope. */
static inline wr_group_point wr_hybrid_point_at(wr_subsystem *s, double t_s, int with_slope)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    wr_hybrid_state_at(s, t_s, work->x_step, with_slope ? work->dx_step : NULL);
    wr_hybrid_read_inputs(s, t_s, work->external_eval,
                          with_slope && work->n_published_computed > 0);
    return (wr_group_point){.t_s = t_s,
                            .x = work->x_step,
                            .d = s->d,
                            .external = work->external_eval,
                            .mode = work->mode};
}

/* Current point, with the inputs in external. */
static inline wr_group_point wr_hybrid_point(const wr_subsystem *s)
{
    return (wr_group_point){.t_s = s->t_s,
                            .x = s->x,
                            .d = s->d,
                            .external = s->external,
                            .mode = wr_hybrid_of(s)->mode};
}

#endif
