/* The own state of an instance (wrsim_own_state): copies for rollback, and bytes for checkpoints and snapshots.
 *
 * A failure of keep(), go_back(), bytes() or read() sets is_lost. The owner then fails at its next advance.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#ifndef WR_OWN_STATE_H
#define WR_OWN_STATE_H

#include "base/state_io.h"
#include "wrsim/model.h"

/* Uses of slots: the start of the window, the end of the window, and the end of the window begun ahead. */
typedef enum wr_own_slot { WR_OWN_START, WR_OWN_END, WR_OWN_AHEAD } wr_own_slot;

typedef struct wr_own_state {
    const wrsim_own_state *model;
    const char *name;         /* of the component */
    wrsim_instance *instance; /* outlives the object */
    size_t n_bytes;           /* bytes of the state in a checkpoint */
    unsigned char is_kept[WRSIM_SLOTS];
    int is_lost;         /* keep(), go_back(), bytes() or read() has failed */
    const char *message; /* of the model for the first failure; NULL: none */
} wr_own_state;

/* Largest state in a checkpoint, bytes: a larger number is an error of bytes(). */
#define WR_OWN_STATE_MOST_BYTES ((size_t)1 << 30)

/* Message of the fault after is_lost, if the model gives none. */
#define WR_OWN_STATE_LOST                                                                          \
    "a function of its own state has failed; check keep(), go_back(), bytes() and read() of its "  \
    "model"

static inline const char *wr_own_state_message(const wr_own_state *own)
{
    return own->message ? own->message : WR_OWN_STATE_LOST;
}

/* Starts after init() of the instance. */
void wr_own_state_begin(wr_own_state *own);
/* Forgets all copies, before done() of the instance. */
void wr_own_state_end(wr_own_state *own);

void wr_own_state_keep(wr_own_state *own, wr_own_slot slot, double t_s);
/* Requires a copy in the slot. */
void wr_own_state_go_back(wr_own_state *own, wr_own_slot slot, double t_s);

/* Returns whether the model gives its state as bytes. */
static inline int wr_own_state_has_bytes(const wrsim_own_state *model)
{
    return model->write != NULL;
}
/* Returns whether a checkpoint can save the state of an instance. */
static inline int wr_own_state_is_saved(const wrsim_model *model)
{
    return !(model->caps & WRSIM_CAP_CANNOT_RESTORE) &&
           (!model->own_state || wr_own_state_has_bytes(model->own_state));
}
/* Visits the state as bytes. Requires wr_own_state_has_bytes(). */
void wr_own_state_pass(wr_own_state *own, wr_state_io *io, double t_s);

#endif
