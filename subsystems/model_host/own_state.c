/* The own state of an instance. See own_state.h. Thread: one at a time. Real-time: yes, with rt-safe models. */
#include "subsystems/model_host/own_state.h"

#include <math.h>
#include <string.h>

#include "subsystems/model_host/calling.h"

_Static_assert(WR_OWN_AHEAD + 1 == WRSIM_SLOTS, "each use has a slot");

/* Notes the failure of a function of the model. */
static void note_failure(wr_own_state *own)
{
    own->message = own->is_lost ? own->message : own->instance->message;
    own->instance->message = NULL;
    own->is_lost = 1;
}

void wr_own_state_begin(wr_own_state *own)
{
    own->is_lost = 0;
    own->message = NULL;
    own->n_bytes = 0;
    if (!wr_own_state_has_bytes(own->model))
        return;
    wr_calling_begin(own->name, "bytes", (double)NAN);
    own->n_bytes = own->model->bytes(own->instance);
    wr_calling_end();
    if (own->n_bytes <= WR_OWN_STATE_MOST_BYTES)
        return;
    note_failure(own);
    own->n_bytes = 0;
}

void wr_own_state_end(wr_own_state *own)
{
    for (int slot = 0; slot < WRSIM_SLOTS; slot++) {
        if (!own->is_kept[slot])
            continue;
        wr_calling_begin(own->name, "forget", (double)NAN);
        own->model->forget(own->instance, slot);
        wr_calling_end();
        own->is_kept[slot] = 0;
    }
}

void wr_own_state_keep(wr_own_state *own, wr_own_slot slot, double t_s)
{
    wr_calling_begin(own->name, "keep", t_s);
    const int rc = own->model->keep(own->instance, (int)slot);
    wr_calling_end();
    own->is_kept[slot] = 1; /* a failed keep() may have allocated the copy */
    if (rc)
        note_failure(own);
}

void wr_own_state_go_back(wr_own_state *own, wr_own_slot slot, double t_s)
{
    wr_calling_begin(own->name, "go_back", t_s);
    if (!own->is_kept[slot] || own->model->go_back(own->instance, (int)slot) != 0)
        note_failure(own);
    wr_calling_end();
}

void wr_own_state_pass(wr_own_state *own, wr_state_io *io, double t_s)
{
    int rc = 0;
    if (io->has_no_own)
        return;
    wr_state_agree(io, (int64_t)own->n_bytes);
    size_t at;
    if (!wr_state_place(io, own->n_bytes, &at))
        return;
    if (io->mode == WR_STATE_WRITE) {
        wr_calling_begin(own->name, "write", t_s);
        rc = own->model->write(own->instance, io->to + at, own->n_bytes);
        wr_calling_end();
    } else if (io->mode == WR_STATE_READ) {
        wr_calling_begin(own->name, "read", t_s);
        rc = own->model->read(own->instance, io->from + at, own->n_bytes);
        wr_calling_end();
        own->is_lost = 0; /* a snapshot replaces a lost state */
    }
    if (rc == 0)
        return;
    const char *const reason = own->instance->message;
    if (io->mode == WR_STATE_READ) /* a failed write() changes no state */
        note_failure(own);
    own->instance->message = NULL;
    wr_state_refuse(io, own->name, reason);
}
