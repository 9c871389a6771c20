/* A peer: a method with its own integrator and root finder. Thread: main. Real-time: no. */
#ifndef PEERS_H
#define PEERS_H

#include "bench/peers/peer_problem.h"

typedef struct peer_solver peer_solver; /* opaque object of one run */

/* Result of advance(): a failure, the requested time, or a root. */
typedef enum peer_arrival { PEER_FAILED = -1, PEER_THERE, PEER_ROOT } peer_arrival;

typedef struct peer_method {
    const char *name;
    /* Returns a solver; NULL with p->why on failure. */
    peer_solver *(*create)(const struct peer_method *method, peer_problem *p);
    /* Integrates to t_s, never beyond limit_s, and stops at roots. Sets *ret_t_s and x to the reached point, and found[n_z] at a root. */
    peer_arrival (*advance)(peer_solver *self, double t_s, double limit_s, double *ret_t_s,
                            double *x, int *found);
    /* Restarts at (t, x) after an event. Returns 0 or -1. */
    int (*restart)(peer_solver *self, double t_s, const double *x);
    int64_t (*n_step)(const peer_solver *self);
    void (*destroy)(peer_solver *self);
    int kind, order, is_sparse; /* parameters of create() */
} peer_method;

/* Methods; the last row has name == NULL. */
extern const peer_method peer_sundials[];

#endif
