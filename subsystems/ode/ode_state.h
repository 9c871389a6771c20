/* The state of a subsystem along the solution: save, restore, and read or write it (base/state_io.h).
 *
 * One block of memory holds the state except for the integrator's, so saving copies the block. Workspace, statistics and the wave are
 * not part of it.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STATE_H
#define WR_ODE_STATE_H

#include <string.h>

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_block {
    unsigned char *now;   /* [state_bytes] the state */
    unsigned char *saved; /* [state_bytes] at the last save */
    size_t state_bytes;
    unsigned char *memory;        /* [memory_bytes] memory of the instances */
    unsigned char *memory_saved;  /* [memory_bytes] at the last save */
    unsigned char *memory_before; /* [memory_bytes] before an event */
    unsigned char *memory_kept;   /* [memory_bytes] saved while an event is tried */
    size_t memory_bytes;
    double *guess; /* [n_guess] start values of algebraic loops at the last save */
} wr_ode_block;

/* Places the block, and in it all saved parts of the objects. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_state_place(wr_subsystem *s, wr_arena *arena);
/* Sets the state to zero. */
void wr_ode_clear_state(wr_subsystem *s);
void wr_ode_save(wr_subsystem *s);
void wr_ode_restore(wr_subsystem *s);
void wr_ode_state(wr_subsystem *s, wr_state_io *io);

static inline void wr_ode_copy_memory(const wr_ode_block *block, unsigned char *to,
                                      const unsigned char *from)
{
    if (block->memory_bytes > 0)
        memcpy(to, from, block->memory_bytes);
}

/* Copies the memory of instances before an event. */
static inline void wr_ode_begin_event_memory(wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    wr_ode_copy_memory(block, block->memory_before, block->memory);
}

/* Has the event changed the memory? */
static inline int wr_ode_has_changed_memory(const wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    return block->memory_bytes > 0 &&
           memcmp(block->memory_before, block->memory, block->memory_bytes) != 0;
}

/* Saves the memory before an event is tried, and restores it afterwards. */
static inline void wr_ode_keep_memory(wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    wr_ode_copy_memory(block, block->memory_kept, block->memory);
}
static inline void wr_ode_take_back_memory(wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    wr_ode_copy_memory(block, block->memory, block->memory_kept);
}

/* Sets the memory to its bytes before the event, for a trial. */
static inline void wr_ode_undo_event_memory(wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    wr_ode_copy_memory(block, block->memory, block->memory_before);
}

/* Does the memory after a trial differ from the kept memory? */
static inline int wr_ode_is_other_memory(const wr_subsystem *s)
{
    const wr_ode_block *const block = wr_ode_of(s)->block;
    return block->memory_bytes > 0 &&
           memcmp(block->memory, block->memory_kept, block->memory_bytes) != 0;
}

#endif
