/* Reads units, enumerations, transformations, parameter sets and mappings in files of SSP.
 *
 * wr_ssp_file_values_begin_*() begins an element of the same name. Without a name of its own, arg has no effect. After an error the reader
 * has the reason, and the reading ends.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_FILE_VALUES_H
#define WR_SSP_FILE_VALUES_H

#include "subsystems/model_host/fmi/ssp_elements.h"
#include "subsystems/model_host/fmi/xml_reader.h"

typedef struct wr_ssp_file_reader {
    wr_xml xml; /* the first member, so its address is the address of the reader */
    wr_ssp_file *f;
    int element;           /* index of the present system or component; -1: none */
    int is_in_set;         /* 1: inside of <ParameterSet> */
    wr_ssp_change *change; /* present transformation */
} wr_ssp_file_reader;

#define WR_SSP_FILE_FAIL(r, ...) wr_xml_fail(&(r)->xml, __VA_ARGS__)

/* Appends a zeroed item to an array in the arena. Returns the item, or NULL after an error. */
#define WR_SSP_FILE_APPEND(r, list, n)                                                             \
    ((r)->xml.status == WRSIM_OK &&                                                                \
             ((list) = wr_xml_grow_in_arena(&(r)->xml, (list), (n), sizeof *(list))) != NULL       \
         ? &(list)[(n)++]                                                                          \
         : NULL)

static inline wr_ssp_element *wr_ssp_file_element(const wr_ssp_file_reader *r)
{
    return &r->f->element[r->element];
}

void wr_ssp_file_values_begin_unit(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_base_unit(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_enumeration(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_item(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_change(wr_ssp_file_reader *r, int kind);
void wr_ssp_file_values_begin_map(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_binding(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_mapping_place(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_set(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_parameter(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_parameter_type(wr_ssp_file_reader *r, int type);
void wr_ssp_file_values_begin_mapping(wr_ssp_file_reader *r, int arg);
void wr_ssp_file_values_begin_mapping_entry(wr_ssp_file_reader *r, int arg);
/* Sorts the units and enumerations of a file or parameter set, and refuses equal names. */
void wr_ssp_file_values_sort(wr_ssp_file_reader *r);
/* Requires SSP 1.0 in the attribute "version". */
void wr_ssp_file_values_check_version(wr_ssp_file_reader *r);

#endif
