/* The link of a subsystem: its place among the others.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_LINK_H
#define WR_LINK_H

#include "subsystems/subsystem.h"

/* A subsystem's place among the others. */
typedef struct wr_link {
    wr_subsystem *subsystem;
    wr_arena *arena;  /* for the engine's data of this subsystem */
    int *producer;    /* [n_source] subsystem of each source */
    double *period_s; /* [n_source] slackened runs: period of exchange; 0: the common period */
    int n_listener;
    int *listener;            /* [n_listener] consumers that are not producers of this subsystem */
    double *input_start;      /* [n_external] first guesses for algebraic loops */
    const char **signal_name; /* [n_published] "component.variable" */
    int level;                /* Gauss-Seidel level; 0 for all in Jacobi */
    int history_source;       /* subsystem whose waveforms this one repeats, -1: none */
    double lag;               /* delay behind the history source, phase units */
} wr_link;

#endif
