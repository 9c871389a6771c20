/* Causes of the jumps that a subsystem in a ring reads and publishes. See waves/causes.h.
 *
 * A jump of an input may be the consequence of an own event in the last sweep. If the integration passed such a jump before the event, the
 * jump could trigger the event. Event and jump would then confirm each other in every later sweep without any other cause. So the subsystem
 * defers a jump if its causes name a future firing round of the reader. The reader then reads the wave after the jump minus the height of
 * the jump. The jump follows in the firing round that the causes name. An integration with a deferred jump is never the last integration of
 * a window.
 *
 * The causes of a node at round r are the firing rounds up to r, and all inputs before a firing round. Inputs of rounds up to r that act on
 * published outputs at once are also causes.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include <string.h>

#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"

int wr_ode_place_causes(wr_subsystem *s, wr_arena *arena, int i_member)
{
    wr_ode *const work = wr_ode_of(s);
    wr_arena_cold(arena, 1);
    wr_ode_causes *const c = WR_NEW(arena, wr_ode_causes);
    wr_deferral *const deferral = WR_NEW_ARRAY(arena, wr_deferral, s->n_source);
    int has_all = c && deferral;
    for (int i = 0; i < s->n_source && has_all; i++) {
        deferral[i].offset = WR_NEW_ARRAY(arena, double, work->inputs->reader[i].n);
        has_all = deferral[i].offset != NULL;
    }
    wr_arena_cold(arena, 0);
    if (!has_all)
        return -1;
    c->i_member = i_member;
    c->deferral = deferral;
    work->causes = c;
    return 0;
}

/* Clears the deferred jumps of a source. */
static void clear_deferral(wr_subsystem *s, int i_source)
{
    wr_ode *const work = wr_ode_of(s);
    wr_deferral *const deferral = &work->causes->deferral[i_source];
    memset(deferral->offset, 0,
           (size_t)work->inputs->reader[i_source].n * sizeof *deferral->offset);
    deferral->causes.n = 0;
    deferral->is_open = 0;
    work->inputs->reader[i_source].offset = NULL;
}

void wr_ode_begin_causes(wr_subsystem *s)
{
    wr_ode_causes *const c = wr_ode_of(s)->causes;
    s->has_deferred = s->has_shared = s->parts_instant = 0;
    if (!c)
        return;
    for (int i = 0; i < s->n_source && c->n_open > 0; i++)
        clear_deferral(s, i);
    c->n_open = c->n_fired = 0;
    wr_ode_begin_instant_causes(s);
}

void wr_ode_begin_instant_causes(wr_subsystem *s)
{
    wr_ode_causes *const c = wr_ode_of(s)->causes;
    if (!c)
        return;
    c->now.n = c->later.n = 0;
}

void wr_ode_count_firing(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_causes *const c = work->causes;
    if (!c)
        return;
    int n_fired;
    (void)wr_ode_fired(s, &n_fired);
    c->n_fired++;
    wr_cause_set_join(&c->now, &c->later);
    c->later.n = 0;
    if (c->i_member >= 0)
        wr_cause_set_add(&c->now, (wr_cause){.i_member = c->i_member,
                                             .count = c->n_fired,
                                             .is_located = n_fired > 0 && wr_ode_n_round(s) == 0,
                                             .found_s = wr_min(wr_ode_found_time(s), s->t_s)});
}

void wr_ode_publish_causes(wr_subsystem *s)
{
    const wr_ode_causes *const c = wr_ode_of(s)->causes;
    if (c && s->wave->causes)
        wr_causes_write(s->wave->causes, s->wave->n_node - 1, &c->now);
}

/* Returns the set for the causes of a source: `now` if inputs from the source act on published outputs at once, else `later`. */
static wr_cause_set *set_of(wr_subsystem *s, int i_source)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_source_reader *const reader = &work->inputs->reader[i_source];
    int acts_at_once = 0;
    for (int j = 0; j < reader->n; j++)
        acts_at_once |= wr_ode_passes_on(s, reader->external[j]);
    return acts_at_once ? &work->causes->now : &work->causes->later;
}

/* Defers the remaining jump of a source from a round on: subtracts the height of the remaining jump from the values read. */
static void defer(wr_subsystem *s, int i_source, int round)
{
    wr_ode *const work = wr_ode_of(s);
    wr_source_reader *const reader = &work->inputs->reader[i_source];
    wr_deferral *const deferral = &work->causes->deferral[i_source];
    const wr_wave *const wave = s->source[i_source];
    const size_t n = (size_t)wave->n_signal;
    const double *const from = wave->value + (size_t)(reader->i_left + round - 1) * n;
    const double *const to = wave->value + (size_t)(reader->i_left + reader->n_round) * n;
    for (int j = 0; j < reader->n; j++)
        deferral->offset[j] += to[reader->signal[j]] - from[reader->signal[j]];
    for (int r = round; r <= reader->n_round; r++)
        wr_cause_set_join_node(&deferral->causes, wave->causes, reader->i_left + r);
    work->causes->n_open += !deferral->is_open;
    deferral->is_open = 1;
    reader->offset = deferral->offset;
    reader->n_round = round; /* the reader's last round */
    s->has_deferred = 1;
}

void wr_ode_take_causes(wr_subsystem *s, int i_source, int round)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_ode_causes *const c = work->causes;
    const wr_wave *const wave = s->source[i_source];
    if (!c || !wave->causes)
        return;
    const int i_node = work->inputs->reader[i_source].i_left + round;
    if (c->i_member >= 0 && !s->is_check &&
        wr_causes_count(wave->causes, i_node, c->i_member) > c->n_fired)
        defer(s, i_source, round);
    else
        wr_cause_set_join_node(set_of(s, i_source), wave->causes, i_node);
}

int wr_ode_release(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_causes *const c = work->causes;
    int n = 0;
    for (int i = 0; c && i < s->n_source && c->n_open > 0; i++) {
        wr_deferral *const deferral = &c->deferral[i];
        if (!deferral->is_open || wr_cause_set_count(&deferral->causes, c->i_member) > c->n_fired)
            continue;
        wr_cause_set_join(set_of(s, i), &deferral->causes);
        clear_deferral(s, i);
        wr_ode_forget_source(s, i);
        c->n_open--;
        n++;
    }
    return n;
}

int wr_ode_is_own_answer(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    int any = 0;
    for (int i = 0; i < s->n_source && !any; i++) {
        const wr_wave *const wave = s->source[i];
        for (int k = 0; wave->causes && k < wave->causes->n && !any; k++) {
            const wr_node_cause *const at = &wave->causes->at[k];
            any = at->cause.i_member == work->causes->i_member &&
                  at->cause.count > work->causes->n_fired &&
                  wr_time_close(wave->t_s[at->i_node], work->inputs->jump_s);
        }
    }
    return any;
}
