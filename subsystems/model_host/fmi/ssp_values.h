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
    int binding; /* number of the parameter binding */
    int is_used; /* 1: a mapping names the value */
    int is_bare; /* 1: a linear transformation was applied at a connector without unit */
} wr_ssp_assigned;

/* The way of a value through a connection or through an entry of a mapping: a conversion of units, then a change. */
typedef struct wr_ssp_transfer {
    const wr_ssp_change *change;
    const wr_ssp_opened *in; /* file of the change */
    int is_unconverted;
} wr_ssp_transfer;

/* Applies a value to all variables of a hierarchical name. Returns the number of variables, or -1. */
int wr_ssp_values_apply(const wr_ssp_flattener *f, const wr_ssp_assigned *a, int i_instance,
                        const char *name, const wr_ssp_transfer *by);
/* Gives each component the settings of its variables. A later value of a variable replaces an earlier value. Two different
 * values of one binding are an error. */
int wr_ssp_values_store(const wr_ssp_flattener *f);

#endif
