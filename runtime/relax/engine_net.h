/* The network of subsystems: constants that placing the engine finds, and that every decision may read.
 *
 * Thread: any. Real-time: plain data.
 */
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
    int has_state_events;
    unsigned flags; /* WR_SUBSYSTEM_... */
    int level;      /* Gauss-Seidel level; 0 for all in Jacobi */
} wr_net_node;

typedef struct wr_net {
    wr_net_node *node; /* [n] */
    int n_level;
    int *level_start, *by_level;    /* [n_level + 1], [n] subsystems of each level */
    int *consumer_start, *consumer; /* [n + 1], [] consumers of each subsystem */
    int *due_start,
        *due; /* [n + 1], [n] consumers that have this subsystem as their last producer; Jacobi */
    int has_cycle; /* subsystems form a ring */
    int has_algebraic_cycle; /* a ring of outputs that depend directly on inputs: contracts alike in any window */
    int *trail;     /* [n] scratch for the causes of an instant; NULL: no ring has state events */
    int n_once;     /* subsystems without rollback */
    int is_on_grid; /* windows end at communication points only */
} wr_net;

#endif
