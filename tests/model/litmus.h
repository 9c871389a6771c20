/* Small straight-line programs over two locations and a cell, and which outcomes they have: by the explorer, and by the axioms.
 *
 * The outcome of an execution is what its loads and updates have read, thread by thread, in WR_LITMUS_DIGIT bits each.
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
    int location; /* of cells: none */
    int value;    /* stored or added; below 1 << WR_LITMUS_DIGIT, sums too */
    memory_order order;
} wr_litmus_instruction;

typedef struct wr_litmus {
    int n_thread;
    /* instructions of each thread, up to the first WR_END; at most WR_LITMUS_READS loads and updates */
    wr_litmus_instruction thread[WR_WM_THREADS][WR_LITMUS_INSTRUCTIONS];
} wr_litmus;

typedef struct wr_outcomes {
    int has_race; /* in some execution: then the rest is not complete */
    uint8_t is_there[WR_LITMUS_OUTCOMES];
    double n_execution; /* explored; not set by the axioms */
} wr_outcomes;

/* By the explorer: what these mean is said there. */
typedef struct wr_litmus_how {
    int does_not_merge;
    int relaxed;    /* of all locations */
    int has_owners; /* the only thread that stores to a location owns it */
} wr_litmus_how;
void wr_litmus_explore(const wr_litmus *litmus, const wr_litmus_how *how,
                       wr_outcomes *ret_outcomes);

int wr_litmus_count(const wr_outcomes *outcomes);

#endif
