/* Values, mappings and transformations of SSP, with their units and enumerations. A wr_ssp_file owns these structs. Thread: any; constant
 * after reading. Real-time: no (setup only). */
#ifndef WR_SSP_PARAMETERS_H
#define WR_SSP_PARAMETERS_H

#include "subsystems/model_host/fmi/quantity.h"

typedef enum wr_ssp_change_kind {
    WR_SSP_NO_CHANGE,
    WR_SSP_LINEAR,
    WR_SSP_BOOLEAN_MAP,
    WR_SSP_INTEGER_MAP,
    WR_SSP_ENUMERATION_MAP
} wr_ssp_change_kind;

/* A transformation of a connection or of a parameter. */
typedef struct wr_ssp_change {
    wr_ssp_change_kind kind;
    double factor, offset; /* LINEAR */
    int line;
    struct wr_ssp_map {
        const char *source, *target; /* as written: true, 3, or the name of an item */
        double from, to;             /* BOOLEAN and INTEGER */
    } * map;
    int n_map;
} wr_ssp_change;

typedef struct wr_ssp_enumeration {
    const char *name;
    wr_fmi_item *item;
    int n_item;
} wr_ssp_enumeration;

/* Units and enumerations of a file or parameter set, each sorted by name. */
typedef struct wr_ssp_scope {
    wr_fmi_unit *unit;
    wr_ssp_enumeration *enumeration;
    int n_unit, n_enumeration;
} wr_ssp_scope;

/* A value of a parameter. */
typedef struct wr_ssp_value {
    const char *name;
    wr_fmi_type type; /* FLOAT64, INT32, BOOLEAN, STRING, ENUMERATION, BINARY; TYPE_COUNT: none */
    double number;    /* FLOAT64, INT32, BOOLEAN */
    const char *text; /* STRING, ENUMERATION */
    const char *unit; /* NULL: none */
    int line;
} wr_ssp_value;

typedef struct wr_ssp_set {
    wr_ssp_scope scope;
    wr_ssp_value *value;
    int n_value;
} wr_ssp_set;

typedef struct wr_ssp_mapping_entry {
    const char *source, *target;
    int is_unconverted;
    wr_ssp_change change;
    int line;
} wr_ssp_mapping_entry;

typedef struct wr_ssp_mapping {
    wr_ssp_mapping_entry *entry;
    int n_entry;
} wr_ssp_mapping;

#endif
