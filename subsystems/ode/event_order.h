/* The order of own events and of jumps of inputs.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_ORDER_H
#define WR_EVENT_ORDER_H

#include "subsystems/ode/ode_parts.h"

/* An instant at which something was due here: events that were found or announced, or what jumps of inputs set
 * off. */
typedef struct wr_instant {
    double from_s; /* since when jumps of inputs waited for it, else t_s */
    double t_s;
    double found_s; /* when its state events were found, at t_s or before */
    double
        span_s; /* an integration that checks this one may find its state event so much earlier or later */
    int i_source; /* the only source that jumped at the instant; -1: own events, or several sources */
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

typedef struct wr_ode_event_order {
    wr_instants instants; /* of the present integration */
    wr_instants last;     /* of the integration before; neither is rolled back */
    wr_instants spare;    /* of the integration before the last, while a check runs */
    double held_jump_s;   /* the last jump that waits for an own event */
    double held_until_s;  /* its latest time */
    int may_be_timed;     /* an indicator may change with the time alone */
} wr_ode_event_order;

uint64_t wr_ode_order(const wr_subsystem *s, int i_source, const wr_wave *wave);
/* When to land on the next jump of an input: at the time of an own event that came a little later in the last integration,
 * which keeps its time. */
double wr_ode_landing(wr_subsystem *s);
/* At a jump of an input, on its left, without an event found there: does an own event lie within the tolerances of this instant?
 * Then both are one instant: the integration goes on with inputs on the left of the jump until the event comes. */
int wr_ode_lets_event_first(wr_subsystem *s);
/* The end of the instant that begins with the jump at jump_s, for a reader outside of rings: jumps of several waves that located events
 * caused are one instant if their times differ by less than their tolerance. Each of two subsystems finds a contact by itself, and
 * values between the two times belong to no instant. In a ring the later jump may follow from the reader's answer to the first. */
double wr_ode_end_of_instant(const wr_subsystem *s, double jump_s);
/* After an integration that checks the last one: has each own state event come again, in the same order and at about its time? */
int wr_ode_confirms(const wr_subsystem *s);
/* The largest time, s, by which a check may move the own state events of the last integration. */
double wr_ode_checked_span(const wr_subsystem *s);
/* The same for a state event that is due now, before its jumps are opened: in this time neither states nor inputs move by more than
 * some tolerances. 0 in no ring with state events. */
double wr_ode_event_span(wr_subsystem *s);
wr_instant_kind wr_ode_instant_at(const wr_subsystem *s, double t_s);
int wr_ode_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s);
/* Finds may_be_timed: models that are linear in the time declare the same time scale as models that do not read it. */
void wr_ode_find_timed(wr_subsystem *s);
/* The event of that indicator in the last integration that was nearest to a time; NULL: it had none. */
const wr_instant *wr_ode_last_event(const wr_subsystem *s, int i_z, double t_s);
/* When an event that was found at t in the last step, and had been there before, is to come, at most at reach_s;
 * NaN: when it was found, it has moved too far. */
double wr_ode_kept_time(wr_subsystem *s, const wr_instant *was, double t_s, double reach_s);
/* If the next jump of the inputs may belong to the instant of the own event found at t_s, returns the later of the two times
 * found; else NaN. */
double wr_ode_joined_time(const wr_subsystem *s, double t_s);
/* Does the next jump belong to that instant? z[n_z] are the indicators at t_s. Returns 1 if changes within the tolerances of
 * states and inputs explain the change of each fired indicator up to the jump. */
int wr_ode_is_joined(wr_subsystem *s, double t_s, const double *z);
/* Does a change of the present states and inputs by their tolerances at an instant make indicator i_z zero? */
int wr_ode_is_within_reach(wr_subsystem *s, int i_z);
/* The instant at the current time is over: n_state events of its own began it, or a time event, or jumps of
 * inputs. from_s: time of the first jump, which has waited for the instant; span_s: as wr_ode_event_span() gives it. */
wrsim_status wr_ode_note_instant(wr_subsystem *s, double from_s, double span_s, int n_state,
                                 int is_time);
/* A new integration begins. */
void wr_ode_turn_instants(wr_subsystem *s);

/* Has the last integration stored instants? */
static inline int wr_ode_has_last_instants(const wr_subsystem *s)
{
    return wr_ode_of(s)->order->last.n > 0;
}

/* Forgets the instants of all integrations. */
void wr_ode_forget_instants(wr_subsystem *s);

/* Places room for instants, one for so many nodes of the wave. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_place_instants(wr_subsystem *s, wr_arena *arena, int cap_node);

#endif
