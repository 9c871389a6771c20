/* See setup_room.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/setup_room.h"

#include <math.h>

#include "base/check.h"

/* Models of up to MANY subsystems have all the room for each; more of them have less each, so that all together take
 * no more, but not less than LEAST. Where it does not do, windows get shorter. */
enum { MANY = 64, LEAST = 64 };
enum { EVENT_ROWS = 1024 };         /* rows at events, beside communication points */
static const double MAX_ROWS = 1e5; /* of communication points a window may have */
/* One that is alone pauses when half of them are there: so many, or fewer where rows are long. */
static const double LONE_ROWS = 2048.0, LONE_LEAST = 64.0, LONE_BYTES = 33554432.0;

int wr_setups_scaled(const wr_assembly *a, int room)
{
    const int64_t share = (int64_t)room * MANY / a->n_subsystem;
    return (int)wr_clamp((double)share, LEAST, (double)room);
}

int wr_setups_is_lone(const wr_assembly *a)
{
    return a->n_subsystem == 1 && a->settings->relaxation.scheme != WR_SCHEME_SLACK;
}

int wr_setups_row_count(const wr_assembly *a, const wr_setup *m)
{
    const wr_settings *const set = a->settings;
    if (m->n_recorded == 0)
        return 1;
    if (wr_setups_is_lone(a))
        return (int)wr_clamp(LONE_BYTES / (sizeof(double) * (double)m->n_recorded), LONE_LEAST,
                             LONE_ROWS);
    const double window_s = set->relaxation.scheme == WR_SCHEME_SLACK
                                ? wr_settings_slack_period(set)
                                : set->relaxation.window_max_s;
    const double n_communication =
        wr_min(ceil(window_s / set->simulation.communication_step_s), MAX_ROWS);
    return (int)n_communication + 4 + (set->output.events ? wr_setups_scaled(a, EVENT_ROWS) : 0);
}
