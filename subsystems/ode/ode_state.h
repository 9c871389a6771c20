/* The state of a subsystem along the solution: saves, restores, reads and writes the state (base/state_io.h).
 *
 * One block of memory stores the state, except the integrator's state and the memory of the instances. A save copies the block and this
 * memory, and saves the integrator's state. Workspace, statistics and the wave are not in the block; wr_ode_state() also reads and writes
 * statistics.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STATE_H
#define WR_ODE_STATE_H

#include <string.h>

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_block {
    unsigned char *now;   /* [state_bytes] the state */
    unsigned char *saved; /* [state_bytes] copy of the state at the last save */
    size_t state_bytes;
    unsigned char *memory;        /* [memory_bytes] memory of the instances */
    unsigned char *memory_saved;  /* [memory_bytes] copy of memory at the last save */
    unsigned char *memory_before; /* [memory_bytes] copy of memory before an event */
    unsigned char *memory_kept;   /* [memory_bytes] copy during the trial of an event */
    size_t memory_bytes;
    double *guess; /* [n_guess] start values of algebraic loops at the last save */
} wr_ode_block;

/* Places the block, and in the block all saved arrays of the objects. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_state_place(wr_subsystem *s, wr_arena *arena);
/* Sets the state to zero. */
void wr_ode_clear_state(wr_subsystem *s);
void wr_ode_save(wr_subsystem *s);
void wr_ode_restore(wr_subsystem *s);
void wr_ode_state(wr_subsystem *s, wr_state_io *io);
void wr_ode_keep(wr_subsystem *s, wr_state_io *io, wr_own_slot slot);
void wr_ode_turn_ahead(wr_subsystem *s, wr_ahead_turn turn);

/* Define functions wr_ode_NAME(s) that copy, or compare, the memory of instances. */
#define WR_ODE_COPY_MEMORY(name, to, from)                                                         \
    static inline void wr_ode_##name(wr_subsystem *s)                                              \
    {                                                                                              \
        const wr_ode_block *const block = wr_ode_of(s)->block;                                     \
        wr_ode_copy_bytes(block->to, block->from, block->memory_bytes);                            \
    }
#define WR_ODE_DIFFERS_MEMORY(name, a, b)                                                          \
    static inline int wr_ode_##name(const wr_subsystem *s)                                         \
    {                                                                                              \
        const wr_ode_block *const block = wr_ode_of(s)->block;                                     \
        return block->memory_bytes > 0 && memcmp(block->a, block->b, block->memory_bytes) != 0;    \
    }
/* Copies the memory before an event. */
WR_ODE_COPY_MEMORY(begin_event_memory, memory_before, memory)
/* Returns whether the event changes the memory. */
WR_ODE_DIFFERS_MEMORY(has_changed_memory, memory_before, memory)
/* Save the memory before a trial of an event, and restore the memory after the trial. */
WR_ODE_COPY_MEMORY(keep_memory, memory_kept, memory)
WR_ODE_COPY_MEMORY(take_back_memory, memory, memory_kept)
/* Sets the memory to its bytes before the event, for a trial. */
WR_ODE_COPY_MEMORY(undo_event_memory, memory, memory_before)
/* Returns whether the memory after a trial differs from the kept memory. */
WR_ODE_DIFFERS_MEMORY(is_other_memory, memory, memory_kept)

#endif
