/* A weakly hard deadline: at most m misses in any k consecutive steps.
 *
 * G. Bernat, A. Burns, A. Llamosi, "Weakly hard real-time systems", IEEE Trans. Computers 50(4), 2001: their constraint
 * "any (k - m) in k", said by misses. What has no k steps behind it yet violates as soon as it has more than m misses, as
 * every window that goes on from it does.
 *
 * Thread: one owner. Real-time: all but place.
 */
#ifndef WR_WEAKLY_HARD_H
#define WR_WEAKLY_HARD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"

enum { WR_WEAKLY_HARD_MOST_STEPS = 1000000 };

/* To be read between calls. */
typedef struct wr_weakly_hard {
    int m, k;
    int64_t n_step, n_miss;
    int64_t n_violation;     /* steps at whose end the last k had more than m misses */
    int64_t first_violation; /* number of the first such step, from 0; -1 = none */
    int64_t longest_run;     /* most misses in a row */
    int64_t run;             /* misses in a row up to now */
    int n_window;            /* misses among the last k steps */
    /* Inside. */
    int i_next;    /* place of the next step in the ring */
    uint64_t *bit; /* ring of the last k steps, 1 = miss */
} wr_weakly_hard;

/* Words of 64 bits that k steps take. */
static inline int wr_weakly_hard_words(int k) { return (k + 63) / 64; }

/* 0 <= m <= k, 1 <= k <= WR_WEAKLY_HARD_MOST_STEPS, otherwise WRSIM_E_ARG. With m = k nothing violates. bit has
 * wr_weakly_hard_words(k) words that the caller keeps. */
wrsim_status wr_weakly_hard_init(wr_weakly_hard *monitor, int m, int k, uint64_t *bit);

/* The same with all memory in an arena. NULL if that is full, or for wrong numbers. */
wr_weakly_hard *wr_weakly_hard_place(wr_arena *arena, int m, int k);

/* Forgets all steps. */
void wr_weakly_hard_reset(wr_weakly_hard *monitor);

/* The next step. Returns 1 if the window that ends with it violates, otherwise 0. Takes the same time for any k. */
int wr_weakly_hard_add(wr_weakly_hard *monitor, int is_missed);

#endif
