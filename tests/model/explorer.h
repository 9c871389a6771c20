/* Every execution of a few small threads on the memory of weak_memory.h: all schedules, all messages that loads may read.
 *
 * A thread is a function that is called for one round after the other and keeps what it has to remember in between in a few
 * numbers. Its atomics come here (model_atomics.h), so that source under test is used as it is. Depth first: at each state any
 * thread takes its next step with each possible result. A thread is brought to its next step by calling its round again with
 * the results so far, and left there by longjmp(): a state is a plain value, and one that was seen before is not gone into
 * again (128 bits of hash). Executions are counted as ways through the states.
 *
 * Not every order is tried (Godefroid, "Partial-order methods", 1996): what commutes with all that others can do is done
 * at once, alone: accesses to cells (races are found in any order), choices, loads of a location that nobody else stores
 * to any more. A location's owner is who alone stores to it.
 *
 * One exploration at a time.
 */
#ifndef WR_EXPLORER_H
#define WR_EXPLORER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "weak_memory.h"

enum { WR_MODEL_NUMBERS = 8, WR_MODEL_PLAIN = 2, WR_MODEL_STEPS = 32, WR_MODEL_TEXT = 4096 };

/* The orders that a test may weaken to relaxed to show that the source needs them. */
enum { WR_MODEL_LOADS = 1, WR_MODEL_STORES = 2 };

typedef struct wr_model_location {
    const _Atomic int64_t *object; /* its value is what threads find */
    int owner;                     /* only this thread stores to it; -1: several may */
    int relaxed; /* WR_MODEL_LOADS, WR_MODEL_STORES: taken as relaxed, whatever they ask for */
    const char *name;
} wr_model_location;

/* Memory of the source under test that is one thread's own: back as it was when its round begins again. */
typedef struct wr_model_plain {
    int64_t *number; /* [n], n <= WR_MODEL_PLAIN */
    int n;
} wr_model_plain;

typedef struct wr_model {
    int n_thread, n_location, n_cell;
    wr_model_location location[WR_WM_LOCATIONS];
    const void *cell[WR_WM_CELLS]; /* addresses that stand for them */
    wr_model_plain plain[WR_WM_THREADS];
    /* A round of a thread with its numbers, all 0 at first. 0: it was the last one. It must do the same when all that it calls
     * here gives the same, and at most WR_MODEL_STEPS of that. */
    int (*round)(void *context, int thread, int64_t *number);
    /* NULL, or what all threads' numbers are at the end; once for each final state. number[thread * WR_MODEL_NUMBERS + i] */
    void (*end)(void *context, const int64_t *number);
    void *context;
    int64_t most_states; /* more is a failure of the test, told on stderr */
    int does_not_merge;  /* goes into states again that were seen, to check the counts */
} wr_model;

typedef struct wr_model_result {
    int64_t n_state, n_step;  /* states gone into, steps taken from them */
    double n_execution;       /* complete ones: exact up to 2^53 */
    int is_violated;          /* then it ended at the first violation */
    char text[WR_MODEL_TEXT]; /* which one, and the steps up to there */
} wr_model_result;

/* Explores all. */
void wr_model_explore(const wr_model *model, wr_model_result *ret_result);

/* For rounds. Accesses to the model's locations. Of objects when no round is running: as they are. */
int64_t wr_model_load(const _Atomic int64_t *object, memory_order order);
void wr_model_store(_Atomic int64_t *object, int64_t value, memory_order order);
int64_t wr_model_fetch_add(_Atomic int64_t *object, int64_t value, memory_order order);

/* For rounds. Cells by their addresses; a race is a violation. */
int64_t wr_model_read(const void *cell);
void wr_model_write(const void *cell, int64_t value);

/* For rounds: 0 to n - 1, each is tried. */
int wr_model_choose(int n);

/* For rounds: a violation if the condition does not hold. */
#define wr_model_require(condition) wr_model_require_that((condition), #condition)
void wr_model_require_that(int holds, const char *what);

#endif
