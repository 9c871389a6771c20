/* Event indicators at the current point and at the points before it. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_EVENT_INDICATORS_H
#define WR_EVENT_INDICATORS_H

#include <math.h>
#include <string.h>

#include "subsystems/events.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"

/* Largest number of listed indicators with a band (assumed). Few indicators fire at once. */
enum { WR_BAND_LISTED = 8 };

typedef struct wr_ode_indicators {
    double *z;         /* [n_z] indicators at t_s */
    double *z_before;  /* [n_z] z at the start of the last step, if course->n_before > 0 */
    double *z_earlier; /* [n_z] z at the start of the step before, if course->n_before > 1 */
    double *z_step;    /* [n_z] z at the end of the step, or before a jump */
    double *z_turning; /* [4 n_z] memory of z, z_before, z_earlier and z_step, which rotate */
    unsigned char
        *sense;      /* [n_z] modes in the step; sign changes without an event flip the modes */
    double *z_moved; /* [n_z] change of each last located indicator over the bracket; else 0 */
    double *
        band; /* [n_z] > 0: just fired, the mode stays while |z| <= band; < 0: carried indicator of size up to -band */
    int *band_index;       /* [WR_BAND_LISTED] indices of indicators with a band */
    const double *nominal; /* [n_z] */
    wr_events *events;
} wr_ode_indicators;

/* Part of the saved state. */
typedef struct wr_indicator_course {
    int n_band;   /* number of indicators with a band; band_index lists at most WR_BAND_LISTED */
    int n_before; /* 0: no earlier values, after the start or a jump of a state; 1: z_before is valid; 2: z_earlier is valid, too */
    int z_turn;   /* index of z in z_turning[] */
    double until_s; /* in a run with events that wait: time until which indicators are carried */
    unsigned char needs_probe; /* a fired or carried indicator is near zero */
    unsigned char has_band;    /* band[] is valid: no step since the last change of band[] */
    unsigned char has_carried; /* a band is negative */
} wr_indicator_course;
_Static_assert(sizeof(wr_indicator_course) % sizeof(double) == 0,
               "doubles follow in the saved state");

/* Places the arrays of the indicators outside of the saved state. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_indicators_place(const wr_subsystem *s, wr_arena *arena);

/* Places the indicators' arrays of the saved state in room. */
void wr_ode_indicators_take(wr_subsystem *s, wr_ode_room *room);

/* Returns the indicators at the current point, [n_z]. */
WR_ODE_GET(double *, z, indicators->z)

/* Sets z, z_before, z_earlier, and z_step after a change of z_turn. */
static inline void wr_ode_place_z(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_indicators *const z = work->indicators;
    double **const place[4] = {&z->z, &z->z_before, &z->z_earlier, &z->z_step};
    for (int i = 0; i < 4; i++)
        *place[i] = z->z_turning + (work->course->z_turn + i) % 4 * work->group->n_z;
}

WR_ODE_GET(int, z_turn, course->z_turn)
static inline void wr_ode_turn_z(wr_subsystem *s, int z_turn)
{
    wr_ode_of(s)->course->z_turn = z_turn;
    wr_ode_place_z(s);
}

/* Shifts the indicators after a step: z_step becomes z, z becomes z_before, z_before becomes z_earlier, sense becomes mode. */
static inline void wr_ode_move_indicators(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    work->course->n_before = work->course->n_before > 0 ? 2 : 1;
    work->course->z_turn = (work->course->z_turn + 3) % 4;
    wr_ode_place_z(s);
    memcpy(work->mode, work->indicators->sense, (size_t)work->group->n_z);
}
/* Copies z to z_step, before a jump. */
void wr_ode_keep_left(wr_subsystem *s);
/* Shifts earlier values of indicators by their jump from z_step to z, so that extrapolations remain valid. */
void wr_ode_keep_course(wr_subsystem *s);
/* Lists in ret_index[n_z] the indicators with an event between mode[n_z] and the signs of z[n_z] at t_s. Changes the modes of other sign
 * changes, except of carried indicators that may still return; *ret_n_silent: number of changed modes. Returns the number of listed
 * indicators. */
int wr_ode_take_changes(wr_subsystem *s, double t_s, const double *z, unsigned char *mode,
                        int *ret_index, int *ret_n_silent);
/* Clears the bands, except the bands of carried indicators. Then sets the bands of the indicators in index[n] that are within their band
 * (wr_ode_band_of()). Returns the number of indicators in bands that may return to zero, because the event is one-sided or is_state_changed
 * is set. */
int wr_ode_set_bands(wr_subsystem *s, const int *index, int n, const double *moved,
                     int is_state_changed);

/* Takes the changes of the modes at the present point, like wr_ode_take_changes(). */
static inline int wr_ode_take_modes(wr_subsystem *s, int *ret_index, int *ret_n_silent)
{
    return wr_ode_take_changes(s, s->t_s, wr_ode_z(s), wr_ode_of(s)->mode, ret_index, ret_n_silent);
}

/* Finds the carried indicators. The inputs of a new window change the sign of a carried indicator against its mode, from z_step to z. Gives
 * each carried indicator a negative band of at least its size. The subsystem then searches the beginning of the next step for events.
 * most[n_z]: largest size of a carried indicator; NULL: any size. */
void wr_ode_probe_carried(wr_subsystem *s, const double *most);
/* If an indicator is carried, clears all bands. */
void wr_ode_forget_carried(wr_subsystem *s);
/* Returns the bands if an indicator is carried, else NULL. */
WR_ODE_GET(const double *, carried_bands,
           course->has_carried ? wr_ode_of(s)->indicators->band : NULL)
/* Removes from index[n] the carried indicators that may still return at t_s with values z[n_z]. Returns the number of remaining
 * indicators. */
int wr_ode_drop_carried(const wr_subsystem *s, double t_s, const double *z, int *index, int n);
/* Returns the time until which a carried indicator may return, s. */
double wr_ode_carried_until(const wr_subsystem *s);

/* Returns the band around zero in which a fired indicator keeps its mode: 1e-12 nominal values for rounding (assumed), and twice
 * moved[i_z]. moved[n_z]: changes over the last bracket; NULL: rounding only, in rounds without a bracket. */
static inline double wr_ode_band_of(const wr_subsystem *s, const double *moved, int i_z)
{
    return 1e-12 * wr_ode_of(s)->indicators->nominal[i_z] + (moved ? 2.0 * moved[i_z] : 0.0);
}

/* Returns whether a fired or carried indicator is within its band at z[n_z]. */
static inline int wr_ode_is_in_band(const wr_subsystem *s, int i_z, const double *z)
{
    const double band = wr_ode_of(s)->indicators->band[i_z];
    return wr_ode_of(s)->course->has_band && fabs(band) > 0.0 && fabs(z[i_z]) <= fabs(band);
}

/* Invalidates the bands after a step. */
static inline void wr_ode_drop_bands(wr_subsystem *s) { wr_ode_of(s)->course->has_band = 0; }

/* Returns whether modes stay the same within the step. */
int wr_ode_keeps_modes(const wr_subsystem *s);

/* Raises the located change of an indicator, and so its band, to at least the change `by`. */
static inline void wr_ode_widen(wr_subsystem *s, int i_z, double by)
{
    double *const moved = &wr_ode_of(s)->indicators->z_moved[i_z];
    *moved = wr_max(*moved, by);
}

/* Returns the changes of the located indicators over their bracket, [n_z]. */
WR_ODE_GET(const double *, z_moved, indicators->z_moved)
/* Returns the modes in the step. */
WR_ODE_GET(const unsigned char *, sense, indicators->sense)

/* Lists in ret_index the indicators with an event between their modes and the signs of z[n_z]. Returns the number of listed indicators. */
static inline int wr_ode_list_events(const wr_subsystem *s, const double *z, int *ret_index)
{
    return wr_events_list(wr_ode_of(s)->indicators->events, z, wr_ode_of(s)->mode, ret_index);
}

/* Returns the indices of the indicators whose events the last search located; *ret_n: number of these indicators. */
static inline const int *wr_ode_found(const wr_subsystem *s, int *ret_n)
{
    const wr_events *const events = wr_ode_of(s)->indicators->events;
    *ret_n = events->n_found;
    return events->found;
}

/* Returns the mean slope of an indicator over the last step, from z and z_before, per second. *ret_half_bend: half its second derivative,
 * or 0 without z_earlier. Needs course->n_before > 0. */
static inline double wr_ode_z_slope(const wr_subsystem *s, int i_z, double *ret_half_bend)
{
    const wr_ode_indicators *const z = wr_ode_of(s)->indicators;
    const double h_s = wr_ode_last_step(s), before_s = wr_ode_step_before(s);
    const double slope = (z->z[i_z] - z->z_before[i_z]) / h_s;
    *ret_half_bend =
        wr_ode_of(s)->course->n_before > 1
            ? (slope - (z->z_before[i_z] - z->z_earlier[i_z]) / before_s) / (h_s + before_s)
            : 0.0;
    return slope;
}

#endif
