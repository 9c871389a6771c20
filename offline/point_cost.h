/* Costs of points (component.cost): overrides from options of commands, and measured costs. Thread: one owner. Real-time: no. */
#ifndef WR_POINT_COST_H
#define WR_POINT_COST_H

#include "runtime/sim/report.h"

struct wr_settings;
struct wr_set_component;

enum { WR_POINT_COST_BYTES = 256 }; /* size of an override (assumed) */

/* Writes the override of a text PATTERN=TIME, such as "cyl*=100us". PATTERN names components, and TIME is the time of one point with the
 * unit ns, us, ms or s. Returns NULL, or the second part of the message "the cost TEXT ...". */
const char *wr_point_cost_override(const char *text, char ret_override[WR_POINT_COST_BYTES]);

/* Makes runs of the settings count points if a component has a cost. With is_measured, a short run of one solver first measures the
 * components without a cost. *ret_components receives the new components of the settings, which the caller frees; NULL: unchanged. A
 * component without a declared cost keeps the cost 0 if the measuring run gives too few points, or a cost below 5 us. If memory is
 * exhausted, all costs stay as declared. */
void wr_point_cost_prepare(struct wr_settings *settings, int is_measured,
                           struct wr_set_component **ret_components);

#endif
