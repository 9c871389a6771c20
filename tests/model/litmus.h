/* Small straight-line programs over two locations and a cell, and their outcomes by the explorer and by the axioms.
 *
 * The code of an outcome contains the values that loads and updates read, thread by thread, WR_LITMUS_DIGIT bits each.
 */
#ifndef WR_LITMUS_H
#define WR_LITMUS_H

#include <stdatomic.h>
#include <stdint.h>

#include "explorer.h"

enum {
    WR_LITMUS_INSTRUCTIONS = 4,
    WR_LITMUS_LOCATIONS = 2,
    WR_LITMUS_DIGIT = 3,
    WR_LITMUS_READS = 5
};
enum { WR_LITMUS_OUTCOMES = 1 << (WR_LITMUS_DIGIT * WR_LITMUS_READS) };

typedef enum wr_litmus_kind {
    WR_END,
    WR_LOAD,
    WR_STORE,
    WR_ADD,
    WR_READ_CELL,
    WR_WRITE_CELL
} wr_litmus_kind;

typedef struct wr_litmus_instruction {
    wr_litmus_kind kind;
    int location; /* unused by instructions on the cell */
    int value;    /* stored or added; values and sums are below 1 << WR_LITMUS_DIGIT */
    memory_order order;
} wr_litmus_instruction;

typedef struct wr_litmus {
    int n_thread;
    /* Instructions of each thread, up to the first WR_END. A program has at most WR_LITMUS_READS loads and updates. */
    wr_litmus_instruction thread[WR_WM_THREADS][WR_LITMUS_INSTRUCTIONS];
} wr_litmus;

typedef struct wr_outcomes {
    int has_race; /* some execution has a race; the explorer then stops, so is_there is incomplete */
    uint8_t is_there[WR_LITMUS_OUTCOMES];
    double n_execution; /* executions explored; the axioms leave 0 */
} wr_outcomes;

/* Options of the explorer; wr_model in explorer.h describes them. */
typedef struct wr_litmus_how {
    int does_not_merge;
    int relaxed;    /* WR_MODEL_LOADS, WR_MODEL_STORES, for all locations */
    int has_owners; /* 1: the only thread that stores to a location owns the location */
} wr_litmus_how;
void wr_litmus_explore(const wr_litmus *litmus, const wr_litmus_how *how,
                       wr_outcomes *ret_outcomes);

int wr_litmus_count(const wr_outcomes *outcomes);

#endif
