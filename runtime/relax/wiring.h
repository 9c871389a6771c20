/* The link of a subsystem to the other subsystems. Thread: plain data. Real-time: yes. */
#ifndef WR_WIRING_H
#define WR_WIRING_H

#include "subsystems/subsystem.h"

typedef struct wr_wiring {
    wr_subsystem *subsystem;
    wr_arena *arena; /* memory of the engine's data of this subsystem */
    int *producer;   /* [n_source] subsystem of each source */
    /* [n_source] slackened runs: period of exchange; 0 or NULL: the common period */
    double *period_s;
    int n_listener;
    /* [n_listener] if periods shorten: consumers of the subsystem that do not drive the subsystem */
    int *listener;
    double *input_start;      /* [n_external] first guesses for algebraic loops */
    const char **signal_name; /* [n_published] "component.variable" */
    int level;                /* Gauss-Seidel level; not used in Jacobi */
    int history_source; /* subsystem whose waveforms this subsystem repeats; -1: no subsystem */
    double lag;         /* delay behind the history source, phase units */
} wr_wiring;

#endif
