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
    wr_accelerate *method; /* NULL: none */
    wr_accelerate *
        fallback; /* replaces the method if plain sweeps do not contract; NULL: not allowed, or already in use */
    wr_accelerate *asked, *last;   /* method and fallback when placed */
    const wr_wave **before, **now; /* [n] waves that a sweep read, and waves that it computed */
    wr_wave **next;                /* [n] guesses */
    wr_mix_guess *
        guess; /* [n] room for next, in turn: the last guess is still read; NULL: no acceleration */
    const double **scale; /* [n] weights of the signals */
    int has_guesses;      /* the last sweep's waves have been accelerated */
    double error;         /* error of the published waves, from the last step, tolerances */
} wr_mix;

/* Is the effect of each input change estimated? Acceleration judges the whole iterate instead. */
static inline int wr_mix_has_estimates(const wr_engine *e) { return !e->mix->method; }

/* Algebraic loops across subsystems (engine_loops.c). */
typedef struct wr_loops {
    wr_start *start;           /* their equations; NULL if there are no loops */
    wr_arena *arena;           /* memory of start */
    int is_solved;             /* Newton's step is used */
    int n_step, is_off;        /* steps in this window; no further step in this window */
    int is_stuck;              /* the steps contract too slowly */
    unsigned char *has;        /* [n] is in a loop; these four are NULL without loops */
    int *node;                 /* [n] scratch */
    double *t_s, *residual_at; /* [cap_node], [2 * cap_node] times of nodes, and residuals there */
    double residual[2];        /* residuals of the last two steps */
} wr_loops;

#endif
