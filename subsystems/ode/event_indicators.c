/* Places the event indicators, shifts their earlier values at jumps, and sets their modes and bands. See event_indicators.h.
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include <string.h>

#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_window.h"

int wr_ode_indicators_place(const wr_subsystem *s, wr_arena *arena)
{
    const wr_group *const group = wr_ode_of(s)->group;
    wr_ode_indicators *const z = wr_ode_of(s)->indicators;
    double *const nominal = WR_NEW_ARRAY(arena, double, group->n_z);
    z->nominal = nominal;
    z->z_moved = WR_NEW_ARRAY(arena, double, group->n_z);
    z->sense = WR_NEW_ARRAY(arena, unsigned char, group->n_z);
    wr_arena_cold(arena, group->n_z == 0);
    z->events = wr_events_place(arena, group->n_z, group->direction_z);
    wr_arena_cold(arena, 0);
    if (!nominal || !z->z_moved || !z->sense || !z->events)
        return -1;
    for (int c = 0; c < group->n_component; c++)
        for (int i = 0; i < group->component[c]->n[WRSIM_INDICATOR]; i++)
            nominal[group->z_start[c] + i] =
                group->component[c]->variable[WRSIM_INDICATOR][i].nominal;
    return 0;
}

void wr_ode_indicators_take(wr_subsystem *s, wr_ode_room *room)
{
    wr_ode_indicators *const z = wr_ode_of(s)->indicators;
    const int n_z = wr_ode_of(s)->group->n_z;
    wr_ode_of(s)->course = wr_ode_take(room, 1, sizeof(wr_indicator_course));
    z->z_turning = wr_ode_take(room, 4 * n_z, sizeof *z->z_turning);
    z->band = wr_ode_take(room, n_z, sizeof *z->band);
    z->band_index = wr_ode_take(room, n_z > 0 ? WR_BAND_LISTED : 0, sizeof *z->band_index);
}

void wr_ode_keep_left(wr_subsystem *s)
{
    const wr_ode_indicators *const z = wr_ode_of(s)->indicators;
    wr_ode_copy(z->z_step, z->z, wr_ode_of(s)->group->n_z);
}

void wr_ode_keep_course(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double *restrict const z = work->indicators->z;
    const double *restrict const z_left = work->indicators->z_step;
    double *restrict const z_before = work->indicators->z_before;
    double *restrict const z_earlier = work->indicators->z_earlier;
    if (work->course->n_before == 0)
        return;
    for (int i = 0; i < work->group->n_z; i++) {
        const double jump = z[i] - z_left[i];
        z_before[i] += jump;
        z_earlier[i] += jump;
    }
}

/* Share of a window in which a carried indicator may return (assumed). Small errors of inputs do not explain a later return. */
static const double CARRIED_SHARE = 0.1;

static void clear_bands(const wr_ode *work)
{
    double *const band = work->indicators->band;
    if (work->course->n_band > WR_BAND_LISTED)
        memset(band, 0, (size_t)work->group->n_z * sizeof *band);
    else
        for (int k = 0; k < work->course->n_band; k++)
            band[work->indicators->band_index[k]] = 0.0;
    work->course->n_band = 0;
    work->course->has_carried = 0;
}

static void set_band(const wr_ode *work, int i, double band)
{
    work->indicators->band[i] = band;
    if (work->course->n_band < WR_BAND_LISTED)
        work->indicators->band_index[work->course->n_band] = i;
    work->course->n_band++;
}

/* Clears all bands except the bands of carried indicators. */
static void keep_carried(const wr_ode *work)
{
    wr_indicator_course *const course = work->course;
    if (!course->has_carried) {
        clear_bands(work);
        return;
    }
    course->n_band = 0;
    for (int i = 0; i < work->group->n_z; i++)
        if (work->indicators->band[i] < 0.0)
            set_band(work, i, work->indicators->band[i]);
        else
            work->indicators->band[i] = 0.0;
}

void wr_ode_probe_carried(wr_subsystem *s, const double *most)
{
    const wr_ode *const work = wr_ode_of(s);
    const double *const z = work->indicators->z, *const z_left = work->indicators->z_step;
    const double *const band = work->indicators->band;
    int *const index = wr_scratch_index(s);
    /* A sign change without an event is listed, too: its return would be an event. */
    const int n = wr_events_list_changed(work->indicators->events, z, work->mode, index);
    const int had_carried = work->course->has_carried;
    if (n > 0 && !work->course->has_band)
        keep_carried(work);
    for (int k = 0; k < n; k++) {
        const int i = index[k];
        const int goes_on = had_carried && band[i] < 0.0;
        if (most && !(fabs(z[i]) <= most[i]))
            continue;
        /* If the sign stays the same, the event is due anyway, or the last instant ended with due events. */
        if ((z_left[i] > 0.0) == (z[i] > 0.0) && !goes_on)
            continue;
        if (!goes_on)
            set_band(work, i, -wr_max(fabs(band[i]), fabs(z[i])));
        work->course->has_band = work->course->has_carried = work->course->needs_probe = 1;
    }
    if (work->course->has_carried && !had_carried)
        work->course->until_s = s->t_s + CARRIED_SHARE * work->grid->step_s;
}

/* Events without rollback make windows as short as the distance of events. The errors of inputs remain those of longer windows, so an
 * indicator is carried over several windows, for a share of a communication step. */
void wr_ode_forget_carried(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    if (work->course->has_carried &&
        !((s->flags & WR_SUBSYSTEM_SHORT_WINDOWS) && s->t_s < work->course->until_s))
        clear_bands(work);
}

double wr_ode_carried_until(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double until_s = wr_ode_window_end(s) - (1.0 - CARRIED_SHARE) * wr_ode_window_length(s);
    return s->flags & WR_SUBSYSTEM_SHORT_WINDOWS ? wr_max(until_s, work->course->until_s) : until_s;
}

int wr_ode_drop_carried(const wr_subsystem *s, double t_s, const double *z, int *index, int n)
{
    const double *const band = wr_ode_carried_bands(s);
    if (n == 0 || !band || t_s > wr_ode_carried_until(s))
        return n;
    int n_kept = 0;
    for (int k = 0; k < n; k++)
        if (fabs(z[index[k]]) > -band[index[k]])
            index[n_kept++] = index[k];
    return n_kept;
}

int wr_ode_take_changes(wr_subsystem *s, double t_s, const double *z, unsigned char *mode,
                        int *ret_index, int *ret_n_silent)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_events *const events = work->indicators->events;
    const double *const band = wr_ode_carried_bands(s);
    const int n = wr_events_take(events, z, mode, ret_index, ret_n_silent);
    if (*ret_n_silent == 0 || !band || t_s > wr_ode_carried_until(s))
        return n;
    for (int i = 0; i < work->group->n_z; i++) {
        /* the change to the present sign is no event, but the return would be one */
        const int may_repeat = events->direction[i] == (z[i] > 0.0 ? 2 : 1);
        if (may_repeat && band[i] < 0.0 && fabs(z[i]) <= -band[i] && mode[i] == (z[i] > 0.0)) {
            mode[i] = !mode[i];
            --*ret_n_silent;
        }
    }
    return n;
}

int wr_ode_set_bands(wr_subsystem *s, const int *index, int n, const double *moved,
                     int is_state_changed)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_ode_indicators *const z = work->indicators;
    int n_may_return = 0;
    keep_carried(work);
    for (int k = 0; k < n; k++) {
        const int i = index[k];
        const double band = wr_ode_band_of(s, moved, i);
        if (fabs(z->z[i]) > band)
            continue;
        set_band(work, i, band);
        n_may_return += is_state_changed || z->events->direction[i];
    }
    work->course->has_band = 1;
    return n_may_return;
}

int wr_ode_keeps_modes(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->group->n_z == 0 ||
           memcmp(work->mode, work->indicators->sense, (size_t)work->group->n_z) == 0;
}
