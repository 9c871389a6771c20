/* Event indicators at the current point and at the points before it.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_INDICATORS_H
#define WR_EVENT_INDICATORS_H

#include "subsystems/events.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"

/* Most listed indicators with a band. Few indicators fire at once. */
enum { WR_BAND_LISTED = 8 };

typedef struct wr_ode_indicators {
    double *z;            /* [n_z] at t_s */
    double *z_before;     /* [n_z] at the start of the last step, if clock->n_before > 0 */
    double *z_earlier;    /* [n_z] at the start of the step before, if clock->n_before > 1 */
    double *z_step;       /* [n_z] at the end of the step, or before a jump */
    double *z_turning;    /* [4 n_z] memory of z, z_before, z_earlier and z_step, which rotate */
    unsigned char *sense; /* [n_z] modes in the step; sign changes without an event flip them */
    double *z_moved; /* [n_z] change of the last located indicators over their bracket; else 0 */
    double *band;    /* [n_z] > 0: just fired; the mode stays while |z| is below band */
    int *band_index; /* [WR_BAND_LISTED] indicators with a band */
    wr_events *events;
} wr_ode_indicators;

/* Sets z, z_before, z_earlier, and z_step by clock->z_turn. */
static inline void wr_ode_place_z(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    double **const place[4] = {&work->indicators->z, &work->indicators->z_before,
                               &work->indicators->z_earlier, &work->indicators->z_step};
    for (int i = 0; i < 4; i++)
        *place[i] = work->indicators->z_turning + (work->clock->z_turn + i) % 4 * work->group->n_z;
}

#endif
