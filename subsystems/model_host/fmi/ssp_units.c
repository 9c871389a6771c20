/* Finds and converts units. See ssp_units.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_units.h"

#include <string.h>

wr_fmi_unit wr_ssp_units_find(const wr_fmi_unit *list, int n, const char *name)
{
    wr_fmi_unit unit = {.name = name, .factor = 1.0};
    wr_unit read;
    for (int i = 0; name && i < n; i++)
        if (list[i].has_base && strcmp(list[i].name, name) == 0)
            return list[i];
    if (name && wr_unit_read(name, &read) == 0) {
        unit.has_base = 1;
        memcpy(unit.exponent, read.exponent, sizeof unit.exponent);
        unit.factor = read.factor;
        unit.offset = read.offset;
    }
    return unit;
}

int wr_ssp_units_convert(const wr_fmi_unit *from, const wr_fmi_unit *to, wr_unit_scale *ret)
{
    *ret = (wr_unit_scale){0.0, 0.0};
    if (!from->name || !to->name || strcmp(from->name, to->name) == 0)
        return 1;
    if (!from->has_base || !to->has_base ||
        memcmp(from->exponent, to->exponent, sizeof from->exponent) != 0)
        return 0;
    const wr_unit_scale scale = {from->factor / to->factor,
                                 (from->offset - to->offset) / to->factor};
    if (!wr_unit_is_same_scale(scale, (wr_unit_scale){1.0, 0.0}))
        *ret = scale;
    return 1;
}
