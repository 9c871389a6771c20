/* Iterates that are changed between sweeps: acceleration and algebraic loops.
 *
 * Thread: serial section. Real-time: plain data.
 */
#ifndef WR_ENGINE_ITERATES_H
#define WR_ENGINE_ITERATES_H

#include "runtime/relax/accelerate.h"
#include "runtime/relax/engine_parts.h"
#include "runtime/relax/start.h"

typedef wr_wave *wr_mix_guess[2];

/* Acceleration: guesses from the last iterates. */
typedef struct wr_mix {
    wr_accelerate *method;   /* NULL: none */
    wr_accelerate *fallback; /* takes over if nothing else contracts; NULL: it has, or may not */
    wr_accelerate *asked, *last;   /* method and fallback when placed */
    const wr_wave **before, **now; /* [n] waves that a sweep read, and waves that it computed */
    wr_wave **next;                /* [n] guesses */
    wr_mix_guess *
        guess; /* [n] room for next, in turn: the last guess is still read; NULL: no acceleration */
    const double **scale; /* [n] weights of the signals */
    int has_guesses;      /* the last sweep's waves have been accelerated */
    double error;         /* of the published waves, from the last step, tolerances */
} wr_mix;

/* Is the effect of each input change estimated? Acceleration judges the whole iterate instead. */
static inline int wr_mix_has_estimates(const wr_engine *e) { return !e->mix->method; }

/* Algebraic loops across subsystems (engine_loops.c). */
typedef struct wr_loops {
    wr_start *start;           /* knows them; NULL after the start without loops */
    wr_arena *arena;           /* its memory */
    int is_solved;             /* by Newton's step */
    int n_step, is_off;        /* such steps in this window; no more in it */
    int is_stuck;              /* because they contract too slowly */
    unsigned char *has;        /* [n] is in a loop; these four are NULL without loops */
    int *node;                 /* [n] scratch */
    double *t_s, *residual_at; /* [cap_node], [2 * cap_node] times of nodes, and residuals there */
    double residual[2];        /* of the last steps */
} wr_loops;

#endif
