/* The order of a subsystem's own events and of what its inputs do.
 *
 * An event may have consequences elsewhere that come back as a jump of an input, at the same instant or a little
 * later. From sweep to sweep both move: the event by as much as its time is located to, and by what other
 * inputs do to it, the jump with the event that it answers one sweep before. Differences of waves see a small
 * shift; but a jump on the other side of an event is another story. So the instants at which something was due
 * here are kept, an answer waits for its event, and a sweep is made again where the order has become another.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>

#include "subsystems/subsystem_work.h"

/* By how many event tolerances an event may come later in another sweep. */
static const double late_events = 4.0;

static int has_own(const wr_instants *in, double t_s, double within_s)
{
    for (int k = 0; k < in->n; k++)
        if (in->at[k].is_state && fabs(in->at[k].t_s - t_s) <= within_s)
            return 1;
    return 0;
}

double wr_subsystem_landing(const wr_subsystem *s)
{
    const wr_subsystem_work *const work = s->work;
    const double within_s = late_events * work->event_tolerance_s;
    if (work->last.n == 0 || !(work->jump_s < work->window_end_s) ||
        !has_own(&work->last, work->jump_s, within_s) ||
        has_own(&work->instants, work->jump_s, within_s))
        return work->jump_s;
    return work->jump_s + within_s;
}

wrsim_status wr_subsystem_note_instant(wr_subsystem *s, double from_s, int is_state, int is_time)
{
    wr_subsystem_work *const work = s->work;
    wr_instants *const in = &work->instants;
    if (in->cap == 0)
        return WRSIM_OK;
    if (in->n == in->cap)
        return wr_subsystem_fault(
            s, WRSIM_E_LIMIT, s->t_s,
            "it has more events in one window than can be kept in order with what "
            "its inputs do; lower relaxation.window.min and .max, or raise "
            "relaxation.max_nodes");
    in->at[in->n++] = (wr_instant){.from_s = from_s,
                                   .t_s = s->t_s,
                                   .i_source = is_state || is_time ? -1 : work->i_jumped,
                                   .is_state = is_state};
    return WRSIM_OK;
}

void wr_subsystem_turn_instants(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    const wr_instants last = work->last;
    work->last = work->instants;
    work->instants = last;
    work->instants.n = 0;
}

/* Is there a jump between nodes i and i + 1 that is landed on? */
static int is_landed_on(const wr_source_reader *reader, const wr_wave *wave, int i)
{
    const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal;
    const double *const right = left + wave->n_signal;
    for (int j = 0; j < reader->n && wave->t_s[i + 1] <= wave->t_s[i]; j++)
        if (fabs(right[reader->signal[j]] - left[reader->signal[j]]) > reader->limit[j])
            return 1;
    return 0;
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

uint64_t wr_subsystem_order(const wr_subsystem *s, int i_source, const wr_wave *wave, int has_read)
{
    const wr_subsystem_work *const work = s->work;
    const wr_instants *const in = &work->instants;
    const double early_s = has_read ? 0.0 : late_events * work->event_tolerance_s;
    uint64_t order = 0;
    for (int i = 0; in->n > 0 && wave->n_jump > 0 && i + 1 < wave->n_node; i++) {
        if (!is_landed_on(&work->reader[i_source], wave, i))
            continue;
        const double t_s = wave->t_s[i];
        for (int k = 0; k < in->n; k++) {
            const wr_instant *const at = &in->at[k];
            const double from_s = at->from_s - (at->is_state ? early_s : 0.0);
            if (at->i_source == i_source)
                continue; /* that jump is what it was about: it may move with it */
            const int is_at = (t_s >= from_s && t_s <= at->t_s) || wr_time_close(t_s, from_s) ||
                              wr_time_close(t_s, at->t_s);
            if (is_at || t_s < from_s)
                order += scramble(2 * (uint64_t)k + (uint64_t)is_at);
        }
    }
    return order;
}
