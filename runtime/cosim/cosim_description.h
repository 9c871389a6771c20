/* Writes the description (modelDescription.xml) of an exported FMU.
 *
 * Source: Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation 2.0 (2014), section 2.2, and Functional
 * Mock-up Interface 3.0 (2022), section 2.4.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_COSIM_DESCRIPTION_H
#define WR_COSIM_DESCRIPTION_H

#include "runtime/cosim/cosim_variables.h"

typedef struct wr_cosim_description {
    int version;            /* 2 or 3 */
    const char *identifier; /* name of the binary without its extension */
    const char *token;
    const wr_cosim_list *list;
    double start_s, stop_s, step_s, tolerance; /* of the default experiment */
    int can_save;                              /* 1: the FMU saves and restores its state */
    int can_vary_steps;                        /* 1: steps may have any length */
    int is_once;                               /* 1: a process can have one instance only */
} wr_cosim_description;

/* Returns the text from malloc, or NULL when out of memory. */
char *wr_cosim_description_write(const wr_cosim_description *d);

#endif
