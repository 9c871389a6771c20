/* Algebraic loops across subsystems: their amplification of residuals, and Newton's step for their waves. Only engine_loops.c and this
 * header write the object.
 *
 * Thread: serial section. Real-time: yes, with models that are; placing: no. */
#ifndef WR_ENGINE_LOOPS_H
#define WR_ENGINE_LOOPS_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/start_outputs.h"

typedef struct wr_loops {
    wr_start *start; /* equations of the loops; NULL: no loops */
    wr_arena *arena; /* memory of start */
    int is_solved;   /* Newton's step is in use */
    /* n_step: number of steps since the last restart; is_off 1: no further step in this window */
    int n_step, is_off;
    int is_stuck; /* 1: the steps contract too slowly */
    /* [n] 1: the subsystem is in a loop. Without loops `has`, `node`, t_s and residual_at are NULL. */
    unsigned char *has;
    int *node; /* [n] scratch */
    /* [cap_node] times of nodes; [2 * cap_node] residual and slope of the residual at each time */
    double *t_s, *residual_at;
    double residual[2]; /* residuals of the last two steps */
} wr_loops;

/* Setup: places the equations of the start values (start_outputs.h). Returns NULL when out of memory. */
wr_start *wr_loops_begin(wr_engine *engine, const wr_wiring *parts);
/* Setup: places the memory of Newton's step. Requires algebraic loops. Returns 0, or -1 when out of memory. */
int wr_loops_place(wr_engine *engine);
/* Ends the setup: seals the memory. Without loops the function frees the memory. */
void wr_loops_seal(wr_loops *loops, int has_loops);

/* Switches Newton's step on. */
static inline void wr_loops_solve(wr_loops *loops) { loops->is_solved = 1; }

static inline int wr_loops_have(const wr_loops *loops, int i)
{
    return loops->start && loops->has[i];
}

/* Sets the number of steps in this window to 0. */
static inline void wr_loops_restart(wr_loops *loops) { loops->n_step = 0; }
static inline void wr_loops_begin_window(wr_loops *loops)
{
    loops->n_step = loops->is_off = loops->is_stuck = 0;
}

/* Evaluates the loops' amplification at the window's end. Returns 1 if this amplification is much larger than the assumed amplification. */
int wr_engine_ask_loops(wr_engine *engine);

/* The waves that a sweep read, the waves of the sweep, and the guesses, [n] each. */
typedef struct wr_loop_waves {
    const wr_wave *const *before, *const *now;
    wr_wave *const *next;
} wr_loop_waves;

/* Computes guesses of the loops' waves by Newton's step, and the error of the published waves. Returns 1, or -1 if this step and all
 * further steps of the window are impossible. Returns 0 after -1, and in a run without Newton's step. */
int wr_engine_step_loops(wr_engine *engine, const wr_loop_waves *waves, double *ret_error);

/* Visits the state (base/state_io.h). */
void wr_loops_state(wr_engine *engine, wr_state_io *io);

#endif
