/* What a peer is: a method that brings its own integrator and root finding.
 *
 * Thread: main. Real-time: no.
 */
#ifndef PEERS_H
#define PEERS_H

#include "bench/peers/peer_problem.h"

typedef struct peer_solver peer_solver; /* opaque, one per run */

/* What advance() came to. */
typedef enum peer_arrival { PEER_FAILED = -1, PEER_THERE, PEER_ROOT } peer_arrival;

typedef struct peer_method {
    const char *name;
    /* NULL with p->why on failure. */
    peer_solver *(*create)(const struct peer_method *method, peer_problem *p);
    /* Integrates from where it is to t_s (which is x's new time), never beyond limit_s; stops at
     * roots. *ret_t_s and x say where it is; found[n_z] is set at a root. */
    peer_arrival (*advance)(peer_solver *self, double t_s, double limit_s, double *ret_t_s,
                            double *x, int *found);
    /* Starts afresh at (t, x) after an event. 0 or -1. */
    int (*restart)(peer_solver *self, double t_s, const double *x);
    int64_t (*n_step)(const peer_solver *self);
    void (*destroy)(peer_solver *self);
    int kind, order, is_sparse; /* for create() */
} peer_method;

/* Terminated by name == NULL. */
extern const peer_method peer_sundials[];

#endif
