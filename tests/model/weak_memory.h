/* C11 atomics with relaxed, release and acquire accesses, as a memory that one asks what may be read.
 *
 * Operational semantics with messages and views: Kang, Hur, Lahav, Vafeiadis, Dreyer, "A promising semantics for relaxed-memory
 * concurrency", POPL 2017, without promises, which allows what RC11 does (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing
 * sequential consistency in C/C++11", PLDI 2017) for these accesses. Each location has its messages in modification order; each
 * thread has a view: of each location the oldest message that it may still read. A message of a release store carries its
 * thread's view, and who reads it by an acquire load takes that over. A store goes anywhere behind what its thread has seen,
 * not only to the end. What is written to a location after a release store by a relaxed one carries nothing (C++20); what an
 * update writes carries what it has read (release sequence).
 *
 * Not there: seq_cst, fences, and executions in which a load reads from a store that depends on it (load buffering), which RC11
 * forbids and C11 does not; they need a relaxed or non-atomic read of what another thread writes.
 *
 * Cells are memory that is not atomic. Views carry vector clocks (Mattern 1989) too, so that accesses to a cell that nothing
 * orders are found in whatever order they come here (Pozniansky and Schuster, "Efficient on-the-fly data race detection", 2003).
 *
 * A wr_weak_memory is a plain value without padding or pointers: copied, compared and hashed by its bytes.
 */
#ifndef WR_WEAK_MEMORY_H
#define WR_WEAK_MEMORY_H

#include <stdint.h>

enum { WR_WM_THREADS = 4, WR_WM_LOCATIONS = 8, WR_WM_MESSAGES = 16, WR_WM_CELLS = 8 };

/* What is known: larger is newer, and of two views the union is the larger of each. */
typedef struct wr_wm_view {
    uint8_t at[WR_WM_LOCATIONS]; /* index of a message */
    uint8_t clock
        [WR_WM_THREADS]; /* epochs; a thread's own begins with 1, and a new one after each release */
} wr_wm_view;

typedef struct wr_wm_message {
    int64_t value;
    wr_wm_view view;   /* what an acquire load of it learns */
    uint8_t is_update; /* it follows the one before without any in between */
    uint8_t unused[3];
} wr_wm_message;

typedef struct wr_wm_cell {
    int64_t value;
    uint8_t writer, write_epoch; /* of the last write; epoch 0: before all */
    uint8_t read_epoch[WR_WM_THREADS];
    uint8_t unused[2];
} wr_wm_cell;

typedef struct wr_weak_memory {
    uint8_t n_message[WR_WM_LOCATIONS];
    wr_wm_view view[WR_WM_THREADS];
    wr_wm_message message[WR_WM_LOCATIONS][WR_WM_MESSAGES]; /* in modification order */
    wr_wm_cell cell[WR_WM_CELLS];
} wr_weak_memory;

/* All locations and cells 0, all of it before every thread. */
void wr_wm_start(wr_weak_memory *memory);
/* Before threads run: another first value of a location, or of a cell. */
void wr_wm_set(wr_weak_memory *memory, int location, int64_t value);

/* May the thread read, or update, that message; may it store one that gets this index? */
int wr_wm_may_load(const wr_weak_memory *memory, int thread, int location, int i_message);
int wr_wm_may_update(const wr_weak_memory *memory, int thread, int location, int i_message);
int wr_wm_may_store(const wr_weak_memory *memory, int thread, int location, int i_message);

/* Executes the access, which must be allowed. An update adds to the loaded value. Both return the loaded value. */
int64_t wr_wm_load(wr_weak_memory *memory, int thread, int location, int i_message, int is_acquire);
typedef struct wr_wm_write {
    int64_t value; /* or what an update adds */
    int i_message, is_acquire, is_release;
} wr_wm_write;
int64_t wr_wm_update(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write);
void wr_wm_store(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write);

/* Cells. 1 if it races with an access before, else 0. */
int wr_wm_read_cell(wr_weak_memory *memory, int thread, int cell, int64_t *ret_value);
int wr_wm_write_cell(wr_weak_memory *memory, int thread, int cell, int64_t value);

#endif
