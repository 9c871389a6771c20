/* C11 atomics with relaxed, release and acquire accesses: a memory that lists the messages which a load may read.
 *
 * Operational semantics with messages and views: Kang, Hur, Lahav, Vafeiadis, Dreyer, "A promising semantics for relaxed-memory
 * concurrency", POPL 2017. Without promises the semantics allows the executions of RC11 for these accesses (Lahav, Vafeiadis, Kang,
 * Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017). Each location has its messages in modification order.
 * The view of a thread stores, for each location, the oldest message that the thread may still read. A message of a release
 * store contains the view of its thread, and an acquire load of the message joins this view to the view of the reader. A store
 * may go anywhere behind the messages that its thread has read, not only to the end. A relaxed store after a release store
 * contains no view (C++20). The message of an update contains the view of the message that the update reads (release sequence).
 *
 * The model lacks seq_cst, fences, and executions in which a load reads from a store that depends on it (load buffering). RC11
 * forbids load buffering and C11 does not. Such executions need a relaxed or non-atomic read of a value from another thread.
 *
 * Cells are non-atomic memory. Views contain vector clocks (Mattern 1989, "Virtual time and global states of distributed
 * systems"). The clocks find unordered accesses to a cell in any order of execution (Pozniansky and Schuster, "Efficient
 * on-the-fly data race detection", 2003).
 *
 * A wr_weak_memory is a plain value without padding or pointers. Users copy, compare and hash its bytes.
 */
#ifndef WR_WEAK_MEMORY_H
#define WR_WEAK_MEMORY_H

#include <stdint.h>

enum { WR_WM_THREADS = 4, WR_WM_LOCATIONS = 8, WR_WM_MESSAGES = 16, WR_WM_CELLS = 8 };

/* View of a thread. Larger is newer, and the union of two views is their elementwise maximum. */
typedef struct wr_wm_view {
    uint8_t at[WR_WM_LOCATIONS]; /* index of a message per location */
    uint8_t clock
        [WR_WM_THREADS]; /* epoch per thread; a thread's own epoch starts with 1 and grows by 1 after each release */
} wr_wm_view;

typedef struct wr_wm_message {
    int64_t value;
    wr_wm_view view;   /* view that an acquire load of the message obtains */
    uint8_t is_update; /* 1: an update (read-modify-write) stored this message */
    uint8_t unused[3];
} wr_wm_message;

typedef struct wr_wm_cell {
    int64_t value;
    uint8_t writer, write_epoch; /* of the last write; epoch 0: the initial value */
    uint8_t read_epoch[WR_WM_THREADS];
    uint8_t unused[2];
} wr_wm_cell;

typedef struct wr_weak_memory {
    uint8_t n_message[WR_WM_LOCATIONS];
    wr_wm_view view[WR_WM_THREADS];
    wr_wm_message message[WR_WM_LOCATIONS][WR_WM_MESSAGES]; /* modification order per location */
    wr_wm_cell cell[WR_WM_CELLS];
} wr_weak_memory;

/* Sets all locations and cells to 0. These initial values precede every access of a thread. */
void wr_wm_start(wr_weak_memory *memory);
/* Sets the initial value of a location. Call before the first access of a thread. */
void wr_wm_set(wr_weak_memory *memory, int location, int64_t value);

/* Return 1 if the thread may load or update message i_message, or may store a message with this index. */
int wr_wm_may_load(const wr_weak_memory *memory, int thread, int location, int i_message);
int wr_wm_may_update(const wr_weak_memory *memory, int thread, int location, int i_message);
int wr_wm_may_store(const wr_weak_memory *memory, int thread, int location, int i_message);

/* Load, update and store execute an access, which must be allowed. Load and update return the loaded value. */
int64_t wr_wm_load(wr_weak_memory *memory, int thread, int location, int i_message, int is_acquire);
typedef struct wr_wm_write {
    int64_t value; /* stored by a store, added by an update */
    int i_message, is_acquire, is_release;
} wr_wm_write;
int64_t wr_wm_update(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write);
void wr_wm_store(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write);

/* Access a cell. Return 1 if the access races with an earlier access, else 0. */
int wr_wm_read_cell(wr_weak_memory *memory, int thread, int cell, int64_t *ret_value);
int wr_wm_write_cell(wr_weak_memory *memory, int thread, int cell, int64_t value);

#endif
