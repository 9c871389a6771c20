/* The order of own events and of jumps of inputs. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_EVENT_ORDER_H
#define WR_EVENT_ORDER_H

#include "subsystems/ode/ode_parts.h"

/* An instant with own events (located, announced, or caused by jumps of inputs), or with jumps to which a published output responds. */
typedef struct wr_instant {
    double from_s; /* time of the first jump of an input that waited for the instant, else t_s */
    double t_s;
    double found_s; /* located time of the instant's state events, at most t_s */
    double span_s;  /* largest shift of the state event's time in a check, to either side, s */
    int i_source;   /* index of the only source that jumped; -1: own events, or several sources */
    int i_z; /* indicator of the instant's state event; -1: none. If several events fire, each has its own entry */
    int is_shown; /* a published output jumped */
    int is_grounded; /* the first event of the instant is an own event, announced or located left of all jumps */
    int has_fired; /* a state event fired */
} wr_instant;

/* The instants of one integration. More instants than cap are a fault of the window. */
typedef struct wr_instants {
    double start_s; /* start of the window */
    int n, cap;     /* cap 0: the subsystem has no inputs */
    wr_instant *at;
} wr_instants;

typedef struct wr_ode_event_order {
    wr_instants instants; /* instants of the present integration */
    wr_instants last;     /* instants of the last integration; rollbacks restore neither list */
    wr_instants spare;    /* instants of the integration before the last, during a check */
    double held_jump_s;   /* time of the last jump that waits for an own event */
    double held_until_s;  /* latest time to which the jump at held_jump_s waits */
    int may_be_timed;     /* an indicator may depend on time alone */
} wr_ode_event_order;

uint64_t wr_ode_order(const wr_subsystem *s, int i_source, const wr_wave *wave);
/* Returns the end of the step, s: the next jump of an input, or a later time if this jump waits for an own event. */
double wr_ode_landing(wr_subsystem *s);
/* Returns whether the due jump of an input waits for an own event within the tolerances of the present instant. Jump and event are then one
 * instant. The integration continues with the left limits of the inputs until the event. */
int wr_ode_lets_event_first(wr_subsystem *s);
/* Returns whether an own event beyond the end of a wave may belong to the instant of a jump at the end (wr_ode_lets_event_first()).
 * Returns 1 for a member of a ring if the last advance ends with a jump, or a located event may have caused the jump. */
int wr_ode_may_share_end(const wr_subsystem *s, const wr_wave *wave);
/* Returns, after a check, whether each own state event recurs in the same order and within its span_s. */
int wr_ode_confirms(const wr_subsystem *s);
/* Returns the largest wr_instant.span_s of the present integration, s. Directly after a check, the present integration is the check. */
double wr_ode_checked_span(const wr_subsystem *s);
/* Returns wr_instant.span_s for a state event that is due at the present time, less the time for which the event has waited. In this span
 * states and inputs change by at most JOINED_UNITS tolerances. The span is at most LATE_WAY of the window, but at least the largest
 * difference between jumps at one instant. Call the function before wr_ode_open_jumps(). 0: outside of rings with state events. */
double wr_ode_event_span(wr_subsystem *s);
wr_instant_kind wr_ode_instant_at(const wr_subsystem *s, double t_s);
int wr_ode_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s);
/* Sets may_be_timed. If all declared time scales are infinite, evaluations decide, because an indicator may still be linear in time. */
void wr_ode_find_timed(wr_subsystem *s);
/* Returns the event of indicator i_z in the last integration that is nearest to t_s; NULL: none, or during a check. */
const wr_instant *wr_ode_last_event(const wr_subsystem *s, int i_z, double t_s);
/* Returns the time, s, at most reach_s, at which an event located at t_s in the last step fires. was: the same event in the last
 * integration. NaN: the event differs too much, and fires at t_s. */
double wr_ode_kept_time(wr_subsystem *s, const wr_instant *was, double t_s, double reach_s);
/* Returns the common time of the own event at t_s and the next jump of the inputs, s: the later located time. NaN: not one instant. */
double wr_ode_joined_time(const wr_subsystem *s, double t_s);
/* Returns whether the next jump belongs to the instant of the event at t_s. The function compares two changes of each fired indicator: the
 * change up to the jump, and the change by JOINED_UNITS tolerances of states and inputs. z[n_z]: indicators at t_s. */
int wr_ode_is_joined(wr_subsystem *s, double t_s, const double *z);
/* Returns the largest changes of the present indicators, [n_z], by JOINED_UNITS tolerances of states and inputs. */
const double *wr_ode_reach_here(wr_subsystem *s);
/* Returns whether such changes can make indicator i_z zero. */
int wr_ode_is_within_reach(wr_subsystem *s, int i_z);
/* Returns whether such changes can cause an own event. Returns 1 also if the model fails at such a change. */
int wr_ode_is_event_near(wr_subsystem *s);
/* Stores the instant at the current time. n_state: number of own state events that begin the instant; is_time: a time event begins the
 * instant. from_s: time of the first jump of the instant. span_s: result of wr_ode_event_span(). Returns WRSIM_OK or WRSIM_E_LIMIT. */
wrsim_status wr_ode_note_instant(wr_subsystem *s, double from_s, double span_s, int n_state,
                                 int is_time);
/* Begins a new integration. The present instants become the instants of the last integration, except directly after a check. */
void wr_ode_turn_instants(wr_subsystem *s);

/* Returns whether the last integration has stored instants. */
WR_ODE_GET(int, has_last_instants, order->last.n > 0)

/* Visits the instants of the present and the last integration (wr_subsystem_keep()). */
void wr_ode_keep_instants(wr_subsystem *s, wr_state_io *io);

/* Clears the instants of all integrations. */
void wr_ode_forget_instants(wr_subsystem *s);

/* Places memory for instants: a share of cap_node, or a least number; none without inputs. Setup only. Returns 0, or -1 when the arena is
 * exhausted. */
int wr_ode_place_instants(wr_subsystem *s, wr_arena *arena, int cap_node);

#endif
