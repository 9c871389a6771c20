/* The order of a subsystem's own events and of what its inputs do.
 *
 * An event may have consequences elsewhere that come back as a jump of an input, at the same instant or a little
 * later. From sweep to sweep both move: the event by what other steps make of it, the jump with the event that
 * it answers one sweep before. Differences of waves see a small shift; but a jump on the other side of an event
 * is another story. So the instants at which something was due here are kept from one integration to the next:
 *
 * - an event that comes at about its last time keeps that time, or comes a little later, which then is kept;
 * - a jump at an event's last time waits for it a little;
 * - who answers a jump by one of its own is integrated again when the first one moves, and so is who would see
 *   jumps in another order than its own events.
 *
 * A little is what moves neither states nor inputs by more than a share of their tolerances.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>

#include "subsystems/hybrid_work.h"

/* Of the tolerances of states and inputs: an event may come so much later than found. */
static const double late_share = 0.01;
/* A jump waits at least so many event tolerances, and at most this share of the way to it. */
static const double late_events = 4.0, late_way = 0.1;
/* An event that has come later than before is put off by so many times the delay. */
static const double late_margin = 2.0;

static int is_at(const wr_subsystem *s, const wr_instant *instant, double t_s)
{
    return instant->i_z >= 0 &&
           fabs(instant->t_s - t_s) <= late_events * wr_hybrid_event_tolerance(s);
}

static int has_event_at(const wr_subsystem *s, const wr_instants *in, double t_s)
{
    for (int k = 0; k < in->n; k++)
        if (is_at(s, &in->at[k], t_s))
            return 1;
    return 0;
}

/* How long a jump may wait for an event, by the slopes of states here and of inputs before it. */
static double wait(wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    double rate = 0.0; /* tolerances per second */
    for (int i = 0; i < work->group->n_x; i++)
        rate = wr_max(rate, fabs(work->dx[i]) / wr_hybrid_state_tolerance(s, i, s->x[i]));
    wr_hybrid_read_inputs(s, work->jump_s, work->external_eval, 1);
    for (int i = 0; i < s->n_external; i++)
        rate = wr_max(rate, fabs(work->external_slope[i]) /
                                wr_hybrid_input_tolerance(s, i, work->external_eval[i]));
    const double most_s = late_way * (work->jump_s - s->t_s);
    return wr_max(late_events * wr_hybrid_event_tolerance(s),
                  rate * most_s > late_share ? late_share / rate : most_s);
}

/* The first jump after the next one of any source. */
static double second_jump(const wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    const double after_s = nextafter(work->jump_s, (double)INFINITY);
    double second_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        const wr_source_reader *const reader = &work->reader[i];
        second_s = wr_min(second_s, wr_wave_next_jump(s->source[i], &reader->cursor, after_s,
                                                      reader->n, reader->signal, reader->limit));
    }
    return second_s;
}

double wr_hybrid_landing(wr_subsystem *s)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    if (work->last.n == 0 || !(work->jump_s < work->window_end_s) ||
        !has_event_at(s, &work->last, work->jump_s) ||
        has_event_at(s, &work->instants, work->jump_s))
        return work->jump_s;
    return wr_min(work->jump_s + wait(s), second_jump(s));
}

/* How far states and inputs are apart at two times of the last step, in units of their tolerances. */
static double units_between(wr_subsystem *s, double a_s, double b_s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    double largest = 0.0;
    wr_hybrid_state_at(s, a_s, work->x_moved, NULL);
    wr_hybrid_state_at(s, b_s, work->x_step, NULL);
    for (int i = 0; i < work->group->n_x; i++)
        largest = wr_max(largest, fabs(work->x_step[i] - work->x_moved[i]) /
                                      wr_hybrid_state_tolerance(s, i, work->x_step[i]));
    wr_hybrid_read_inputs(s, a_s, work->external_moved, 0);
    wr_hybrid_read_inputs(s, b_s, work->external_eval, 0);
    for (int i = 0; i < s->n_external; i++)
        largest = wr_max(largest, fabs(work->external_eval[i] - work->external_moved[i]) /
                                      wr_hybrid_input_tolerance(s, i, work->external_eval[i]));
    return largest;
}

const wr_instant *wr_hybrid_last_event(const wr_subsystem *s, int i_z, double t_s)
{
    const wr_instants *const last = &wr_hybrid_of(s)->last;
    const wr_instant *nearest = NULL;
    for (int k = 0; k < last->n; k++)
        if (last->at[k].i_z == i_z &&
            (!nearest || fabs(last->at[k].t_s - t_s) < fabs(nearest->t_s - t_s)))
            nearest = &last->at[k];
    return nearest;
}

double wr_hybrid_kept_time(wr_subsystem *s, const wr_instant *was, double t_s, double reach_s)
{
    const double late_s = t_s - was->t_s,
                 kept_s = late_s <= 0.0 ? was->t_s : t_s + late_margin * late_s;
    const double most_s = late_way * (reach_s - s->t_s);
    if (!(was->t_s > s->t_s) || kept_s > reach_s || kept_s - t_s > most_s || late_s > most_s)
        return (double)NAN;
    return units_between(s, wr_min(was->t_s, t_s), kept_s) <= late_share ? kept_s : (double)NAN;
}

wrsim_status wr_hybrid_note_instant(wr_subsystem *s, double from_s, int n_state, int is_time)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    wr_instants *const in = &work->instants;
    const int n = n_state > 0 ? n_state : 1;
    if (in->cap == 0)
        return WRSIM_OK;
    if (in->n + n > in->cap)
        return wr_hybrid_fault(
            s, WRSIM_E_LIMIT, s->t_s,
            "it has more events in one window than can be kept in order with what "
            "its inputs do; lower relaxation.window.min and .max (slack.period where nothing is "
            "relaxed), or raise "
            "relaxation.max_nodes");
    for (int k = 0; k < n; k++)
        in->at[in->n++] = (wr_instant){.from_s = from_s,
                                       .t_s = s->t_s,
                                       .i_source = n_state > 0 || is_time ? -1 : work->i_jumped,
                                       .i_z = n_state > 0 ? work->has_fired_index[k] : -1,
                                       .is_shown = work->has_shown};
    return WRSIM_OK;
}

void wr_hybrid_turn_instants(wr_subsystem *s)
{
    wr_hybrid *const work = wr_hybrid_of(s);
    const wr_instants last = work->last;
    work->last = work->instants;
    work->instants = last;
    work->instants.n = 0;
    work->instants.start_s = s->t_s;
    if (work->last.start_s < s->t_s || work->last.start_s > s->t_s) /* of another window */
        work->last.n = 0;
}

/* A number without pattern for each i: sums of them differ where the terms do (splitmix64, Steele, Lea and
 * Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). */
static uint64_t scramble(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

uint64_t wr_hybrid_order(const wr_subsystem *s, int i_source, const wr_wave *wave)
{
    const wr_hybrid *const work = wr_hybrid_of(s);
    const wr_instants *const in = &work->instants;
    const wr_source_reader *const reader = &work->reader[i_source];
    uint64_t order = 0;
    for (int i = 0; in->n > 0 && wave->n_jump > 0 && i + 1 < wave->n_node; i++) {
        if (!wr_wave_is_jump(wave, i, reader->n, reader->signal, reader->limit))
            continue;
        const double t_s = wave->t_s[i];
        order += scramble(0); /* how many there are counts as well */
        for (int k = 0; k < in->n; k++) {
            const wr_instant *const at = &in->at[k];
            const int is_now = (t_s >= at->from_s && t_s <= at->t_s) ||
                               wr_time_close(t_s, at->from_s) || wr_time_close(t_s, at->t_s);
            /* What it was about may move as it likes while nobody sees an answer. */
            const int counts =
                at->i_source == i_source ? is_now && at->is_shown : is_now || t_s < at->from_s;
            if (counts)
                order += scramble(1 + 2 * (uint64_t)k + (uint64_t)is_now);
        }
    }
    return order;
}
