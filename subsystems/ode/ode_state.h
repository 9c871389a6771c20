/* All that changes along the solution, as bytes: save, restore, pass over.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STATE_H
#define WR_ODE_STATE_H

#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_block {
    unsigned char *now;   /* [state_bytes] the state */
    unsigned char *saved; /* [state_bytes] at the last save */
    size_t state_bytes;
    unsigned char *memory;        /* [memory_bytes] memory of the instances */
    unsigned char *memory_saved;  /* [memory_bytes] at the last save */
    unsigned char *memory_before; /* [memory_bytes] before an event */
    unsigned char *memory_kept;   /* [memory_bytes] while an event is tried */
    size_t memory_bytes;
    double *guess; /* [n_guess] start values of algebraic loops, at the last save */
} wr_ode_block;

void wr_ode_save(wr_subsystem *s);
void wr_ode_restore(wr_subsystem *s);
void wr_ode_state(wr_subsystem *s, wr_state_io *io);

#endif
