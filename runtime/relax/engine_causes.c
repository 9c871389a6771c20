/* Causes of jumps in rings, and the check of events that share an instant. See engine.h and docs/NUMERICS.md.
 *
 * If an own state event of a subsystem and a jump of its inputs share an instant, acceptance requires a check: one more integration of the
 * window. A run with subsystems without rollback has no check. The check uses neither causes nor tolerances of an instant, and no times of
 * earlier events. The check withholds a jump at the instant of an own event until the indicator triggers the event. The events of the check
 * must have the order and about the times of the events in the last integration.
 *
 * Thread: serial section. Real-time: yes after placing. */
#include "runtime/relax/engine_causes.h"

#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_stats.h"

/* Number of refuted checks after which more sweeps follow (assumed). After the next refuted check the run tries a shorter window. */
enum { MOST_REFUTED = 1 };

/* Returns 1 if a chain of producers leads from subsystem i to a producer with an own event at t_s. Each producer between them has an event
 * at t_s that answers a jump. */
static int has_ground(const wr_engine *e, int i, double t_s)
{
    int *const trail = e->net->trail;
    int n = 0;
    trail[n++] = i;
    for (int k = 0; k < n; k++) {
        const wr_net_node *const node = &e->net->node[trail[k]];
        for (int j = 0; j < node->n_source; j++) {
            const int by = node->producer[j];
            const wr_instant_kind kind = wr_request_instant_at(e, by, t_s);
            if (kind == WR_INSTANT_GROUNDED)
                return 1;
            int is_new = kind == WR_INSTANT_ANSWERED;
            for (int m = 0; m < n && is_new; m++)
                is_new = trail[m] != by;
            if (is_new)
                trail[n++] = by;
        }
    }
    return 0;
}

/* Returns the verdict after a failed check: more sweeps of this window, then a shorter window. */
static wr_verdict refute(wr_engine *e, int n_refuted)
{
    e->stats->n_event_refuted += n_refuted;
    e->event_check->is_done = 0;
    if (e->event_check->n_refuted++ >= MOST_REFUTED)
        return WR_VERDICT_REJECT;
    wr_mix_restart(e);
    wr_engine_force_anew(e);
    return WR_VERDICT_SWEEP;
}

wr_verdict wr_engine_trace_causes(wr_engine *e)
{
    if (!e->net->trail || e->event_check->is_done || e->activity->has_once_run)
        return WR_VERDICT_ACCEPT;
    int n = 0; /* number of state events whose chain of jumps has no own event as origin */
    for (int i = 0; i < e->n; i++) {
        const int n_before = n;
        double t_s = 0.0;
        const int may_answer = e->net->node[i].has_state_events;
        for (int k = may_answer ? wr_request_next_answer(e, i, 0, &t_s) : -1; k >= 0;
             k = wr_request_next_answer(e, i, k, &t_s))
            n += !has_ground(e, i, t_s);
        wr_record_refute(&e->record[i], n > n_before);
    }
    return n > 0 ? refute(e, n) : WR_VERDICT_ACCEPT;
}

int wr_engine_begin_event_check(wr_engine *e)
{
    int n_shared = 0;
    if (e->event_check->is_done || e->activity->has_once_run)
        return 0;
    for (int i = 0; i < e->n; i++)
        n_shared += e->record[i].has_shared;
    if (n_shared == 0)
        return 0;
    wr_engine_activate_shared(e);
    for (int i = 0; i < e->n; i++)
        wr_record_refute(&e->record[i], 0);
    e->event_check->is_on = e->event_check->is_done = 1;
    e->stats->n_event_check += n_shared;
    return 1;
}

wr_verdict wr_engine_judge_event_check(wr_engine *e)
{
    int n_refuted = 0;
    e->event_check->is_on = 0;
    wr_activity_end_sweep(e->activity);
    for (int i = 0; i < e->n; i++)
        n_refuted += e->record[i].is_active && e->record[i].is_refuted;
    if (n_refuted > 0)
        return refute(e, n_refuted);
    /* The integrations after the checks may have changed waves, so another sweep may be necessary. */
    const int is_open =
        e->mix->method ? wr_engine_is_anything_open(e) : wr_engine_find_active(e) > 0;
    if (!is_open)
        return WR_VERDICT_ACCEPT;
    if (e->sweep->i >= e->options.relaxation.max_sweeps)
        return WR_VERDICT_REJECT;
    if (e->mix->method)
        wr_engine_force_anew(e);
    return WR_VERDICT_SWEEP;
}

int wr_engine_parts_instant(wr_engine *e)
{
    int any = 0;
    if (e->window->t_end_s >= e->control->end_s ||
        wr_time_close(e->window->t_end_s, e->control->end_s))
        return 0;
    for (int i = 0; i < e->n; i++) {
        if (!e->record[i].parts_instant)
            continue;
        wr_record_set_missed(&e->record[i]); /* a later error names this subsystem */
        any = 1;
    }
    return any;
}
