/* Causes of the jumps that a subsystem reads and publishes. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_JUMP_CAUSES_H
#define WR_JUMP_CAUSES_H

#include "subsystems/ode/ode_parts.h"
#include "subsystems/waves/wave.h"

/* Jumps of a source that wait for a firing round of the reader. */
typedef struct wr_deferral {
    int is_open;
    double *offset; /* [reader->n] height of the jumps */
    wr_cause_set causes;
} wr_deferral;

/* Causes at the present instant. The causes belong to one integration, and the saved state does not include the causes. */
typedef struct wr_ode_causes {
    int i_member; /* number among subsystems with state events; -1: none, only passes causes on */
    int n_fired;  /* number of own firing rounds of this integration */
    int n_open;   /* number of sources with deferred jumps */
    wr_cause_set now;   /* causes of the node published in the present round */
    wr_cause_set later; /* causes from the next firing round on: inputs that act through events */
    wr_deferral *deferral; /* [n_source] */
} wr_ode_causes;

/* Places the causes of a subsystem. i_member: number among all subsystems of the run; -1: the subsystem has no state events. Setup
 * only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_place_causes(wr_subsystem *s, wr_arena *arena, int i_member);
/* Begin the causes at the start of an advance, of an instant, and of a firing round. */
void wr_ode_begin_causes(wr_subsystem *s);
void wr_ode_begin_instant_causes(wr_subsystem *s);
void wr_ode_count_firing(wr_subsystem *s);
/* Writes the causes of the wave's last node. */
void wr_ode_publish_causes(wr_subsystem *s);
/* Adds the causes of a round of a source's jump. If the causes name a future firing round of this subsystem, and s->is_check is 0, the
 * function instead defers the remaining jump. `round` then becomes the reader's last round. Call the function before reading the round. */
void wr_ode_take_causes(wr_subsystem *s, int i_source, int round);
/* Passes the deferred jumps that wait for the present firing round. Returns the number of sources with such jumps. */
int wr_ode_release(wr_subsystem *s);

/* Returns the number of the subsystem among all subsystems of the run; -1: the subsystem has no state events, or keeps no causes. */
static inline int wr_ode_i_member(const wr_subsystem *s)
{
    const wr_ode_causes *const causes = wr_ode_of(s)->causes;
    return causes ? causes->i_member : -1;
}

/* Returns whether a future firing round of this subsystem is among the causes of the next jumps. */
int wr_ode_is_own_answer(const wr_subsystem *s);

#endif
