/* The table of integrators (integrator_list.h). See integrator.h. Thread: any. Real-time: yes. */
#include <string.h>

#include "subsystems/solvers/integrator.h"

#define WR_INTEGRATOR_ROW(name) &wr_integ_##name,
const wr_integrator_ops *const wr_integrators[] = {
    WR_INTEGRATOR_LIST(WR_INTEGRATOR_ROW, WR_INTEGRATOR_ROW) NULL};

const wr_integrator_ops *wr_integrator_find(const char *name)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
