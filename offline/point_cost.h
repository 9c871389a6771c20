/* Costs of points (component.cost), as options of commands and as measured. The caller owns the settings. Thread: one owner. Real-time:
 * no. */
#ifndef WR_POINT_COST_H
#define WR_POINT_COST_H

#include "base/heap_pool.h"
#include "runtime/sim/report.h"

/* Returns the override of a text PATTERN=TIME, such as "cyl*=100us": the components and the time of one point, with the unit ns, us, ms or
 * s. Returns NULL if the text has another form. The pool owns the override. */
const char *wr_point_cost_override(wr_heap_pool *memory, const char *text);

#endif
