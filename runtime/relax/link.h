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
    wr_arena *arena;        /* where the engine places what it keeps for this subsystem */
    const int *producer;    /* [n_source] which subsystem is behind each source */
    const double *period_s; /* [n_source] of exchange, slackened; 0: as all have it */
    int n_listener;
    const int *listener;            /* [n_listener] who reads it without being read by it */
    const double *input_start;      /* [n_external] first guess where an algebraic loop is solved */
    const char *const *signal_name; /* [n_published] "component.variable" */
    int level;                      /* Gauss-Seidel level; 0 for all in Jacobi */
    int history_source;             /* whose waveform this one's repeats, -1 = nobody's */
    double lag;                     /* how much later, phase units */
} wr_link;

#endif
