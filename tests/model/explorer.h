/* Explores every execution of a few small threads on the memory of weak_memory.h: all schedules, all messages that loads may read.
 *
 * A thread is a function that the explorer calls round after round. Between rounds a thread stores its state in a few numbers.
 * model_atomics.h redirects the atomic accesses of the source under test to the explorer. The search is depth first: at each
 * state every thread takes its next step with each possible result. To find the next step of a thread, the explorer calls the
 * round again with the stored results, and leaves the round by longjmp(). A state is therefore a plain value. The search skips
 * states that it has explored before (128 bits of hash). The number of executions is the number of paths through the states.
 *
 * The search does not try every order (Godefroid, "Partial-order methods", 1996). A step that commutes with all later steps of
 * other threads runs at once. Such steps are accesses to cells (each order finds their races), choices, and loads of a location
 * to which no other thread stores any more. If a location has an owner, only the owner may store to the location.
 *
 * One exploration at a time per process.
 */
#ifndef WR_EXPLORER_H
#define WR_EXPLORER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "weak_memory.h"

enum { WR_MODEL_NUMBERS = 8, WR_MODEL_PLAIN = 2, WR_MODEL_STEPS = 32, WR_MODEL_TEXT = 4096 };

/* The accesses of a location that a test may weaken to relaxed, to show that the source needs their memory order. */
enum { WR_MODEL_LOADS = 1, WR_MODEL_STORES = 2 };

typedef struct wr_model_location {
    const _Atomic int64_t *object; /* its present value is the initial value */
    int owner;                     /* the only thread that may store; -1: several threads */
    int relaxed; /* WR_MODEL_LOADS, WR_MODEL_STORES: these accesses are relaxed, whatever order the source passes */
    const char *name;
} wr_model_location;

/* Non-atomic memory of the source under test that belongs to one thread. When a round restarts, the explorer resets this memory. */
typedef struct wr_model_plain {
    int64_t *number; /* [n], n <= WR_MODEL_PLAIN */
    int n;
} wr_model_plain;

typedef struct wr_model {
    int n_thread, n_location, n_cell;
    wr_model_location location[WR_WM_LOCATIONS];
    const void *cell[WR_WM_CELLS]; /* addresses by which rounds name the cells */
    wr_model_plain plain[WR_WM_THREADS];
    /* Runs one round of a thread. number[WR_MODEL_NUMBERS] starts as zeros. Returns 0 if this round is the last round. A round must
     * repeat its steps if the explorer repeats the results, and takes at most WR_MODEL_STEPS steps. */
    int (*round)(void *context, int thread, int64_t *number);
    /* NULL, or called once for each final state. Number i of a thread is number[thread * WR_MODEL_NUMBERS + i]. */
    void (*end)(void *context, const int64_t *number);
    void *context;
    int64_t most_states; /* limit of n_state; above it the explorer writes to stderr and aborts */
    int does_not_merge;  /* 1: the search repeats explored states, to check the counts */
} wr_model;

typedef struct wr_model_result {
    int64_t n_state, n_step;  /* states explored, steps taken */
    double n_execution;       /* complete executions, exact up to 2^53 */
    int is_violated;          /* 1: the search ended at the first violation */
    char text[WR_MODEL_TEXT]; /* the violation and the steps that lead to it */
} wr_model_result;

/* Explores all executions of the model. Aborts if memory is short or the model breaks its contract. */
void wr_model_explore(const wr_model *model, wr_model_result *ret_result);

/* For rounds: access the model's locations. Outside of a round the functions access the object directly. */
int64_t wr_model_load(const _Atomic int64_t *object, memory_order order);
void wr_model_store(_Atomic int64_t *object, int64_t value, memory_order order);
int64_t wr_model_fetch_add(_Atomic int64_t *object, int64_t value, memory_order order);

/* For rounds: access a cell by its address. A race is a violation. */
int64_t wr_model_read(const void *cell);
void wr_model_write(const void *cell, int64_t value);

/* For rounds: returns 0 to n - 1. The search tries each value. */
int wr_model_choose(int n);

/* For rounds: a condition that does not hold is a violation. */
#define wr_model_require(condition) wr_model_require_that((condition), #condition)
void wr_model_require_that(int holds, const char *what);

#endif
