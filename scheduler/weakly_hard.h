/* A weakly hard deadline: at most m misses in any k consecutive steps.
 *
 * G. Bernat, A. Burns, A. Llamosi, "Weakly hard real-time systems", IEEE Trans. Computers 50(4), 2001, call this constraint "any (k - m) in
 * k": of any k steps, at least k - m steps meet the deadline. Before step k, more than m misses are also a violation, because the first
 * k steps contain these misses.
 *
 * Thread: one owner. Real-time: all except wr_weakly_hard_place.
 */
#ifndef WR_WEAKLY_HARD_H
#define WR_WEAKLY_HARD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"

enum { WR_WEAKLY_HARD_MOST_STEPS = 1000000 }; /* largest k (assumed) */

/* A monitor of the constraint. The caller may read the counters between calls. */
typedef struct wr_weakly_hard {
    int m, k;
    int64_t n_step, n_miss;
    int64_t n_violation;     /* steps at whose end the last k steps have more than m misses */
    int64_t first_violation; /* number of the first violating step, from 0; -1: none */
    int64_t longest_run;     /* largest number of successive misses */
    int64_t run;             /* present number of successive misses */
    int n_window;            /* misses among the last k steps */
    /* Private members: */
    int i_next;    /* place of the next step in `bit` */
    uint64_t *bit; /* cyclic buffer of the last k steps; 1 = miss */
} wr_weakly_hard;

/* Returns the number of 64-bit words for k steps. */
static inline int wr_weakly_hard_words(int k) { return (k + 63) / 64; }

/* Initialises a monitor. Requires 0 <= m <= k, 1 <= k <= WR_WEAKLY_HARD_MOST_STEPS, and bit that is not NULL. Otherwise returns
 * WRSIM_E_ARG. With m = k no step is a violation. bit has wr_weakly_hard_words(k) words of the caller. */
wrsim_status wr_weakly_hard_init(wr_weakly_hard *monitor, int m, int k, uint64_t *bit);

/* Returns a monitor with memory in an arena, or NULL if the arena is full or a number is invalid. */
wr_weakly_hard *wr_weakly_hard_place(wr_arena *arena, int m, int k);

/* Removes all steps and sets the counters to their start values. */
void wr_weakly_hard_reset(wr_weakly_hard *monitor);

/* Adds a step. Returns 1 if the last k steps violate the constraint, else 0. The call takes constant time for any k. */
int wr_weakly_hard_add(wr_weakly_hard *monitor, int is_missed);

#endif
