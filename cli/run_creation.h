/* Creates the simulation of `wrsim run` and `wrsim check` from the command line. Thread: main. Real-time: no. */
#ifndef WR_RUN_CREATION_H
#define WR_RUN_CREATION_H

#include <stddef.h>

#include "cli/options.h"
#include "wrsim/sim.h"

#define WR_RUN_CREATION_MONOLITHIC                                                                 \
    {                                                                                              \
        .name = "monolithic", .help = "put all components into one subsystem, without relaxation", \
        .kind = WR_OPTION_OVERRIDE, .key = "simulation.monolithic=true"                            \
    }

/* A failed split run, which a run with one solver replaces. */
typedef struct wr_run_creation_failure {
    wrsim_error error;
    double spent_s; /* wall time */
} wr_run_creation_failure;

typedef struct wr_run_creation {
    const wr_arguments *line;
    const wr_run_creation_failure *before; /* the split run that the new run replaces; NULL: none */
    /* 1: try the start of the run, and estimate whether the split pays, even if the config decides the grouping */
    int has_probe;
    int has_memory_rows; /* 1: the live view reads rows from memory */
} wr_run_creation;

/* Creates the simulation, which the caller destroys, and prints the errors of the config. Returns the exit code. */
int wr_run_creation_make(const wr_run_creation *request, wrsim **ret_sim);

/* Writes the error's text, after "subsystem 'x': " if the error names a subsystem. Returns text[n]. */
const char *wr_run_creation_error_text(const wrsim_error *error, char *text, size_t n);

#endif
