/* All that changes along the solution, as bytes: save, restore, pass over.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STATE_H
#define WR_ODE_STATE_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_block {
    unsigned char *now;
    unsigned char *saved;
    size_t state_bytes;
    unsigned char *memory;
    unsigned char *memory_saved; /* [memory_bytes] what instances remember */
    unsigned char *memory_before;
    unsigned char *memory_kept; /* [memory_bytes] before an event; while one is only tried */
    size_t memory_bytes;
    double *guess; /* [n_guess] of the algebraic loops, while saved */
} wr_ode_block;

void wr_ode_save(wr_subsystem *s);
void wr_ode_restore(wr_subsystem *s);
void wr_ode_state(wr_subsystem *s, wr_state_io *io);

#endif
