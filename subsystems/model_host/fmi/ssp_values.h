/* Values of variables of components.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_VALUES_H
#define WR_SSP_VALUES_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* A value on its way to a variable. */
typedef struct wr_ssp_assigned {
    const wr_ssp_opened *in; /* file of the value and its line, for messages */
    int line;
    const char *name, *full; /* full: with the prefix */
    wr_fmi_type type;
    double number;
    const char *text; /* of a STRING or ENUMERATION */
    wr_fmi_unit unit;
    int is_used; /* 1: a mapping names the value */
} wr_ssp_assigned;

/* Applies a value to all variables of a hierarchical name. Returns the number of variables, or -1. */
int wr_ssp_values_apply(const wr_ssp_flattener *f, const wr_ssp_assigned *a, int i_instance,
                        const char *name, int is_unconverted, const wr_ssp_change *change);

#endif
