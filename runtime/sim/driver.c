/* The table of drivers. See driver.h. Thread: as driver.h. Real-time: as driver.h. */
#include "runtime/sim/driver.h"

#include "base/check.h"
#include "runtime/sim/driver_ops.h"

const wr_driver_ops *wr_driver_of(const wr_settings *set)
{
#define DRIVER(NAME, value, driver, relaxes, help) &wr_##driver##_driver,
    static const wr_driver_ops *const drivers[] = {WR_SCHEME_LIST(DRIVER, DRIVER)};
    return drivers[set->relaxation.scheme];
}

int wr_driver_place(wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    wr_wiring *const links = WR_NEW_ARRAY(a->arena, wr_wiring, a->n_subsystem);
    for (int i = 0; links && i < a->n_subsystem; i++) {
        links[i] = a->setup[i].link;
        links[i].subsystem = a->setup[i].subsystem;
        links[i].arena = a->arena;
    }
    return links ? sim->driver->place(sim, links) : -1;
}

double wr_driver_time(const wrsim *sim)
{
    return wr_driver_is_placed(sim) ? sim->driver->time(sim) : sim->settings->simulation.start_s;
}

wr_engine *wr_driver_engine(const wrsim *sim)
{
    return sim->driver == &wr_relax_driver ? sim->driver_run : NULL;
}

void wr_driver_close(wrsim *sim)
{
    if (wr_driver_is_placed(sim) && sim->driver->close)
        sim->driver->close(sim);
}
