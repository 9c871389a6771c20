/* The order of the subsystems in a sweep, which relaxation.scheme = "auto" changes between two windows. engine_scheme.c writes the object.
 *
 * Thread: serial section. Real-time: yes after placing. */
#ifndef WR_ENGINE_SCHEME_H
#define WR_ENGINE_SCHEME_H

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_parts.h"
#include "runtime/relax/scheme_choice.h"

typedef struct wr_sweep_scheme {
    /* choice.order: order of the present window. is_on 0: the order is fixed. */
    wr_scheme_choice choice;
    /* reason for which a run with relaxation.scheme = "auto" cannot choose; else NULL */
    const char *why;
    wr_net_levels levels[WR_SWEEP_ORDERS];
    /* Each scheme has its own lengths of windows and its own rates. */
    wr_window *rule[WR_SWEEP_ORDERS];
    wr_contraction *contraction[WR_SWEEP_ORDERS];
    double *work;  /* [n] scratch: work of integrations, work units */
    double *first; /* [n] work of the first integration in the present window; 0: none */
} wr_sweep_scheme;

/* Lists the subsystems of each level of a scheme. Returns 0, or -1 when the arena is exhausted. */
int wr_engine_place_levels(wr_engine *engine, wr_arena *arena, int is_gauss_seidel,
                           wr_net_levels *ret);

/* Sets the order of the first window. Turns the choice on if the order matters: several levels, no acceleration, no algebraic loops across
 * subsystems, and rollback of all subsystems. The call must follow all other placing. Returns 0, or -1 when the arena is exhausted. */
int wr_engine_place_scheme(wr_engine *engine, wr_arena *arena);

static inline int wr_engine_is_gauss_seidel(const wr_engine *engine)
{
    return engine->scheme->choice.order == WR_SWEEP_GAUSS_SEIDEL;
}

/* Forgets the batches of a window that the last run has cut. */
void wr_engine_scheme_begin_run(wr_engine *engine);

/* Adds the integrations of a batch to the cost of the window. */
void wr_engine_scheme_batch(wr_engine *engine);

/* Chooses the scheme of the next window after an accepted window. longest_s: longest next window for which predictions exist. */
void wr_engine_scheme_window(wr_engine *engine, double longest_s);

/* Thread: owner, between two runs. */
const wr_sweep_scheme *wr_engine_scheme_get(const wr_engine *engine);

/* Visits the state (base/state_io.h). */
void wr_engine_scheme_state(wr_engine *engine, wr_state_io *io);

#endif
