/* The network of subsystems: constants after engine_place.c has placed the engine, except the scratch `trail` and the levels, which
 * engine_scheme.c changes between windows. Thread: any. Real-time: plain data. */
#ifndef WR_ENGINE_NET_H
#define WR_ENGINE_NET_H

#include "subsystems/model_host/fault.h"

/* An input from another subsystem: its producer, and the index of the signal among the published signals of the producer. */
typedef struct wr_engine_read {
    int i_producer, i_signal;
} wr_engine_read;

/* A subsystem in the network. */
typedef struct wr_net_node {
    const char *name;
    const char *const *signal_name; /* [n_published] "component.variable" */
    const int *producer;            /* [n_source] */
    const wr_engine_read *read;     /* [n_external] */
    int n_source, n_external, n_x;
    int level;      /* Gauss-Seidel level, which Jacobi ignores */
    unsigned flags; /* WR_SUBSYSTEM_... */
    unsigned char has_state_events;
    /* 1: the subsystem is in a ring, or a ring drives the subsystem. All subsystems have 1 if no ring exists. */
    unsigned char is_in_ring;
    /* in a run that may accelerate: a consumer reads the subsystem's wave of the last sweep */
    unsigned char is_read_late;
    /* is_read_late, and the subsystem and a late consumer have is_in_ring, so acceleration changes the wave */
    unsigned char is_mixed;
    /* In the order of Gauss-Seidel, a consumer reads the wave before the subsystem has integrated the window. */
    unsigned char is_read_early;
    /* In an order that the run may use, a consumer reads the wave before the subsystem has integrated the window. Or the phase or a
     * history needs the prediction. */
    unsigned char is_predicted;
    /* A looser tolerance of the solver may make a first sweep cheaper. */
    unsigned char has_tolerance;
    unsigned char ends_windows; /* the subsystem's time events may end windows */
} wr_net_node;

/* The subsystems of each level of a sweep. */
typedef struct wr_net_levels {
    int n;
    int *start, *item; /* [n + 1], [number of subsystems] */
} wr_net_levels;

typedef struct wr_net {
    wr_net_node *node;              /* [n] */
    wr_net_levels levels;           /* levels of the present scheme */
    int *consumer_start, *consumer; /* [n + 1], [sum of n_source] consumers of each subsystem */
    /* [n + 1], [n] Jacobi: subsystems whose own task and producers' tasks are complete after the task of this subsystem */
    int *due_start, *due;
    int has_cycle; /* subsystems form a ring */
    /* outputs that depend directly on inputs form a ring, which contracts alike in windows of any length */
    int has_algebraic_cycle;
    int *trail;      /* [n] scratch for the causes of an instant; NULL: no ring */
    int n_once;      /* number of subsystems without rollback */
    int n_deferring; /* number of subsystems with WR_SUBSYSTEM_DEFERS */
    int is_on_grid;  /* windows end at communication points only */
} wr_net;

#endif
