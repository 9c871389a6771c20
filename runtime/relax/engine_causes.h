/* Causes of jumps in rings, and the check of events that share an instant with jumps of inputs.
 *
 * Thread: serial section. Real-time: yes after placing. */
#ifndef WR_ENGINE_CAUSES_H
#define WR_ENGINE_CAUSES_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/sweep_verdict.h"

/* The check of a window's events. Only engine_causes.c and this header write the object. */
typedef struct wr_event_check {
    int is_on;   /* the present sweep is the check */
    int is_done; /* a check has followed the last sweep of integrations */
    /* number of failed checks and failed searches for origins in this try of the window */
    int n_refuted;
} wr_event_check;

static inline void wr_event_check_begin_window(wr_event_check *c)
{
    c->is_on = c->is_done = c->n_refuted = 0;
}

/* Requires another check of the events, after a sweep of integrations. */
static inline void wr_event_check_renew(wr_event_check *c) { c->is_done = 0; }

/* Sets up a sweep that checks events at shared instants, before a window is accepted. Returns 1, or 0 if no check is necessary or possible
 * (is_done, has_once_run). */
int wr_engine_begin_event_check(wr_engine *engine);

/* Searches for the origin of each state event that follows from a jump: an own event of a subsystem at the same instant. If an event has
 * no origin, returns the verdict of a failed check, else acceptance. Without a ring, after a check, or after subsystems without rollback
 * have advanced, returns acceptance at once. Call before the check of events. */
wr_verdict wr_engine_trace_causes(wr_engine *engine);

/* Returns the verdict on the check of events. The caller has removed the sweep of the check from the count. */
wr_verdict wr_engine_judge_event_check(wr_engine *engine);

/* Returns 1 if the window ends within an instant, before the end of the run. Marks the subsystems with this instant (has_missed). */
int wr_engine_parts_instant(wr_engine *engine);

#endif
