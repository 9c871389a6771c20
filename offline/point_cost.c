/* See point_cost.h. Thread: one owner. Real-time: no. */
#include "offline/point_cost.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "offline/texts.h"

const char *wr_point_cost_override(wr_heap_pool *memory, const char *text)
{
    static const struct {
        const char *name;
        double s;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}};
    const char *const equals = strchr(text, '=');
    if (!equals || equals == text)
        return NULL;
    char *end;
    const double value = strtod(equals + 1, &end);
    for (size_t i = 0; i < WR_COUNT_OF(units); i++)
        if (end > equals + 1 && value >= 0.0 && strcmp(end, units[i].name) == 0)
            return wr_text(memory, "component.%.*s.cost=%.17g", (int)(equals - text), text,
                           value * units[i].s);
    return NULL;
}
