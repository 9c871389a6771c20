/* Units of SSP and of FMUs.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_UNITS_H
#define WR_SSP_UNITS_H

#include "base/unit.h"
#include "subsystems/model_host/fmi/description.h"

/* Returns the unit of a name in the sorted units of a scope. has_base 0: wrsim cannot read the unit. */
wr_fmi_unit wr_ssp_units_find(const wr_fmi_unit *list, int n, const char *name);
/* Returns the unit of a variable of an FMU, with the definition of the FMU. */
wr_fmi_unit wr_ssp_units_of_variable(const wr_fmi_variable *v);
/* Finds the conversion between two units. Returns 0 if the units do not fit. A unit without a name fits any unit. If only one unit is of
 * differences, the values of the other unit also count as differences, because files of SSP cannot declare differences. */
int wr_ssp_units_convert(const wr_fmi_unit *from, const wr_fmi_unit *to, wr_unit_scale *ret);

#endif
