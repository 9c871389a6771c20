/* The network of subsystems: which subsystem reads which, and the levels of a sweep. It never changes after placing.
 *
 * Thread: any. Real-time: plain data.
 */
#ifndef WR_ENGINE_NET_H
#define WR_ENGINE_NET_H

/* An input from another subsystem: its producer, and the index of the signal among the published signals of the producer. */
typedef struct wr_engine_read {
    int i_producer, i_signal;
} wr_engine_read;

typedef struct wr_net {
    int n_level;
    int *level_start, *by_level;    /* [n_level + 1], [n] subsystems of each level */
    int *consumer_start, *consumer; /* [n + 1], [] consumers of each subsystem */
    int *due_start, *due;           /* [n + 1], [n] consumers whose last producer it is; Jacobi */
    int has_cycle;                  /* subsystems form a ring */
    int has_algebraic_cycle; /* a ring of outputs that depend directly on inputs: contracts alike in any window */
    int *trail;     /* [n] scratch for the causes of an instant; NULL: no ring has state events */
    int n_once;     /* subsystems without rollback */
    int is_on_grid; /* windows end at communication points only */
} wr_net;

#endif
