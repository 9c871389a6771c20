/* Finds and converts units. See ssp_units.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_units.h"

#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *unit)
{
    return strcmp(name, ((const wr_fmi_unit *)unit)->name);
}

wr_fmi_unit wr_ssp_units_find(const wr_fmi_unit *list, int n, const char *name)
{
    wr_fmi_unit unit = {.name = name, .definition.factor = 1.0};
    const wr_fmi_unit *const found =
        name && n > 0 ? bsearch(name, list, (size_t)n, sizeof *list, compare_name) : NULL;
    if (found && found->has_base)
        return *found;
    unit.has_base = name && wr_unit_read(name, &unit.definition) == 0;
    return unit;
}

wr_fmi_unit wr_ssp_units_of_variable(const wr_fmi_variable *v)
{
    wr_fmi_unit unit = {.name = v->unit, .definition.factor = 1.0};
    unit.has_base = v->unit && wr_unit_read(v->unit, &unit.definition) == 0;
    return unit;
}

int wr_ssp_units_convert(const wr_fmi_unit *from, const wr_fmi_unit *to, wr_unit_scale *ret)
{
    *ret = (wr_unit_scale){0.0, 0.0};
    if (!from->name || !to->name)
        return 1;
    if (!from->has_base || !to->has_base)
        return wr_unit_convert(from->name, to->name, ret) == WR_UNIT_FITS;
    wr_unit a = from->definition, b = to->definition;
    if (a.is_difference != b.is_difference)
        a.offset = b.offset = a.is_difference = b.is_difference = 0;
    return wr_unit_compare(&a, &b, ret) == WR_UNIT_FITS;
}
