/* Maps of Booleans, integers and items of enumerations.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_MAPS_H
#define WR_SSP_MAPS_H

#include "subsystems/model_host/fmi/ssp_parts.h"

typedef struct wr_ssp_items {
    const wr_fmi_item *item;
    int n;
} wr_ssp_items;

/* Returns the items of a variable; n is 0 without items. */
wr_ssp_items wr_ssp_maps_items(const wr_description *d, const wr_fmi_variable *v);
/* Returns the item of a name, or of a value if the name is NULL; NULL: none. */
const wr_fmi_item *wr_ssp_maps_find(wr_ssp_items of, const char *name, double value);
/* Adds a note if a number has different items in the enumerations of an output and an input without a map. */
int wr_ssp_maps_compare(const wr_ssp_flattener *f, int i_from, int i_to);
/* Finds the linear transformation that equals the maps on a way. way: nodes from the output to the input. */
int wr_ssp_maps_fit(const wr_ssp_flattener *f, const int *way, int n_way, double *ret_factor,
                    double *ret_offset);

#endif
