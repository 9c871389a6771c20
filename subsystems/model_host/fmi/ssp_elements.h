/* Systems, components, connectors, connections and parameter bindings in files of SSP. Thread: any; constant after reading. Real-time: no
 * (setup only). */
#ifndef WR_SSP_ELEMENTS_H
#define WR_SSP_ELEMENTS_H

#include "base/arena.h"
#include "subsystems/model_host/fmi/ssp_parameters.h"

typedef enum wr_ssp_kind { WR_SSP_SSD, WR_SSP_SSV, WR_SSP_SSM } wr_ssp_kind;

/* The place of a parameter set or a mapping. */
typedef struct wr_ssp_source {
    const char *type, *path; /* NULL: not given */
    int is_in_component;     /* 1: the path begins at the component */
    int i_inline;            /* index of the set or mapping in this file; -1: none */
} wr_ssp_source;

typedef struct wr_ssp_binding {
    wr_ssp_source set, mapping;
    int has_mapping;
    const char *prefix; /* "" without a prefix */
    int line;
} wr_ssp_binding;

typedef enum wr_ssp_connector_kind {
    WR_SSP_INPUT,
    WR_SSP_OUTPUT,
    WR_SSP_PARAMETER,
    WR_SSP_CALCULATED,
    WR_SSP_INOUT,
    WR_SSP_CONNECTOR_KINDS
} wr_ssp_connector_kind;

typedef struct wr_ssp_connector {
    const char *name;
    wr_ssp_connector_kind kind;
    wr_fmi_type type;               /* TYPE_COUNT: not given */
    const char *unit, *enumeration; /* NULL: not given */
    int line;
} wr_ssp_connector;

typedef struct wr_ssp_connection {
    const char *element[2]; /* start and end; NULL: the system itself */
    const char *connector[2];
    int is_unconverted;
    wr_ssp_change change;
    int line;
} wr_ssp_connection;

typedef enum wr_ssp_element_kind {
    WR_SSP_SYSTEM,
    WR_SSP_COMPONENT,
    WR_SSP_DICTIONARY
} wr_ssp_element_kind;

typedef struct wr_ssp_element {
    wr_ssp_element_kind kind;
    const char *name, *id;     /* id NULL: none */
    const char *type, *source; /* of a component; NULL: not given */
    int implementation;        /* 0: any, 1: model exchange, 2: co-simulation */
    int parent;                /* index of the system; -1: the root */
    int line;
    wr_ssp_connector *connector;
    wr_ssp_binding *binding;
    wr_ssp_connection *connection;
    int n_connector, n_binding, n_connection;
} wr_ssp_element;

typedef struct wr_ssp_file {
    wr_ssp_kind kind;
    const char *path; /* name in messages */
    const char *name;
    double start_s, stop_s;  /* NaN: not given */
    wr_ssp_scope scope;      /* of the system */
    wr_ssp_element *element; /* [0] is the root system; a parent is before its elements */
    wr_ssp_set *set;         /* an .ssv file has one */
    wr_ssp_mapping *mapping; /* an .ssm file has one */
    int n_element, n_set, n_mapping;
    wr_arena *arena;
} wr_ssp_file;

#endif
