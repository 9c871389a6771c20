/* Acceleration: guesses of the next iterate from the last iterates. After placing, only engine_acceleration.c writes the object.
 *
 * Thread: serial section. Real-time: yes after placing. */
#ifndef WR_ENGINE_ACCELERATION_H
#define WR_ENGINE_ACCELERATION_H

#include "runtime/relax/accelerate.h"
#include "runtime/relax/engine_parts.h"

typedef wr_wave *wr_mix_guess[2];

typedef struct wr_mix {
    wr_accelerate *method; /* NULL: no acceleration */
    wr_accelerate
        *fallback; /* method if plain sweeps do not contract; NULL: not allowed, or in use */
    wr_accelerate *asked, *last;   /* method and fallback when placed */
    const wr_wave **before, **now; /* [n] waves that a sweep read, and waves of the sweep */
    wr_wave **next;                /* [n] guesses */
    /* [n] two waves for `next`, used in turn, because tasks still read the last guess; NULL: no acceleration */
    wr_mix_guess *guess;
    const double **scale; /* [n] tolerance units of the signals */
    /* [n] 1: the wave's jumps have shifted, so the engine publishes the wave as integrated */
    unsigned char *is_plain;
    int has_guesses; /* 1: the last step has computed guesses */
    double error;    /* error of the published waves, from the last step, tolerances */
} wr_mix;

/* Returns 1 if the engine estimates the effect of each input change; 0: acceleration judges the iterate as a whole. */
static inline int wr_mix_has_estimates(const wr_engine *e) { return !e->mix->method; }

/* Setup: wr_mix_place_guesses() places the array of guesses, if the run may use acceleration. wr_mix_place() places the methods, after the
 * network is placed. Both return 0, or -1 when the arena is exhausted. */
int wr_mix_place_guesses(wr_engine *engine, wr_arena *arena);
int wr_mix_place(wr_engine *engine, wr_arena *arena);

void wr_mix_begin_window(wr_engine *engine);

/* Discards the data of earlier sweeps of this window. */
void wr_mix_restart(wr_engine *engine);

/* Stores the wave of subsystem i that the tasks of the present batch read. */
void wr_mix_note_read(wr_engine *engine, int i);

/* After a sweep computes guesses, by Newton's step for algebraic loops or by Anderson's step. has_guesses is 0 if no step is possible. Also
 * estimates the error of the published waves. */
void wr_mix_step(wr_engine *engine);

/* Publishes the guesses, if has_guesses. A wave with is_plain remains as integrated. */
void wr_mix_publish(wr_engine *engine);

/* Switches to the fallback method, because shorter windows contract no better in an algebraic loop. */
void wr_mix_fall_back(wr_engine *engine);

/* Visits the state (base/state_io.h). */
void wr_mix_state(wr_mix *mix, wr_state_io *io);

#endif
