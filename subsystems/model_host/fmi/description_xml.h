/* Reads the XML of a description into structs, without references between the structs. Thread: one owner. Real-time: no. */
#ifndef WR_DESCRIPTION_XML_H
#define WR_DESCRIPTION_XML_H

#include "subsystems/model_host/fmi/description.h"

/* Fills the empty description *d, whose arena exists. On failure the caller destroys the description. References are still numbers:
 * variable and dependency of an unknown, derivative_of, and the value references of dimensions. Absent numbers are
 * NaN, and absent words are the count of their enumeration. */
wrsim_status wr_description_xml_read(wr_description *d, const char *file, const char *xml,
                                     size_t n_bytes, wrsim_error *err);

#endif
