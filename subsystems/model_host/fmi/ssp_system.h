/* A system of SSP 1.0 as a flat list of FMUs, connections between FMUs, and values of their variables. ssp_reader.h makes this list.
 *
 * Thread: one owner; constant after reading. Real-time: no (setup only). */
#ifndef WR_SSP_SYSTEM_H
#define WR_SSP_SYSTEM_H

#include "subsystems/model_host/fmi/description.h"

/* A value of a variable of a component. */
typedef struct wr_ssp_setting {
    const wr_fmi_variable *variable;
    double value; /* in the unit and type of the variable */
} wr_ssp_setting;

typedef struct wr_ssp_component {
    const char *name;   /* unique name of letters, digits and '_' */
    const char *path;   /* names of the systems and of the component, joined by dots */
    const char *fmu;    /* path of the FMU, which may lead through archives */
    int implementation; /* 0: any, 1: model exchange, 2: co-simulation */
    const wr_description *description;
    wr_ssp_setting *setting; /* [n_setting] at most one for a variable and its aliases */
    int n_setting;
} wr_ssp_component;

/* A connection of an output to an input. The input is factor * value + offset. */
typedef struct wr_ssp_link {
    int from, to; /* components */
    const char *output, *input;
    double factor, offset; /* after the conversion of units */
    int is_unconverted;    /* 1: no conversion of units */
} wr_ssp_link;

/* A part of the files that the flat list lacks. */
typedef struct wr_ssp_note {
    const char *text, *file;
    int line; /* 0: the whole file */
} wr_ssp_note;

typedef struct wr_ssp_system {
    const char *name;
    double start_s, stop_s; /* NaN: not given */
    wr_ssp_component *component;
    wr_ssp_link *link;
    wr_ssp_note *note;
    int n_component, n_link, n_note;
    struct wr_ssp_parts *parts;
} wr_ssp_system;

/* Returns the kind of FMU that a run uses. */
static inline wr_fmi_kind wr_ssp_component_kind(const wr_ssp_component *c)
{
    return c->implementation == 2 || !c->description->interface[WR_FMI_ME].identifier ? WR_FMI_CS
                                                                                      : WR_FMI_ME;
}

#endif
