/* Reads the XML of a description into structs, without references between the structs. Thread: one owner. Real-time: no. */
#ifndef WR_DESCRIPTION_XML_H
#define WR_DESCRIPTION_XML_H

#include "base/diag.h"
#include "subsystems/model_host/fmi/description.h"

/* Fills the empty description *d, whose arena exists. On failure the caller destroys the description. References are still numbers:
 * variable and dependency of an unknown, derivative_of, and the value references of dimensions. Absent numbers are
 * NaN, and absent words are the count of their enumeration. */
wrsim_status wr_description_xml_read(wr_description *d, const char *file, const char *xml,
                                     size_t n_bytes, wrsim_error *err);

/* Fills err with a fault of the description and the advice. Returns WRSIM_E_MODEL. */
wrsim_status wr_description_refuse(wrsim_error *err, const char *file, int line, const char *format,
                                   ...) WR_PRINTF(4, 5);

/* Returns the range of an integer type, enumeration or Boolean; [-inf, inf] for other types. */
void wr_description_type_range(wr_fmi_type type, double *ret_low, double *ret_high);

#endif
