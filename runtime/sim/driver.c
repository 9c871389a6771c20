/* The table of drivers. See driver.h.
 *
 * Thread: as there. Real-time: as there.
 */
#include "runtime/sim/driver.h"

#include "base/check.h"
#include "runtime/sim/relax_driver.h"
#include "runtime/sim/slack_driver.h"

static const wr_driver_ops *const drivers[] = {&wr_relax_driver, &wr_slack_driver};

const wr_driver_ops *wr_driver_of(const wr_settings *set)
{
    for (size_t i = 0; i < WR_COUNT_OF(drivers); i++)
        if (drivers[i]->schemes & 1U << set->relaxation.scheme)
            return drivers[i];
    return drivers[0];
}

static wr_link *place_links(const wr_assembly *a)
{
    wr_link *const links = WR_NEW_ARRAY(a->arena, wr_link, a->n_subsystem);
    for (int i = 0; links && i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        links[i] = (wr_link){.subsystem = m->subsystem,
                             .arena = a->arena,
                             .producer = m->producer,
                             .period_s = m->period_s,
                             .n_listener = m->n_listener,
                             .listener = m->listener,
                             .input_start = m->input_start,
                             .signal_name = m->signal_name,
                             .level = m->level,
                             .history_source = m->history_source,
                             .lag = m->lag};
    }
    return links;
}

int wr_driver_place(wrsim *sim)
{
    const wr_link *const links = place_links(sim->assembly);
    if (!links)
        return -1;
    return sim->driver->place(sim, links);
}

double wr_driver_time(const wrsim *sim)
{
    return wr_driver_is_placed(sim) ? sim->driver->time(sim) : sim->settings->simulation.start_s;
}

void wr_driver_close(wrsim *sim)
{
    if (wr_driver_is_placed(sim) && sim->driver->close)
        sim->driver->close(sim);
}
