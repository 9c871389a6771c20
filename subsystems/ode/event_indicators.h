/* Event indicators at the current point and at the points before it.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_INDICATORS_H
#define WR_EVENT_INDICATORS_H

#include "subsystems/events.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"

/* Few indicators fire at once. */
enum { WR_BAND_LISTED = 8 };

typedef struct wr_ode_indicators {
    double *z;         /* [n_z] indicators at t_s */
    double *z_before;  /* [n_z] indicators at the start of the last step and of the one before, */
    double *z_earlier; /* [n_z] see clock->n_before */
    double *z_step;    /* [n_z] those at the end of the step, or before they jumped */
    double *z_turning; /* [4 n_z] these three and z: from step to step they change places */
    unsigned char *sense; /* [n_z] modes as they change silently within a step */
    double *z_moved;      /* [n_z] 0 but for what was found last */
    double *band;    /* [n_z] > 0: has just fired and may turn back; until it leaves this band */
    int *band_index; /* [WR_BAND_LISTED] */
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
